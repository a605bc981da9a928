// SPDX-License-Identifier: Apache-2.0
// Tensors from numbers.
#include <cmath>
#include <utility>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/graph/ops/transform/move.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using ir::DType;
using ir::ExprRef;

constexpr double most = 1e12;

std::int64_t checked(double count, const std::string& what) {
    if (!(count <= most)) // NaN too
        throw OpError("a range ", what, " has no end in sight");
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

// How many elements start, start + step, ... has before it reaches stop. Zero when it never starts; OpError for a step of 0, a
// NaN or more elements than memory could hold.
std::int64_t sequence_length(double start, double stop, double step) {
    const std::string what = "from " + shortest(start) + " to " + shortest(stop) + " by " + shortest(step);
    if (step == 0)
        throw OpError("a range ", what, " does not move");
    return checked(std::ceil((stop - start) / step), what);
}

std::int64_t sequence_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
    const std::string what =
        "from " + std::to_string(start) + " to " + std::to_string(stop) + " by " + std::to_string(step);
    if (step == 0)
        throw OpError("a range ", what, " does not move");
    if (step > 0 ? stop <= start : stop >= start)
        return 0;
    // Distances of i64 fit into u64.
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t span = step > 0 ? u(stop) - u(start) : u(start) - u(stop);
    const std::uint64_t stride = step > 0 ? u(step) : 0 - u(step);
    return checked(static_cast<double>((span - 1) / stride + 1), what);
}

// Start, stop or step: a number, or a dimension as a Shape of one.
ExprRef term(const OpCall& call, const char* name, std::int64_t otherwise) {
    const Attribute* found = call.attributes.find(name);
    if (!found)
        return dim(otherwise);
    if (const auto* real = std::get_if<double>(found))
        return ir::float_constant(*real, DType::F64);
    if (const auto* whole = std::get_if<std::int64_t>(found))
        return dim(*whole);
    if (const auto* shape = std::get_if<Shape>(found); shape && shape->size() == 1)
        return simplified(shape->front());
    throw OpError("arange: '", name, "' is not a number");
}

struct Sequence {
    ExprRef start, stop, step;
    bool is_whole = true;
};

Dim length_of(const Sequence& s, TaskBuilder& builder) {
    if (!s.is_whole)
        return dim(
            sequence_length(*ir::constant_number(s.start), *ir::constant_number(s.stop), *ir::constant_number(s.step)));
    const auto step = constant_of(s.step);
    if (!step)
        throw OpError("arange wants a constant step");
    if (constant_of(s.start) && constant_of(s.stop))
        return dim(sequence_length(*constant_of(s.start), *constant_of(s.stop), *step));
    if (*step == 0)
        throw OpError("arange: the step is 0");
    const std::int64_t round = *step > 0 ? *step - 1 : *step + 1;
    const Dim span = simplified(ir::sub(s.stop, s.start));
    const Dim length = *step == 1 ? span : simplified(ir::floor_div(ir::add(span, dim(round)), s.step));
    builder.require(ir::less_equal(dim(0), length), "arange has a length below 0");
    return length;
}

Task define_arange(const OpCall& call) {
    Sequence s{term(call, "start", 0), term(call, "stop", 0), term(call, "step", 1)};
    if (!call.attributes.find("stop"))
        std::swap(s.start, s.stop);
    s.is_whole = ir::is_integer(scalar_dtype(s.start)) && ir::is_integer(scalar_dtype(s.stop)) &&
                 ir::is_integer(scalar_dtype(s.step));
    const bool is_known =
        s.is_whole || (ir::constant_number(s.start) && ir::constant_number(s.stop) && ir::constant_number(s.step));
    if (!is_known)
        throw OpError("arange wants whole numbers where one is symbolic");
    const auto dtype = call.attributes.get_or("dtype", s.is_whole ? DType::I64 : DType::F32);
    TaskBuilder builder("arange");
    const Dim length = length_of(s, builder);
    // Steps are counted and multiplied, not added up; floats in double.
    return builder.finish("arange", dtype, {length}, [&](const Indices& axes) {
        const ExprRef count = s.is_whole ? axes[0] : ir::cast_to(axes[0], DType::F64);
        return ir::cast_to(ir::add(s.start, ir::mul(count, s.step)), dtype);
    });
}

// Matrices of ones and zeros: Eye has ones on a diagonal, Tri on and below it.
// A dimension as a number, or as a Shape of one; `m` may be left out: as many columns as rows.
Dim extent(const OpCall& call, const char* name) {
    const Attribute* found = call.attributes.find(name);
    if (const auto* whole = found ? std::get_if<std::int64_t>(found) : nullptr; whole && *whole >= 0)
        return dim(*whole);
    if (const auto* shape = found ? std::get_if<Shape>(found) : nullptr; shape && shape->size() == 1)
        return shape->front();
    throw OpError(call.op->name, ": '", name, "' is not an extent");
}

