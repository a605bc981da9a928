# SPDX-License-Identifier: Apache-2.0
"""What the threads of one block do together in shared memory and by shuffles.

Each kernel is an idea that is known from elsewhere; the ideas only, named where they are from.
"""
import hidet
import torch
from hidet.lang import attrs, i32, meta, shared_tensor, u32
from hidet.lang.cuda import atomic_add, ballot_sync, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync, syncthreads, syncwarp, threadIdx
from hidet.ir.primitives.cuda import barrier_arrive, barrier_sync, syncthreads_count

n = 128


def numbers(count):
    return torch.randint(-99, 99, (count,), dtype=torch.int32).cuda()


def zeros(*shape):
    return torch.zeros(*shape, dtype=torch.int32, device='cuda')


x = numbers(n)
values = x.tolist()

# Harris, "Optimizing parallel reduction in CUDA" (CUDA samples, reduction): a tree in shared memory.
with hidet.script_module() as tree_module:

    @hidet.script
    def tree(x: i32[n], y: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        sums = shared_tensor(i32, shape=[n])
        t = threadIdx.x
        sums[t] = x[t]
        syncthreads()
        for step in range(7):
            distance = 64 >> step
            if t < distance:
                sums[t] += sums[t + distance]
            syncthreads()
        if t == 0:
            y[0] = sums[0]


y = zeros(1)
tree_module.build()(x, y)
assert y.item() == sum(values)

# NVIDIA developer blog, "Faster parallel reductions on Kepler": shuffles in each warp, then one warp for the others.
with hidet.script_module() as shuffle_module:

    @hidet.script
    def by_shuffles(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        of_warps = shared_tensor(i32, shape=[4])
        t = threadIdx.x
        value = x[t]
        for d in meta.each([16, 8, 4, 2, 1]):
            value += shfl_down_sync(u32(0xFFFFFFFF), value, d)
        if t % 32 == 0:
            of_warps[t // 32] = value
        syncthreads()
        if t < 32:
            value = 0
            if t < 4:
                value = of_warps[t]
            for e in meta.each([2, 1]):
                value += shfl_down_sync(u32(0xFFFFFFFF), value, e)
            if t == 0:
                of_warps[0] = value
        syncthreads()
        y[t] = of_warps[0]


y = zeros(n)
shuffle_module.build()(x, y)
assert y.tolist() == [sum(values)] * n

# GPU Gems 3, chapter 39, after Hillis and Steele: a scan in two rows by turns.
with hidet.script_module() as scan_module:

    @hidet.script
    def scan(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        rows = shared_tensor(i32, shape=[2, n])
        t = threadIdx.x
        rows[0, t] = x[t]
        syncthreads()
        for step in range(7):
            distance = 1 << step
            value = rows[step % 2, t]
            if t >= distance:
                value += rows[step % 2, t - distance]
            rows[(step + 1) % 2, t] = value
            syncthreads()
        y[t] = rows[1, t]


y = zeros(n)
scan_module.build()(x, y)
assert y.tolist() == [sum(values[: i + 1]) for i in range(n)]

# GPU Gems 3, chapter 39, after Blelloch: up and down a tree.
with hidet.script_module() as blelloch_module:

    @hidet.script
    def exclusive(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        tree = shared_tensor(i32, shape=[n])
        t = threadIdx.x
        tree[2 * t] = x[2 * t]
        tree[2 * t + 1] = x[2 * t + 1]
        for step in range(7):
            syncthreads()
            if t < 64 >> step:
                tree[((2 * t + 2) << step) - 1] += tree[((2 * t + 1) << step) - 1]
        if t == 0:
            tree[n - 1] = 0
        for up in range(7):
            syncthreads()
            step = 6 - up
            if t < 64 >> step:
                left = tree[((2 * t + 1) << step) - 1]
                tree[((2 * t + 1) << step) - 1] = tree[((2 * t + 2) << step) - 1]
                tree[((2 * t + 2) << step) - 1] += left
        syncthreads()
        y[2 * t] = tree[2 * t]
        y[2 * t + 1] = tree[2 * t + 1]


y = zeros(n)
blelloch_module.build()(x, y)
assert y.tolist() == [sum(values[:i]) for i in range(n)]

# CUDA samples, sortingNetworks, after Batcher: a bitonic sort.
with hidet.script_module() as sort_module:

    @hidet.script
    def bitonic(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        keys = shared_tensor(i32, shape=[n])
        t = threadIdx.x
        keys[t] = x[t]
        keys[t + 64] = x[t + 64]
        for stage in range(7):
            for turn in range(stage + 1):
                syncthreads()
                stride = 1 << (stage - turn)
                low = 2 * t - (t & (stride - 1))
                rises = (t & (1 << stage)) == 0
                a = keys[low]
                b = keys[low + stride]
                if (a > b) == rises:
                    keys[low] = b
                    keys[low + stride] = a
        syncthreads()
        y[t] = keys[t]
        y[t + 64] = keys[t + 64]


y = zeros(n)
sort_module.build()(x, y)
assert y.tolist() == sorted(values)

# NVIDIA developer blog, "An efficient matrix transpose in CUDA C/C++": by a tile with a column too many.
with hidet.script_module() as transpose_module:

    @hidet.script
    def transpose(x: i32[32, 32], y: i32[32, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32, 8
        tile = shared_tensor(i32, shape=[32, 33])
        for r in range(4):
            tile[threadIdx.y + 8 * r, threadIdx.x] = x[threadIdx.y + 8 * r, threadIdx.x]
        syncthreads()
        for r in range(4):
            y[threadIdx.y + 8 * r, threadIdx.x] = tile[threadIdx.x, threadIdx.y + 8 * r]


square = torch.arange(1024, dtype=torch.int32, device='cuda').reshape(32, 32)
y = zeros(32, 32)
transpose_module.build()(square, y)
assert y.tolist() == square.T.tolist()

# CUDA programming guide, shared memory, stencils with a halo (CUDA samples, convolutionSeparable).
with hidet.script_module() as stencil_module:

    @hidet.script
    def stencil(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        line = shared_tensor(i32, shape=[n + 4])
        t = threadIdx.x
        line[t + 2] = x[t]
        if t < 2:
            line[t] = 0
            line[n + 2 + t] = 0
        syncthreads()
        total = 0
        for d in range(5):
            total += line[t + d]
        y[t] = total


y = zeros(n)
stencil_module.build()(x, y)
assert y.tolist() == [sum(values[max(0, i - 2) : i + 3]) for i in range(n)]

# CUDA programming guide, matrix multiplication with shared memory, with the next tiles in registers meanwhile.
with hidet.script_module() as matmul_module:

    @hidet.script
    def matmul(a: i32[16, 64], b: i32[64, 16], c: i32[16, 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 16, 16
        left = shared_tensor(i32, shape=[2, 16, 16])
        right = shared_tensor(i32, shape=[2, 16, 16])
        i = threadIdx.y
        j = threadIdx.x
        next_a = a[i, j]
        next_b = b[i, j]
        total = 0
        for k in range(4):
            left[k % 2, i, j] = next_a
            right[k % 2, i, j] = next_b
            syncthreads()
            if k < 3:
                next_a = a[i, (k + 1) * 16 + j]
                next_b = b[(k + 1) * 16 + i, j]
            for e in range(16):
                total += left[k % 2, i, e] * right[k % 2, e, j]
        c[i, j] = total


a = torch.randint(-9, 9, (16, 64), dtype=torch.int32).cuda()
b = torch.randint(-9, 9, (64, 16), dtype=torch.int32).cuda()
c = zeros(16, 16)
matmul_module.build()(a, b, c)
rows, columns = a.tolist(), b.T.tolist()
assert c.tolist() == [[sum(p * q for p, q in zip(row, column)) for column in columns] for row in rows]

# Bauer et al., "CudaDMA" (SC 2011), and PTX ISA, bar: a warp that loads for one that computes, by barriers of both directions.
with hidet.script_module() as named_module:

    @hidet.script
    def producer_consumer(x: i32[6, 32], y: i32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        buffer = shared_tensor(i32, shape=[32])
        lane = threadIdx.x % 32
        if threadIdx.x < 32:
            for turn in range(6):
                barrier_sync(2, 64)
                buffer[lane] = x[turn, lane]
                barrier_arrive(1, 64)
        else:
            total = 0
            barrier_arrive(2, 64)
            for turn in range(6):
                barrier_sync(1, 64)
                total += buffer[31 - lane]
                if turn < 5:
                    barrier_arrive(2, 64)
            y[lane] = total


rows = torch.arange(6 * 32, dtype=torch.int32, device='cuda').reshape(6, 32)
y = zeros(32)
named_module.build()(rows, y)
assert y.tolist() == list(reversed(rows.sum(dim=0).tolist()))

# NVIDIA developer blog, "Using CUDA warp-level primitives": what was once left to lock step, with syncwarp.
with hidet.script_module() as warp_module:

    @hidet.script
    def in_warps(x: i32[n], y: i32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        sums = shared_tensor(i32, shape=[4, 64])
        warp = threadIdx.x // 32
        lane = threadIdx.x % 32
        sums[warp, lane] = x[threadIdx.x]
        sums[warp, lane + 32] = 0
        syncwarp()
        value = sums[warp, lane]
        for d in meta.each([16, 8, 4, 2, 1]):
            value += sums[warp, lane + d]
            syncwarp()
            sums[warp, lane] = value
            syncwarp()
        if lane == 0:
            y[warp] = value


y = zeros(4)
warp_module.build()(x, y)
assert y.tolist() == [sum(values[32 * w : 32 * w + 32]) for w in range(4)]

# Ha, Krueger and Silva, "Fast four-way parallel radix sorting on GPUs" (2009); CUB, ballots for ranks: sorting by one bit after the other.
with hidet.script_module() as radix_module:

    @hidet.script
    def radix(x: i32[32], y: i32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        keys = shared_tensor(i32, shape=[32])
        t = threadIdx.x
        key = x[t]
        for bit in range(8):
            votes = ballot_sync(u32(0xFFFFFFFF), (key >> bit & 1) == 0)
            before = 0
            zeros_in_all = 0
            for l in range(32):
                is_zero = i32((votes >> u32(l)) & u32(1))
                zeros_in_all += is_zero
                if l < t:
                    before += is_zero
            place = before
            if (key >> bit & 1) == 1:
                place = zeros_in_all + t - before
            keys[place] = key
            syncwarp()
            key = keys[t]
            syncwarp()
        y[t] = key


small = torch.randint(0, 256, (32,), dtype=torch.int32).cuda()
y = zeros(32)
radix_module.build()(small, y)
assert y.tolist() == sorted(small.tolist())

# Knuth's odd-even transposition sort (TAOCP 3) until a turn changes nothing: the block counts who did.
with hidet.script_module() as count_module:

    @hidet.script
    def until_sorted(x: i32[n], y: i32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        keys = shared_tensor(i32, shape=[n])
        t = threadIdx.x
        keys[t] = x[t]
        keys[t + 64] = x[t + 64]
        changed = 1
        syncthreads()
        while changed > 0:
            mine = 0
            for odd in range(2):
                low = 2 * t + odd
                if low + 1 < n:
                    if keys[low] > keys[low + 1]:
                        other = keys[low]
                        keys[low] = keys[low + 1]
                        keys[low + 1] = other
                        mine = 1
                syncthreads()
            changed = syncthreads_count(mine)
        y[t] = keys[t]
        y[t + 64] = keys[t + 64]


y = zeros(n)
count_module.build()(x, y)
assert y.tolist() == sorted(values)

# CUB, block-level stream compaction: places by a scan of a warp, and a counter of the block for the warps.
with hidet.script_module() as compact_module:

    @hidet.script
    def compact(x: i32[n], y: i32[n], count: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        places = shared_tensor(i32, shape=[1])
        t = threadIdx.x
        lane = t % 32
        if t == 0:
            places[0] = 0
        syncthreads()
        takes = 0
        if x[t] > 0:
            takes = 1
        upto = takes
        for d in meta.each([1, 2, 4, 8, 16]):
            other = shfl_up_sync(u32(0xFFFFFFFF), upto, d)
            if lane >= d:
                upto += other
        base = 0
        if lane == 31:
            base = atomic_add(~places[0], upto)
        base = shfl_sync(u32(0xFFFFFFFF), base, 31)
        if takes == 1:
            y[base + upto - 1] = x[t]
        syncthreads()
        if t == 0:
            count[0] = places[0]


y, count = zeros(n), zeros(1)
compact_module.build()(x, y, count)
positive = [v for v in values if v > 0]
assert count.item() == len(positive) and sorted(y.tolist()[: len(positive)]) == sorted(positive)

# FlashAttention (Dao et al., 2022), the running maximum and sum of a row, by exchanges of a warp.
with hidet.script_module() as online_module:

    @hidet.script
    def largest_so_far(x: i32[4, 32], y: i32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        largest = -1000
        for r in range(4):
            value = x[r, threadIdx.x]
            for d in meta.each([16, 8, 4, 2, 1]):
                other = shfl_xor_sync(u32(0xFFFFFFFF), value, d)
                if other > value:
                    value = other
            if value > largest:
                largest = value
            if threadIdx.x == 0:
                y[r] = largest


y = zeros(4)
online_module.build()(x.reshape(4, 32), y)
assert y.tolist() == [max(values[: 32 * (r + 1)]) for r in range(4)]
