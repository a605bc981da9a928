# SPDX-License-Identifier: Apache-2.0
"""A layout decides where elements lie, never what they are: every layout gives back what was stored."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.lang.layout import column_major, local_layout, row_major, strided_layout
from hidet.lang.mapping import repeat, spatial

m, n = 8, 16


def round_trip(layout):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: i32[m, n], y: i32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            smem = shared_tensor(i32, layout=layout)
            for i, j in (spatial(2, 16) * repeat(4, 1)).on(threadIdx.x):
                smem[i, j] = x[i, j]
            syncthreads()
            for i, j in (repeat(4, 1) * spatial(2, 16)).on(threadIdx.x):
                y[i, j] = smem[i, j]

    x = torch.arange(m * n, dtype=torch.int32, device='cuda').reshape(m, n)
    y = torch.zeros(m, n, dtype=torch.int32, device='cuda')
    script_module.build()(x, y)
    return x.tolist() == y.tolist()


for name, layout in [
    ('row', row_major(m, n)),
    ('column', column_major(m, n)),
    ('strided', strided_layout([m, n], [1, 0])),
    ('row of rows', row_major(2, 4) * row_major(4, 4)),
    ('column of rows', column_major(2, 4) * row_major(4, 4)),
    ('chain', row_major(2, 2).column_major(2, 4).row_major(2, 2)),
    ('concatenation', row_major(m) + row_major(n)),
    ('swizzle', row_major(m, n).swizzle(1)),
    ('swizzle of rows', row_major(m, n).swizzle(0)),
    ('swizzle by every second row', row_major(m, n).swizzle(1, log_step=1)),
    ('swizzle in a tile', row_major(2, 2) * row_major(4, 8).swizzle(1)),
    ('permute', row_major(n, m).permute([1, 0])),
    ('reshape', row_major(m * n).reshape([m, n])),
]:
    assert round_trip(layout), name
