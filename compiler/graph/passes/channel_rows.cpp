// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/channel_rows.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_one(const Dim& extent) {
    return constant_of(extent) == 1;
}

Dim product_of(const Shape& shape, std::size_t count) {
    return element_count(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count)));
}

// rows / batch, where that divides the channels.
std::optional<std::int64_t> groups_of(const Shape& view, std::size_t kept, const Shape& image) {
    const auto channels = constant_of(image[1]);
    const auto batch = constant_of(image[0]);
    std::optional<std::int64_t> groups;
    if (const auto rows = constant_of(product_of(view, kept)); rows && batch && *batch > 0 && *rows % *batch == 0)
        groups = *rows / *batch;
    else if (!batch && kept > 0 && same_dim(view[0], image[0]))
        groups = constant_of(element_count(Shape(view.begin() + 1, view.begin() + static_cast<std::ptrdiff_t>(kept))));
    if (!groups || *groups < 1 || !channels || *channels < 1 || *channels % *groups != 0)
        return std::nullopt;
    return groups;
}

} // namespace

std::optional<std::int64_t> groups_of_rows(const Shape& view, const Ints& dims, const Shape& image) {
    const auto is_reduced = [&](std::size_t axis) {
        return dims.empty() || std::ranges::find(dims, static_cast<std::int64_t>(axis)) != dims.end();
    };
    std::size_t kept = 0; // dimensions before those that are reduced
    for (std::size_t axis = 0; axis < view.size(); ++axis)
        if (!is_reduced(axis) && !is_one(view[axis]))
            kept = axis + 1;
    for (std::size_t axis = 0; axis < kept; ++axis)
        if (is_reduced(axis) && !is_one(view[axis]))
            return std::nullopt;
    return groups_of(view, kept, image);
}

std::optional<OperandRows> rows_of_operand(const Shape& operand, const Shape& view, const Shape& image) {
    const auto channels = constant_of(image[1]);
    if (operand.size() > view.size() || !channels)
        return std::nullopt;
    Shape whole(view.size() - operand.size(), dim(1));
    whole.insert(whole.end(), operand.begin(), operand.end());
    std::size_t count = 1; // dimensions that the operand goes along
    for (std::size_t axis = 0; axis < whole.size(); ++axis)
        if (!is_one(whole[axis]))
            count = axis + 1;
    std::optional<std::int64_t> groups;
    for (; count <= view.size() && !(groups = groups_of(view, count, image)); ++count) {
    }
    if (!groups)
        return std::nullopt;
    OperandRows rows;
    const bool is_alike = is_one(whole[0]) && same_dim(view[0], image[0]); // for all images
    const Dim batch = is_alike ? dim(1) : image[0];
    rows.repeated = view;
    std::fill(rows.repeated.begin() + static_cast<std::ptrdiff_t>(count), rows.repeated.end(), dim(1));
    if (is_alike)
        rows.repeated[0] = dim(1);
    rows.of_groups = {batch, dim(*groups), dim(1)};
    rows.of_channels = {batch, dim(*groups), dim(*channels / *groups)};
    return rows;
}

} // namespace hidet::graph
