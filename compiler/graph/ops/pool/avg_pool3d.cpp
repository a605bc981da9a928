// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AvgPool3d() {
    static const OpInfo info = {
        .id = OpId::AvgPool3d,
        .python = "avg_pool3d",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False, count_include_pad: bool = False, divisor_override: int = 0",
        .cls = OpClass::Reduction,
        .summary = "the mean of each window over three spatial dimensions",
        .example = "hidet.ops.avg_pool3d(hidet.randn([1, 2, 4, 4, 4]), kernel=[2], stride=[2])",
        .define = [](const OpCall& call) { return define_avg_pool(call, "avg_pool3d", 3, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
