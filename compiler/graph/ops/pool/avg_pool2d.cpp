// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AvgPool2d() {
    static const OpInfo info = {
        .id = OpId::AvgPool2d,
        .python = "avg_pool2d",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False, count_include_pad: bool = False, divisor_override: int = 0",
        .cls = OpClass::Reduction,
        .summary = "the mean of each window over two spatial dimensions",
        .example = "hidet.ops.avg_pool2d(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])",
        .define = [](const OpCall& call) { return define_avg_pool(call, "avg_pool2d", 2, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
