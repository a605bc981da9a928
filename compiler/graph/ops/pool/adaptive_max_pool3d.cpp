// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/pool/pool.h"

namespace hidet::graph {

const OpInfo& op_info::AdaptiveMaxPool3d() {
    static const OpInfo info = {
        .id = OpId::AdaptiveMaxPool3d,
        .python = "adaptive_max_pool3d",
        .parameters = "x, output_size: ints",
        .cls = OpClass::Reduction,
        .summary = "the largest elements of windows that give three spatial dimensions of a wanted size",
        .example = "hidet.ops.adaptive_max_pool3d(hidet.randn([1, 2, 4, 4, 4]), output_size=[3])",
        .define = [](const OpCall& call) { return define_adaptive_max_pool(call, "adaptive_max_pool3d", 3); },
    };
    return info;
}

} // namespace hidet::graph
