# SPDX-License-Identifier: Apache-2.0
"""One kernel for every size: shapes with symbols.

A symbol stands for a number that is known only when the kernel is called. It may be used wherever an extent may: in
shapes, in the grid, in conditions. A call takes the values from the shapes of the tensors it is given.
"""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

m = hidet.symbol_var('m')
n = hidet.symbol_var('n')
k = hidet.symbol_var('k')

with hidet.script_module() as script_module:

    @hidet.script
    def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 15) // 16, (m + 15) // 16
        attrs.cuda.block_dim = 16, 16
        i = blockIdx.y * 16 + threadIdx.y
        j = blockIdx.x * 16 + threadIdx.x
        if i < m and j < n:
            total = f32(0.0)
            for p in range(k):
                total += a[i, p] * b[p, j]
            c[i, j] = total


module = script_module.build()

for rows, columns, depth in [(16, 16, 16), (33, 1, 7), (50, 60, 70)]:
    a = torch.randn(rows, depth, device='cuda')
    b = torch.randn(depth, columns, device='cuda')
    c = torch.empty(rows, columns, device='cuda')
    module(a, b, c)
    torch.testing.assert_close(c, torch.matmul(a, b), atol=1e-4, rtol=1e-4)
    print(f'dynamic matmul {rows} x {columns} x {depth}: correct')
