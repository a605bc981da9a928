// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::MaxPool1d() {
    static const OpInfo info = {
        .id = OpId::MaxPool1d,
        .python = "max_pool1d",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the largest element of each window over one spatial dimension",
        .example = "hidet.ops.max_pool1d(hidet.randn([1, 2, 6]), kernel=[2], stride=[2])",
        .define = [](const OpCall& call) { return define_max_pool(call, "max_pool1d", 1, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
