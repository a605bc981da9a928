// SPDX-License-Identifier: GPL-3.0-only
// A script to run, and what a service may answer that runs it: every figure that the window shows of a kernel.
#pragma once

#include "app/ui/run/run_controller.h"
#include "tests/ui/scripted_service.h"
#include "tests/ui/studio_fixture.h"

namespace hidet::ui::test {

inline const QByteArray doubling = R"(import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


with hidet.script_module() as script_module:

    @hidet.script
    def double(a: f32[8, 8], b: f32[8, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 8
        attrs.cuda.block_dim = 8
        b[blockIdx.x, threadIdx.x] = a[blockIdx.x, threadIdx.x] * 2.0


def expected(a, b):
    return a * 2.0


module = script_module.build()
a = torch.randn(8, 8, device='cuda')
b = torch.empty(8, 8, device='cuda')
module(a, b)
print('doubled')
)";

inline session::TimesView times(double median) {
    session::TimesView out;
    out.median = median;
    out.p10 = median * 0.99;
    out.p90 = median * 1.01;
    out.spread = 0.02;
    for (int i = 0; i < 50; ++i)
        out.samples.push_back(median * (0.99 + 0.0004 * i));
    out.count = int(out.samples.size());
    return out;
}

inline session::BenchRow measured(double median) {
    session::BenchRow row;
    row.function = "double";
    row.where = "NVIDIA H200";
    row.times = times(median);
    row.flops = 1e9;
    row.bytes = 1e8;
    return row;
}

inline session::KernelBenchResult kernelBenchOf(double median) {
    session::KernelBenchResult out;
    out.script = "Untitled 1";
    out.module = 1;
    out.function = "double";
    out.shapes = "f32[8, 8], f32[8, 8]";
    out.where = "NVIDIA H200";
    out.verdict = {session::VerdictKind::Correct, "correct: 64 elements of 'b'"};
    session::Comparison comparison;
    comparison.tensor = "b";
    comparison.dtype = "f32";
    comparison.shape = {8, 8};
    comparison.count = 64;
    comparison.max_absolute = 2.1e-6;
    comparison.map = {8, 8, 1, 1, 8, 8, std::vector<double>(64, 0.0)};
    out.comparisons = {comparison};
    out.measured = measured(median);
    out.bytes_per_second = 1e8 / median;
    out.flops_per_second = 1e9 / median;
    out.roofline.roofs = {{session::RoofKind::Memory, "memory", 4.8e12, true},
                          {session::RoofKind::Arithmetic, "f32", 6.7e13, false}};
    out.roofline.point = session::RooflinePoint{"double", 10, 1e9 / median};
    out.roofline.limits = session::RoofKind::Memory;
    out.roofline.reached = 0.62;
    session::KernelView kernel;
    kernel.name = "double";
    kernel.arch = "sm_90a";
    kernel.facts = session::KernelFacts{"double", 96, 0, 0, 0, 32768};
    kernel.launch = artifact::LaunchShape{.grid = {8, 1, 1}, .block = {8, 1, 1}};
    kernel.launches = 1;
    session::Occupancy occupancy;
    occupancy.fraction = 0.5;
    occupancy.warps = 32;
    occupancy.most_warps = 64;
    occupancy.limited_by = "registers";
    occupancy.one_more = "8 fewer registers per thread would allow one more block";
    kernel.occupancy = occupancy;
    out.kernels = {kernel};
    return out;
}

inline session::Answer answered(session::KernelBenchResult result) {
    return {session::Ended::Answered, std::move(result), {}, {}};
}

inline bool open(StudioFixture& studio, const QByteArray& text) {
    studio.openText(text);
    return studio.settle() && QTest::qWaitFor([&] { return studio.studio().runs->signatures() != nullptr; }, 30'000);
}

// Starts a run and answers it.
inline bool answer(StudioFixture& studio, ScriptedService::Log& log, const session::Answer& with) {
    const qsizetype before = log.jobs.size();
    if (!studio.trigger("run.run") || log.jobs.size() != before + 1)
        return false;
    log.jobs.last()->onDone(with);
    return QTest::qWaitFor([&] { return !studio.studio().jobs->running(); }, 5000);
}

} // namespace hidet::ui::test
