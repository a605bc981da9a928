// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/window.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

void require_positive(const Ints& values, const char* what, const std::string& name) {
    for (std::int64_t value : values)
        if (value < 1)
            throw OpError(name, " wants positive ", what, ", not ", text_of(Attribute(values)));
}

} // namespace

Window window_of(const OpCall& call, const std::string& name, Shape extents, Shape kernel) {
    Window window;
    window.name = name;
    window.rank = extents.size();
    window.extents = std::move(extents);
    window.kernel = std::move(kernel);
    window.strides = per_dimension(call.attributes, "stride", window.rank, 1, name);
    window.dilations = per_dimension(call.attributes, "dilations", window.rank, 1, name);
    const Ints pads = paddings(call.attributes, window.rank, name);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(window.rank);
    window.begins.assign(pads.begin(), middle);
    window.ends.assign(middle, pads.end());
    require_positive(window.strides, "strides", name);
    require_positive(window.dilations, "dilations", name);
    return window;
}

Shape Window::output() const {
    Shape shape;
    for (std::size_t d = 0; d < rank; ++d) {
        const Dim reach = ir::add(ir::mul(ir::sub(kernel[d], dim(1)), dim(dilations[d])), dim(1));
        const Dim padded = ir::add(extents[d], dim(begins[d] + ends[d]));
        const Dim room = simplified(ir::sub(padded, reach));
        if (const auto left = constant_of(room); left && *left < 0)
            throw OpError(name, ": a window of ", text_of(kernel), " does not fit into ", text_of(extents));
        Dim count = ir::floor_div(room, dim(strides[d]));
        if (ceil_mode) {
            count = ceil_div(room, dim(strides[d]));
            // A window that starts in the padding at the end is none. No window does that reaches as far as a step beyond
            // the padding, and to say so keeps extents short: others are made of them.
            if (const auto far = constant_of(reach); !far || *far < ends[d] + strides[d]) {
                const Dim last_start = ir::mul(count, dim(strides[d]));
                const Dim limit = ir::add(extents[d], dim(begins[d]));
                count = ir::sub(count, ir::select(ir::less_equal(limit, last_start), dim(1), dim(0)));
            }
        }
        shape.push_back(simplified(ir::add(count, dim(1))));
    }
    return shape;
}

Expr Window::start(const Indices& out, std::size_t d) const {
    return ir::sub(ir::mul(out[d], dim(strides[d])), dim(begins[d]));
}

Expr Window::position(const Indices& out, const Indices& tap, std::size_t d) const {
    return ir::add(start(out, d), ir::mul(tap[d], dim(dilations[d])));
}

bool Window::is_padded() const {
    const auto is_zero = [](std::int64_t pad) { return pad == 0; };
    return ceil_mode || !std::ranges::all_of(begins, is_zero) || !std::ranges::all_of(ends, is_zero);
}

Expr Window::is_inside(const Indices& out, const Indices& tap) const {
    ir::ExprVec conditions;
    for (std::size_t d = 0; d < rank; ++d) {
        const Expr at = position(out, tap, d);
        if (begins[d] > 0)
            conditions.push_back(ir::less_equal(dim(0), at));
        if (begins[d] < 0 || ends[d] > 0 || ceil_mode)
            conditions.push_back(ir::less(at, extents[d]));
    }
    return all_of(conditions);
}

Expr Window::first_tap(const Indices& out, std::size_t d) const {
    return ceil_div(max_index(dim(0), ir::sub(dim(0), start(out, d))), dim(dilations[d]));
}

Expr Window::last_tap(const Indices& out, std::size_t d) const {
    const Expr room = ir::sub(ir::sub(extents[d], dim(1)), start(out, d));
    return min_index(ir::sub(kernel[d], dim(1)), ir::floor_div(room, dim(dilations[d])));
}

Expr Window::tap_count(const Indices& out, Taps which) const {
    if (which == Taps::InInput ? !is_padded() : !ceil_mode)
        return element_count(kernel);
    Expr count = dim(1);
    for (std::size_t d = 0; d < rank; ++d) {
        Expr taps;
        if (which == Taps::InInput) {
            taps = ir::sub(last_tap(out, d), first_tap(out, d));
        } else {
            const Expr room = ir::sub(ir::add(extents[d], dim(ends[d] - 1)), start(out, d));
            taps = min_index(ir::sub(kernel[d], dim(1)), ir::floor_div(room, dim(dilations[d])));
        }
        count = ir::mul(count, ir::add(taps, dim(1)));
    }
    return count;
}

} // namespace hidet::graph
