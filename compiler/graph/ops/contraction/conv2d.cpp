// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/ops/contraction/convolution.h"

namespace hidet::graph {

const OpInfo& op_info::Conv2d() {
    static const OpInfo info = {
        .id = OpId::Conv2d,
        .python = "conv2d",
        .parameters = "x, w, stride: ints = [1], padding: ints = [0], dilations: ints = [1], groups: int = 1",
        .more = "precision: str = ''",
        .cls = OpClass::Contraction,
        .summary = "the convolution over two spatial dimensions, channels first",
        .example = "hidet.ops.conv2d(hidet.randn([1, 2, 5, 5]), hidet.randn([4, 2, 3, 3]), padding=[1])",
        .define =
            [](const OpCall& call) {
                check_precision(call);
                return define_convolution(call, "conv2d", 2, ChannelOrder::First);
            },
    };
    return info;
}

} // namespace hidet::graph
