// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::MaxPool2d() {
    static const OpInfo info = {
        .id = OpId::MaxPool2d,
        .python = "max_pool2d",
        .parameters = "x, kernel: ints, stride: ints = [1], padding: ints = [0], dilations: ints = [1], "
                      "ceil_mode: bool = False",
        .cls = OpClass::Reduction,
        .summary = "the largest element of each window over two spatial dimensions",
        .example = "hidet.ops.max_pool2d(hidet.randn([1, 2, 6, 6]), kernel=[2], stride=[2])",
        .define = [](const OpCall& call) { return define_max_pool(call, "max_pool2d", 2, ChannelOrder::First); },
    };
    return info;
}

} // namespace hidet::graph
