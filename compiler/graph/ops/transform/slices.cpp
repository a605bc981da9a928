// SPDX-License-Identifier: Apache-2.0
// Python's slices of tensors: start, end and step of some dimensions, where ends may be symbolic.
//
// Constants are clipped to the extent as Python does. What is symbolic is taken to lie inside (x[:, :n] of a table with 1024
// columns has n columns), and the task requires it, so that extents stay simple enough to be compared.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

struct SlicedDim {
    ExprRef start; // inside of the dimension, unless the extent is 0
    std::int64_t step = 1;
    Dim extent; // of the result
    bool is_whole = false;
};

// A bound that no extent reaches; exporters write INT_MAX and INT64_MAX.
constexpr std::int64_t beyond = std::numeric_limits<std::int32_t>::max();

class SymbolSetter : public ir::Rewriter {
public:
    explicit SymbolSetter(std::int64_t value) : m_value(value) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const ir::SymbolVar&) override { return dim(m_value); }

private:
    std::int64_t m_value;
};

// Whether a symbolic bound counts from the end: -n. Only which reading is meant is guessed, from a value that all symbols
// may have; that it was right is required.
bool looks_negative(const Dim& bound) {
    const auto value = constant_of(simplified(SymbolSetter(1000003).rewrite(bound)));
    return value && *value < 0;
}

struct Bounds {
    const Dim& extent;
    std::int64_t step;
    TaskBuilder& builder;
    std::size_t axis;

    void require(const ExprRef& condition) const {
        builder.require(condition,
                        "slice of dimension " + std::to_string(axis) + " leaves its extent " + text_of(Shape{extent}));
    }
    // A constant bound of an extent that is known, clipped to [low, n + high].
    static std::int64_t clipped(std::int64_t bound, std::int64_t n, std::int64_t low, std::int64_t high) {
        return std::clamp(bound < 0 ? bound + n : bound, low, n + high);
    }
    // Of an extent that is not.
    Dim inside(const Dim& bound) const {
        const Dim place = looks_negative(bound) ? simplified(ir::add(extent, bound)) : bound;
        require(ir::less_equal(dim(0), place));
        require(ir::less_equal(place, extent));
        return place;
    }
};

// The end of a slice that goes up may cut an extent that is shorter than a constant.
Dim symbolic_end(const Bounds& bounds, const Dim& end) {
    const auto constant = constant_of(end);
    if (constant && *constant >= beyond)
        return bounds.extent;
    if (constant && *constant == 1) { // x[:1], the first one
        bounds.require(ir::less_equal(end, bounds.extent));
        return end;
    }
    if (constant && *constant >= 0)
        return ir::math(ir::IntrinsicId::Min, {end, bounds.extent});
    return same_dim(end, bounds.extent) ? bounds.extent : bounds.inside(end);
}

SlicedDim sliced_up(const Bounds& bounds, const Dim& start, const Dim& end) {
    const Dim last = symbolic_end(bounds, end);
    const bool is_tail = constant_of(start) && *constant_of(start) < -1 && last == bounds.extent && bounds.step == 1;
    if (is_tail) { // which may be all there is
        const Dim length = ir::math(ir::IntrinsicId::Min, {ir::negate(start), bounds.extent});
        return {simplified(ir::sub(bounds.extent, length)), 1, length, false};
    }
    const Dim first = bounds.inside(start);
    SlicedDim sliced{first, bounds.step, nullptr, false};
    if (ir::is_constant(first, 0) && last == bounds.extent && bounds.step == 1)
        return {dim(0), 1, bounds.extent, true};
    const Dim length = simplified(ir::sub(last, first));
    const Dim rounded = ir::add(length, dim(bounds.step - 1));
    sliced.extent = bounds.step == 1 ? length : simplified(ir::floor_div(rounded, dim(bounds.step)));
    if (!(ir::is_constant(first, 0) || last == bounds.extent))
        bounds.require(ir::less_equal(first, last));
    return sliced;
}

