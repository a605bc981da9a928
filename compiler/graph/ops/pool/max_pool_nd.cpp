// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::MaxPoolNd() {
    static const OpInfo info = {
        .id = OpId::MaxPoolNd,
        .python = "max_pool_nd",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the largest element of each window over all dimensions after the batch and the channels",
        .example = "hidet.ops.max_pool_nd(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])",
        .define = [](const OpCall& call) { return define_max_pool(call, "max_pool_nd", 0, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
