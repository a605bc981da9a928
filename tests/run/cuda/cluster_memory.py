# SPDX-License-Identifier: Apache-2.0
"""Blocks of a cluster wait for each other, and read and write each other's shared memory."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u64
from hidet.lang.cuda import blockIdx, syncthreads, this_cluster, threadIdx
from hidet.ir.primitives.cuda import fence_barrier_init, mbarrier_arrive, mbarrier_init, mbarrier_wait

size = 4

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[2 * size, 32], counts: i32[2 * size]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2 * size
        attrs.cuda.cluster_dim = size
        attrs.cuda.block_dim = 32
        mine = shared_tensor(i32, shape=[32])
        arrived = shared_tensor(u64, shape=[1])
        rank = this_cluster.block_rank
        if threadIdx.x == 0:
            mbarrier_init(arrived, size)
            fence_barrier_init()
        mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x
        this_cluster.sync()
        neighbour = this_cluster.map_shared_rank(~mine[0], (rank + 1) % size, i32)
        out[blockIdx.x, threadIdx.x] = neighbour[31 - threadIdx.x]
        this_cluster.sync()
        neighbour[threadIdx.x] = blockIdx.x
        if threadIdx.x == 0:
            for r in range(size):
                mbarrier_arrive(arrived, r)
        mbarrier_wait(arrived, 0)
        this_cluster.sync()
        if threadIdx.x == 0:
            counts[blockIdx.x] = mine[5]


out = torch.zeros(2 * size, 32, dtype=torch.int32, device='cuda')
counts = torch.zeros(2 * size, dtype=torch.int32, device='cuda')
script_module.build()(out, counts)
for block in range(2 * size):
    first = block // size * size
    after = first + (block - first + 1) % size
    before = first + (block - first + size - 1) % size
    assert out[block].tolist() == [after * 1000 + 31 - lane for lane in range(32)]
    assert counts[block].item() == before
