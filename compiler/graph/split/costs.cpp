// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/split/costs.h"

#include <algorithm>

namespace hidet::graph {

namespace {

constexpr double unknown_extent = 128; // of what is known at run time

double count_of(const Shape& shape) {
    double count = 1;
    for (const Dim& extent : shape)
        count *= static_cast<double>(constant_of(extent).value_or(static_cast<std::int64_t>(unknown_extent)));
    return count;
}

// Of a table no more rows than are asked for.
bool is_read_in_places(const Node& node, std::size_t input) {
    return input == 0 && node.is_any_of({OpId::Take, OpId::StridedSlice});
}

// A machine that was measured is another one to each process.
const artifact::TargetSpec& agreed(const artifact::TargetSpec& target) {
    if (!target.is_measured && target.bytes_per_second > 0)
        return target;
    return target.is_cuda() ? artifact::default_gpu() : artifact::default_cpu();
}

} // namespace

Costs::Costs(const Graph& graph, const artifact::TargetSpec& target, std::int64_t processes, double exchange_weight)
    : m_graph(graph), m_target(agreed(target)), m_links(perf::links_of(m_target)), m_processes(processes),
      m_count(static_cast<double>(processes)), m_weight(exchange_weight) {}

double Costs::compute(const Node& node, const Way& way) const {
    if (node.op->shares_memory)
        return 0;
    double moved = bytes(node.outputs[0], way.result);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        moved += is_read_in_places(node, i) ? bytes(node.outputs[0], way.result) : bytes(node.inputs[i], way.inputs[i]);
    const double arithmetic = flops(node) / (way.is_shared() ? m_count : 1) / peak(node);
    return m_target.launch_seconds + std::max(moved / m_target.bytes_per_second, arithmetic);
}

double Costs::compute_whole(const Node& node) const {
    return compute(node, {std::vector<Placement>(node.inputs.size(), whole), whole});
}

double Costs::slice(ValueId value, std::size_t axis) const {
    return m_weight * (m_target.launch_seconds + 2 * bytes(value, split_along(axis)) / m_target.bytes_per_second);
}

// As what two processes gather, of which each gets the half that it has not.
double Costs::send(double bytes) const {
    return m_weight * perf::exchange_time(m_links, {2}, perf::Exchange::Gather, 2 * bytes).seconds;
}

double Costs::exchange(ValueId value, perf::Exchange kind) const {
    return m_weight * perf::exchange_time(m_links, {m_processes}, kind, bytes(value, whole)).seconds;
}

double bytes_of(const Graph& graph, ValueId value) {
    const TensorSpec& spec = graph.value(value).spec;
    return count_of(spec.shape) * static_cast<double>(ir::bytes_of(spec.dtype));
}

double Costs::bytes(ValueId value, const Placement& placement) const {
    const double all = bytes_of(m_graph, value);
    return placement.kind == Placement::Kind::Split ? all / m_count : all;
}

double Costs::flops(const Node& node) const {
    if (!node.is(OpId::Matmul))
        return 0;
    return 2 * count_of(m_graph.value(node.outputs[0]).spec.shape) *
           count_of({m_graph.value(node.inputs[0]).spec.shape.back()});
}

double Costs::peak(const Node& node) const {
    const ir::DType dtype = m_graph.value(node.outputs[0]).spec.dtype;
    const auto matrix = artifact::matrix_arithmetic(ir::info(dtype).short_name, "f32");
    const double by_matrix = matrix ? m_target.peak(*matrix) : 0;
    return std::max({by_matrix, m_target.peak(artifact::Arithmetic::F32), 1.0});
}

} // namespace hidet::graph
