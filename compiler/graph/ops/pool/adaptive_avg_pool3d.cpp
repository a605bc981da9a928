// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveAvgPool3d() {
    static const OpInfo info = {
        .id = OpId::AdaptiveAvgPool3d,
        .python = "adaptive_avg_pool3d",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the means of windows that give three spatial dimensions of a wanted size",
        .example = "hidet.ops.adaptive_avg_pool3d(hidet.randn([1, 2, 4, 4, 4]), output_size=[3])",
        .define =
            [](const OpCall& call) {
                return define_adaptive_avg_pool(call, "adaptive_avg_pool3d", 3, ChannelOrder::First);
            },
    };
    return info;
}

} // namespace hidet::graph
