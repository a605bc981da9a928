# SPDX-License-Identifier: Apache-2.0
"""One function launches two kernels, of which one several times, on tensors of very different sizes."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


def chain_module(length: int, rounds: int):
    with hidet.script_module() as script_module:

        @hidet.script
        def scale(x: f32[length], y: f32[length]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = length // 256
            attrs.cuda.block_dim = 256
            i = blockIdx.x * 256 + threadIdx.x
            y[i] = x[i] * 2.0

        @hidet.script
        def step(few: f32[256]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 256
            few[threadIdx.x] = few[threadIdx.x] + 1.0

        @hidet.script
        def launch(x: f32[length], y: f32[length], few: f32[256]):
            attrs.func_kind = 'public'
            scale(x, y)
            for _ in range(rounds):
                step(few)

    return script_module.build()


x = torch.randn(4096, device='cuda')
y = torch.zeros(4096, device='cuda')
few = torch.zeros(256, device='cuda')
chain_module(4096, 3)(x, y, few)
torch.testing.assert_close(y, x * 2.0)
torch.testing.assert_close(few, torch.full([256], 3.0, device='cuda'))
