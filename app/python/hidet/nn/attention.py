# SPDX-License-Identifier: Apache-2.0
"""Attention of one sequence to another."""

import math

from hidet import ops

from .container import ModuleList
from .layers import Linear
from .module import Module


class CrossAttention(Module):
    """Of hidden states [batch, length, query_dim], or images with query_dim channels, to encoder states [batch, length,
    cross_attention_dim], or to themselves."""

    def __init__(self, query_dim, cross_attention_dim=None, heads=8, dim_head=64, upcast=False, out_bias=True):
        super().__init__()
        if upcast:
            raise NotImplementedError("upcast: products are summed up in float32 anyway")
        self.heads, self.dim_head = heads, dim_head
        other = query_dim if cross_attention_dim is None else cross_attention_dim
        self.to_q = Linear(query_dim, heads * dim_head, bias=False)
        self.to_k = Linear(other, heads * dim_head, bias=False)
        self.to_v = Linear(other, heads * dim_head, bias=False)
        self.to_out = ModuleList([Linear(heads * dim_head, query_dim, bias=out_bias)])

    def _by_head(self, x):
        return ops.transpose(ops.reshape(x, [*x.shape[:2], self.heads, self.dim_head]), [0, 2, 1, 3])

    def forward(self, hidden_states, encoder_hidden_states=None, temperature_scaling=1.0):
        shape = hidden_states.shape
        if len(shape) == 4:
            hidden_states = ops.transpose(ops.reshape(hidden_states, [shape[0], shape[1], shape[2] * shape[3]]), [0, 2, 1])
        others = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        q = self._by_head(self.to_q(hidden_states)) * (1 / (math.sqrt(self.dim_head) * temperature_scaling))
        k, v = self._by_head(self.to_k(others)), self._by_head(self.to_v(others))
        y = ops.transpose(ops.attention(q, ops.transpose(k, [0, 1, 3, 2]), v), [0, 2, 1, 3])
        y = self.to_out[0](ops.reshape(y, [*hidden_states.shape[:2], self.heads * self.dim_head]))
        return ops.reshape(ops.transpose(y, [0, 2, 1]), shape) if len(shape) == 4 else y
