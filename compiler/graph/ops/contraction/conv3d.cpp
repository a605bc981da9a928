// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::Conv3d() {
    static const OpInfo info = {
        .id = OpId::Conv3d,
        .python = "conv3d",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1",
        .cls = OpClass::Contraction,
        .summary = "the convolution over three spatial dimensions, channels first",
        .example = "hidet.ops.conv3d(hidet.randn([1, 2, 4, 4, 4]), hidet.randn([4, 2, 2, 2, 2]), padding=[1])",
        .define = [](const OpCall& call) { return define_convolution(call, "conv3d", 3, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
