// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/argument_sources.h"

#include "lang/base/text.h"
#include "tests/unit/ir/parsed.h"

using namespace hidet;

namespace {

std::string sources_of(const std::string& body) {
    const ir::ModuleRef module = test::parsed_module(
        "module '' level kernel\n\ndef launch(a: ~f32, b: ~i32, n: i32):\n    attrs.func_kind = 'public'\n" + body);
    const auto sources = session::argument_sources(*module->functions.at(0));
    std::string out = sources ? "" : "none";
    for (const std::vector<int>& launch : sources.value_or(session::ArgumentSources{})) {
        for (const int source : launch)
            out += cat(source, " ");
        out += "; ";
    }
    return out;
}

std::string launch_of(const std::string& args, const std::string& blocks = "n", const std::string& indent = "    ") {
    return cat(indent, "launch f(", args, "), grid=[", blocks,
               ", 1, 1], cluster=[1, 1, 1], block=[32, 1, 1], dynamic_smem_bytes=0\n");
}

TEST_CASE("launches that follow from numbers and shapes have the parameters of their pointers") {
    CHECK(sources_of(launch_of("b, n, a")) == "1 -1 0 ; ");
    CHECK(sources_of(launch_of("a, b") + launch_of("b, a")) == "0 1 ; 1 0 ; ");
    CHECK(sources_of("    let k: i32 = runtime.get_symbol_value('k')\n    if k != 0:\n" +
                     launch_of("a, n + k", "(k + 31) // 32", "        ")) == "0 -1 ; ");
    CHECK(
        sources_of("    declare m: opaque('CUtensorMap')\n"
                   "    cuda.create_tensor_map(&m, b, i64(328), i64(400), i64(656), i64(64), i64(128), i64(1), i64(1), "
                   "attr='f16.2.0.128.0')\n" +
                   launch_of("m, a")) == "1 0 ; ");
}

TEST_CASE("what depends on memory or on addresses, or comes several times, is not recorded") {
    CHECK(sources_of(launch_of("a + n, b")) == "none");
    CHECK(sources_of(launch_of("a, b", "b[0]")) == "none");
    CHECK(sources_of("    for i in range(n):\n" + launch_of("a, b", "n", "        ")) == "none");
    CHECK(sources_of("    a[0] = 1.0\n" + launch_of("a, b")) == "none");
}

} // namespace
