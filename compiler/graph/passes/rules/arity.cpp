// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/rules/rules.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

constexpr std::size_t most = 64; // operands, and parts of one tensor

// The only dimension that is sliced, by constants and forwards.
struct Slice {
    std::int64_t axis = 0;
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t extent = 0;
};

Ints constants_of(const Rewriting& rewriting, NodeId node, std::string_view name) {
    const Attribute* found = rewriting.attributes(node).find(name);
    if (!found)
        return {};
    if (const auto* shape = std::get_if<Shape>(found))
        return constant_shape(*shape).value_or(Ints());
    return as<Ints>(name, *found);
}

std::optional<Slice> slice_of(const Rewriting& rewriting, NodeId node) {
    const Ints starts = constants_of(rewriting, node, "starts");
    const Ints axes = constants_of(rewriting, node, "axes");
    const Ints strides = constants_of(rewriting, node, "strides");
    const Shape& from = rewriting.spec(rewriting.input(node, 0)).shape;
    if (starts.size() != 1 || axes.size() > 1)
        return std::nullopt;
    Slice slice;
    slice.axis = normalise_axis(axes.empty() ? 0 : axes[0], from.size(), "axis");
    slice.step = strides.empty() ? 1 : strides[0];
    const auto axis = static_cast<std::size_t>(slice.axis);
    const auto whole = constant_of(from[axis]);
    const auto extent = constant_of(rewriting.spec(rewriting.output(node)).shape[axis]);
    if (!whole || !extent || slice.step < 1)
        return std::nullopt;
    slice.start = std::clamp<std::int64_t>(starts[0] < 0 ? starts[0] + *whole : starts[0], 0, *whole);
    slice.extent = *extent;
    return slice;
}

// Of constant indices, inside of the extent and one step further each.
std::optional<Slice> slice_of_indices(const Rewriting& rewriting, NodeId take) {
    const ValueId indices = rewriting.input(take, 1);
    const Shape& from = rewriting.spec(rewriting.input(take, 0)).shape;
    if (!rewriting.is_constant(indices) || rewriting.spec(indices).shape.size() > 1 || from.empty())
        return std::nullopt;
    const Node& node = rewriting.graph.node(take);
    Slice slice;
    slice.axis = normalise_axis(node.get<std::int64_t>("axis"), from.size(), "axis");
    const auto whole = constant_of(from[static_cast<std::size_t>(slice.axis)]);
    const lang::Integers places = lang::read_integers(*rewriting.graph.value(indices).data);
    if (!whole || places.empty())
        return std::nullopt;
    const auto place = [&](std::size_t i) {
        const auto at = static_cast<std::int64_t>(places[i]);
        return at < 0 && node.get<bool>("from_end") ? at + *whole : at;
    };
    slice.extent = static_cast<std::int64_t>(places.size());
    slice.start = place(0);
    slice.step = slice.extent > 1 ? place(1) - slice.start : 1;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (place(i) < 0 || place(i) >= *whole || (i > 0 && place(i) - place(i - 1) != slice.step))
            return std::nullopt;
    return slice.step > 0 ? std::optional(slice) : std::nullopt;
}

bool has_many_parts(const Rewriting& rewriting, ValueId x) {
    const std::vector<Use>& uses = rewriting.graph.value(x).uses;
    const auto is_part = [&](const Use& use) {
        return use.input == 0 && rewriting.is_any_of(use.node, {OpId::StridedSlice, OpId::Take});
    };
    return uses.size() > most && static_cast<std::size_t>(std::ranges::count_if(uses, is_part)) > most;
}

} // namespace

// A kernel has a parameter for each tensor and, in the text, a case for each: compilers take time that is quadratic in them,
// and a GPU takes some hundred parameters. Levels of the tree are alike, so that one program does for most of it.
bool bounded_arity(Rewriting& rewriting, NodeId root) {
    std::vector<ValueId> operands = rewriting.graph.node(root).inputs;
    const ir::DType dtype = rewriting.spec(rewriting.output(root)).dtype;
    const auto is_alike = [&](ValueId operand) { return rewriting.spec(operand).dtype == dtype; };
    if (operands.size() <= most || !std::ranges::all_of(operands, is_alike))
        return false;
    const OpId op = rewriting.graph.node(root).op->id;
    const Attributes attributes = rewriting.attributes(root);
    const std::size_t count = operands.size();
    while (operands.size() > 1) {
        std::vector<ValueId> level;
        for (std::size_t first = 0; first < operands.size(); first += most) {
            const std::size_t end = std::min(first + most, operands.size());
            const std::vector<ValueId> some(operands.begin() + static_cast<std::ptrdiff_t>(first),
                                            operands.begin() + static_cast<std::ptrdiff_t>(end));
            level.push_back(some.size() == 1 ? some[0] : rewriting.add(op, some, attributes));
        }
        operands = std::move(level);
    }
    rewriting.note(std::to_string(count) + " operands");
    return rewriting.becomes(root, operands[0]);
}

// A slice is a place in memory, which what reads it finds without looking anything up, and several are parts of one tensor.
bool indices_to_slice(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    const std::optional<Slice> slice = slice_of_indices(rewriting, root);
    if (!slice || has_many_parts(rewriting, x))
        return false;
    const std::int64_t end = slice->start + (slice->extent - 1) * slice->step + 1;
    const ValueId part = rewriting.add(OpId::StridedSlice, {x},
                                       {{"starts", Shape{dim(slice->start)}},
                                        {"ends", Shape{dim(end)}},
                                        {"axes", Ints{slice->axis}},
                                        {"strides", Ints{slice->step}}});
    const Shape shape = rewriting.spec(rewriting.output(root)).shape;
    return rewriting.becomes(root, rewriting.reshaped(part, shape));
}

// Slices of one tensor differ in where they begin, which their programs say. What looks elements up by indices that are data
// is one program for all.
bool slices_by_index(Rewriting& rewriting, NodeId root) {
    constexpr std::int64_t most_indices = 1 << 16;
    const ValueId x = rewriting.input(root, 0);
    if (!has_many_parts(rewriting, x))
        return false;
    const std::optional<Slice> slice = slice_of(rewriting, root);
    if (!slice || slice->extent < 1 || slice->extent > most_indices)
        return false;
    Ints places;
    for (std::int64_t i = 0; i < slice->extent; ++i)
        places.push_back(slice->start + i * slice->step);
    const ValueId indices = rewriting.constant(make_ints(places));
    return rewriting.becomes(root, rewriting.add(OpId::Take, {x, indices}, {{"axis", slice->axis}}));
}

} // namespace hidet::graph