template <bool fills>
Task define_diagonal(const OpCall& call) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const Dim diagonal = dim(call.attributes.get<std::int64_t>("k"));
    const Dim rows = extent(call, "n");
    const auto* columns = call.attributes.find("m");
    const bool is_square =
        !columns || (std::holds_alternative<std::int64_t>(*columns) && std::get<std::int64_t>(*columns) == -1);
    TaskBuilder builder(call.op->python);
    const Shape shape = {rows, is_square ? rows : extent(call, "m")};
    return builder.finish(call.op->python, dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef limit = ir::add(axes[0], diagonal);
        const ir::ExprRef is_one = fills ? ir::less_equal(axes[1], limit) : ir::equal(axes[1], limit);
        return ir::cast_to(is_one, dtype);
    });
}

constexpr const char* diagonal_parameters =
    "n: int, m: int = -1, k: int = 0, dtype: dtype = 'float32', device: str = 'cpu'";

// Extents as data: what is left of a model's shape arithmetic where an operator reads it as a tensor.
// One expression per element, chosen by the index.
Task define_extents(const OpCall& call) {
    const Shape& values = call.attributes.get<Shape>("values");
    const Shape shape = shape_of(call.attributes.get<Ints>("shape"));
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("extents");
    return builder.finish("extents", dtype, shape, [&](const Indices& axes) {
        const ir::ExprRef index = ir::flatten(axes, shape);
        ir::ExprRef value = values.empty() ? dim(0) : values.back();
        for (std::size_t i = values.size(); i-- > 1;)
            value = ir::select(ir::less(index, dim(static_cast<std::int64_t>(i))), values[i - 1], value);
        return ir::cast_to(value, dtype);
    });
}

Task define_count_up(const OpCall& call) {
    const Shape& given = call.attributes.get<Shape>("range");
    if (given.size() != 3)
        throw OpError("CountUp takes a range of 3 numbers, not of ", given.size());
    const ir::DType dtype = call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("count_up");
    return builder.finish("count_up", dtype, {given[1]}, [&](const Indices& axes) {
        return ir::cast_to(ir::add(given[0], ir::mul(axes[0], given[2])), dtype);
    });
}

Task define_full(const OpCall& call) {
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    const Shape shape = dims_attribute(call, "shape");
    for (const Dim& extent : shape)
        if (constant_of(extent) && *constant_of(extent) < 0)
            throw OpError("full: the shape ", text_of(shape), " has a negative extent");
    const Attribute* value = call.attributes.find("value");
    const ir::ExprRef constant = ir::cast_to(value ? scalar_operand(*value, dtype) : ir::int_constant(0), dtype);
    TaskBuilder builder("full");
    return builder.finish("full", dtype, shape, [&](const Indices&) { return constant; });
}

Task define_linspace(const OpCall& call) {
    const double start = number_attribute(call.attributes, "start");
    const double stop = number_attribute(call.attributes, "stop");
    const auto count = call.attributes.get<std::int64_t>("num");
    const auto dtype = call.attributes.get<ir::DType>("dtype");
    if (count < 0)
        throw OpError("linspace of ", count, " numbers");
    const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
    const auto f64 = [](double value) { return ir::float_constant(value, ir::DType::F64); };
    TaskBuilder builder("linspace");
    return builder.finish("linspace", dtype, {dim(count)}, [&](const Indices& axes) {
        const ir::ExprRef place = ir::mul(ir::cast_to(axes[0], ir::DType::F64), f64(step));
        const ir::ExprRef value = ir::add(f64(start), place);
        // The last one is stop, however the step was rounded.
        return count > 1 ? ir::cast_to(ir::select(ir::equal(axes[0], dim(count - 1)), f64(stop), value), dtype)
                         : ir::cast_to(f64(start), dtype);
    });
}

