# SPDX-License-Identifier: Apache-2.0
"""map() gives the only task of a worker as numbers; a single loop name takes the whole task."""
import hidet
import torch
from hidet.lang import attrs, grid, i32
from hidet.lang.cuda import threadIdx
from hidet.lang.mapping import repeat, spatial

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(a: i32[4, 8], b: i32[4, 8], c: i32[2, 3]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        i, j = spatial(4, 8).map(threadIdx.x)
        a[i, j] = threadIdx.x
        for task in (spatial(4, 4) * repeat(1, 2)).on(threadIdx.x):
            b[task] = task[0] * 100 + task[1]
        if threadIdx.x == 0:
            for index in grid(2, 3):
                c[index] = index[0] + index[1] * 10


a = torch.zeros(4, 8, dtype=torch.int32, device='cuda')
b = torch.zeros(4, 8, dtype=torch.int32, device='cuda')
c = torch.zeros(2, 3, dtype=torch.int32, device='cuda')
script_module.build()(a, b, c)
assert a.tolist() == [[i * 8 + j for j in range(8)] for i in range(4)]
assert b.tolist() == [[i * 100 + j for j in range(8)] for i in range(4)]
assert c.tolist() == [[i + j * 10 for j in range(3)] for i in range(2)]
