# SPDX-License-Identifier: Apache-2.0
"""Blocks that leave results to each other in global memory: the last one sums, a chain hands on by flags, counters count."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, fence, load, store, syncthreads, threadIdx

blocks = 6

with hidet.script_module() as sum_module:

    @hidet.script
    def total(x: i32[blocks, 64], parts: i32[blocks], done: i32[1], result: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        sums = shared_tensor(i32, shape=[64])
        ticket = shared_tensor(i32, shape=[1])
        t = threadIdx.x
        sums[t] = x[blockIdx.x, t]
        syncthreads()
        for step in range(6):
            distance = 32 >> step
            if t < distance:
                sums[t] += sums[t + distance]
            syncthreads()
        if t == 0:
            parts[blockIdx.x] = sums[0]
            fence()
            ticket[0] = atomic_add(~done[0], 1)
        syncthreads()
        if ticket[0] == blocks - 1:
            fence()
            if t == 0:
                sum_of_all = 0
                for b in range(blocks):
                    sum_of_all += parts[b]
                result[0] = sum_of_all


x = torch.arange(blocks * 64, dtype=torch.int32, device='cuda').reshape(blocks, 64)
parts = torch.zeros(blocks, dtype=torch.int32, device='cuda')
done = torch.zeros(1, dtype=torch.int32, device='cuda')
result = torch.zeros(1, dtype=torch.int32, device='cuda')
sum_module.build()(x, parts, done, result)
assert result.item() == sum(range(blocks * 64))

with hidet.script_module() as chain_module:

    @hidet.script
    def chain(x: i32[blocks, 32], flags: i32[blocks], ends: i32[blocks]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        b = blockIdx.x
        if threadIdx.x == 0:
            own = 0
            for i in range(32):
                own += x[b, i]
            if b > 0:
                while load(~flags[b - 1], sync='acquire') == 0:
                    pass
                own += ends[b - 1]
            ends[b] = own
            store(~flags[b], 1, sync='release')


flags = torch.zeros(blocks, dtype=torch.int32, device='cuda')
ends = torch.zeros(blocks, dtype=torch.int32, device='cuda')
x = torch.ones(blocks, 32, dtype=torch.int32, device='cuda')
chain_module.build()(x, flags, ends)
assert ends.tolist() == [32 * (b + 1) for b in range(blocks)]

with hidet.script_module() as slots_module:

    @hidet.script
    def slots(x: i32[blocks * 64], count: i32[1], kept: i32[blocks * 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        i = blockIdx.x * 64 + threadIdx.x
        if x[i] % 3 == 0:
            kept[atomic_add(~count[0], 1)] = x[i]


x = torch.arange(blocks * 64, dtype=torch.int32, device='cuda')
count = torch.zeros(1, dtype=torch.int32, device='cuda')
kept = torch.zeros(blocks * 64, dtype=torch.int32, device='cuda')
slots_module.build()(x, count, kept)
assert count.item() == blocks * 64 // 3
assert sorted(kept.tolist()[:blocks * 64 // 3]) == list(range(0, blocks * 64, 3))
