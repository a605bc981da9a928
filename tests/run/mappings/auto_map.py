# SPDX-License-Identifier: Apache-2.0
"""auto_map cuts a shape into equal parts for its workers; each element is done once."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx
from hidet.lang.mapping import auto_map

for m, n, workers in [(8, 96, 64), (64, 8, 256), (8, 256, 256), (5, 6, 30), (16, 16, 4)]:
    mapping = auto_map(m, n, workers=workers)

    with hidet.script_module() as script_module:

        @hidet.script
        def fill(out: i32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = workers
            for i, j in mapping.on(threadIdx.x):
                out[i, j] += i * n + j + 1

    out = torch.zeros(m, n, dtype=torch.int32, device='cuda')
    script_module.build()(out)
    assert out.tolist() == [[i * n + j + 1 for j in range(n)] for i in range(m)], f'{m} x {n} by {workers}'

# Neighbouring workers take neighbouring columns: repeat(4, 3) * spatial(2, 32).
tasks = auto_map(8, 96, workers=64)(33)
assert [list(t) for t in tasks][:4] == [[1, 1], [1, 33], [1, 65], [3, 1]]
