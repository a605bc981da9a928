// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::ConvNdTranspose() {
    static const OpInfo info = {
        .id = OpId::ConvNdTranspose,
        .python = "conv_nd_transpose",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], output_padding: ints = [0], dilations: ints = "
                      "[1], groups: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the transposed convolution over all dimensions after the batch and the channels",
        .example = "hidet.ops.conv_nd_transpose(hidet.randn([1, 2, 5, 5]), hidet.randn([2, 4, 3, 3]))",
        .define = [](const OpCall& call) { return define_transposed_convolution(call, "conv_nd_transpose", 0); },
    };
    return info;
}

} // namespace hidet::graph
