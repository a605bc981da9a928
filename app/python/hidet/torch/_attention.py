# SPDX-License-Identifier: Apache-2.0
"""Attention as one operator in graphs of inference.

PyTorch chooses one of its kernels for scaled_dot_product_attention() while it traces, by the GPU at hand and by how the operands lie in
memory. Where none of them is right it decomposes the call, with a softmax that guards against rows without any key, which no rule
makes one operator of again. So the call is kept as it is."""

import torch
import torch.nn.functional as F
from torch.library import define, impl, register_fake

define("hidet::attention", "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, "
                           "float? scale=None, bool enable_gqa=False) -> Tensor")


@impl("hidet::attention", "CompositeExplicitAutograd")
def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa).contiguous()


@register_fake("hidet::attention")
def attention_of_fakes(query, key, value, *args, **keywords):
    return query.new_empty((*query.shape[:-1], value.shape[-1]))


def keep_attention(module, inputs):
    """In Dynamo's graph. Not where gradients are computed, which PyTorch's own operators have, nor under autocast, which knows those."""
    needs_gradients = torch.is_grad_enabled() and any(isinstance(each, torch.Tensor) and each.requires_grad for each in inputs)
    if needs_gradients or any(torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda")):
        return
    if any(getattr(node.target, "__name__", "") == "_enter_autocast" for node in module.graph.nodes):
        return
    for node in module.graph.nodes:
        if node.op == "call_function" and node.target is F.scaled_dot_product_attention:
            node.target = torch.ops.hidet.attention.default
    module.recompile()
