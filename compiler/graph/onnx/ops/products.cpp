// SPDX-License-Identifier: Apache-2.0
// Products of matrices, and convolutions.
#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

Val scaled(NodeCall& node, const Val& x, double factor) {
    return factor == 1 ? x : node.add("Multiply", {x, node.scalar(x->spec.dtype, factor)});
}

} // namespace

Vals gemm(NodeCall& node) {
    if (node.rank(0) != 2 || node.rank(1) != 2)
        throw OpError("the operands are of shapes " + text_of(node.shape(0)) + " and " + text_of(node.shape(1)) +
                      ", not matrices");
    const Val a = node.i("transA", 0) != 0 ? node.transpose(node.in(0), {1, 0}) : node.in(0);
    const bool transpose_b = node.i("transB", 0) != 0;
    // Short products are scaled in f32; integers have no fractions to lose but those that ONNX drops too.
    Val y = scaled(node, node.add("Matmul", {a, node.in(1)}, {{"transpose_b", transpose_b}}), node.f("alpha", 1));
    const double beta = node.f("beta", 1);
    if (!node.has(2) || beta == 0)
        return {y};
    return {node.add("Add", {y, scaled(node, node.in(2), beta)})};
}

} // namespace hidet::graph::onnx