// Values are a tensor [off, on], or without it 0 and 1.
Task define_one_hot(const OpCall& call) {
    const auto depth = call.attributes.get<std::int64_t>("depth");
    const Shape& indices = call.inputs[0].shape;
    const std::size_t axis = axis_attribute(call, "axis", indices.size() + 1);
    const bool has_values = call.inputs.size() > 1;
    if (depth < 0)
        throw OpError("one_hot: depth is ", depth);
    if (has_values && (call.inputs[1].shape.size() != 1 || !ir::is_constant(call.inputs[1].shape[0], 2)))
        throw OpError("one_hot wants the two values off and on, not ", text_of(call.inputs[1]));
    const auto dtype = has_values ? call.inputs[1].dtype : call.attributes.get<ir::DType>("dtype");
    TaskBuilder builder("one_hot");
    const ir::VarRef x = builder.input("indices", call.inputs[0].dtype, indices);
    const ir::VarRef values = has_values ? builder.input("values", dtype, call.inputs[1].shape) : nullptr;
    const auto split = static_cast<std::ptrdiff_t>(axis);
    Shape shape = indices;
    shape.insert(shape.begin() + split, dim(depth));
    return builder.finish("one_hot", dtype, shape, [&](const Indices& axes) {
        Indices place = axes;
        place.erase(place.begin() + split);
        return shared(ir::cast_to(at(x, place), ir::DType::I64), [&](const ExprRef& given) {
            // An index that is outside, from either end, is at no place.
            const ExprRef counted = ir::select(ir::less(given, dim(0)), ir::add(given, dim(depth)), given);
            const ExprRef is_on = ir::equal(axes[axis], counted);
            return has_values ? ir::select(is_on, at(values, {dim(1)}), at(values, {dim(0)}))
                              : ir::cast_to(is_on, dtype);
        });
    });
}

// A sequence whose ends are data: how long it is, is known when it runs.
std::vector<TensorSpec> infer_range(const OpCall& call, FreshSymbols& symbols) {
    const ir::DType dtype = call.inputs[0].dtype;
    for (const TensorSpec& input : call.inputs)
        if (input.dtype != dtype || !same_dim(element_count(input.shape), dim(1)))
            throw OpError("range wants three numbers of one type, not ", text_of(input));
    const bool is_known = dtype == ir::DType::F32 || dtype == ir::DType::F64 || dtype == ir::DType::I16 ||
                          dtype == ir::DType::I32 || dtype == ir::DType::I64;
    if (!is_known)
        throw OpError("range does not make ", ir::info(dtype).name);
    return {{dtype, {symbols.fresh("range")}}};
}

} // namespace

std::span<const OpInfo> op_tables::creation() {
    static const OpInfo table[] = {
        {OpId::Arange, "arange",
         "start: number, stop: number = None, step: number = 1, dtype: dtype = None, device: str = 'cpu'",
         OpClass::Transform,
         "start, start + step, ... up to but not including stop, or from 0 to start without a stop; int64, or float32 "
         "when one of them is a float",
         "hidet.ops.arange(0, 10, 2)", define_arange},
        {OpId::Eye, "eye", diagonal_parameters, OpClass::Transform,
         "n rows and m columns (-1: as many) of zeros, with ones on the diagonal k places above the main one",
         "hidet.ops.eye(3)", define_diagonal<false>},
        {OpId::Tri, "tri", diagonal_parameters, OpClass::Transform,
         "n rows and m columns (-1: as many) with ones on and below the diagonal k places above the main one",
         "hidet.ops.tri(3, 4, k=1)", define_diagonal<true>},
        {OpId::CountUp, "", "range: shape, dtype: dtype", OpClass::Transform,
         "range[0], range[0] + range[2], ...: range[1] integers", "", define_count_up},
        {OpId::Extents, "", "values: shape, shape: ints, dtype: dtype", OpClass::Transform,
         "a tensor of the given shape whose elements are extents", "", define_extents},
        {OpId::Full, "full", "shape: shape, value: number = 0, dtype: dtype = 'float32', device: str = 'cpu'",
         OpClass::Transform, "a tensor whose elements all have one value", "hidet.ops.full([2, 3], 1.5)", define_full},
        {OpId::LinSpace, "linspace",
         "start: number, stop: number, num: int, dtype: dtype = 'float32', device: str = 'cpu'", OpClass::Transform,
         "`num` numbers at equal distances from start to stop, both included", "hidet.ops.linspace(0.0, 1.0, 5)",
         define_linspace},
        {OpId::OneHot, "one_hot",
         "indices, depth: int, axis: int = -1, dtype: dtype = 'float32', values: tensor = None", OpClass::Transform,
         "a new dimension `axis` of `depth` places: on (1) at the index, off (0) elsewhere, which `values` holds as "
         "[off, on]",
         "hidet.ops.one_hot(hidet.asarray([0, 2, -1]), depth=4)", define_one_hot},
        host_op(OpId::Range, "range", "start, limit, delta",
                "start, start + delta, ... up to but not including limit, which are tensors of one element",
                "hidet.ops.range(hidet.asarray(0), hidet.asarray(10), hidet.asarray(2))", infer_range),
    };
    return table;
}

} // namespace hidet::graph
