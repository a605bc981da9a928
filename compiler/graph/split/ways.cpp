// SPDX-License-Identifier: Apache-2.0
// What a part of an operator's result takes of its operands: one function for each kind of operator.
#include <algorithm>

#include "compiler/graph/split/sections.h"

namespace hidet::graph {

namespace {

class Ways {
public:
    Ways(const Graph& graph, const Node& node, std::int64_t count)
        : m_graph(graph), m_node(node), m_count(count), m_result(shape(node.outputs[0])) {
        m_ways.push_back({std::vector<Placement>(node.inputs.size(), whole), whole});
    }

    void add_pointwise();
    void add_sums(); // of what are sums over processes
    void add_product();
    void add_rows(const Ints& whole_axes); // of the same shape as the first operand, computed along some axes
    void add_reduction();
    void add_reshape();
    void add_permutation(const Ints& axes);
    void add_joined();
    void add_slice();
    void add_taken();
    void add_attention();
    void add_images();
    void add_sections(const std::map<ValueId, Sectioned>& known);
    std::vector<Way> take() { return std::move(m_ways); }

private:
    const Shape& shape(ValueId value) const { return m_graph.value(value).spec.shape; }
    const Shape& operand(std::size_t i) const { return shape(m_node.inputs[i]); }
    std::size_t rank() const { return m_result.size(); }
    bool divides(const Dim& extent) const {
        const auto known = constant_of(extent);
        return known && *known > 0 && *known % m_count == 0;
    }
    void add(std::vector<Placement> inputs, Placement result) { m_ways.push_back({std::move(inputs), result}); }
    std::int64_t extent(ValueId value, std::size_t axis) const { return constant_of(shape(value)[axis]).value_or(0); }
    std::optional<Way> in_sections(const Way& way, const Sections& sections) const;
    void add_section(const Sectioned& of_operand);
    // What of an operand that is broadcast to the result goes with a part of that; nothing: it does not fit.
    std::optional<Placement> broadcast_part(const Shape& of, std::size_t axis, std::size_t result_rank,
                                            const Dim& extent) const;

    const Graph& m_graph;
    const Node& m_node;
    const std::int64_t m_count;
    const Shape m_result;
    std::vector<Way> m_ways;
};

std::optional<Placement> Ways::broadcast_part(const Shape& of, std::size_t axis, std::size_t result_rank,
                                              const Dim& extent) const {
    const std::size_t missing = result_rank - std::min(result_rank, of.size());
    if (axis < missing || constant_of(of[axis - missing]) == 1)
        return whole;
    return same_dim(of[axis - missing], extent) ? std::optional(split_along(axis - missing)) : std::nullopt;
}

void Ways::add_pointwise() {
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        std::vector<Placement> inputs;
        bool fits = divides(m_result[axis]);
        for (std::size_t i = 0; fits && i < m_node.inputs.size(); ++i) {
            const auto part = broadcast_part(operand(i), axis, rank(), m_result[axis]);
            fits = part.has_value();
            inputs.push_back(part.value_or(whole));
        }
        if (fits && std::ranges::any_of(inputs, [](const Placement& each) { return each != whole; }))
            add(std::move(inputs), split_along(axis));
    }
}

void Ways::add_sums() {
    add(std::vector<Placement>(m_node.inputs.size(), partial), partial);
}

// Columns of the second operand, rows of the first one, parts of the sums, and matrices of a batch.
void Ways::add_product() {
    const Shape &a = operand(0), &b = operand(1);
    if (a.size() < 2 || b.size() < 2)
        return;
    const bool is_transposed = m_node.get<bool>("transpose_b");
    const std::size_t columns = b.size() - (is_transposed ? 2 : 1), depth = b.size() - (is_transposed ? 1 : 2);
    if (divides(b[columns]))
        add({whole, split_along(columns)}, split_along(rank() - 1));
    if (divides(b[depth]))
        add({split_along(a.size() - 1), split_along(depth)}, partial);
    if (divides(a[a.size() - 2]))
        add({split_along(a.size() - 2), whole}, split_along(rank() - 2));
    for (std::size_t axis = 0; axis + 2 < rank(); ++axis) {
        if (!divides(m_result[axis]))
            continue;
        const auto of_a = broadcast_part(a, axis, rank(), m_result[axis]),
                   of_b = broadcast_part(b, axis, rank(), m_result[axis]);
        if (of_a && of_b)
            add({*of_a, *of_b}, split_along(axis));
    }
}

bool names_axis(const Ints& axes, std::size_t axis, std::size_t rank) {
    return std::ranges::any_of(axes, [&](const std::int64_t each) {
        return static_cast<std::size_t>(each < 0 ? each + static_cast<std::int64_t>(rank) : each) == axis;
    });
}

void Ways::add_rows(const Ints& whole_axes) {
    for (std::size_t axis = 0; axis < rank(); ++axis)
        if (divides(m_result[axis]) && !names_axis(whole_axes, axis, rank()))
            add({split_along(axis)}, split_along(axis));
}

void Ways::add_reduction() {
    const Shape& x = operand(0);
    const Ints& dims = m_node.get<Ints>("dims");
    const bool keeps = m_node.get<bool>("keepdims");
    std::size_t result_axis = 0;
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
        const bool is_reduced = dims.empty() || names_axis(dims, axis, x.size());
        if (divides(x[axis]) && !is_reduced)
            add({split_along(axis)}, split_along(result_axis));
        else if (divides(x[axis]) && m_node.is(OpId::ReduceSum))
            add({split_along(axis)}, partial);
        result_axis += keeps || !is_reduced;
    }
}

