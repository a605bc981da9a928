// SPDX-License-Identifier: Apache-2.0
// The preludes compile: each snippet alone, and together with calls of everything, for one GPU of each family and for the
// CPU. Skipped where there is no compiler.
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"
#include "runtime/toolchain/in_process.h"
#include "tests/harness/skip.h"
#include "tests/unit/codegen/zoo.h"

using namespace hidet;
using namespace hidet::compiler;
using ir::IntrinsicId;

namespace {

bool is_ordered(const ir::Intrinsic& call) {
    bool is_access = call.id == IntrinsicId::LoadAcquire || call.id == IntrinsicId::StoreRelease;
    return is_access || ir::info(call.id).category == ir::IntrinsicCategory::Atomic;
}

struct Zoo {
    std::string text;
    std::set<std::string> snippets; // those of single calls, in the order of names
};

// Of the other architectures only what differs between them: what needs hardware, and conversions of short floats.
bool differs(const ir::Intrinsic& call) {
    ir::IntrinsicCategory category = ir::info(call.id).category;
    return ir::place_of(category) == ir::IntrinsicPlace::Kernel && category != ir::IntrinsicCategory::Warp;
}
bool differs(ir::DType from, ir::DType to) {
    auto is_float = [](ir::DType dtype) { return ir::is_float(dtype) && ir::info(dtype).bits <= 32; };
    return is_float(from) && is_float(to);
}

// Orders and types of atomics are many: every so many of their pairs.
Zoo zoo_text(const Dialect& dialect, std::string_view specifier, int architecture, int every) {
    Zoo zoo;
    Snippets snippets;
    std::string functions;
    int count = 0, ordered = 0;
    for (const ZooCall& call : all_calls()) {
        auto spelling = dialect.intrinsic(*call.call);
        const bool is_specific = architecture == 90 || architecture == 100;
        if (!spelling || !Architecture{architecture, is_specific}.provides(spelling->capability.arch))
            continue;
        bool is_left_out = architecture != 90 && !differs(*call.call);
        if (is_left_out || (is_ordered(*call.call) && ordered++ % every != 0))
            continue;
        functions += cat("// ", call.name, "\n", specifier);
        functions += function_of(dialect, call, *spelling, cat("f", count++), snippets);
    }
    for (ir::DType dtype : all_types(dialect)) {
        auto spelling = dialect.type(dtype);
        snippets.insert(spelling->needs.begin(), spelling->needs.end());
        functions += operators_of(dialect, dtype, specifier, count, snippets);
    }
    for (ir::DType from : all_types(dialect))
        for (ir::DType to : all_types(dialect)) {
            bool is_pair = ir::is_vector(from) == ir::is_vector(to) && ir::info(from).lanes == ir::info(to).lanes;
            is_pair = is_pair && (ir::is_complex(to) || !ir::is_complex(from)); // no real number is a complex one
            if (from != to && is_pair && (architecture == 90 || differs(from, to)))
                functions += cat(specifier, conversion_of(dialect, from, to, cat("f", count++), snippets));
        }
    zoo.snippets.insert(snippets.begin(), snippets.end());
    zoo.text = dialect.prelude(snippets) + functions;
    return zoo;
}

// Of a snippet with parameters the first that a call needs.
std::vector<std::string> one_of_each(const Dialect& dialect, std::string_view specifier) {
    std::vector<std::string> out;
    std::set<std::string> families;
    for (const std::string& name : static_cast<const SharedDialect&>(dialect).snippets().names())
        if (name.find('(') == std::string::npos)
            out.push_back(name);
    for (const std::string& snippet : zoo_text(dialect, specifier, 90, 1).snippets)
        if (snippet.find('(') != std::string::npos && families.insert(snippet.substr(0, snippet.find('('))).second)
            out.push_back(snippet);
    return out;
}

void expect_compiles(toolchain::Compiler& compiler, const toolchain::CompileRequest& request, const std::string& what) {
    auto result = compiler.compile(request);
    if (!result)
        FAIL(what, "\n", result.error().message.substr(0, 2000));
    if (!result.value().log.empty())
        FAIL(what, " is compiled with warnings\n", result.value().log.substr(0, 2000));
}

struct WithCompilers {
    toolchain::InProcessCompiler compiler{toolchain::default_places()};
    bool is_without_nvrtc() {
        auto nvrtc = compiler.nvrtc();
        if (!nvrtc)
            test::skip(nvrtc.error().message);
        return !nvrtc;
    }
    bool is_without_cxx() {
        auto cxx = compiler.cxx();
        if (!cxx)
            test::skip(cxx.error().message);
        return !cxx;
    }
};

toolchain::CompileRequest cuda_request(std::string text, int architecture, toolchain::Product product) {
    bool is_specific = architecture == 90 || architecture == 100;
    return {.text = std::move(text),
            .product = product,
            .arch = cat("sm_", architecture, is_specific ? "a" : ""),
            .options = {"--relocatable-device-code=true"}};
}

toolchain::CompileRequest cxx_request(std::string text) {
    return {.language = artifact::Language::Cxx,
            .text = std::move(text),
            .product = toolchain::Product::SharedObject,
            .arch = "x86-64-v2",
            .options = {"-Wall", "-Wextra", "-Werror"}};
}

} // namespace

TEST_CASE_FIXTURE(WithCompilers, "all of it compiles for each architecture") {
    if (is_without_nvrtc())
        return;
    for (int architecture : {75, 80, 89, 90, 100}) {
        CAPTURE(architecture);
        Zoo zoo = zoo_text(cuda_dialect(), "__device__ ", architecture, architecture == 90 ? 23 : 97);
        expect_compiles(compiler, cuda_request(zoo.text, architecture, toolchain::Product::Cubin), "everything");
    }
}

TEST_CASE_FIXTURE(WithCompilers, "each snippet of CUDA C++ compiles alone") {
    if (is_without_nvrtc())
        return;
    for (const std::string& snippet : one_of_each(cuda_dialect(), "__device__ "))
        expect_compiles(compiler, cuda_request(cuda_dialect().prelude({snippet}), 90, toolchain::Product::Ptx),
                        snippet);
}

TEST_CASE_FIXTURE(WithCompilers, "all of it compiles for the CPU") {
    if (is_without_cxx())
        return;
    expect_compiles(compiler, cxx_request(zoo_text(cpp_dialect(), "", 90, 1).text), "everything");
}

TEST_CASE_FIXTURE(WithCompilers, "each snippet of C++ compiles alone") {
    if (is_without_cxx())
        return;
    for (const std::string& snippet : one_of_each(cpp_dialect(), ""))
        expect_compiles(compiler, cxx_request(cpp_dialect().prelude({snippet})), snippet);
}
