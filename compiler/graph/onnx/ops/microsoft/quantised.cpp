// SPDX-License-Identifier: Apache-2.0
// Operators on whole numbers with scales, as the quantiser writes them: numbers come back by their scale and zero point, the
// operator is the standard's, and its result becomes whole numbers again.
#include "compiler/graph/onnx/ops/quantised.h"

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/onnx/ops/microsoft/parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

using ir::DType;

// A zero point is of the type of what it belongs to, and one number. Null: it is left out.
Val zero_point_of(NodeCall& node, std::size_t i, DType dtype) {
    if (!node.has(i))
        return nullptr;
    if (node.dtype(i) != dtype)
        throw OpError("input ", i, " is a zero point of ", ir::info(node.dtype(i)).name, " for ", ir::info(dtype).name);
    return one_number(node, i, "a zero point");
}

// Operand `i`, whose scale and zero point are the next ones, as f32.
Val real_number(NodeCall& node, std::size_t i) {
    const Val scale = node.cast(one_number(node, i + 1, "a scale"), DType::F32);
    const Val whole = centred(node, node.in(i), zero_point_of(node, i + 2, node.dtype(i)));
    return node.add(OpId::Multiply, {node.cast(whole, DType::F32), scale});
}

// By the scale that is operand `i` and the zero point that is the next one.
Val whole_number(NodeCall& node, const Val& real, std::size_t i, DType dtype) {
    const Val scale = node.cast(one_number(node, i, "a scale"), DType::F32);
    const Val quotient = node.add(OpId::Divide, {real, scale});
    return saturated(node, quotient, zero_point_of(node, i + 1, dtype), dtype, elem_type_of(dtype));
}

void want_same_type(const NodeCall& node, std::size_t a, std::size_t b) {
    if (node.dtype(a) != node.dtype(b))
        throw OpError("operands of ", ir::info(node.dtype(a)).name, " and ", ir::info(node.dtype(b)).name,
                      ", where the operator wants one type");
}

// Of the columns of a matrix, or of all of it; stands as a row, or as a column where the matrix is transposed.
Val of_columns(NodeCall& node, std::size_t i, const Dim& columns, bool transposed) {
    if (!node.has(i))
        return nullptr;
    const Shape& shape = node.shape(i);
    if (!constant_of(element_count(shape)) || *constant_of(element_count(shape)) == 1)
        return one_number(node, i, "a parameter");
    if (shape.size() != 1 || differ(shape[0], columns))
        throw OpError("input ", i, " is of shape ", text_of(shape), " for ", text_of(columns), " columns");
    return transposed ? node.unsqueeze(node.in(i), {-1}) : node.in(i);
}

const Dim& columns_of(const NodeCall& node, std::size_t i) {
    if (node.rank(i) < 2)
        throw OpError("input ", i, " is of shape ", text_of(node.shape(i)), ", not a matrix");
    return node.shape(i).back();
}

// A pool of operand 0 through `pool`, with channels where the node says.
Vals pooled(NodeCall& node, Vals (*pool)(NodeCall&)) {
    const bool last = node.i("channels_last", 0) != 0;
    const Val real = real_number(node, 0);
    NodeCall inner = node.with({last ? channels_first(node, real) : real});
    const Val y = pool(inner).front();
    return {whole_number(node, last ? channels_last(node, y) : y, 3, node.dtype())};
}

} // namespace

Vals qlinear_binary(NodeCall& node, OpId op) {
    want_same_type(node, 0, 3);
    const Val y = node.add(op, {real_number(node, 0), real_number(node, 3)});
    return {whole_number(node, y, 6, node.dtype())};
}

Vals qlinear_sigmoid(NodeCall& node) {
    return {whole_number(node, node.add(OpId::Sigmoid, {real_number(node, 0)}), 3, node.dtype())};
}

Vals qlinear_leaky_relu(NodeCall& node) {
    const Val y = node.add(OpId::LeakyRelu, {real_number(node, 0)}, {{"alpha", node.f("alpha", 0.01)}});
    return {whole_number(node, y, 3, node.dtype())};
}

Vals qlinear_average_pool(NodeCall& node) {
    return pooled(node, average_pool);
}
Vals qlinear_global_average_pool(NodeCall& node) {
    return pooled(node, global_average_pool);
}

Vals qlinear_reduce_mean(NodeCall& node) {
    const Val y = node.add(OpId::ReduceMean, {real_number(node, 0)},
                           {{"dims", node.ints("axes")}, {"keepdims", node.i("keepdims", 1) != 0}});
    return {whole_number(node, y, 3, node.dtype())};
}

// Before version 13 of the standard all dimensions from the axis on count as one.
Vals qlinear_softmax(NodeCall& node) {
    const bool is_old = node.i("opset") < 13;
    const Val x = real_number(node, 0);
    const auto axis = normalise_axis(node.i("axis", is_old ? 1 : -1), node.rank(), "axis");
    Val y;
    if (is_old) {
        const auto at = node.shape().begin() + axis;
        const Shape flat = {element_count(Shape(node.shape().begin(), at)),
                            element_count(Shape(at, node.shape().end()))};
        y = node.reshape(node.add(OpId::Softmax, {node.reshape(x, flat)}, {{"axis", std::int64_t{1}}}), node.shape());
    } else {
        y = node.add(OpId::Softmax, {x}, {{"axis", axis}});
    }
    return {whole_number(node, y, 3, node.dtype())};
}

