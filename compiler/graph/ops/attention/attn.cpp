// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/attention/attention.h"

namespace hidet::graph {

const OpInfo& op_info::Attn() {
    static const OpInfo info = {
        .id = OpId::Attn,
        .python = "attention",
        .parameters = "q, k, v, is_causal: bool = False, transpose_k: bool = False, scale: float = 1.0",
        .cls = OpClass::Contraction,
        .summary = "the softmax of scale times the product of q and k, which is transposed already or by transpose_k, "
                   "times v",
        .example = "hidet.ops.attention(hidet.randn([2, 3, 4]), hidet.randn([2, 4, 5]), hidet.randn([2, 5, 6]))",
        .define =
            [](const OpCall& call) {
                return define_attention(call, "attn", false, call.attributes.get<bool>("is_causal"));
            },
    };
    return info;
}

} // namespace hidet::graph
