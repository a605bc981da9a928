# SPDX-License-Identifier: Apache-2.0
"""A column of a tile is read by each warp: all lanes meet in one bank, unless rows are padded."""
import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx


def column_module(pad: int, turns: int):
    with hidet.script_module() as script_module:

        @hidet.script
        def columns(x: f32[132, 32], y: f32[132, 1024]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 132
            attrs.cuda.block_dim = 1024
            tile = shared_tensor(f32, shape=[32, 32 + pad])
            lane = threadIdx.x % 32
            row = threadIdx.x // 32
            tile[row, lane] = x[blockIdx.x, lane]
            syncthreads()
            total = f32(0.0)
            for turn in range(turns):
                total = total + tile[lane, (row + turn) % 32]
            y[blockIdx.x, threadIdx.x] = total

    return script_module.build()


for pad in [0, 1]:
    x = torch.randn(132, 32, device='cuda')
    y = torch.zeros(132, 1024, device='cuda')
    column_module(pad, 32)(x, y)
    want = torch.matmul(x, torch.ones(32, 1024, device='cuda'))
    torch.testing.assert_close(y, want, atol=1e-3, rtol=1e-3)
