// SPDX-License-Identifier: Apache-2.0
// Functions of the torch module that have files of their own.
#pragma once

#include "lang/host/modules.h"

namespace hidet::lang {

Value torch_einsum(Evaluator& evaluator, const Arguments& a, Span span);
Value torch_cross_entropy(Evaluator& evaluator, const Arguments& a, Span span);
// torch.nn.functional: conv2d, cross_entropy, layer_norm, pad, scaled_dot_product_attention
void add_functional(HostModule& module);

} // namespace hidet::lang
