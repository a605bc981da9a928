# SPDX-License-Identifier: Apache-2.0
"""A ring of stages that the copy unit fills for both blocks of a cluster, and that warps empty; results go back by copies."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u64
from hidet.lang.cuda import blockIdx, syncthreads, syncwarp, this_cluster, threadIdx
from hidet.ir.primitives.cuda import (
    copy_bulk_commit_group,
    copy_bulk_g2s,
    copy_bulk_s2g,
    copy_bulk_wait_group,
    fence_barrier_init,
    fence_view_async_shared,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
)

turns, stages = 5, 2
piece_bytes = 128  # 32 words; of each block, for both

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[turns, 64], y: i32[2, turns, 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.cluster_dim = 2
        attrs.cuda.block_dim = 96
        tiles = shared_tensor(i32, shape=[stages, 64])
        result = shared_tensor(i32, shape=[64])
        full = shared_tensor(u64, shape=[stages])
        empty = shared_tensor(u64, shape=[stages])
        rank = this_cluster.block_rank
        if threadIdx.x == 0:
            for s in range(stages):
                mbarrier_init(~full[s], 1)
                mbarrier_init(~empty[s], 4)  # two warps of each block
            fence_barrier_init()
        this_cluster.sync()
        value = 0
        if threadIdx.x < 32:
            if threadIdx.x == 0:
                for turn in range(turns):
                    s = turn % stages
                    mbarrier_wait(~empty[s], (turn // stages + 1) % 2)
                    mbarrier_arrive_and_expect_tx(~full[s], 2 * piece_bytes)
                    copy_bulk_g2s(piece_bytes, ~tiles[s, rank * 32], ~x[turn, rank * 32], ~full[s], 3)
        else:
            t = threadIdx.x - 32
            for turn in range(turns):
                s = turn % stages
                mbarrier_wait(~full[s], turn // stages % 2)
                value += tiles[s, 63 - t]
                syncwarp()
                if t % 32 < 2:
                    mbarrier_arrive(~empty[s], t % 32)
        this_cluster.sync()
        for turn in range(turns):
            if threadIdx.x >= 32:
                result[threadIdx.x - 32] = value + turn
                fence_view_async_shared()
            syncthreads()
            if threadIdx.x == 32:
                copy_bulk_s2g(256, ~y[rank, turn, 0], result)
                copy_bulk_commit_group()
                copy_bulk_wait_group(0, read=True)
            syncthreads()
        if threadIdx.x == 32:
            copy_bulk_wait_group(0)


module = script_module.build()

x = torch.arange(turns * 64, dtype=torch.int32, device='cuda').reshape(turns, 64)
y = torch.zeros(2, turns, 64, dtype=torch.int32, device='cuda')
module(x, y)
rows = x.tolist()
sums = [sum(row[63 - t] for row in rows) for t in range(64)]
assert y.tolist() == [[[value + turn for value in sums] for turn in range(turns)]] * 2
