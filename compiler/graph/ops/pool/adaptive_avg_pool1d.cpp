// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveAvgPool1d() {
    static const OpInfo info = {
        .id = OpId::AdaptiveAvgPool1d,
        .python = "adaptive_avg_pool1d",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the means of windows that give one spatial dimension of a wanted size",
        .example = "hidet.ops.adaptive_avg_pool1d(hidet.randn([1, 2, 6]), output_size=[3])",
        .define =
            [](const OpCall& call) {
                return define_adaptive_avg_pool(call, "adaptive_avg_pool1d", 1, ChannelOrder::First);
            },
    };
    return info;
}

} // namespace hidet::graph
