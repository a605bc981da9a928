# SPDX-License-Identifier: Apache-2.0
"""Copies that run beside the threads, barriers that count them, and the shared memory of other blocks.

Each kernel is an idea that is known from elsewhere; the ideas only, named where they are from.
"""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u64
from hidet.lang.cuda import (
    atomic_add,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    setmaxnreg,
    syncthreads,
    syncwarp,
    this_cluster,
    threadIdx,
)
from hidet.ir.primitives.cuda import (
    barrier_arrive,
    barrier_sync,
    copy_bulk_commit_group,
    copy_bulk_g2s,
    copy_bulk_s2g,
    copy_bulk_wait_group,
    cp_async_barrier_arrive,
    fence_barrier_init,
    fence_view_async_shared,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
)

turns = 6


def zeros(*shape):
    return torch.zeros(*shape, dtype=torch.int32, device='cuda')


rows = torch.arange(turns * 128, dtype=torch.int32, device='cuda').reshape(turns, 128)
sums = rows.sum(dim=0).tolist()

# CUDA programming guide, asynchronous data copies, multi-stage pipelines (Ampere): the copy of a stage runs while another one is read.
with hidet.script_module() as staged_module:

    @hidet.script
    def staged(x: i32[turns, 128], y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        stages = shared_tensor(i32, shape=[3, 128])
        t = threadIdx.x
        total = 0
        for s in range(2):
            cp_async(~stages[s, t * 4], ~x[s, t * 4], 16)
            cp_async_commit_group()
        for turn in range(turns):
            cp_async_wait_group(1)
            syncthreads()
            if turn + 2 < turns:
                cp_async(~stages[(turn + 2) % 3, t * 4], ~x[turn + 2, t * 4], 16)
            cp_async_commit_group()
            total += stages[turn % 3, 127 - t]
        y[t] = total


y = zeros(128)
staged_module.build()(rows, y)
assert y.tolist()[:32] == list(reversed(sums))[:32]

# CUTLASS, examples of Ampere's pipelines with two buffers: one barrier behind the wait, one behind the reading.
with hidet.script_module() as double_module:

    @hidet.script
    def double_buffered(x: i32[turns, 128], y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        buffers = shared_tensor(i32, shape=[2, 128])
        t = threadIdx.x
        total = 0
        cp_async(~buffers[0, t], ~x[0, t], 4)
        cp_async_commit_group()
        for turn in range(turns):
            cp_async_wait_group(0)
            syncthreads()
            if turn + 1 < turns:
                cp_async(~buffers[(turn + 1) % 2, t], ~x[turn + 1, t], 4)
                cp_async_commit_group()
            total += buffers[turn % 2, 127 - t]
        y[t] = total


y = zeros(128)
double_module.build()(rows, y)
assert y.tolist() == list(reversed(sums))

# CUDA programming guide, asynchronous barriers: threads say that they have come, do something else, and wait.
with hidet.script_module() as split_module:

    @hidet.script
    def split_arrive(x: i32[128], y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        values = shared_tensor(i32, shape=[128])
        met = shared_tensor(u64, shape=[1])
        t = threadIdx.x
        if t == 0:
            mbarrier_init(met, 128)
        syncthreads()
        values[t] = x[t]
        mbarrier_arrive(met)
        own = x[t] * 2
        mbarrier_wait(met, 0)
        y[t] = own + values[127 - t]


y = zeros(128)
split_module.build()(rows[0], y)
assert y.tolist() == [2 * t + 127 - t for t in range(128)]

# CUDA programming guide, spatial partitioning (warp specialisation) with pairs of barriers: empty and full.
with hidet.script_module() as partition_module:

    @hidet.script
    def partitioned(x: i32[turns, 128], y: i32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        buffers = shared_tensor(i32, shape=[2, 32])
        full = shared_tensor(u64, shape=[2])
        empty = shared_tensor(u64, shape=[2])
        lane = threadIdx.x % 32
        if threadIdx.x == 0:
            for s in range(2):
                mbarrier_init(~full[s], 32)
                mbarrier_init(~empty[s], 32)
        syncthreads()
        if threadIdx.x < 32:
            for turn in range(turns):
                mbarrier_wait(~empty[turn % 2], (turn // 2 + 1) % 2)
                buffers[turn % 2, lane] = x[turn, lane]
                mbarrier_arrive(~full[turn % 2])
        else:
            total = 0
            for turn in range(turns):
                mbarrier_wait(~full[turn % 2], turn // 2 % 2)
                total += buffers[turn % 2, 31 - lane]
                mbarrier_arrive(~empty[turn % 2])
            y[lane] = total


y = zeros(32)
partition_module.build()(rows, y)
assert y.tolist() == list(reversed(sums[:32]))

# PTX ISA, cp.async.mbarrier.arrive.noinc: the barrier counts the copies of the threads themselves.
with hidet.script_module() as counted_module:

    @hidet.script
    def counted(x: i32[128], y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        data = shared_tensor(i32, shape=[128])
        there = shared_tensor(u64, shape=[1])
        t = threadIdx.x
        if t == 0:
            mbarrier_init(there, 32)
        syncthreads()
        cp_async(~data[t * 4], ~x[t * 4], 16)
        cp_async_barrier_arrive(there, 'noinc')
        mbarrier_wait(there, 0)
        for i in range(4):
            y[t * 4 + i] = data[127 - t * 4 - i]


y = zeros(128)
counted_module.build()(rows[0], y)
assert y.tolist() == list(reversed(range(128)))

# CUDA programming guide, using TMA to transfer one-dimensional arrays: the barrier is made by one thread, shown to the copies by a proxy
# fence and to the threads by a barrier; results are copied back behind a fence of those who wrote them.
with hidet.script_module() as guide_module:

    @hidet.script
    def add_one(x: i32[128], y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        data = shared_tensor(i32, shape=[128])
        bar = shared_tensor(u64, shape=[1])
        t = threadIdx.x
        if t == 0:
            mbarrier_init(bar, 128)
            fence_view_async_shared()
        syncthreads()
        if t == 32:
            copy_bulk_g2s(512, data, x, bar)
            mbarrier_arrive_and_expect_tx(bar, 512)
        else:
            mbarrier_arrive(bar)
        mbarrier_wait(bar, 0)
        data[t] = data[t] + 1
        fence_view_async_shared()
        syncthreads()
        if t == 64:
            copy_bulk_s2g(512, y, data)
            copy_bulk_commit_group()
            copy_bulk_wait_group(0, read=True)


y = zeros(128)
guide_module.build()(rows[0], y)
assert y.tolist() == list(range(1, 129))

# CUTLASS, PipelineTmaAsync and warp-specialised kernels of Hopper: a producer gives registers back, consumers take more; a ring of
# stages, with a barrier for each direction.
with hidet.script_module() as ring_module:

    @hidet.script
    def specialised(x: i32[turns, 128], y: i32[2, 128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 384
        ring = shared_tensor(i32, shape=[2, 128])
        full = shared_tensor(u64, shape=[2])
        empty = shared_tensor(u64, shape=[2])
        if threadIdx.x == 0:
            for s in range(2):
                mbarrier_init(~full[s], 1)
                mbarrier_init(~empty[s], 8)
            fence_barrier_init()
        syncthreads()
        if threadIdx.x < 128:
            setmaxnreg(40, 'dec')
            if threadIdx.x == 0:
                for turn in range(turns):
                    mbarrier_wait(~empty[turn % 2], (turn // 2 + 1) % 2)
                    mbarrier_arrive_and_expect_tx(~full[turn % 2], 512)
                    copy_bulk_g2s(512, ~ring[turn % 2, 0], ~x[turn, 0], ~full[turn % 2])
        else:
            setmaxnreg(232, 'inc')
            group = threadIdx.x // 128 - 1
            t = threadIdx.x % 128
            total = 0
            for turn in range(turns):
                mbarrier_wait(~full[turn % 2], turn // 2 % 2)
                total += ring[turn % 2, 127 - t]
                syncwarp()
                if t % 32 == 0:
                    mbarrier_arrive(~empty[turn % 2])
            y[group, t] = total


y = zeros(2, 128)
ring_module.build()(rows, y)
assert y.tolist() == [list(reversed(sums))] * 2

# CUTLASS, ping-pong kernels and OrderedSequenceBarrier: two groups take turns, one at the products while the other one stores.
with hidet.script_module() as pingpong_module:

    @hidet.script
    def ping_pong(x: i32[turns, 128], y: i32[turns, 32], order: i32[turns]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        accumulators = shared_tensor(i32, shape=[32])
        count = shared_tensor(i32, shape=[1])
        group = threadIdx.x // 32
        lane = threadIdx.x % 32
        if threadIdx.x == 0:
            count[0] = 0
        syncthreads()
        if group == 1:
            barrier_arrive(1, 64)
        for half in range(turns // 2):
            turn = 2 * half + group
            if group == 0:
                barrier_sync(1, 64)
            else:
                barrier_sync(2, 64)
            accumulators[lane] = x[turn, lane]
            syncwarp()
            value = accumulators[31 - lane]
            if lane == 0:
                order[count[0]] = turn
                count[0] = count[0] + 1
            syncwarp()
            if group == 0:
                barrier_arrive(2, 64)
            elif half + 1 < turns // 2:
                barrier_arrive(1, 64)
            y[turn, lane] = value + 1


y, order = zeros(turns, 32), zeros(turns)
pingpong_module.build()(rows, y, order)
assert y.tolist() == [[v + 1 for v in reversed(row[:32])] for row in rows.tolist()]
assert order.tolist() == list(range(turns))

# CUDA programming guide, distributed shared memory: a histogram whose bins lie in the blocks of a cluster.
with hidet.script_module() as cluster_module:

    @hidet.script
    def cluster_histogram(x: i32[256], bins: i32[16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.cluster_dim = 2
        attrs.cuda.block_dim = 128
        own = shared_tensor(i32, shape=[8])
        t = threadIdx.x
        if t < 8:
            own[t] = 0
        this_cluster.sync()
        value = x[blockIdx.x * 128 + t]
        there = this_cluster.map_shared_rank(~own[0], value // 8, i32)
        atomic_add(~there[value % 8], 1)
        this_cluster.sync()
        if t < 8:
            atomic_add(~bins[blockIdx.x * 8 + t], own[t])


x = torch.randint(0, 16, (256,), dtype=torch.int32).cuda()
bins = zeros(16)
cluster_module.build()(x, bins)
assert bins.tolist() == [x.tolist().count(v) for v in range(16)]

# PTX ISA, mbarrier.arrive on shared::cluster: each block tells the next one that its values are there, and meets all before it ends.
with hidet.script_module() as neighbour_module:

    @hidet.script
    def neighbours(y: i32[4, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.cluster_dim = 4
        attrs.cuda.block_dim = 32
        values = shared_tensor(i32, shape=[32])
        there = shared_tensor(u64, shape=[1])
        rank = this_cluster.block_rank
        t = threadIdx.x
        if t == 0:
            mbarrier_init(there, 32)
            fence_barrier_init()
        this_cluster.sync()
        next_one = this_cluster.map_shared_rank(~values[0], (rank + 1) % 4, i32)
        next_one[t] = rank * 100 + t
        mbarrier_arrive(there, (rank + 1) % 4)
        mbarrier_wait(there, 0)
        y[rank, t] = values[31 - t]
        this_cluster.sync()


y = zeros(4, 32)
neighbour_module.build()(y)
assert y.tolist() == [[(r + 3) % 4 * 100 + 31 - t for t in range(32)] for r in range(4)]

# CUDA programming guide, thread block clusters: more blocks than are portable, each of which adds to those behind it.
with hidet.script_module() as large_module:

    @hidet.script
    def large_cluster(y: i32[16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 16
        attrs.cuda.cluster_dim = 16
        attrs.cuda.block_dim = 32
        value = shared_tensor(i32, shape=[1])
        rank = this_cluster.block_rank
        if threadIdx.x == 0:
            value[0] = 0
        this_cluster.sync()
        if threadIdx.x < 16 - rank:
            behind = this_cluster.map_shared_rank(~value[0], rank + i32(threadIdx.x), i32)
            atomic_add(~behind[0], 1)
        this_cluster.sync()
        if threadIdx.x == 0:
            y[rank] = value[0]


y = zeros(16)
large_module.build()(y)
assert y.tolist() == list(range(1, 17))
