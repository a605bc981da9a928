// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::ConvNd() {
    static const OpInfo info = {
        .id = OpId::ConvNd,
        .python = "conv_nd",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the convolution over all dimensions after the batch and the channels",
        .example = "hidet.ops.conv_nd(hidet.randn([1, 2, 5, 5]), hidet.randn([4, 2, 3, 3]))",
        .define = [](const OpCall& call) { return define_convolution(call, "conv_nd", 0, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
