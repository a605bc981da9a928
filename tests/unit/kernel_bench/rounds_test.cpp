// SPDX-License-Identifier: Apache-2.0
// When a person hears of a verdict: before the calls that only a cheat fears.
#include <ctime>
#include <doctest/doctest.h>

#include "app/session/kernel_bench/kernel_bench.h"

using namespace hidet;
using namespace hidet::session;

namespace {

constexpr const char* script = R"(
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx
with hidet.script_module() as m:
    @hidet.script
    def doubled(n: i32, x: ~f32, y: ~f32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 127) // 128
        attrs.cuda.block_dim = 128
        i = blockIdx.x * 128 + threadIdx.x
        if i < n:
            y[i] = x[i] * 2.0
f = m.build()
def expected(x):
    return x * 2
x, y = torch.randn(100000, device='cuda'), torch.empty(100000, device='cuda')
f(100000, x, y)
torch.testing.assert_close(y, expected(x))
)";

double seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

TEST_CASE("a first verdict is told when the function has been measured, before more is asked of it") {
    for (const ReferenceKind kind : {ReferenceKind::ScriptFunction, ReferenceKind::ScriptChecks}) {
        KernelBenchRequest request;
        request.run.source = {"doubled.py", script, {}, false};
        request.run.target = Target::Emulate;
        request.run.all_checks = true;
        request.figures = false;
        request.reference.kind = kind;
        request.reference.function = "expected";
        const double begin = seconds();
        double first = 0, fraction = 0;
        request.progress = [&](const KernelBenchProgress& progress) {
            if (first == 0 && progress.text.starts_with("correct so far"))
                first = seconds() - begin;
            CHECK(progress.fraction >= fraction);
            fraction = progress.fraction;
        };
        const KernelBenchResult result = bench_kernel(request);
        const double last = seconds() - begin;
        INFO(result.verdict.sentence);
        REQUIRE(result.verdict.kind == VerdictKind::Correct);
        REQUIRE(result.other_size == "n = 200000");
        REQUIRE((first > 0 && first < last));
        MESSAGE("processor seconds to the first verdict, and to the last: ", first, ", ", last);
    }
}
