// SPDX-License-Identifier: Apache-2.0
// Products of matrices, and convolutions.
#include "compiler/graph/onnx/ops/products.h"

#include <algorithm>

#include "compiler/graph/onnx/conversions.h"
#include "compiler/graph/ops/composed/einsum.h"
#include "compiler/graph/ops/contraction/convolution.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

Val scaled(NodeCall& node, const Val& x, double factor) {
    return factor == 1 ? x : node.add(OpId::Multiply, {x, node.scalar(x->spec.dtype, factor)});
}

// A kernel has extents that are known.
Ints kernel_of(const Val& weight) {
    const Shape& shape = weight->spec.shape;
    if (shape.size() < 3)
        throw OpError("the weight is of shape ", text_of(shape));
    const std::optional<Ints> kernel = constant_shape(Shape(shape.begin() + 2, shape.end()));
    if (!kernel)
        throw OpError("the kernel of the weight ", text_of(shape), " is not known");
    return *kernel;
}

Val with_bias(NodeCall& node, const Val& y, const Val& bias) {
    if (!bias)
        return y;
    if (bias->spec.shape.size() != 1 || differ(bias->spec.shape[0], y->spec.shape[1]))
        throw OpError("the bias is ", text_of(bias->spec), ", and the result has ", text_of(y->spec.shape[1]),
                      " channels");
    Shape shape(y->spec.shape.size(), dim(1));
    shape[1] = bias->spec.shape[0];
    return node.add(OpId::Add, {y, node.reshape(bias, shape)});
}

} // namespace

Val convolved(NodeCall& node, Val x, const Val& weight) {
    const Windows windows = windows_of(node, kernel_of(weight));
    const Ints padding = padding_of(node, windows, x, 0);
    return node.add(convolution_op(windows.rank).id, {x, weight},
                    {{"stride", windows.strides},
                     {"padding", padding},
                     {"dilations", windows.dilations},
                     {"groups", node.i("group", 1)}});
}

Vals conv(NodeCall& node) {
    return {with_bias(node, convolved(node, node.in(0), node.in(1)), node.optional_in(2))};
}

// The padding may be said by the extents that the result is to have.
Vals conv_transpose(NodeCall& node) {
    const std::string automatic = node.s("auto_pad", "NOTSET");
    const bool is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    const Ints kernel = kernel_of(node.in(1));
    const std::size_t rank = kernel.size();
    if (node.rank() != rank + 2)
        throw OpError("the operands are of shapes ", text_of(node.shape(0)), " and ", text_of(node.shape(1)));
    if (!is_same && automatic != "NOTSET" && automatic != "VALID")
        throw OpError("auto_pad '", automatic, "' is unknown");
    check_kernel(node, kernel);
    const Ints strides = window_numbers(node, "strides", rank, {.otherwise = 1, .least = 1});
    const Ints dilations = window_numbers(node, "dilations", rank, {.otherwise = 1, .least = 1});
    Ints output_padding = window_numbers(node, "output_padding", rank, {.otherwise = 0, .least = 0});
    Ints padding(rank * 2, 0);
    if (automatic == "NOTSET")
        padding = window_numbers(node, "pads", rank * 2, {.otherwise = 0, .least = -(1 << 30)});
    Ints wanted = node.ints("output_shape");
    if (wanted.size() == rank + 2)
        wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (!wanted.empty() && wanted.size() != rank)
        throw OpError("output_shape does not fit to ", rank, " spatial dimensions");
    for (std::size_t d = 0; d < rank && (is_same || !wanted.empty()); ++d) {
        const std::int64_t reach = (kernel[d] - 1) * dilations[d] + 1;
        std::int64_t total = output_padding[d] + reach - strides[d]; // for as many strides as there are elements
        if (!wanted.empty()) {
            const auto extent = constant_of(node.shape()[d + 2]);
            if (!extent)
                throw OpError("output_shape wants an input whose extents are known, not ", text_of(node.shape()));
            total = strides[d] * (*extent - 1) + output_padding[d] + reach - wanted[d];
        }
        if (total < 0) {
            output_padding[d] -= total;
            total = 0;
        }
        padding[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        padding[rank + d] = total - padding[d];
    }
    const Val y = node.add(transposed_convolution_op(rank).id, {node.in(0), node.in(1)},
                           {{"stride", strides},
                            {"padding", padding},
                            {"output_padding", output_padding},
                            {"dilations", dilations},
                            {"groups", node.i("group", 1)}});
    return {with_bias(node, y, node.optional_in(2))};
}

Vals deform_conv(NodeCall& node) {
    const Windows windows = windows_of(node, kernel_of(node.in(1)));
    Val x = node.in(0);
    Attributes attributes = {{"stride", windows.strides},
                             {"padding", padding_of(node, windows, x, 0)},
                             {"dilations", windows.dilations},
                             {"groups", node.i("group", 1)},
                             {"offset_group", node.i("offset_group", 1)}};
    Vals inputs = {x, node.in(1), node.in(2)};
    if (node.has(4))
        inputs.push_back(node.in(4));
    return {with_bias(node, node.add(OpId::DeformConv, inputs, attributes), node.optional_in(3))};
}

Vals gemm(NodeCall& node) {
    if (node.rank(0) != 2 || node.rank(1) != 2)
        throw OpError("the operands are of shapes ", text_of(node.shape(0)), " and ", text_of(node.shape(1)),
                      ", not matrices");
    const Val a = node.i("transA", 0) != 0 ? node.transpose(node.in(0), {1, 0}) : node.in(0);
    const bool transpose_b = node.i("transB", 0) != 0;
    const Val product = node.add(OpId::Matmul, {a, node.in(1)}, {{"transpose_b", transpose_b}});
    const Val y = scaled(node, product, node.f("alpha", 1));
    const double beta = node.f("beta", 1);
    if (!node.has(2) || beta == 0)
        return {y};
    const Val sum = node.add(OpId::Add, {y, scaled(node, node.in(2), beta)});
    if (differ(sum->spec.shape, y->spec.shape))
        throw OpError("C is ", text_of(node.in(2)->spec), ", and the product ", text_of(y->spec));
    return {sum};
}

Vals einsum(NodeCall& node) {
    const std::string equation = node.s("equation", "");
    const auto is_constant = [](const Val& each) { return each && each->data; };
    if (std::ranges::all_of(node.inputs(), is_constant))
        return {node.add(OpId::Einsum, node.inputs(), {{"equation", equation}})};
    std::vector<ValueId> operands;
    for (std::size_t i = 0; i < node.count(); ++i)
        operands.push_back(node.builder().id_of(node.in(i)));
    const NodeOrigin origin{node.node().name, {}, {}, {}};
    return {node.builder().in_graph(graph::einsum(node.graph(), equation, operands, origin))};
}

} // namespace hidet::graph::onnx
