// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/core/fused_loads.h"

#include "runtime/vm/code.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::test;

TEST_CASE("loads of a run may be further apart than an int can say") {
    KernelText k{.params = "x: *f32[1000000000, 4], out: *f32[32]", .args = "x, out"};
    k.body = "out[threadIdx.x] = x[threadIdx.x, 0] + x[threadIdx.x + 300000000, 0]\n";
    const artifact::Program program = compile(module_text(k));
    const auto kernel = std::ranges::find(program.functions, "kernel", &artifact::Function::name);
    REQUIRE(kernel != program.functions.end());
    vm::Code code = vm::prepare(*kernel, 32, vm::best_table(vm::VectorIsa::Best));
    vm::find_load_runs(code, *kernel);
    REQUIRE(code.load_runs.size() == 1);
    REQUIRE(code.load_runs[0].families.size() == 1);
    const auto& members = code.load_runs[0].families[0].members;
    REQUIRE(members.size() == 2);
    CHECK(members[1].bytes == 4'800'000'000);
}
