# SPDX-License-Identifier: Apache-2.0
"""break leaves the loop over a worker's tasks, continue goes on with its next task, also where no loop is left to see."""
import hidet
import torch
from hidet.lang import attrs, grid, i32
from hidet.lang.cuda import threadIdx
from hidet.lang.mapping import repeat, spatial

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(broken: i32[8, 6], skipped: i32[8, 6], outer: i32[4], pure: i32[4], few: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 4

        for i, j in (spatial(4, 1) * repeat(2, 6)).on(threadIdx.x):
            if i % 2 == 1 and j == 2:
                break
            broken[i, j] = 1

        for i, j in (repeat(2, 3) * spatial(4, 1) * repeat(1, 2)).on(threadIdx.x):
            if (i + j) % 3 == 0:
                continue
            skipped[i, j] = 1

        # A mapping without repetition makes no loop, yet break ends it and not the loop around it.
        for t in range(5):
            for i in spatial(4).on(threadIdx.x):
                if t % 2 == 0:
                    break
                pure[i] += 1
            outer[threadIdx.x] += 1

        # range(3) is unrolled.
        if threadIdx.x == 0:
            for t in range(3):
                if t == 1:
                    continue
                if t == 2:
                    break
                few[0] += 1


broken = torch.zeros(8, 6, dtype=torch.int32, device='cuda')
skipped = torch.zeros(8, 6, dtype=torch.int32, device='cuda')
outer = torch.zeros(4, dtype=torch.int32, device='cuda')
pure = torch.zeros(4, dtype=torch.int32, device='cuda')
few = torch.zeros(1, dtype=torch.int32, device='cuda')
script_module.build()(broken, skipped, outer, pure, few)

assert broken.tolist() == [[1] * 6 if i % 2 == 0 else [1, 1, 0, 0, 0, 0] for i in range(8)]
assert skipped.tolist() == [[0 if (i + j) % 3 == 0 else 1 for j in range(6)] for i in range(8)]
assert outer.tolist() == [5] * 4
assert pure.tolist() == [2] * 4
assert few.tolist() == [1]

with hidet.script_module() as script_module:

    @hidet.script
    def grids(a: i32[4, 5]):
        attrs.func_kind = 'cpu_kernel'
        # One grid is one loop: break leaves all of it.
        for i, j in grid(4, 5):
            if i == 1 and j == 3:
                break
            a[i, j] = 1


a = torch.zeros(4, 5, dtype=torch.int32)
script_module.build()(a)
assert a.tolist() == [[1] * 5, [1, 1, 1, 0, 0], [0] * 5, [0] * 5]
