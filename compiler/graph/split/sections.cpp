// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/split/sections.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace hidet::graph {

namespace {

struct Cuts {
    std::size_t axis = 0;
    std::set<std::int64_t> at;
};

class Finding {
public:
    Finding(const Graph& graph, std::int64_t count) : m_graph(graph), m_count(count) {}

    std::map<ValueId, Sectioned> run() {
        const std::vector<NodeId> order = m_graph.topological();
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            look_at(m_graph.node(*id));
        std::map<ValueId, Sectioned> out;
        for (const auto& [value, cuts] : m_cuts)
            if (const auto sections = between(cuts, extent(value, cuts.axis)))
                out[value] = {cuts.axis, *sections};
        return out;
    }

private:
    std::int64_t extent(ValueId value, std::size_t axis) const {
        return constant_of(m_graph.value(value).spec.shape[axis]).value_or(0);
    }
    void look_at(const Node& node) {
        if (node.is(OpId::StridedSlice)) {
            if (const auto taken = one_slice_of(m_graph, node))
                cut(node.inputs[0], taken->axis, {taken->start, taken->end});
            return;
        }
        const auto cuts = node.outputs.size() == 1 ? m_cuts.find(node.outputs[0]) : m_cuts.end();
        if (cuts == m_cuts.end())
            return;
        if (info_of(node.op->id).cls == OpClass::Elementwise)
            for (const ValueId input : node.inputs)
                follow(cuts->second, node.outputs[0], input);
        if (node.is(OpId::Reshape))
            reshape(cuts->second, node);
    }
    void cut(ValueId value, std::size_t axis, const std::set<std::int64_t>& at) {
        if (m_graph.value(value).is_constant())
            return;
        const auto [cuts, is_new] = m_cuts.try_emplace(value, Cuts{axis, {}});
        if (cuts->second.axis == axis)
            cuts->second.at.insert(at.begin(), at.end());
    }
    // Of an operand with the elements of the result.
    void follow(const Cuts& cuts, ValueId result, ValueId input) {
        const std::size_t rank = m_graph.value(result).spec.shape.size(), own = m_graph.value(input).spec.shape.size();
        if (cuts.axis + own < rank)
            return;
        const std::size_t axis = cuts.axis + own - rank;
        if (extent(input, axis) == extent(result, cuts.axis))
            cut(input, axis, cuts.at);
    }
    // Where as many elements come before the axis on both sides, and it holds more or fewer of those behind it.
    void reshape(const Cuts& cuts, const Node& node) {
        const ValueId input = node.inputs[0];
        const Shape &from = m_graph.value(node.outputs[0]).spec.shape, &to = m_graph.value(input).spec.shape;
        const std::int64_t before = product(from, cuts.axis);
        std::size_t axis = 0;
        while (axis < to.size() && (product(to, axis) != before || extent(input, axis) == 1))
            ++axis;
        if (axis == to.size() || before <= 0)
            return;
        std::set<std::int64_t> at;
        for (const std::int64_t each : cuts.at) {
            if (each * extent(input, axis) % extent(node.outputs[0], cuts.axis) != 0)
                return;
            at.insert(each * extent(input, axis) / extent(node.outputs[0], cuts.axis));
        }
        cut(input, axis, at);
    }
    static std::int64_t product(const Shape& shape, std::size_t end) {
        std::int64_t product = 1;
        for (std::size_t i = 0; i < end; ++i)
            product *= constant_of(shape[i]).value_or(0);
        return product;
    }
    std::optional<Sections> between(const Cuts& cuts, std::int64_t extent) const {
        std::set<std::int64_t> at = cuts.at;
        at.insert({0, extent});
        if (at.size() < 3 || at.size() - 1 > Sections().size())
            return std::nullopt;
        Sections sections{};
        std::vector<std::int64_t> steps(at.begin(), at.end());
        std::adjacent_difference(steps.begin(), steps.end(), steps.begin());
        if (std::ranges::any_of(steps, [&](const std::int64_t step) { return step % m_count != 0; }))
            return std::nullopt;
        std::copy(steps.begin() + 1, steps.end(), sections.begin());
        return sections;
    }

    const Graph& m_graph;
    const std::int64_t m_count;
    std::map<ValueId, Cuts> m_cuts;
};

} // namespace

std::map<ValueId, Sectioned> sections_of(const Graph& graph, std::int64_t count) {
    return Finding(graph, count).run();
}

// As a list of extents or of numbers, which it may be.
Shape extents_of(const Node& node, const char* name) {
    const Attribute* given = node.attributes.find(name);
    return given && std::holds_alternative<Ints>(*given) ? shape_of(std::get<Ints>(*given)) : node.get<Shape>(name);
}

namespace {

// One row of a slice's attributes.
struct AxisSlice {
    std::size_t axis = 0;
    std::optional<std::int64_t> extent, start, end; // nothing: known at run time
    std::int64_t stride = 1;

    bool is_cut() const {
        const bool ends_behind = end && *end >= extent.value_or(std::numeric_limits<std::int32_t>::max());
        return stride != 1 || start != 0 || !ends_behind;
    }
};

std::vector<AxisSlice> axis_slices(const Graph& graph, const Node& slice) {
    const Shape starts = extents_of(slice, "starts"), ends = extents_of(slice, "ends");
    const Ints &axes = slice.get<Ints>("axes"), &strides = slice.get<Ints>("strides");
    const Shape& shape = graph.value(slice.inputs[0]).spec.shape;
    std::vector<AxisSlice> out;
    for (std::size_t row = 0; row < starts.size(); ++row) {
        const auto axis =
            axes.empty() ? row : static_cast<std::size_t>(normalise_axis(axes[row], shape.size(), "axes"));
        out.push_back({axis, constant_of(shape[axis]), constant_of(starts[row]), constant_of(ends[row]),
                       strides.empty() ? 1 : strides[row]});
    }
    return out;
}

} // namespace

Ints cut_axes(const Graph& graph, const Node& slice) {
    Ints out;
    for (const AxisSlice& each : axis_slices(graph, slice))
        if (each.is_cut())
            out.push_back(static_cast<std::int64_t>(each.axis));
    return out;
}

std::optional<OneSlice> one_slice_of(const Graph& graph, const Node& slice) {
    const std::vector<AxisSlice> slices = axis_slices(graph, slice);
    if (std::ranges::count_if(slices, &AxisSlice::is_cut) != 1)
        return std::nullopt;
    const auto cut = std::ranges::find_if(slices, &AxisSlice::is_cut);
    if (cut->stride != 1 || !cut->extent || !cut->start || !cut->end)
        return std::nullopt;
    const auto place = [&](const std::int64_t each) {
        return std::clamp(each < 0 ? each + *cut->extent : each, std::int64_t{0}, *cut->extent);
    };
    return OneSlice{cut->axis, place(*cut->start), place(*cut->end), static_cast<std::size_t>(cut - slices.begin())};
}

std::optional<Sections> scaled(const Sections& sections, std::int64_t from, std::int64_t to) {
    Sections out{};
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (from <= 0 || sections[i] * to % from != 0)
            return std::nullopt;
        out[i] = sections[i] * to / from;
    }
    return out;
}

} // namespace hidet::graph
