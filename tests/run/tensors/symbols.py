# SPDX-License-Identifier: Apache-2.0
"""Dynamic dimensions: bound by the shapes of the arguments, usable in the grid, in bounds and in strides."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockIdx, threadIdx

m = hidet.symbol_var('m')
n = hidet.symbol_var('n')

with hidet.script_module() as script_module:

    @hidet.script
    def flip(x: i32[m, n], y: i32[n, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m * n + 31) // 32
        attrs.cuda.block_dim = 32
        w = blockIdx.x * 32 + threadIdx.x
        if w < m * n:
            i = w // n
            j = w % n
            y[j, i] = x[i, j] + m * 1000

module = script_module.build()
for rows, columns in [(1, 1), (3, 7), (20, 2), (5, 64)]:
    x = torch.arange(rows * columns, dtype=torch.int32, device='cuda').reshape(rows, columns)
    y = torch.zeros(columns, rows, dtype=torch.int32, device='cuda')
    module(x, y)
    want = [[i * columns + j + rows * 1000 for i in range(rows)] for j in range(columns)]
    assert y.tolist() == want, f'{rows} x {columns}'
