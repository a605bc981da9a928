// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/predictor.h"

#include <algorithm>
#include <map>

#include "app/session/model/view/op_families.h"
#include "compiler/graph/core/product_precision.h"
#include "runtime/bench/cpu_peaks.h"

namespace hidet::session {

DeviceRoofs measured_cpu_roofs() {
    package::ThreadPool pool;
    return perf::roofs_of(bench::measured_cpu(pool));
}

static perf::Factors factors_of(const graph::Graph& graph, const graph::Node& node) {
    const OpFamily family = family_of(node.op->id);
    const bool multiplies = family == OpFamily::Convolution || family == OpFamily::MatrixProduct ||
                            family == OpFamily::Attention ||
                            node.is_any_of({graph::OpId::PackedMatmul, graph::OpId::RmsPackedMatmul});
    if (!multiplies || node.inputs.empty())
        return perf::Factors::Plain;
    if (graph::is_half(graph.value(node.inputs.front()).spec.dtype))
        return perf::Factors::Half;
    return graph::permits_tf32(node) ? perf::Factors::Tf32 : perf::Factors::Plain;
}

perf::Factors factors_of(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes) {
    perf::Factors out = perf::Factors::Plain;
    for (const graph::NodeId id : nodes)
        out = std::max(out, factors_of(graph, graph.node(id)));
    return out;
}

std::optional<RooflineShare> roofline_share(const ModelBenchResult& result) {
    std::map<std::string, double> seconds; // by bound
    RooflineShare out;
    for (const ModelStepRow& row : result.steps) {
        const double least = row.least_in_run > 0 ? row.least_in_run : row.least_seconds; // which a record has alone
        out.least_seconds += least;
        if (least > 0)
            seconds[row.bound] += least;
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

void Predictor::assume(const graph::Graph& graph) {
    m_symbols = m_named;
    m_symbols.merge(assumed_symbols(graph)); // keeps what is named
}

std::optional<double> Predictor::known(const graph::Dim& dim) const {
    if (!dim)
        return std::nullopt;
    const std::optional<std::int64_t> number = graph::evaluate(dim, m_named);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::vector<artifact::ExprValue> Predictor::known(const artifact::LaunchPlan& plan) const {
    std::vector<artifact::ExprValue> symbols;
    for (const artifact::PlanSymbol& symbol : plan.symbols) {
        const auto named = m_named.find(symbol.name);
        symbols.push_back(named == m_named.end() ? std::nullopt : artifact::ExprValue(named->second));
    }
    return artifact::evaluate(plan.expressions, symbols);
}

std::vector<std::string> Predictor::assumptions() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : m_symbols)
        if (!m_named.contains(name))
            names.push_back(name);
    return names;
}

} // namespace hidet::session
