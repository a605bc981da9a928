# SPDX-License-Identifier: Apache-2.0
"""A register tensor spread over the threads of a block, indexed by the place in the whole tile."""
import hidet
import torch
from hidet.lang import attrs, f32, register_tensor
from hidet.lang.cuda import threadIdx
from hidet.lang.layout import column_major, local_layout, row_major
from hidet.lang.mapping import repeat, spatial
from hidet.lang import col_repeat

for mapping, layout, m, n in [
    (spatial(4, 8) * repeat(2, 3), local_layout(4, 8) * row_major(2, 3), 8, 24),
    (repeat(2, 3) * spatial(4, 8), row_major(2, 3) * local_layout(4, 8), 8, 24),
    (repeat(2, 1) * spatial(8, 4) * repeat(1, 2), row_major(2, 1) * local_layout(8, 4) * row_major(1, 2), 16, 8),
    (col_repeat(2, 2) * spatial(8, 4), column_major(2, 2) * local_layout(8, 4), 16, 8),
]:
    with hidet.script_module() as script_module:

        @hidet.script
        def double(x: f32[m, n], y: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            regs = register_tensor(f32, layout=layout)
            for i, j in mapping.on(threadIdx.x):
                regs[i, j] = x[i, j]
            for i, j in mapping.on(threadIdx.x):
                regs[i, j] += regs[i, j]
            for i, j in mapping.on(threadIdx.x):
                y[i, j] = regs[i, j]

    x = torch.randn(m, n, device='cuda')
    y = torch.empty(m, n, device='cuda')
    script_module.build()(x, y)
    torch.testing.assert_close(y, x * 2)
