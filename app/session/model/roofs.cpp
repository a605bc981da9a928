// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/roofs.h"

#include <algorithm>
#include <map>

#include "app/session/model/view/op_families.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

DeviceRoofs measured_cpu_roofs() {
    package::ThreadPool pool;
    return perf::roofs_of(bench::measured_cpu(pool));
}

bool is_half_product(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes) {
    return std::ranges::any_of(nodes, [&](graph::NodeId id) {
        const graph::Node& node = graph.node(id);
        const OpFamily family = family_of(node.op->id);
        if ((family != OpFamily::Convolution && family != OpFamily::MatrixProduct) || node.inputs.empty())
            return false;
        const ir::DType dtype = graph.value(node.inputs.front()).spec.dtype;
        return dtype == ir::DType::F16 || dtype == ir::DType::BF16;
    });
}

std::optional<RooflineShare> roofline_share(const ModelBenchResult& result) {
    std::map<std::string, double> seconds; // by bound
    RooflineShare out;
    for (const ModelStepRow& row : result.steps) {
        out.least_seconds += row.least_seconds;
        if (row.least_seconds > 0)
            seconds[row.bound] += row.least_seconds;
    }
    if (seconds.empty() || result.is_emulated || out.least_seconds > result.times.median)
        return std::nullopt;
    out.reached = out.least_seconds / result.times.median;
    const auto most = std::ranges::max_element(seconds, {}, [](const auto& each) { return each.second; });
    out.bound = (seconds.size() > 1 ? "mostly " : "") + most->first;
    return out;
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
