// SPDX-License-Identifier: Apache-2.0
// Numbers as small integers and back. Scales and zero points are of the whole tensor (one element), of each index along `axis`
// (one dimension), or of each block of `block_size` along it (as many dimensions as the tensor).
//
// A tensor of four-bit integers is one of bytes: dtype int4b or uint4b as an attribute gives int8 or uint8 elements in the
// range of four bits.
#include <algorithm>

#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/graph/ops/expressions.h"
#include "compiler/graph/ops/reduction/reduction.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_single(const Shape& shape) {
    return std::ranges::all_of(shape, [](const Dim& each) { return ir::is_constant(each, 1); });
}

struct Granularity {
    explicit Granularity(const OpCall& call); // of inputs 0 and 1; OpError when they do not go together
    Indices index(const Shape& parameter, const Indices& axes) const; // into a scale or zero point

    std::size_t axis = 0;
    std::int64_t block_size = 0;
};

Granularity::Granularity(const OpCall& call) {
    const std::string name = call.op->python;
    const Shape& x = call.inputs[0].shape;
    const Shape& scale = call.inputs[1].shape;
    block_size = call.attributes.get<std::int64_t>("block_size");
    if (block_size < 0)
        throw OpError(name, " wants a block size that is not negative, not ", block_size);
    if (call.inputs.size() > 2) {
        const Shape& zero = call.inputs[2].shape;
        const bool are_alike = !differ(zero, scale);
        if (!are_alike && !(is_single(zero) && is_single(scale)))
            throw OpError(name, ": a zero point of shape ", text_of(zero), " does not go with a scale of shape ",
                          text_of(scale));
    }
    if (is_single(scale) && block_size == 0)
        return;
    axis = axis_attribute(call, "axis", x.size());
    bool fits = scale.size() == (block_size > 0 ? x.size() : 1);
    for (std::size_t d = 0; fits && d < scale.size(); ++d) {
        const Dim wanted = block_size == 0 ? x[axis] : d == axis ? simplified(ceil_div(x[d], dim(block_size))) : x[d];
        fits = !differ(scale[d], wanted);
    }
    if (!fits)
        throw OpError(name, ": a scale of shape ", text_of(scale), " is not one for ", text_of(call.inputs[0]),
                      " along axis ", axis);
}

Indices Granularity::index(const Shape& parameter, const Indices& axes) const {
    if (is_single(parameter) && block_size == 0)
        return Indices(parameter.size(), dim(0));
    if (block_size == 0)
        return {axes[axis]};
    Indices index = axes;
    index[axis] = ir::floor_div(axes[axis], dim(block_size));
    return index;
}

// int8 for int4b.
ir::DType stored_as(ir::DType dtype) {
    if (dtype == ir::DType::I4)
        return ir::DType::I8;
    return dtype == ir::DType::U4 ? ir::DType::U8 : dtype;
}

// Rounded to the nearest even integer, plus the zero point (null: 0), limited to the range of the type; floats of 8 bits
// are converted.
Expr quantised(const Expr& value, const Expr& zero_point, ir::DType dtype) {
    const ir::DType real = *ir::scalar_of(value->type);
    if (ir::is_float(dtype))
        return ir::cast_to(zero_point ? ir::add(value, ir::cast_to(zero_point, real)) : value, dtype);
    const ir::IntegerRange range = ir::integer_range(dtype);
    const Expr low = number(static_cast<double>(range.lowest), real);
    const Expr high = number(static_cast<double>(range.highest), real);
    if (real != ir::DType::F32 || ir::info(dtype).bits > 8) {
        Expr result = half_to_even(value);
        if (zero_point)
            result = ir::add(result, ir::cast_to(zero_point, real));
        return shared(result,
                      [&](const Expr& whole) { return ir::cast_to(clamped(whole, low, high), stored_as(dtype)); });
    }
    // Limited first, it is so small that a sum with this number, whose unit is the last bit, rounds it.
    const Expr far = number(0x1.8p23, real);
    const auto rounded = [&](const Expr& x) { return ir::sub(ir::add(x, far), far); };
    if (!zero_point)
        return ir::cast_to(rounded(clamped(value, low, high)), stored_as(dtype));
    return shared(ir::cast_to(zero_point, real), [&](const Expr& zero) {
        const Expr near = clamped(value, ir::sub(low, zero), ir::sub(high, zero));
        return ir::cast_to(ir::add(rounded(near), zero), stored_as(dtype));
    });
}

