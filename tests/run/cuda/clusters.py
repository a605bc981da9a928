# SPDX-License-Identifier: Apache-2.0
"""Ranks of blocks and threads in clusters of one and two dimensions."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockDim, blockIdx, gridDim, this_cluster, threadIdx


def launch(grid, cluster, block):
    gx, gy = grid
    bx, by = block
    blocks, threads = gx * gy, bx * by
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(ranks: i32[blocks, threads], firsts: i32[blocks], sizes: i32[2]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = grid
            attrs.cuda.cluster_dim = cluster
            attrs.cuda.block_dim = block
            b = blockIdx.y * gridDim.x + blockIdx.x
            t = threadIdx.y * blockDim.x + threadIdx.x
            ranks[b, t] = this_cluster.thread_rank
            if t == 0:
                firsts[b] = this_cluster.block_rank
            if b == 0 and t == 0:
                sizes[0] = this_cluster.dim_blocks
                sizes[1] = this_cluster.dim_threads

    ranks = torch.full((blocks, threads), -1, dtype=torch.int32, device='cuda')
    firsts = torch.full((blocks,), -1, dtype=torch.int32, device='cuda')
    sizes = torch.zeros(2, dtype=torch.int32, device='cuda')
    script_module.build()(ranks, firsts, sizes)
    cx, cy = cluster
    assert sizes.tolist() == [cx * cy, cx * cy * threads]
    for y in range(gy):
        for x in range(gx):
            rank = y % cy * cx + x % cx
            assert firsts[y * gx + x].item() == rank
            assert ranks[y * gx + x].tolist() == [rank * threads + t for t in range(threads)]


launch((4, 1), (2, 1), (32, 1))
launch((4, 4), (2, 2), (8, 3))
launch((3, 2), (1, 1), (40, 1))
