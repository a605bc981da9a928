// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/roofs.h"

#include <algorithm>

#include "app/session/bench_gpu.h"
#include "runtime/bench/cpu_peaks.h"
#include "runtime/cuda/device.h"

namespace hidet::session {

namespace {

constexpr double launch_seconds_gpu = 2e-6; // from the end of one kernel to the start of the next, in a CUDA graph
constexpr double launch_seconds_cpu = 2e-6; // to wake the threads of the pool

DeviceRoofs usual_gpu() {
    return {"NVIDIA H200", 66.9e12, 4.8e12, launch_seconds_gpu, false};
}
DeviceRoofs usual_cpu() {
    return {"CPU, 8 cores", 0.7e12, 4e10, launch_seconds_cpu, false};
}

} // namespace

DeviceRoofs roofs_of(const ScriptEngine& engine, graph::Target target) {
    if (target == graph::Target::Cpu)
        return usual_cpu();
    const cuda::DeviceProperties* gpu = engine.gpu();
    if (!gpu || gpu->memory_bandwidth() <= 0 || gpu->clock_khz <= 0)
        return usual_gpu();
    return {gpu->name, peak_f32_flops(*gpu), gpu->memory_bandwidth(), launch_seconds_gpu, false};
}

DeviceRoofs measured_cpu_roofs() {
    cpu::ThreadPool pool;
    const bench::CpuPeaks peaks = bench::measure_cpu_peaks(pool);
    return {"this CPU", peaks.f32_flops, peaks.bytes_per_second, launch_seconds_cpu, true};
}

double least_seconds(const DeviceRoofs& roofs, double flops, double bytes, std::size_t launches) {
    return std::max(
        {flops / roofs.flops, bytes / roofs.bytes_per_second, static_cast<double>(launches) * roofs.launch_seconds});
}

graph::SymbolValues assumed_symbols(const graph::Graph& graph) {
    graph::SymbolValues symbols;
    for (const std::string& name : graph.symbols())
        symbols[name] = 1;
    return symbols;
}

double number_of(const graph::Dim& dim, const graph::SymbolValues& symbols) {
    return dim ? static_cast<double>(graph::evaluate(dim, symbols).value_or(0)) : 0;
}

} // namespace hidet::session
