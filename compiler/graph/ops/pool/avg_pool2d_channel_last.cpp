// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AvgPool2dChannelLast() {
    static const OpInfo info = {
        .id = OpId::AvgPool2dChannelLast,
        .python = "avg_pool2d_channel_last",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False, count_include_pad: bool = False, divisor_override: int = 0",
        .cls = OpClass::Reduction,
        .summary = "the mean of each window over two spatial dimensions, channels last",
        .example = "hidet.ops.avg_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), kernel=[2], stride=[2])",
        .define =
            [](const OpCall& call) { return define_avg_pool(call, "avg_pool2d_channel_last", 2, ChannelOrder::Last); },
    };
    return info;
}

} // namespace hidet::graph
