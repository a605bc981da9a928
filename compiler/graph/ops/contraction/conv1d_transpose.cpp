// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::Conv1dTranspose() {
    static const OpInfo info = {
        .id = OpId::Conv1dTranspose,
        .python = "conv1d_transpose",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], output_padding: ints = [0], dilations: ints = "
                      "[1], groups: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the transposed convolution over one spatial dimension, channels first",
        .example = "hidet.ops.conv1d_transpose(hidet.randn([1, 2, 5]), hidet.randn([2, 4, 3]), stride=[2])",
        .define = [](const OpCall& call) { return define_transposed_convolution(call, "conv1d_transpose", 1); },
    };
    return info;
}

} // namespace hidet::graph
