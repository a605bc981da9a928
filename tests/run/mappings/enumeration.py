# SPDX-License-Identifier: Apache-2.0
"""Every worker of a mapping does its tasks, and does them in the mapping's order."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx
from hidet.lang.mapping import repeat, spatial
from hidet.lang import col_repeat, col_spatial


# What each constructor means, written down once more in plain Python: a list of task lists, one for each worker.
def spatial_tasks(shape, column=False):
    m, n = shape
    if column:
        return [[(w % m, w // m)] for w in range(m * n)]
    return [[(w // n, w % n)] for w in range(m * n)]


def repeat_tasks(shape, column=False):
    return [[task for tasks in spatial_tasks(shape, column) for task in tasks]]


def compose(outer, inner, inner_shape):
    out = []
    for outer_tasks in outer:
        for inner_tasks in inner:
            out.append([(a[0] * inner_shape[0] + b[0], a[1] * inner_shape[1] + b[1]) for a in outer_tasks for b in inner_tasks])
    return out


cases = [
    ('spatial', spatial(2, 3), spatial_tasks((2, 3)), (2, 3)),
    ('column spatial', col_spatial(2, 3), spatial_tasks((2, 3), True), (2, 3)),
    ('repeat', repeat(2, 3), repeat_tasks((2, 3)), (2, 3)),
    ('column repeat', col_repeat(2, 3), repeat_tasks((2, 3), True), (2, 3)),
    ('spatial * repeat', spatial(2, 2) * repeat(1, 2), compose(spatial_tasks((2, 2)), repeat_tasks((1, 2)), (1, 2)), (2, 4)),
    ('repeat * spatial', repeat(1, 2) * spatial(2, 2), compose(repeat_tasks((1, 2)), spatial_tasks((2, 2)), (2, 2)), (2, 4)),
    ('large repeat * spatial', repeat(5, 6) * spatial(4, 8),
     compose(repeat_tasks((5, 6)), spatial_tasks((4, 8)), (4, 8)), (20, 48)),
    ('unit dims in column order', col_spatial(1, 8), spatial_tasks((1, 8), True), (1, 8)),
    ('column in row', spatial(2, 2) * col_spatial(4, 2),
     compose(spatial_tasks((2, 2)), spatial_tasks((4, 2), True), (4, 2)), (8, 4)),
    ('row in column', col_spatial(4, 2) * repeat(2, 2),
     compose(spatial_tasks((4, 2), True), repeat_tasks((2, 2)), (2, 2)), (8, 4)),
    ('column repeat in spatial', spatial(8, 4) * col_repeat(2, 2),
     compose(spatial_tasks((8, 4)), repeat_tasks((2, 2), True), (2, 2)), (16, 8)),
    ('chain', spatial(2, 1).repeat(2, 1).spatial(1, 2),
     compose(compose(spatial_tasks((2, 1)), repeat_tasks((2, 1)), (2, 1)), spatial_tasks((1, 2)), (1, 2)), (4, 2)),
    ('middle repeat', spatial(2, 2).repeat(3, 2).spatial(4, 2),
     compose(compose(spatial_tasks((2, 2)), repeat_tasks((3, 2)), (3, 2)), spatial_tasks((4, 2)), (4, 2)), (24, 8)),
]


def record(mapping, workers, tasks_each, shape):
    """A kernel in which each worker notes its tasks, in the order in which it meets them."""
    m, n = shape
    with hidet.script_module() as script_module:

        @hidet.script
        def note(seen: i32[workers, tasks_each], owner: i32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = workers
            count = 0
            for i, j in mapping.on(threadIdx.x):
                seen[threadIdx.x, count] = i * 1000 + j
                owner[i, j] = threadIdx.x
                count += 1

    module = script_module.build()
    seen = torch.full((workers, tasks_each), -1, dtype=torch.int32, device='cuda')
    owner = torch.full((m, n), -1, dtype=torch.int32, device='cuda')
    module(seen, owner)
    return seen.tolist(), owner.tolist()


for name, mapping, expected, shape in cases:
    workers = len(expected)
    seen, owner = record(mapping, workers, len(expected[0]), shape)
    for w in range(workers):
        assert [list(task) for task in mapping(w)] == [list(task) for task in expected[w]], f'{name}: host, worker {w}'
        assert seen[w] == [i * 1000 + j for i, j in expected[w]], f'{name}: kernel, worker {w}: {seen[w]}'
        for i, j in expected[w]:
            assert owner[i][j] == w, f'{name}: owner of {i}, {j}'
