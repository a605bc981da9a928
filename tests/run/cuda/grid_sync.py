# SPDX-License-Identifier: Apache-2.0
"""A barrier of the whole grid: what a block wrote before it, every block reads behind it; the counter serves any number of
launches, of grids of any size."""
import hidet
import torch
from hidet.lang import attrs, i32, u32
from hidet.lang.cuda import blockIdx, grid_sync, threadIdx

rounds = 3


def shifted(blocks, threads):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: i32[rounds + 1, blocks], counter: u32[1]):
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = threads
            for i in range(rounds):
                if threadIdx.x == threads // 2:
                    a[i + 1, blockIdx.x] = a[i, (blockIdx.x + 1) % blocks] + 1
                grid_sync(~counter[0])

    return script_module.build()


counter = torch.zeros(1, dtype=torch.uint32, device='cuda')
for blocks, threads in (8, 64), (3, 32), (1, 32), (8, 64):
    a = torch.zeros(rounds + 1, blocks, dtype=torch.int32, device='cuda')
    a[0] = torch.arange(blocks, dtype=torch.int32, device='cuda')
    shifted(blocks, threads)(a, counter)
    for i in range(rounds + 1):
        assert a[i].tolist() == [(b + i) % blocks + i for b in range(blocks)], f'{blocks}: {i}: {a[i].tolist()}'
