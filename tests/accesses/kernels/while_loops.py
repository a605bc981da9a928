# SPDX-License-Identifier: Apache-2.0
"""Blocks that stay take one tile after the other, as a while loop says whose end follows from numbers."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


def stride_module(length: int, blocks: int):
    with hidet.script_module() as script_module:

        @hidet.script
        def stride(x: f32[length], y: f32[length]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = 256
            i = blockIdx.x * 256 + threadIdx.x
            while i < length:
                y[i] = x[i] * x[i] + 1.0
                i = i + blocks * 256

    return script_module.build()


x = torch.randn(10000, device='cuda')
y = torch.zeros(10000, device='cuda')
stride_module(10000, 8)(x, y)
torch.testing.assert_close(y, x * x + 1.0, atol=1e-5, rtol=1e-5)
