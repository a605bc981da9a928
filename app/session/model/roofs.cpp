// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/roofs.h"

#include <algorithm>

#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

DeviceRoofs roofs_of(const artifact::TargetSpec& target) {
    const bool is_known = target.peak(artifact::Arithmetic::F32) > 0 && target.bytes_per_second > 0;
    const artifact::TargetSpec& usual = target.is_cuda() ? artifact::default_gpu() : artifact::default_cpu();
    const artifact::TargetSpec& used = is_known ? target : usual;
    return {used.name, used.peak(artifact::Arithmetic::F32), used.bytes_per_second, used.launch_seconds,
            used.is_measured};
}

DeviceRoofs measured_cpu_roofs() {
    cpu::ThreadPool pool;
    return roofs_of(bench::measured_cpu(pool));
}

double least_seconds(const DeviceRoofs& roofs, double flops, double bytes, std::size_t launches) {
    return std::max(
        {flops / roofs.flops, bytes / roofs.bytes_per_second, static_cast<double>(launches) * roofs.launch_seconds});
}

SymbolValues assumed_symbols(const graph::Graph& graph) {
    SymbolValues symbols;
    for (const std::string& name : graph.symbols())
        symbols[name] = 1;
    return symbols;
}

double number_of(const graph::Dim& dim, const SymbolValues& symbols) {
    return dim ? static_cast<double>(graph::evaluate(dim, symbols).value_or(0)) : 0;
}

} // namespace hidet::session
