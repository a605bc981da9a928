// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/attention/attention.h"

namespace hidet::graph {

const OpInfo& op_info::AttnMaskAdd() {
    static const OpInfo info = {
        .id = OpId::AttnMaskAdd,
        .python = "attention_mask_add",
        .parameters = "q, k, v, mask, transpose_k: bool = False, scale: float = 1.0",
        .cls = OpClass::Contraction,
        .summary = "attention whose scores have a mask added before their softmax",
        .example = "hidet.ops.attention_mask_add(hidet.randn([2, 3, 4]), hidet.randn([2, 4, 5]), "
                   "hidet.randn([2, 5, 6]), hidet.zeros([3, 5]))",
        .define = [](const OpCall& call) { return define_attention(call, "attn_mask_add", true, false); },
    };
    return info;
}

} // namespace hidet::graph
