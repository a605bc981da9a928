// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::Conv3dTranspose() {
    static const OpInfo info = {
        .id = OpId::Conv3dTranspose,
        .python = "conv3d_transpose",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], output_padding: ints = [0], dilations: ints = "
                      "[1], groups: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the transposed convolution over three spatial dimensions, channels first",
        .example = "hidet.ops.conv3d_transpose(hidet.randn([1, 2, 4, 4, 4]), hidet.randn([2, 4, 2, 2, 2]), stride=[2])",
        .define = [](const OpCall& call) { return define_transposed_convolution(call, "conv3d_transpose", 3); },
    };
    return info;
}

} // namespace hidet::graph
