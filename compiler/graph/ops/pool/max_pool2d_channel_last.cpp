// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::MaxPool2dChannelLast() {
    static const OpInfo info = {
        .id = OpId::MaxPool2dChannelLast,
        .python = "max_pool2d_channel_last",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the largest element of each window over two spatial dimensions, channels last",
        .example = "hidet.ops.max_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), kernel=[2], stride=[2])",
        .define =
            [](const OpCall& call) { return define_max_pool(call, "max_pool2d_channel_last", 2, ChannelOrder::Last); },
    };
    return info;
}

} // namespace hidet::graph