// From `first`, or the last element, down to the element after `last`, or the first one.
SlicedDim sliced_down(const Bounds& bounds, const Dim& start, const Dim& end) {
    const auto from = constant_of(start);
    const auto to = constant_of(end);
    const Dim top = simplified(ir::sub(bounds.extent, dim(1)));
    const Dim first = (from && *from >= beyond) || ir::is_constant(start, -1) ? top : bounds.inside(start);
    const bool is_all = to && *to <= -beyond;
    const Dim last = is_all ? dim(-1) : bounds.inside(end);
    const Dim length = simplified(ir::sub(first, last));
    const Dim rounded = ir::add(length, dim(-bounds.step - 1));
    bounds.require(ir::less_equal(last, first));
    return {first, bounds.step, simplified(ir::floor_div(rounded, dim(-bounds.step))), false};
}

SlicedDim constant_slice(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t n) {
    const std::int64_t low = step > 0 ? 0 : -1;
    const std::int64_t high = step > 0 ? 0 : -1;
    const std::int64_t first = Bounds::clipped(start, n, low, high);
    const std::int64_t last = Bounds::clipped(end, n, low, high);
    // A step may be as long as an i64: no sum with it.
    const std::int64_t span = step > 0 ? last - first : first - last;
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : -static_cast<std::uint64_t>(step);
    const std::uint64_t count = span <= 0 ? 0 : (static_cast<std::uint64_t>(span) - 1) / stride + 1;
    return {dim(first), count <= 1 ? 1 : step, dim(static_cast<std::int64_t>(count)),
            first == 0 && step == 1 && last == n};
}

SlicedDim sliced(const Dim& start, const Dim& end, std::int64_t step, const Bounds& bounds) {
    const auto n = constant_of(bounds.extent);
    const auto first = constant_of(start);
    const auto last = constant_of(end);
    if (n && first && last)
        return constant_slice(*first, *last, step, *n);
    return step > 0 ? sliced_up(bounds, start, end) : sliced_down(bounds, start, end);
}

void want_equal_lengths(const Shape& starts, const Shape& ends, const Ints& axes, const Ints& strides) {
    const bool fits = starts.size() == ends.size() && (axes.empty() || axes.size() == starts.size()) &&
                      (strides.empty() || strides.size() == starts.size());
    if (!fits)
        throw OpError("a slice has ", starts.size(), " starts, ", ends.size(), " ends, ", axes.size(), " axes and ",
                      strides.size(), " strides");
}

// One for each dimension of x, from the attributes starts, ends, axes and strides.
std::vector<SlicedDim> sliced_dims(const OpCall& call, TaskBuilder& builder) {
    const Shape& shape = call.inputs[0].shape;
    const Shape starts = dims_attribute(call, "starts");
    const Shape ends = dims_attribute(call, "ends");
    const Ints strides = ints_attribute(call, "strides");
    want_equal_lengths(starts, ends, ints_attribute(call, "axes"), strides);
    std::vector<std::size_t> axes = axes_attribute(call, "axes", shape.size());
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), std::size_t{0});
    }
    if (axes.size() > shape.size())
        throw OpError("a slice of ", axes.size(), " dimensions of ", text_of(shape));
    std::vector<SlicedDim> dims;
    for (const Dim& extent : shape)
        dims.push_back({dim(0), 1, extent, true});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t step = strides.empty() ? 1 : strides[i];
        if (step == 0)
            throw OpError("a slice has the stride 0");
        dims[axes[i]] = sliced(starts[i], ends[i], step, {shape[axes[i]], step, builder, axes[i]});
    }
    return dims;
}

Task define_strided_slice(const OpCall& call) {
    TaskBuilder builder("strided_slice");
    const ir::VarRef x = builder.input("x", call.inputs[0]);
    const std::vector<SlicedDim> dims = sliced_dims(call, builder);
    Shape shape = transformed(dims, &SlicedDim::extent);
    return builder.finish("strided_slice", call.inputs[0].dtype, shape, [&](const Indices& axes) {
        Indices index;
        for (std::size_t i = 0; i < dims.size(); ++i)
            index.push_back(ir::add(dims[i].start, ir::mul(axes[i], dim(dims[i].step))));
        return is_empty(shape) ? nothing_of(call.inputs[0].dtype) : at(x, index);
    });
}

// Where an element of x is in the slice, and whether it is.
struct SlicedPlace {
    Indices index;
    ExprRef is_in = ir::bool_constant(true);
};

