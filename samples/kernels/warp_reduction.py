# SPDX-License-Identifier: Apache-2.0
"""Sums of rows: the 32 threads of a warp add up their values without memory, by shuffles.

After a step with distance d, lane i holds the sum of lanes i and i + d; after 16, 8, 4, 2, 1 lane 0 holds the whole sum.
meta.each unrolls its loop while the kernel is compiled, so that 'distance' is a constant in each copy of the body.
"""
import hidet
import torch
from hidet.lang import attrs, f32, meta
from hidet.lang.cuda import blockIdx, shfl_down_sync, threadIdx

rows, columns = 24, 100
warps = 4  # of a block, a row for each

with hidet.script_module() as script_module:

    @hidet.script
    def sum_rows(x: f32[rows, columns], sums: f32[rows]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (rows + warps - 1) // warps
        attrs.cuda.block_dim = warps * 32

        row = blockIdx.x * warps + threadIdx.x // 32
        lane = threadIdx.x % 32

        # The lanes go through the row side by side.
        total = f32(0.0)
        for step in range((columns + 31) // 32):
            column = step * 32 + lane
            if column < columns:
                total += x[row, column]

        # All lanes take part in a shuffle, so it stands outside of the branch.
        for distance in meta.each([16, 8, 4, 2, 1]):
            total += shfl_down_sync(0xFFFFFFFF, total, distance)
        if lane == 0:
            sums[row] = total


module = script_module.build()

x = torch.randn(rows, columns, device='cuda')
sums = torch.empty(rows, device='cuda')
module(x, sums)
torch.testing.assert_close(sums, x.sum(dim=1), atol=1e-4, rtol=1e-4)
print(f'warp reduction: the sums of {rows} rows are correct')
