# SPDX-License-Identifier: Apache-2.0
"""Row reduction: a warp for each row, sums joined by shuffles."""
import hidet
import torch
from hidet.lang import attrs, f32, meta
from hidet.lang.cuda import blockIdx, shfl_xor_sync, threadIdx

rows, columns = 64, 200
warps = 4  # of a block


def expected(x):
    return x.sum(dim=1)


with hidet.script_module() as script_module:

    @hidet.script
    def row_sums(x: f32[rows, columns], out: f32[rows]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = warps * 32
        attrs.cuda.grid_dim = (rows + warps - 1) // warps

        row = blockIdx.x * warps + threadIdx.x // 32
        lane = threadIdx.x % 32
        if row < rows:
            total = f32(0.0)
            for step in range((columns + 31) // 32):
                column = step * 32 + lane
                if column < columns:
                    total += x[row, column]
            for distance in meta.each([16, 8, 4, 2, 1]):
                total += shfl_xor_sync(0xFFFFFFFF, total, distance)
            if lane == 0:
                out[row] = total


module = script_module.build()

x = torch.randn(rows, columns, device='cuda')
out = torch.empty(rows, device='cuda')
module(x, out)
torch.testing.assert_close(out, expected(x), atol=1e-4, rtol=1e-4)
print(f'{rows} rows of {columns}: correct')
