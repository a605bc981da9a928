# SPDX-License-Identifier: Apache-2.0
"""Tickets and counters: who comes last, who is next, and who sets a counter back.

Each kernel is an idea that is known from elsewhere; the ideas only, named where they are from.
"""
import hidet
import torch
from hidet.lang import attrs, f32, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, fence, load, store, syncthreads, threadIdx

blocks = 7


def zeros(n):
    return torch.zeros(n, dtype=torch.int32, device='cuda')


# CUDA samples, threadFenceReduction: the block that comes last adds the partial sums, and sets the ticket back for the next launch.
with hidet.script_module() as last_block_module:

    @hidet.script
    def last_block(x: f32[blocks, 64], partial: f32[blocks, 64], tickets: i32[1], y: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        last = shared_tensor(i32, shape=[1])
        t = threadIdx.x
        partial[blockIdx.x, t] = x[blockIdx.x, t] * 2.0
        fence('acq_rel', 'gpu')
        syncthreads()
        if t == 0:
            last[0] = atomic_add(~tickets[0], 1)
        syncthreads()
        if last[0] == blocks - 1:
            fence('acq_rel', 'gpu')
            total = f32(0.0)
            for b in range(blocks):
                total += partial[b, 63 - t]
            y[63 - t] = total
            if t == 0:
                tickets[0] = 0


x = torch.randn(blocks, 64, device='cuda')
partial, y = torch.empty(blocks, 64, device='cuda'), torch.empty(64, device='cuda')
tickets = zeros(1)
run = last_block_module.build()
for _ in range(2):
    run(x, partial, tickets, y)
torch.testing.assert_close(y, (x * 2).sum(dim=0), atol=1e-4, rtol=1e-4)
assert tickets.item() == 0

# CUDA programming guide, memory fence functions, and CUTLASS, cutlass/semaphore.h: blocks add to a tile one after the other (the
# order of a split along k), and the last one sets the semaphore back plainly, as nobody else asks any more.
with hidet.script_module() as semaphore_module:

    @hidet.script
    def in_turn(parts: i32[blocks, 32], turn: i32[1], tile: i32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        b = blockIdx.x
        t = threadIdx.x
        if t == 0:
            while load(~turn[0], sync='acquire') != b:
                pass
        syncthreads()
        tile[t] = tile[t] * 3 + parts[b, t]
        syncthreads()
        if t == 0:
            if b == blocks - 1:
                turn[0] = 0
            else:
                store(~turn[0], b + 1, sync='release')


parts = torch.arange(blocks * 32, dtype=torch.int32, device='cuda').reshape(blocks, 32)
tile, turn = zeros(32), zeros(1)
semaphore_module.build()(parts, turn, tile)
want = [0] * 32
for row in parts.tolist():
    want = [3 * w + p for w, p in zip(want, row)]
assert tile.tolist() == want and turn.item() == 0

# CUB, cub/grid/grid_queue.cuh: warps take tiles from a counter in shared memory; the one that finds the end sets it back.
with hidet.script_module() as queue_module:

    @hidet.script
    def queue(seen: i32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        next_one = shared_tensor(i32, shape=[2])
        t = threadIdx.x
        if t < 2:
            next_one[t] = 0
        syncthreads()
        if t % 32 == 0:
            at = atomic_add(~next_one[0], 1)
            while at < 64:
                seen[at] += 1
                at = atomic_add(~next_one[0], 1)
            if atomic_add(~next_one[1], 1) == 3:
                next_one[1] = 0
        syncthreads()
        if t == 0:
            seen[0] += next_one[1] * 100


seen = zeros(64)
queue_module.build()(seen)
assert seen.tolist() == [1] * 64

# CUDA C++ programming guide, cuda::atomic_ref examples: a slot that one block fills and another one empties, by a flag; the
# consumer sets the flag back plainly when it is the last round.
with hidet.script_module() as slot_module:

    @hidet.script
    def hand_over(slot: i32[1], full: i32[1], got: i32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 32
        if threadIdx.x == 0:
            if blockIdx.x == 0:
                for i in range(4):
                    while load(~full[0], sync='acquire') == 1:
                        pass
                    slot[0] = 10 + i
                    store(~full[0], 1, sync='release')
            else:
                for i in range(4):
                    while load(~full[0], sync='acquire') == 0:
                        pass
                    got[i] = slot[0]
                    if i == 3:
                        full[0] = 0
                    else:
                        store(~full[0], 0, sync='release')


full, got = zeros(1), zeros(4)
slot_module.build()(zeros(1), full, got)
assert got.tolist() == [10, 11, 12, 13] and full.item() == 0