SlicedPlace place_of(const std::vector<SlicedDim>& dims, const Indices& axes) {
    SlicedPlace place;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i].is_whole) {
            place.index.push_back(axes[i]);
            continue;
        }
        const bool is_down = dims[i].step < 0;
        const Dim stride = dim(is_down ? -dims[i].step : dims[i].step);
        const ExprRef distance = is_down ? ir::sub(dims[i].start, axes[i]) : ir::sub(axes[i], dims[i].start);
        const ExprRef position = ir::floor_div(distance, stride);
        const ExprRef is_step = ir::equal(ir::floor_mod(distance, stride), dim(0));
        place.is_in = ir::logical_and(place.is_in, ir::logical_and(is_step, is_inside(position, dims[i].extent)));
        place.index.push_back(position);
    }
    return place;
}

// Dimensions that were indexed by a number are not in the value.
Shape value_shape(const std::vector<SlicedDim>& dims, const std::vector<std::size_t>& index_dims) {
    Shape shape;
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (std::ranges::find(index_dims, i) == index_dims.end())
            shape.push_back(dims[i].extent);
    return shape;
}

Indices value_index(const Indices& index, const std::vector<std::size_t>& index_dims, const Shape& value) {
    Indices kept;
    for (std::size_t i = 0; i < index.size(); ++i)
        if (std::ranges::find(index_dims, i) == index_dims.end())
            kept.push_back(index[i]);
    return broadcast_index(value, kept);
}

Task define_set_strided_slice(const OpCall& call) {
    TaskBuilder builder("set_strided_slice");
    const auto [dtype, shape] = call.inputs[0];
    const ir::VarRef x = builder.input("x", dtype, shape);
    const bool has_tensor = call.inputs.size() > 1;
    const ir::VarRef value = has_tensor ? builder.input("value", call.inputs[1]) : nullptr;
    const std::vector<SlicedDim> dims = sliced_dims(call, builder);
    const std::vector<std::size_t> index_dims = axes_attribute(call, "index_dims", shape.size());
    if (has_tensor) {
        const Shape wants = value_shape(dims, index_dims);
        const Shape& have = call.inputs[1].shape;
        if (have.size() > wants.size() || !same_shape(broadcast(have, wants), wants))
            throw OpError("a value of shape ", text_of(have), " does not fit into a slice of shape ", text_of(wants));
        require_broadcast(builder, have, wants, "set_strided_slice");
    }
    const Attribute* scalar = call.attributes.find("setvalue");
    const ExprRef constant = scalar ? ir::cast_to(scalar_operand(*scalar, dtype), dtype) : nothing_of(dtype);
    return builder.finish("set_strided_slice", dtype, shape, [&](const Indices& axes) {
        const SlicedPlace place = place_of(dims, axes);
        const ExprRef set =
            has_tensor ? ir::cast_to(at(value, value_index(place.index, index_dims, call.inputs[1].shape)), dtype)
                       : constant;
        return ir::select(place.is_in, set, at(x, axes));
    });
}

} // namespace

std::span<const OpInfo> op_tables::slices() {
    static const OpInfo table[] = {
        {OpId::StridedSlice, "strided_slice", "data, starts: shape, ends: shape, axes: ints = [], strides: ints = []",
         OpClass::Transform, "x[starts:ends:strides] of the dimensions `axes`, or of the first ones; the rest is whole",
         "hidet.ops.strided_slice(hidet.randn([4, 6]), starts=[1], ends=[-1], axes=[1], strides=[2])",
         define_strided_slice},
        {OpId::SetStridedSlice, "set_strided_slice",
         "data, starts: shape, ends: shape, axes: ints = [], strides: ints = [], setvalue: number = 0, "
         "index_dims: ints = [], value: tensor = None",
         OpClass::Transform,
         "x with another value in x[starts:ends:strides]: the number setvalue, or a tensor that is broadcast to it "
         "without the dimensions `index_dims`",
         "hidet.ops.set_strided_slice(hidet.randn([4, 6]), starts=[1], ends=[3], setvalue=1.0)",
         define_set_strided_slice},
    };
    return table;
}

} // namespace hidet::graph
