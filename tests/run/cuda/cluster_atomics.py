# SPDX-License-Identifier: Apache-2.0
"""The lanes of a warp read, write and count in the shared memory of different blocks of a cluster at once."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, this_cluster, threadIdx

size = 4

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[size, 3, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = size
        attrs.cuda.cluster_dim = size
        attrs.cuda.block_dim = 32
        counts = shared_tensor(i32, shape=[32])
        given = shared_tensor(i32, shape=[size, 32])
        lane = threadIdx.x
        counts[lane] = 0
        this_cluster.sync()
        # Lane 0 counts in block 0, lane 1 in block 1, ...
        place = this_cluster.map_shared_rank(~counts[lane // size], lane % size, i32)
        before = atomic_add(place, lane + 1)
        theirs = this_cluster.map_shared_rank(~given[this_cluster.block_rank, 0], lane % size, i32)
        theirs[lane] = blockIdx.x * 100 + lane
        this_cluster.sync()
        out[blockIdx.x, 0, lane] = counts[lane]
        out[blockIdx.x, 1, lane] = place[0] - before
        from_next = this_cluster.map_shared_rank(~given[0, 0], (lane + 1) % size, i32)
        out[blockIdx.x, 2, lane] = from_next[lane % size * 32 + (lane + 1) % size]
        this_cluster.sync()


out = torch.zeros(size, 3, 32, dtype=torch.int32, device='cuda')
script_module.build()(out)
for block in range(size):
    counts, differences, given = out[block].tolist()
    assert counts[:8] == [size * (lane * size + block + 1) for lane in range(8)]
    for lane in range(32):
        assert 0 < differences[lane] <= size * (lane + 1) and differences[lane] % (lane + 1) == 0
        assert given[lane] == lane % size * 100 + (lane + 1) % size
