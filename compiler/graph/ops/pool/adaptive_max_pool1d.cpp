// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveMaxPool1d() {
    static const OpInfo info = {
        .id = OpId::AdaptiveMaxPool1d,
        .python = "adaptive_max_pool1d",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the largest elements of windows that give one spatial dimension of a wanted size",
        .example = "hidet.ops.adaptive_max_pool1d(hidet.randn([1, 2, 6]), output_size=[3])",
        .define = [](const OpCall& call) { return define_adaptive_max_pool(call, "adaptive_max_pool1d", 1); },
    };
    return info;
}

} // namespace hidet::graph