// Extents of both sides that hold the same elements: a part of the first of them on one side is one on the other.
void Ways::add_reshape() {
    const Shape& x = operand(0);
    std::size_t i = 0, j = 0;
    while (i < x.size() && j < m_result.size()) {
        const std::size_t from = i, to = j;
        std::int64_t left = constant_of(x[i]).value_or(-1), right = constant_of(m_result[j]).value_or(-1);
        const bool is_same = same_dim(x[i++], m_result[j++]);
        while (!is_same && left > 0 && right > 0 && left != right) {
            std::int64_t& smaller = left < right ? left : right;
            const Shape& side = left < right ? x : m_result;
            std::size_t& at = left < right ? i : j;
            if (at == side.size())
                return;
            const std::int64_t extent = constant_of(side[at++]).value_or(-1);
            smaller = extent > 0 ? smaller * extent : -1;
        }
        if (!is_same && (left <= 0 || left != right))
            return; // from here on elements change places in ways that are not known
        const auto first_of = [](const Shape& side, std::size_t begin, std::size_t end) {
            while (begin + 1 < end && constant_of(side[begin]) == 1)
                ++begin;
            return begin;
        };
        const std::size_t of_x = first_of(x, from, i), of_result = first_of(m_result, to, j);
        if (divides(x[of_x]) && divides(m_result[of_result]))
            add({split_along(of_x)}, split_along(of_result));
    }
}

void Ways::add_permutation(const Ints& axes) {
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        const std::size_t from =
            axes.empty() ? rank() - 1 - axis : static_cast<std::size_t>(normalise_axis(axes[axis], rank(), "axes"));
        if (divides(m_result[axis]))
            add({split_along(from)}, split_along(axis));
    }
}

void Ways::add_joined() {
    const auto joined = static_cast<std::size_t>(normalise_axis(m_node.get<std::int64_t>("axis"), rank(), "axis"));
    for (std::size_t axis = 0; axis < rank(); ++axis)
        if (axis != joined && divides(m_result[axis]))
            add(std::vector<Placement>(m_node.inputs.size(), split_along(axis)), split_along(axis));
}

void Ways::add_slice() {
    add_rows(cut_axes(m_graph, m_node));
}

// Rows of a table: parts of a row.
void Ways::add_taken() {
    const Shape& table = operand(0);
    const auto chosen =
        static_cast<std::size_t>(normalise_axis(m_node.get<std::int64_t>("axis"), table.size(), "axis"));
    for (std::size_t axis = 0; axis < table.size(); ++axis)
        if (axis != chosen && divides(table[axis]))
            add({split_along(axis), whole}, split_along(axis < chosen ? axis : axis + operand(1).size() - 1));
}

// Heads.
void Ways::add_attention() {
    for (std::size_t axis = 0; axis + 2 < rank(); ++axis) {
        std::vector<Placement> inputs;
        bool fits = divides(m_result[axis]);
        for (std::size_t i = 0; fits && i < m_node.inputs.size(); ++i) {
            const auto part = broadcast_part(operand(i), axis, rank(), m_result[axis]);
            fits = part && (i > 2 || *part != whole);
            inputs.push_back(part.value_or(whole));
        }
        if (fits)
            add(std::move(inputs), split_along(axis));
    }
}

// Each by itself.
void Ways::add_images() {
    std::vector<Placement> inputs(m_node.inputs.size(), whole);
    inputs[0] = split_along(0);
    if (divides(m_result[0]))
        add(std::move(inputs), split_along(0));
}

// Elements of the result along its axis are computed from those of the operands along theirs, in the same order.
std::optional<Way> Ways::in_sections(const Way& way, const Sections& sections) const {
    Way out = way;
    out.result.sections = sections;
    const std::int64_t all = extent(m_node.outputs[0], way.result.axis);
    for (std::size_t i = 0; i < way.inputs.size(); ++i) {
        if (way.inputs[i].kind != Placement::Kind::Split)
            continue;
        const std::int64_t own = extent(m_node.inputs[i], way.inputs[i].axis);
        const auto fitting = own == all || m_node.is(OpId::Reshape) ? scaled(sections, all, own) : std::nullopt;
        if (!fitting)
            return std::nullopt;
        out.inputs[i].sections = *fitting;
    }
    return out;
}

