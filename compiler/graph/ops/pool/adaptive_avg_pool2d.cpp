// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveAvgPool2d() {
    static const OpInfo info = {
        .id = OpId::AdaptiveAvgPool2d,
        .python = "adaptive_avg_pool2d",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the means of windows that give two spatial dimensions of a wanted size",
        .example = "hidet.ops.adaptive_avg_pool2d(hidet.randn([1, 2, 6, 6]), output_size=[3])",
        .define =
            [](const OpCall& call) {
                return define_adaptive_avg_pool(call, "adaptive_avg_pool2d", 2, ChannelOrder::First);
            },
    };
    return info;
}

} // namespace hidet::graph