// Operands: scale and zero point of the result, then those of each part behind it.
Vals qlinear_concat(NodeCall& node) {
    if (node.count() < 5 || (node.count() - 2) % 3 != 0)
        throw OpError("it has ", node.count(), " inputs, not two and three for each part");
    Vals parts;
    for (std::size_t i = 2; i < node.count(); i += 3)
        parts.push_back(real_number(node, i));
    const Val y = parts.size() == 1 ? parts[0] : node.add(OpId::Concat, parts, {{"axis", node.i("axis")}});
    return {whole_number(node, y, 0, node.dtype(1))};
}

Vals qlinear_where(NodeCall& node) {
    want_same_type(node, 1, 4);
    const Val y = node.add(OpId::Where, {node.in(0), real_number(node, 1), real_number(node, 4)});
    return {whole_number(node, y, 7, node.dtype(1))};
}

Vals microsoft_qlinear_conv(NodeCall& node) {
    if (node.i("channels_last", 0) == 0)
        return qlinear_conv(node);
    Vals inputs = node.inputs();
    inputs[0] = channels_first(node, node.in(0));
    NodeCall inner = node.with(std::move(inputs));
    return {channels_last(node, qlinear_conv(inner).front())};
}

// Operands: a, its scale and zero point, b likewise, c, the scale and zero point of the result: none, and it is f32.
Vals qgemm(NodeCall& node) {
    if (node.rank(0) != 2 || node.rank(3) != 2)
        throw OpError("the operands are of shapes ", text_of(node.shape(0)), " and ", text_of(node.shape(3)),
                      ", not matrices");
    const bool transposed = node.i("transB", 0) != 0;
    const Dim columns = node.shape(3)[transposed ? 0 : 1];
    Val a = centred(node, node.in(0), zero_point_of(node, 2, node.dtype(0)));
    if (node.i("transA", 0) != 0)
        a = node.transpose(a, {1, 0});
    const Val b = centred(node, node.in(3), of_columns(node, 5, columns, transposed));
    Val sum = node.add(OpId::Matmul, {a, b}, {{"transpose_b", transposed}});
    if (node.has(6))
        sum = sum_of_one_shape(node, sum, node.in(6), "C");
    const Val scale_a = one_number(node, 1, "a scale");
    node.in(4);
    const Val scale = node.add(OpId::Multiply, {scale_a, of_columns(node, 4, columns, false)});
    Val real = node.add(OpId::Multiply, {node.cast(sum, DType::F32), scale});
    if (const double alpha = node.f("alpha", 1); alpha != 1)
        real = node.add(OpId::Multiply, {real, node.scalar(DType::F32, alpha)});
    if (!node.has(7))
        return {real};
    return {whole_number(node, real, 7, node.has(8) ? node.dtype(8) : DType::U8)};
}

// Operands: a, b, their scales, their zero points, a bias.
Vals matmul_integer_to_float(NodeCall& node) {
    const Dim& columns = columns_of(node, 1);
    const Val a = centred(node, node.in(0), zero_point_of(node, 4, node.dtype(0)));
    const Val b = centred(node, node.in(1), of_columns(node, 5, columns, false));
    const Val product = node.cast(node.add(OpId::Matmul, {a, b}), DType::F32);
    node.in(3);
    const Val scale = node.add(OpId::Multiply, {one_number(node, 2, "a scale"), of_columns(node, 3, columns, false)});
    const Val real = node.add(OpId::Multiply, {product, node.cast(scale, DType::F32)});
    return {node.cast(biased(node, real, node.optional_in(6)), node.dtype(2))};
}

// Operands: a, which is quantised here, b, its scale and zero point, a bias.
Vals dynamic_quantize_matmul(NodeCall& node) {
    NodeCall left = node.with({node.in(0)});
    const Vals a = dynamic_quantize_linear(left);
    NodeCall product = node.with({a[0], node.in(1), a[1], node.in(2), a[2], node.optional_in(3), node.optional_in(4)});
    return matmul_integer_to_float(product);
}

Vals matmul_integer_16(NodeCall& node) {
    const bool is_unsigned = node.dtype(0) == DType::U16 && node.dtype(1) == DType::U16;
    const DType dtype = is_unsigned ? DType::U32 : DType::I32;
    return {node.add(OpId::Matmul, {node.cast(node.in(0), dtype), node.cast(node.in(1), dtype)})};
}

Vals mul_integer(NodeCall& node) {
    want_same_type(node, 0, 2);
    const Val a = centred(node, node.in(0), zero_point_of(node, 1, node.dtype(0)));
    return {node.add(OpId::Multiply, {a, centred(node, node.in(2), zero_point_of(node, 3, node.dtype(2)))})};
}

Vals reduce_sum_integer(NodeCall& node) {
    const DType dtype = node.dtype() == DType::U8 ? DType::U32 : DType::I32;
    return {node.add(OpId::ReduceSum, {node.cast(node.in(), dtype)},
                     {{"dims", node.ints("axes")}, {"keepdims", node.i("keepdims", 1) != 0}})};
}

} // namespace hidet::graph::onnx