// A slice that is one of the sections: of each process its part.
void Ways::add_section(const Sectioned& of_operand) {
    const auto taken = one_slice_of(m_graph, m_node);
    if (!taken || taken->axis != of_operand.axis)
        return;
    std::int64_t start = 0;
    for (const std::int64_t each : of_operand.sections) {
        if (each != 0 && start == taken->start && start + each == taken->end)
            add({split_along(taken->axis, of_operand.sections)}, split_along(taken->axis));
        start += each;
    }
}

void Ways::add_sections(const std::map<ValueId, Sectioned>& known) {
    if (m_node.is(OpId::StridedSlice))
        if (const auto found = known.find(m_node.inputs[0]); found != known.end())
            add_section(found->second);
    const auto found = known.find(m_node.outputs[0]);
    if (found == known.end())
        return;
    const std::vector<Way> plain = m_ways;
    for (const Way& way : plain)
        if (way.result == split_along(found->second.axis))
            if (auto sectioned = in_sections(way, found->second.sections))
                m_ways.push_back(std::move(*sectioned));
}

bool is_reduction(OpId op) {
    return is_any_of(op, {OpId::ReduceSum, OpId::ReduceProd, OpId::ReduceMax, OpId::ReduceMin, OpId::ReduceMean,
                          OpId::ReduceL1, OpId::ReduceL2, OpId::ReduceLogSum, OpId::ReduceLogSumExp,
                          OpId::ReduceSumSquare, OpId::ReduceAnd, OpId::ReduceOr, OpId::ReduceVar, OpId::ReduceStd});
}

bool is_of_images(OpId op) {
    return is_any_of(op, {OpId::Conv1d, OpId::Conv2d, OpId::Conv3d, OpId::ConvNd, OpId::MaxPool1d, OpId::MaxPool2d,
                          OpId::MaxPool3d, OpId::AvgPool1d, OpId::AvgPool2d, OpId::AvgPool3d, OpId::AdaptiveAvgPool1d,
                          OpId::AdaptiveAvgPool2d, OpId::AdaptiveAvgPool3d});
}

} // namespace

std::string text_of(const Placement& placement) {
    switch (placement.kind) {
    case Placement::Kind::Whole: return "whole";
    case Placement::Kind::Split: {
        const auto sections = std::ranges::count_if(placement.sections, [](const std::int64_t each) { return each; });
        return cat("split along ", placement.axis, sections > 0 ? cat(", in ", sections, " sections") : "");
    }
    case Placement::Kind::Partial: return "partial sums";
    }
    return {};
}

bool can_share(OpId op) {
    return info_of(op).cls == OpClass::Elementwise || is_reduction(op) || is_of_images(op) ||
           is_any_of(op,
                     {OpId::Matmul, OpId::Softmax, OpId::LogSoftmax, OpId::Normalize, OpId::RmsNormalize, OpId::Reshape,
                      OpId::Flatten, OpId::Squeeze, OpId::Unsqueeze, OpId::PermuteDims, OpId::TransposeOp2D,
                      OpId::Broadcast, OpId::Concat, OpId::StridedSlice, OpId::Take, OpId::Attn, OpId::AttnMaskAdd});
}

WaysOfGraph::WaysOfGraph(const Graph& graph, std::int64_t count)
    : m_graph(graph), m_count(count), m_sections(sections_of(graph, count)) {}
WaysOfGraph::~WaysOfGraph() = default;

std::vector<Way> WaysOfGraph::of(const Node& node) const {
    Ways ways(m_graph, node, m_count);
    if (node.outputs.size() != 1 || !can_share(node.op->id))
        return ways.take();
    switch (node.op->id) {
    case OpId::Matmul: ways.add_product(); break;
    case OpId::Softmax:
    case OpId::LogSoftmax: ways.add_rows({node.get<std::int64_t>("axis")}); break;
    case OpId::Normalize:
    case OpId::RmsNormalize: ways.add_rows(node.get<Ints>("dims")); break;
    case OpId::Reshape:
    case OpId::Flatten:
    case OpId::Squeeze:
    case OpId::Unsqueeze: ways.add_reshape(); break;
    case OpId::PermuteDims: ways.add_permutation(node.get<Ints>("axes")); break;
    case OpId::TransposeOp2D: ways.add_permutation({}); break;
    case OpId::Concat: ways.add_joined(); break;
    case OpId::StridedSlice: ways.add_slice(); break;
    case OpId::Take: ways.add_taken(); break;
    case OpId::Attn:
    case OpId::AttnMaskAdd: ways.add_attention(); break;
    case OpId::Add:
        ways.add_pointwise();
        ways.add_sums();
        break;
    default:
        is_reduction(node.op->id)   ? ways.add_reduction()
        : is_of_images(node.op->id) ? ways.add_images()
                                    : ways.add_pointwise();
        break;
    }
    ways.add_sections(m_sections);
    return ways.take();
}

} // namespace hidet::graph
