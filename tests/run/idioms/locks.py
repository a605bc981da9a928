# SPDX-License-Identifier: Apache-2.0
"""Blocks that take turns, hand on, wait for each other and share work in global memory.

Each kernel is an idea that is known from elsewhere; the ideas only, named where they are from.
"""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u32
from hidet.lang.cuda import (
    atomic_add,
    atomic_cas,
    atomic_exchange,
    atomic_max,
    ballot_sync,
    blockIdx,
    fence,
    load,
    shfl_sync,
    shfl_up_sync,
    store,
    syncthreads,
    threadIdx,
)

blocks = 6


def zeros(*shape):
    return torch.zeros(*shape, dtype=torch.int32, device='cuda')


# CUDA by Example, chapter on locks, with the fences of the CUDA C++ programming guide: a lock of atomicCAS around plain memory.
with hidet.script_module() as mutex_module:

    @hidet.script
    def mutex(lock: i32[1], total: i32[2]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        if threadIdx.x == 0:
            while atomic_cas(~lock[0], 0, 1) != 0:
                pass
            fence('acq_rel', 'gpu')
            total[0] = total[0] + blockIdx.x
            total[1] = total[1] * 2 + 1
            fence('acq_rel', 'gpu')
            atomic_exchange(~lock[0], 0)


total = zeros(2)
mutex_module.build()(zeros(1), total)
assert total.tolist() == [sum(range(blocks)), 2**blocks - 1]

# Mellor-Crummey and Scott, "Algorithms for scalable synchronization" (1991), and libcu++'s semaphores: a ticket lock.
with hidet.script_module() as ticket_module:

    @hidet.script
    def ticket_lock(next_one: i32[1], serving: i32[1], log: i32[blocks], count: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        if threadIdx.x == 0:
            mine = atomic_add(~next_one[0], 1)
            while load(~serving[0], sync='acquire') != mine:
                pass
            log[count[0]] = blockIdx.x
            count[0] = count[0] + 1
            store(~serving[0], mine + 1, sync='release')


log, count = zeros(blocks), zeros(1)
ticket_module.build()(zeros(1), zeros(1), log, count)
assert sorted(log.tolist()) == list(range(blocks)) and count.item() == blocks

# Boehm, "Can seqlocks get along with programming language memory models?" (MSPC 2012): readers try again where a writer was there.
with hidet.script_module() as seqlock_module:

    @hidet.script
    def seqlock(version: i32[1], pair: i32[2], got: i32[blocks, 2]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        if threadIdx.x == 0:
            if blockIdx.x == 0:
                for i in range(4):
                    store(~version[0], 2 * i + 1, sync='relaxed')
                    fence('acq_rel', 'gpu')
                    store(~pair[0], i + 1, sync='relaxed')
                    store(~pair[1], 10 * (i + 1), sync='relaxed')
                    store(~version[0], 2 * i + 2, sync='release')
            else:
                before = 1
                after = 0
                while before != after or before % 2 == 1:
                    before = load(~version[0], sync='acquire')
                    got[blockIdx.x, 0] = load(~pair[0], sync='relaxed')
                    got[blockIdx.x, 1] = load(~pair[1], sync='relaxed')
                    fence('acq_rel', 'gpu')
                    after = load(~version[0], sync='relaxed')


got = zeros(blocks, 2)
seqlock_module.build()(zeros(1), zeros(2), got)
assert all(b == 10 * a for a, b in got.tolist())

# PTX ISA, memory consistency model, causality order: a message passed on by a release and an acquire, twice.
with hidet.script_module() as message_module:

    @hidet.script
    def message(data: i32[32], flags: i32[2], out: i32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 3
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        if blockIdx.x == 0:
            data[t] = t * t
            syncthreads()
            if t == 0:
                store(~flags[0], 1, sync='release')
        elif blockIdx.x == 1:
            if t == 0:
                while load(~flags[0], sync='acquire') == 0:
                    pass
                store(~flags[1], 1, sync='release')
        else:
            if t == 0:
                while load(~flags[1], sync='acquire') == 0:
                    pass
            syncthreads()
            out[t] = data[31 - t]


out = zeros(32)
message_module.build()(zeros(32), zeros(2), out)
assert out.tolist() == [(31 - t) ** 2 for t in range(32)]

# CUDA programming guide, cooperative groups, grid synchronisation; Xiao and Feng, "Inter-block GPU communication via fast barrier
# synchronization" (IPDPS 2010): all blocks meet again and again; the last one to come opens the next generation.
with hidet.script_module() as grid_module:

    @hidet.script
    def grid_barrier(a: i32[2, blocks * 32], arrived: i32[1], generation: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        i = blockIdx.x * 32 + threadIdx.x
        for step in range(3):
            a[(step + 1) % 2, i] = a[step % 2, (i + 32) % (blocks * 32)] + 1
            syncthreads()
            if threadIdx.x == 0:
                fence('acq_rel', 'gpu')
                if atomic_add(~arrived[0], 1) == blocks - 1:
                    arrived[0] = 0
                    store(~generation[0], step + 1, sync='release')
                else:
                    while load(~generation[0], sync='acquire') <= step:
                        pass
                fence('acq_rel', 'gpu')
            syncthreads()


a = torch.arange(2 * blocks * 32, dtype=torch.int32, device='cuda').reshape(2, blocks * 32)
grid_module.build()(a, zeros(1), zeros(1))
assert a[1].tolist() == [(i + 96) % (blocks * 32) + 3 for i in range(blocks * 32)]

# Herlihy and Shavit, "The Art of Multiprocessor Programming", Treiber's stack: nodes are linked to a list by a compare and swap.
with hidet.script_module() as stack_module:

    @hidet.script
    def push(head: i32[1], links: i32[blocks * 32], pushed: i32[1], found: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        node = blockIdx.x * 32 + threadIdx.x
        seen = load(~head[0], sync='relaxed')
        done = False
        while not done:
            links[node] = seen
            now = atomic_cas(~head[0], seen, node + 1, sem='release', scope='gpu')
            done = now == seen
            seen = now
        fence('acq_rel', 'gpu')
        if atomic_add(~pushed[0], 1) == blocks * 32 - 1:
            fence('acq_rel', 'gpu')
            at = load(~head[0], sync='acquire')
            number = 0
            while at != 0:
                number += 1
                at = links[at - 1]
            found[0] = number


found = zeros(1)
stack_module.build()(zeros(1), zeros(blocks * 32), zeros(1), found)
assert found.item() == blocks * 32

# CUTLASS, persistent tile schedulers: blocks that stay take the next tile from a counter, and tell the others of their block.
with hidet.script_module() as scheduler_module:

    @hidet.script
    def persistent(counter: i32[1], y: i32[40, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 3
        attrs.cuda.block_dim = 32 * 2
        tile = shared_tensor(i32, shape=[1])
        t = threadIdx.x
        if t == 0:
            tile[0] = atomic_add(~counter[0], 1)
        syncthreads()
        while tile[0] < 40:
            now = tile[0]
            if t < 32:
                y[now, t] = now * 100 + t
            syncthreads()
            if t == 0:
                tile[0] = atomic_add(~counter[0], 1)
            syncthreads()


y = zeros(40, 32)
scheduler_module.build()(zeros(1), y)
assert y.tolist() == [[tile * 100 + t for t in range(32)] for tile in range(40)]

# NVIDIA developer blog, "CUDA pro tip: optimized filtering with warp-aggregated atomics": one lane adds for the warp.
with hidet.script_module() as aggregated_module:

    @hidet.script
    def filter_positive(x: i32[blocks * 64], kept: i32[blocks * 64], n: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        lane = threadIdx.x % 32
        value = x[blockIdx.x * 64 + threadIdx.x]
        takes = value > 0
        votes = ballot_sync(u32(0xFFFFFFFF), takes)
        before = 0
        all_of_them = 0
        for l in range(32):
            bit = i32((votes >> u32(l)) & u32(1))
            all_of_them += bit
            if l < lane:
                before += bit
        base = 0
        if lane == 0:
            base = atomic_add(~n[0], all_of_them)
        base = shfl_sync(u32(0xFFFFFFFF), base, 0)
        if takes:
            kept[base + before] = value


x = torch.randint(-50, 50, (blocks * 64,), dtype=torch.int32).cuda()
kept, n = zeros(blocks * 64), zeros(1)
aggregated_module.build()(x, kept, n)
want = sorted(v for v in x.tolist() if v > 0)
assert n.item() == len(want) and sorted(kept.tolist()[: len(want)]) == want

# CUDA samples, histogram: counts of a block in its shared memory, then added to those of all.
with hidet.script_module() as histogram_module:

    @hidet.script
    def histogram(x: i32[blocks * 128], bins: i32[16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 128
        own = shared_tensor(i32, shape=[16])
        t = threadIdx.x
        if t < 16:
            own[t] = 0
        syncthreads()
        atomic_add(~own[x[blockIdx.x * 128 + t]], 1)
        syncthreads()
        if t < 16:
            atomic_add(~bins[t], own[t])


x = torch.randint(0, 16, (blocks * 128,), dtype=torch.int32).cuda()
bins = zeros(16)
histogram_module.build()(x, bins)
assert bins.tolist() == [x.tolist().count(v) for v in range(16)]

# Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016), and CUB: blocks publish their sums, and then
# what is before them.
with hidet.script_module() as scan_module:

    @hidet.script
    def scan(x: i32[blocks * 32], y: i32[blocks * 32], ticket: i32[1], state: i32[blocks], own: i32[blocks], upto: i32[blocks]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        number = shared_tensor(i32, shape=[2])
        t = threadIdx.x
        if t == 0:
            number[0] = atomic_add(~ticket[0], 1)
        syncthreads()
        b = number[0]
        value = x[b * 32 + t]
        for hop in range(5):
            other = shfl_up_sync(u32(0xFFFFFFFF), value, 1 << hop)
            if t >= 1 << hop:
                value += other
        if t == 31:
            own[b] = value
            store(~state[b], 1, sync='release')
            before = 0
            at = b - 1
            while at >= 0:
                known = load(~state[at], sync='acquire')
                if known == 2:
                    before += upto[at]
                    at = -1
                elif known == 1:
                    before += own[at]
                    at -= 1
            upto[b] = before + value
            store(~state[b], 2, sync='release')
            number[1] = before
        syncthreads()
        y[b * 32 + t] = value + number[1]


x = torch.randint(-9, 9, (blocks * 32,), dtype=torch.int32).cuda()
y = zeros(blocks * 32)
scan_module.build()(x, y, zeros(1), zeros(blocks), zeros(blocks), zeros(blocks))
sums, want = 0, []
for v in x.tolist():
    sums += v
    want.append(sums)
assert y.tolist() == want

# Osama et al., "Stream-K" (PPoPP 2023), and CUTLASS: who computes the end of a tile leaves its sums, and who began it adds them.
with hidet.script_module() as stream_module:

    @hidet.script
    def stream_k(x: i32[9, 32], partial: i32[3, 32], ready: i32[3], y: i32[2, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 3
        attrs.cuda.block_dim = 32
        b = blockIdx.x
        t = threadIdx.x
        # Three rows a block, tiles of the rows 0 to 3 and 4 to 8.
        first = 0
        second = 0
        for r in range(3):
            row = b * 3 + r
            if row < 4:
                first += x[row, t]
            else:
                second += x[row, t]
        if b == 1:
            partial[0, t] = first
            syncthreads()
            if t == 0:
                store(~ready[0], 1, sync='release')
        if b == 2:
            partial[1, t] = second
            syncthreads()
            if t == 0:
                store(~ready[1], 1, sync='release')
        if b == 0:
            if t == 0:
                while load(~ready[0], sync='acquire') == 0:
                    pass
            syncthreads()
            y[0, t] = first + partial[0, t]
        if b == 1:
            if t == 0:
                while load(~ready[1], sync='acquire') == 0:
                    pass
            syncthreads()
            y[1, t] = second + partial[1, t]


x = torch.arange(9 * 32, dtype=torch.int32, device='cuda').reshape(9, 32)
y = zeros(2, 32)
stream_module.build()(x, zeros(3, 32), zeros(3), y)
assert y[0].tolist() == x[:4].sum(dim=0).tolist() and y[1].tolist() == x[4:].sum(dim=0).tolist()

# CUDA programming guide, atomic functions: any operation by a loop of compare and swap.
with hidet.script_module() as loop_module:

    @hidet.script
    def multiply_all(product: i32[1], x: i32[blocks]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 32
        if threadIdx.x == 0:
            seen = load(~product[0], sync='relaxed')
            done = False
            while not done:
                now = atomic_cas(~product[0], seen, seen * x[blockIdx.x])
                done = now == seen
                seen = now


product = torch.ones(1, dtype=torch.int32, device='cuda')
loop_module.build()(product, torch.arange(1, blocks + 1, dtype=torch.int32, device='cuda'))
assert product.item() == 720

# CUDA programming guide, bounded queues between a producer and a consumer: places that are free, and places that are full.
with hidet.script_module() as bounded_module:

    @hidet.script
    def bounded_queue(ring: i32[4, 32], head: i32[1], tail: i32[1], y: i32[10, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        for i in range(10):
            if blockIdx.x == 0:
                if t == 0:
                    while i - load(~tail[0], sync='acquire') >= 4:
                        pass
                syncthreads()
                ring[i % 4, t] = i * 32 + t
                syncthreads()
                if t == 0:
                    store(~head[0], i + 1, sync='release')
            else:
                if t == 0:
                    while load(~head[0], sync='acquire') <= i:
                        pass
                syncthreads()
                y[i, t] = ring[i % 4, 31 - t]
                syncthreads()
                if t == 0:
                    store(~tail[0], i + 1, sync='release')


y = zeros(10, 32)
bounded_module.build()(zeros(4, 32), zeros(1), zeros(1), y)
assert y.tolist() == [[i * 32 + 31 - t for t in range(32)] for i in range(10)]

# CUB, device reduce by maximum: the largest of each block, then of all, and where nobody waits.
with hidet.script_module() as maximum_module:

    @hidet.script
    def maximum(x: i32[blocks, 64], largest: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        own = shared_tensor(i32, shape=[1])
        if threadIdx.x == 0:
            own[0] = -1000
        syncthreads()
        atomic_max(~own[0], x[blockIdx.x, threadIdx.x])
        syncthreads()
        if threadIdx.x == 0:
            atomic_max(~largest[0], own[0])


x = torch.randint(-900, 900, (blocks, 64), dtype=torch.int32).cuda()
largest = torch.full((1,), -1000, dtype=torch.int32, device='cuda')
maximum_module.build()(x, largest)
assert largest.item() == max(max(row) for row in x.tolist())
