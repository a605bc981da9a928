# SPDX-License-Identifier: Apache-2.0
"""Histogram over a cluster: more bins than the shared memory of a block has, so each of its blocks has a part of them.

histogram counts in shared memory, because atomics there are fast and disturb no other block. With many bins the counts fit no
more, or leave room for one block a multiprocessor only. The blocks of a cluster reach each other's shared memory: a value is
counted by whichever block reads it, in the block that has its bin, by an atomic on distributed shared memory.

Bins are dealt to blocks in turn, so that values close to each other do not all meet in one block. The cluster waits twice: for
all counts to be zero, and for all values to be counted. Then each block adds the counts that it has to the global ones.
"""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, this_cluster, threadIdx

cluster = 4
threads, per_thread = 128, 8
per_block = threads * per_thread


def histogram_module(length, bins):
    own_bins = (bins + cluster - 1) // cluster
    blocks = (length + per_block - 1) // per_block
    blocks = (blocks + cluster - 1) // cluster * cluster

    with hidet.script_module() as script_module:

        @hidet.script
        def histogram(values: i32[length], counts: i32[bins]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.cluster_dim = cluster
            attrs.cuda.block_dim = threads

            own = shared_tensor(i32, shape=[own_bins])
            for i in range(threadIdx.x, own_bins, threads):
                own[i] = 0
            this_cluster.sync()

            for step in range(per_thread):
                i = blockIdx.x * per_block + step * threads + threadIdx.x
                if i < length:
                    value = values[i]
                    place = this_cluster.map_shared_rank(~own[value // cluster], value % cluster, i32)
                    atomic_add(place, 1)
            this_cluster.sync()

            for i in range(threadIdx.x, own_bins, threads):
                value = i * cluster + this_cluster.block_rank
                if value < bins and own[i] > 0:
                    atomic_add(~counts[value], own[i])

    return script_module.build()


if __name__ == '__main__':
    length, bins = 9000, 1001
    values = torch.randint(0, bins, (length,), dtype=torch.int32, device='cuda')
    counts = torch.zeros(bins, dtype=torch.int32, device='cuda')
    histogram_module(length, bins)(values, counts)

    expected = [0] * bins
    for value in values.tolist():
        expected[value] += 1
    assert counts.tolist() == expected
    print(f'histogram over clusters: {length} values in {bins} bins, counted right')
