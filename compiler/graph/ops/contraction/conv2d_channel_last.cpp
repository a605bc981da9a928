// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::Conv2dChannelLast() {
    static const OpInfo info = {
        .id = OpId::Conv2dChannelLast,
        .python = "conv2d_channel_last",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1",
        .more = "precision: str = ''",
        .cls = OpClass::Contraction,
        .summary = "the convolution over two spatial dimensions, channels last, of a weight with channels first",
        .example = "hidet.ops.conv2d_channel_last(hidet.randn([1, 5, 5, 2]), hidet.randn([4, 2, 3, 3]))",
        .define =
            [](const OpCall& call) {
                check_precision(call);
                return define_convolution(call, "conv2d_channel_last", 2, ChannelOrder::Last);
            },
    };
    return info;
}

} // namespace hidet::graph
