// SPDX-License-Identifier: Apache-2.0
// Keeps what makes a tensor and what reads it in kernels of their own. A pass drops it once fusion is decided.
#include "compiler/graph/ops/transform/move.h"

namespace hidet::graph {

const OpInfo& op_info::Barrier() {
    static const OpInfo info = {
        .id = OpId::Barrier,
        .python = "barrier",
        .parameters = "x",
        .cls = OpClass::Transform,
        .summary = "the tensor as it is; no kernel computes both what makes it and what reads it",
        .example = "hidet.ops.barrier(hidet.randn([2, 3]))",
        .define = [](const OpCall& call) { return define_reshape(call, "barrier", call.inputs[0].shape); },
        .never_fuses = true,
    };
    return info;
}

} // namespace hidet::graph
