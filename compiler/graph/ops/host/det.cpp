// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/host/run_on_host.h"

namespace hidet::graph {

namespace {

std::vector<TensorSpec> infer_det(const OpCall& call, FreshSymbols&) {
    const TensorSpec& x = call.inputs[0];
    const std::size_t rank = x.shape.size();
    const bool is_square = rank >= 2 && (!constant_of(x.shape[rank - 1]) || !constant_of(x.shape[rank - 2]) ||
                                         same_dim(x.shape[rank - 1], x.shape[rank - 2]));
    if (!is_square || !ir::is_float(x.dtype))
        throw OpError("det wants square matrices of floats, not " + text_of(x));
    return {{x.dtype, Shape(x.shape.begin(), x.shape.end() - 2)}};
}

} // namespace

const OpInfo& op_info::Det() {
    static const OpInfo info = {
        .id = OpId::Det,
        .python = "det",
        .parameters = "x",
        .cls = OpClass::Host,
        .summary = "the determinants of the matrices in the last two dimensions",
        .example = "hidet.ops.det(hidet.randn([2, 3, 3]))",
        .infer = infer_det,
        .run = run_on_host,
    };
    return info;
}

} // namespace hidet::graph
