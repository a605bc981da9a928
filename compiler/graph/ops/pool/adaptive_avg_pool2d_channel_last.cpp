// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveAvgPool2dChannelLast() {
    static const OpInfo info = {
        .id = OpId::AdaptiveAvgPool2dChannelLast,
        .python = "adaptive_avg_pool2d_channel_last",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the means of windows that give two spatial dimensions of a wanted size, channels last",
        .example = "hidet.ops.adaptive_avg_pool2d_channel_last(hidet.randn([1, 6, 6, 2]), output_size=[3])",
        .define =
            [](const OpCall& call) {
                return define_adaptive_avg_pool(call, "adaptive_avg_pool2d_channel_last", 2, ChannelOrder::Last);
            },
    };
    return info;
}

} // namespace hidet::graph