// Inputs: x, scale and, if it is given, a zero point, whose type is that of the result unless the attribute dtype names one.
Task define_quantize_linear(const OpCall& call) {
    const Granularity granularity(call);
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    const bool has_zero = call.inputs.size() > 2;
    const ir::DType dtype = call.attributes.get_or("dtype", has_zero ? call.inputs[2].dtype : ir::DType::U8);
    if (!ir::is_float(scale.dtype) && scale.dtype != ir::DType::I32)
        throw OpError("quantize_linear wants a scale of floats, not ", text_of(scale));
    const ir::DType work = ir::is_float(x.dtype) ? float_type_for(x.dtype) : ir::DType::F32;
    TaskBuilder builder("quantize_linear");
    const ir::VarRef tensor = builder.input("x", x);
    const ir::VarRef scales = builder.input("scale", scale);
    const ir::VarRef zeros = has_zero ? builder.input("zero_point", call.inputs[2]) : nullptr;
    const ir::VarRef y = builder.compute("y", stored_as(dtype), x.shape, [&](const Indices& axes) {
        const Expr divisor = at(scales, granularity.index(scale.shape, axes));
        const Expr value = ir::div(ir::cast_to(at(tensor, axes), work), ir::cast_to(divisor, work));
        return quantised(value, zeros ? at(zeros, granularity.index(call.inputs[2].shape, axes)) : nullptr, dtype);
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

// The result has the type of the scale.
Task define_dequantize_linear(const OpCall& call) {
    const Granularity granularity(call);
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    const bool has_zero = call.inputs.size() > 2;
    if (!ir::is_float(scale.dtype))
        throw OpError("dequantize_linear wants a scale of floats, not ", text_of(scale));
    const ir::DType work = float_type_for(scale.dtype);
    // A difference of integers is taken in integers.
    const ir::DType wide = ir::is_float(x.dtype) ? work : ir::info(x.dtype).bits < 32 ? ir::DType::I32 : ir::DType::I64;
    TaskBuilder builder("dequantize_linear");
    const ir::VarRef tensor = builder.input("x", x);
    const ir::VarRef scales = builder.input("scale", scale);
    const ir::VarRef zeros = has_zero ? builder.input("zero_point", call.inputs[2]) : nullptr;
    const ir::VarRef y = builder.compute("y", scale.dtype, x.shape, [&](const Indices& axes) {
        Expr value = ir::cast_to(at(tensor, axes), wide);
        if (zeros)
            value = ir::sub(value, ir::cast_to(at(zeros, granularity.index(call.inputs[2].shape, axes)), wide));
        const Expr factor = at(scales, granularity.index(scale.shape, axes));
        return ir::mul(ir::cast_to(value, work), ir::cast_to(factor, work));
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

// Outputs: y (uint8), its scale and its zero point, of which the range from the least to the largest element, zero among
// them, fills that of the type.
Task define_dynamic_quantize_linear(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    if (!ir::is_float(x.dtype))
        throw OpError("dynamic_quantize_linear wants a tensor of floats, not ", text_of(x));
    const ir::DType work = float_type_for(x.dtype);
    TaskBuilder builder("dynamic_quantize_linear");
    const ir::VarRef tensor = builder.input("x", x);
    const auto element = [&](const Indices&, const Indices& over) { return at(tensor, over); };
    const ir::VarRef largest = builder.reduce("largest", work, {}, ReduceOp::Max, x.shape, element);
    const ir::VarRef least = builder.reduce("least", work, {}, ReduceOp::Min, x.shape, element);
    const Expr zero = number(0, work);
    const Expr low = smaller_of(zero, at(least, {}));
    const ir::VarRef scale = builder.compute("scale", x.dtype, {}, [&](const Indices&) {
        const Expr range = ir::sub(larger_of(zero, at(largest, {})), low);
        const Expr safe = ir::select(ir::equal(range, zero), number(1, work), range);
        return ir::div(safe, number(255, work));
    });
    const Expr divisor = ir::cast_to(at(scale, {}), work);
    const ir::VarRef zero_point = builder.compute("zero_point", ir::DType::U8, {}, [&](const Indices&) {
        return quantised(ir::div(ir::sub(zero, low), divisor), nullptr, ir::DType::U8);
    });
    const ir::VarRef y = builder.compute("y", ir::DType::U8, x.shape, [&](const Indices& axes) {
        return quantised(ir::div(ir::cast_to(at(tensor, axes), work), divisor), at(zero_point, {}), ir::DType::U8);
    });
    return builder.finish({y, scale, zero_point});
}

// Outputs: the integers, and the scale with the reduced dimensions as extents of 1.
Task define_symmetric_quantization(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const ir::DType dtype = call.attributes.get<ir::DType>("quant_type");
    if (!ir::is_float(x.dtype) || !ir::is_integer(dtype))
        throw OpError("symmetric_quantize takes floats to integers, not ", text_of(x), " to ", ir::info(dtype).name);
    const ReducedShape reduced = reduced_shape(x.shape, call.attributes.get<Ints>("dims"), true);
    const ir::DType work = float_type_for(x.dtype);
    const double limit = static_cast<double>(ir::integer_range(dtype).highest);
    TaskBuilder builder("symmetric_quantize");
    const ir::VarRef tensor = builder.input("x", x);
    const ir::VarRef largest = builder.reduce(
        "largest", work, reduced.shape, ReduceOp::Max, reduced.extents,
        [&](const Indices& axes, const Indices& over) { return abs_of(at(tensor, input_index(reduced, axes, over))); });
    const ir::VarRef scale = builder.compute("scale", x.dtype, reduced.shape, [&](const Indices& axes) {
        return ir::div(at(largest, axes), number(limit, work));
    });
    const ir::VarRef y = builder.compute("y", dtype, x.shape, [&](const Indices& axes) {
        const Expr peak = at(largest, result_index(reduced, axes));
        const Expr safe = ir::select(ir::equal(peak, number(0, work)), number(1, work), peak);
        const Expr value = ir::div(ir::mul(ir::cast_to(at(tensor, axes), work), number(limit, work)), safe);
        return quantised(value, nullptr, dtype);
    });
    return builder.finish({y, scale});
}

Task define_symmetric_dequantization(const OpCall& call) {
    const TensorSpec& x = call.inputs[0];
    const TensorSpec& scale = call.inputs[1];
    if (!same_shape(broadcast(x.shape, scale.shape), x.shape))
        throw OpError("symmetric_dequantize: a scale of shape ", text_of(scale.shape), " is not one for ", text_of(x));
    const ir::DType work = float_type_for(scale.dtype);
    TaskBuilder builder("symmetric_dequantize");
    const ir::VarRef tensor = builder.input("x", x);
    const ir::VarRef scales = builder.input("scale", scale);
    const ir::VarRef y = builder.compute("y", scale.dtype, x.shape, [&](const Indices& axes) {
        return ir::mul(ir::cast_to(at(tensor, axes), work),
                       ir::cast_to(at(scales, broadcast_index(scale.shape, axes)), work));
    });
    builder.inverse(0, [](const Indices& axes) { return axes; });
    return builder.finish({y});
}

} // namespace

std::span<const OpInfo> op_tables::quant() {
    static const OpInfo table[] = {
        {OpId::QuantizeLinear, "quantize_linear",
         "x, scale, zero_point: tensor = None, axis: int = 1, block_size: int = 0, dtype: dtype = None",
         OpClass::Elementwise, "the elements over their scale, rounded, plus the zero point, in the range of the type",
         "hidet.ops.quantize_linear(hidet.randn([2, 3]), hidet.ones([]), dtype='int8')", define_quantize_linear},
        {OpId::DequantizeLinear, "dequantize_linear",
         "x, scale, zero_point: tensor = None, axis: int = 1, block_size: int = 0", OpClass::Elementwise,
         "the elements less the zero point, times their scale",
         "hidet.ops.dequantize_linear(hidet.ones([2, 3], dtype='int8'), hidet.ones([]))", define_dequantize_linear},
        {OpId::DynamicQuantizeLinear, "dynamic_quantize_linear", "x", OpClass::Reduction,
         "the tensor as bytes, with a scale and a zero point that its range gives",
         "hidet.ops.dynamic_quantize_linear(hidet.randn([2, 3]))", define_dynamic_quantize_linear},
        {OpId::SymmetricQuantization, "symmetric_quantize", "x, quant_type: dtype = 'int8', dims: ints = [-1]",
         OpClass::Reduction,
         "the tensor as integers whose range is that of the largest magnitude over `dims`, and the scales",
         "hidet.ops.symmetric_quantize(hidet.randn([2, 3]))", define_symmetric_quantization},
        {OpId::SymmetricDeQuantization, "symmetric_dequantize", "x, scale, dims: ints = [-1]", OpClass::Elementwise,
         "integers times their scales",
         "hidet.ops.symmetric_dequantize(hidet.ones([2, 3], dtype='int8'), hidet.ones([2, 1]))",
         define_symmetric_dequantization},
    };
    return table;
}

} // namespace hidet::graph
