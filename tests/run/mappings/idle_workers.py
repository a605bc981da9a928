# SPDX-License-Identifier: Apache-2.0
"""A block may have more threads than a mapping has workers: the others do nothing, whatever the order of dims."""
import hidet
import torch
from hidet.lang import attrs, i32, col_spatial
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.lang.mapping import repeat, spatial


def count_visits(mapping, m, n, threads):
    with hidet.script_module() as script_module:

        @hidet.script
        def visit(visits: i32[m, n], after: i32[threads]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = threads
            for i, j in mapping.on(threadIdx.x):
                visits[i, j] += 1
            after[threadIdx.x] = 1  # idle threads go on behind the loop

    visits = torch.zeros(m, n, dtype=torch.int32, device='cuda')
    after = torch.zeros(threads, dtype=torch.int32, device='cuda')
    script_module.build()(visits, after)
    assert after.tolist() == [1] * threads
    return visits.tolist()


for mapping, m, n in [
    (spatial(3, 5), 3, 5),
    (col_spatial(3, 5), 3, 5),
    (spatial(3, 5) * repeat(2, 2), 6, 10),
    (repeat(2, 1) * spatial(3, 5), 6, 5),
    (spatial(1, 7) * repeat(4, 1), 4, 7),
]:
    for threads in [32, 64, 96]:
        assert count_visits(mapping, m, n, threads) == [[1] * n for _ in range(m)]

# Also when the worker is computed, and over several blocks.
with hidet.script_module() as script_module:

    @hidet.script
    def blocks(out: i32[50]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 32
        for i in spatial(50).on(blockIdx.x * 32 + threadIdx.x):
            out[i] = i + 1

out = torch.zeros(50, dtype=torch.int32, device='cuda')
script_module.build()(out)
assert out.tolist() == list(range(1, 51))
