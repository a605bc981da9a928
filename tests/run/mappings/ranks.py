# SPDX-License-Identifier: Apache-2.0
"""Three dimensions in any order of slowness."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx
from hidet.lang.mapping import repeat, spatial


def expected_tasks(shape, ranks):
    strides = [1, 1, 1]
    for d in range(3):
        for e in range(3):
            if ranks[e] > ranks[d]:
                strides[d] *= shape[e]
    total = shape[0] * shape[1] * shape[2]
    return [[w // strides[d] % shape[d] for d in range(3)] for w in range(total)]


def kernel(mapping, workers, tasks):
    with hidet.script_module() as script_module:

        @hidet.script
        def note(seen: i32[workers, tasks]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = workers
            count = 0
            for i, j, k in mapping.on(threadIdx.x):
                seen[threadIdx.x, count] = i * 10000 + j * 100 + k
                count += 1

    seen = torch.zeros(workers, tasks, dtype=torch.int32, device='cuda')
    script_module.build()(seen)
    return seen.tolist()


orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
shape = (2, 3, 4)
one = spatial(1, 1, 1)
for ranks in orders:
    want = [i * 10000 + j * 100 + k for i, j, k in expected_tasks(shape, ranks)]
    got = kernel(one.spatial(*shape, ranks=ranks), 24, 1)
    assert [row[0] for row in got] == want, f'spatial {ranks}'
    got = kernel(one.repeat(*shape, ranks=ranks), 1, 24)
    assert got[0] == want, f'repeat {ranks}'
