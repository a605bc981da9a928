// SPDX-License-Identifier: Apache-2.0
// Quantised operators, as their definitions say: whole numbers times a scale.
#include "compiler/graph/onnx/ops/quantised.h"
#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/products.h"
#include "compiler/graph/onnx/ops/types.h"

namespace hidet::graph::onnx {

using ir::DType;

namespace {

struct Bounds {
    double low;
    double high;
};
Bounds bounds_of(DType dtype, std::int32_t elem_type) {
    if (elem_type == Int4 || elem_type == Uint4)
        return elem_type == Int4 ? Bounds{-8, 7} : Bounds{0, 15};
    if (elem_type == Int2 || elem_type == Uint2)
        return elem_type == Int2 ? Bounds{-2, 1} : Bounds{0, 3};
    const ir::IntegerRange range = ir::integer_range(dtype);
    return {static_cast<double>(range.lowest), static_cast<double>(range.highest)};
}

// One product with the ratio of the scales, as ONNX Runtime has it: its rounding decides between neighbouring steps, which
// the layers behind make more of.
Val rescaled(NodeCall& node, const Val& sum, const Val& scale, const Val& scale_of_result) {
    return node.add(OpId::Multiply, {sum, node.add(OpId::Divide, {scale, scale_of_result})});
}

// Weights whose scales stand along an axis or for blocks of it.
bool is_constant_in_blocks(NodeCall& node, std::int64_t block) {
    const std::size_t rank = node.in()->spec.shape.size();
    const std::size_t rank_of_scale = node.in(1)->spec.shape.size();
    return rank > 0 && node.in()->data && node.in(1)->data && (!node.has(2) || node.in(2)->data) &&
           (block > 0 ? rank_of_scale == rank : rank_of_scale <= 1);
}

} // namespace

Val aligned_parameter(NodeCall& node, const Val& parameter, const Val& x, std::int64_t axis, std::int64_t block) {
    const Shape& shape = parameter->spec.shape;
    const std::size_t rank = x->spec.shape.size();
    if (block > 0 && shape.size() == rank) {
        const std::int64_t at = normalise_axis(axis, rank, "axis");
        const Val repeated = node.add(OpId::RepeatInterleave, {parameter}, {{"repeats", block}, {"dim", at}});
        const Dim& extent = x->spec.shape[static_cast<std::size_t>(at)];
        return same_dim(repeated->spec.shape[static_cast<std::size_t>(at)], extent)
                   ? repeated
                   : node.slice(repeated, at, dim(0), extent);
    }
    if (shape.size() != 1 || rank == 0)
        return parameter;
    Shape against(rank, dim(1));
    if (same_dim(shape[0], dim(1)))
        return node.reshape(parameter, against);
    against[static_cast<std::size_t>(normalise_axis(axis, rank, "axis"))] = shape[0];
    return node.reshape(parameter, against);
}

Val of_rows(NodeCall& node, const Val& parameter, const Val& matrix) {
    if (!parameter || parameter->spec.shape.size() != 1 || same_dim(parameter->spec.shape[0], dim(1)) ||
        matrix->spec.shape.size() < 2)
        return parameter;
    return node.unsqueeze(parameter, {-1});
}

Val centred(NodeCall& node, const Val& x, const Val& zero_point) {
    const Val wide = node.cast(x, DType::I32);
    return zero_point ? node.add(OpId::Subtract, {wide, node.cast(zero_point, DType::I32)}) : wide;
}

Val saturated(NodeCall& node, const Val& quotient, const Val& zero_point, DType dtype, std::int32_t elem_type) {
    if (ir::is_float(dtype))
        return converted(node, quotient, elem_type ? elem_type : elem_type_of(dtype));
    Val y = node.add(OpId::Round, {quotient});
    if (zero_point)
        y = node.add(OpId::Add, {y, node.cast(zero_point, y->spec.dtype)});
    const Bounds bounds = bounds_of(dtype, elem_type);
    y = node.add(OpId::Clip, {y}, {{"min_val", bounds.low}, {"max_val", bounds.high}});
    const Val result = node.cast(y, dtype);
    result->elem_type = elem_type;
    return result;
}

Vals quantize_linear(NodeCall& node) {
    const std::int64_t axis = node.i("axis", 1);
    const std::int64_t block = node.i("block_size", 0);
    std::int32_t type = static_cast<std::int32_t>(node.i("output_dtype", 0));
    if (type == Undefined)
        type = node.has(2) ? (node.in(2)->elem_type ? node.in(2)->elem_type : elem_type_of(node.dtype(2))) : Uint8;
    const std::optional<DType> dtype = dtype_of(type);
    if (!dtype)
        throw OpError("tensors of ", elem_type_name(type), " are not supported");
    const Val scale = aligned_parameter(node, node.in(1), node.in(), axis, block);
    const Val quotient = node.add(OpId::Divide, {node.cast(node.in(), DType::F32), node.cast(scale, DType::F32)});
    const Val zero_point = node.has(2) ? aligned_parameter(node, node.in(2), node.in(), axis, block) : nullptr;
    return {saturated(node, quotient, zero_point, *dtype, type)};
}

Vals dequantize_linear(NodeCall& node) {
    const std::int64_t axis = node.i("axis", 1);
    const std::int64_t block = node.i("block_size", 0);
    if (is_constant_in_blocks(node, block)) { // folded in one step
        Vals inputs = {node.in(), node.in(1)};
        if (node.has(2))
            inputs.push_back(node.in(2));
        return {node.add(OpId::DequantizeLinear, inputs, {{"axis", axis}, {"block_size", block}})};
    }
    const Val scale = aligned_parameter(node, node.in(1), node.in(), axis, block);
    const Val zero_point = node.has(2) ? aligned_parameter(node, node.in(2), node.in(), axis, block) : nullptr;
    Val x;
    if (ir::is_float(node.dtype())) {
        x = node.cast(node.in(), DType::F32);
        if (zero_point)
            x = node.add(OpId::Subtract, {x, node.cast(zero_point, DType::F32)});
    } else {
        x = node.cast(centred(node, node.in(), zero_point), DType::F32);
    }
    return {node.cast(node.add(OpId::Multiply, {x, node.cast(scale, DType::F32)}), scale->spec.dtype)};
}

Vals dynamic_quantize_linear(NodeCall& node) {
    const Val zero = node.scalar(DType::F32, 0);
    const Attributes all = {{"dims", Ints()}, {"keepdims", false}};
    const Val highest = node.add(OpId::Max, {node.add(OpId::ReduceMax, {node.in()}, all), zero});
    const Val lowest = node.add(OpId::Min, {node.add(OpId::ReduceMin, {node.in()}, all), zero});
    const Val scale =
        node.add(OpId::Divide, {node.add(OpId::Subtract, {highest, lowest}), node.scalar(DType::F32, 255)});
    const Val zero_point = saturated(node, node.add(OpId::Subtract, {zero, node.add(OpId::Divide, {lowest, scale})}),
                                     nullptr, DType::U8, Uint8);
    const Val y = saturated(node, node.add(OpId::Divide, {node.in(), scale}), zero_point, DType::U8, Uint8);
    return {y, scale, zero_point};
}

Vals matmul_integer(NodeCall& node) {
    const Val a = centred(node, node.in(0), of_rows(node, node.optional_in(2), node.in(0)));
    return {node.add(OpId::Matmul, {a, centred(node, node.in(1), node.optional_in(3))})};
}

Vals conv_integer(NodeCall& node) {
    const Val weight_zero = node.has(3) ? aligned_parameter(node, node.in(3), node.in(1), 0, 0) : nullptr;
    return {convolved(node, centred(node, node.in(0), node.optional_in(2)), centred(node, node.in(1), weight_zero))};
}

// Operands: a, its scale and zero point, b likewise, those of the result.
Vals qlinear_matmul(NodeCall& node) {
    const Val a = centred(node, node.in(0), of_rows(node, node.in(2), node.in(0)));
    const Val product = node.cast(node.add(OpId::Matmul, {a, centred(node, node.in(3), node.in(5))}), DType::F32);
    const Val scale_a = of_rows(node, node.cast(node.in(1), DType::F32), node.in(0));
    const Val scale = node.add(OpId::Multiply, {scale_a, node.cast(node.in(4), DType::F32)});
    const Val quotient = rescaled(node, product, scale, node.cast(node.in(6), DType::F32));
    return {saturated(node, quotient, node.in(7), node.dtype(7), elem_type_of(node.dtype(7)))};
}

Vals qlinear_conv(NodeCall& node) {
    const Val weight_zero = aligned_parameter(node, node.in(5), node.in(3), 0, 0);
    Val sum = convolved(node, centred(node, node.in(0), node.in(2)), centred(node, node.in(3), weight_zero));
    if (node.has(8))
        sum = node.add(OpId::Add, {sum, aligned_parameter(node, node.in(8), sum, 1, 0)});
    const Val scale_w = aligned_parameter(node, node.in(4), sum, 1, 0);
    const Val scale = node.add(OpId::Multiply, {node.in(1), scale_w});
    const Val quotient = rescaled(node, node.cast(sum, DType::F32), scale, node.in(6));
    return {saturated(node, quotient, node.in(7), node.dtype(7), elem_type_of(node.dtype(7)))};
}

} // namespace hidet::graph::onnx
