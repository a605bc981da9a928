// SPDX-License-Identifier: Apache-2.0
// Sequences whose length is known are lists of values while the model is read; nothing of them is left in the graph.
#include "compiler/graph/onnx/conversions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Val sequence_of(Vals items) {
    Val value = std::make_shared<ValueState>();
    value->items = std::move(items);
    return value;
}

std::size_t place_in(NodeCall& node, std::size_t input, std::size_t places) {
    const std::int64_t given = node.int_in(input);
    const auto limit = static_cast<std::int64_t>(places);
    const std::int64_t place = given < 0 ? given + limit : given;
    if (place < 0 || place >= limit)
        throw OpError("position ", given, " is outside of a sequence with ", places, " places");
    return static_cast<std::size_t>(place);
}

} // namespace

Vals sequence_construct(NodeCall& node) {
    return {sequence_of(node.inputs())};
}

Vals sequence_empty(NodeCall&) {
    return {sequence_of({})};
}

Vals sequence_at(NodeCall& node) {
    const Vals& items = node.sequence_in(0);
    return {items[place_in(node, 1, items.size())]};
}

Vals sequence_length(NodeCall& node) {
    return {node.builder().constant(make_int(static_cast<std::int64_t>(node.sequence_in(0).size())))};
}

Vals sequence_insert(NodeCall& node) {
    Vals items = node.sequence_in(0);
    const std::size_t place = node.has(2) ? place_in(node, 2, items.size() + 1) : items.size();
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), node.in(1));
    return {sequence_of(std::move(items))};
}

Vals sequence_erase(NodeCall& node) {
    Vals items = node.sequence_in(0);
    const std::size_t place = node.has(1) ? place_in(node, 1, items.size()) : items.size() - 1;
    if (place >= items.size())
        throw OpError("the sequence is empty");
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(place));
    return {sequence_of(std::move(items))};
}

// One number is the size of each part; the last one may be smaller.
Vals split_to_sequence(NodeCall& node) {
    const std::int64_t axis = normalise_axis(node.i("axis", 0), node.rank(), "axis");
    const auto extent = constant_of(node.shape()[static_cast<std::size_t>(axis)]);
    Ints sizes;
    if (node.has(1) && node.rank(1) == 1) {
        sizes = node.ints_in(1);
    } else {
        const std::int64_t each = node.has(1) ? node.int_in(1) : 1;
        if (!extent || each < 1)
            throw OpError("how many parts there are is not known");
        for (std::int64_t start = 0; start < *extent; start += each)
            sizes.push_back(std::min(each, *extent - start));
    }
    const bool squeezes = !node.has(1) && node.i("keepdims", 1) == 0;
    Vals items;
    std::int64_t start = 0;
    for (std::int64_t size : sizes) {
        const Val part = node.slice(node.in(), axis, dim(start), dim(start + size));
        items.push_back(squeezes ? node.squeeze(part, {axis}) : part);
        start += size;
    }
    return {sequence_of(std::move(items))};
}

Vals concat_from_sequence(NodeCall& node) {
    Vals items = node.sequence_in(0);
    if (items.empty())
        throw OpError("the sequence is empty");
    const std::int64_t axis = node.i("axis");
    if (node.i("new_axis", 0) != 0)
        for (Val& each : items)
            each = node.unsqueeze(each, {axis});
    return {items.size() == 1 ? items[0] : node.add(OpId::Concat, items, {{"axis", axis}})};
}

// An optional value is the value, or nothing.
Vals optional(NodeCall& node) {
    return {node.has(0) ? node.inputs()[0] : nullptr};
}

Vals optional_has_element(NodeCall& node) {
    return {node.builder().constant(make_scalar(ir::DType::Bool, node.has(0)))};
}

} // namespace hidet::graph::onnx
