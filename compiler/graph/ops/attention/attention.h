// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention as one operator with stages. Inputs: q [..., m, d], k [..., d, n] (transposed already; with
// transpose_k it is [..., n, d]), v [..., n, e] and, for attn_mask_add, a mask that is added to the scores, which are
// multiplied by scale before, and broadcasts to [..., m, n].
#pragma once

#include <string>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

Task define_attention(const OpCall& call, const std::string& name, bool has_mask, bool is_causal);

} // namespace hidet::graph
