# SPDX-License-Identifier: Apache-2.0
"""Matrix product with a long sum: a small result, split over the blocks of a cluster.

A result of few tiles leaves most of a GPU idle, however long k is. So several blocks share a tile: each adds up its part of k,
and has a tile of partial sums. Adding those up by atomics in memory makes the result depend on the order of blocks, and a second
kernel costs a launch. The blocks of a cluster run at the same time and read each other's shared memory: each block puts its
partial sums there, waits for the others, and adds up its share of the rows, in the same order every time.

The second wait is as important as the first: a block that ends takes its shared memory with it.
"""
import hidet
import torch
from hidet.lang import attrs, f16, f32, grid, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    ldmatrix,
    mma_sync,
    syncthreads,
    this_cluster,
    threadIdx,
)
from hidet.lang.layout import row_major
from hidet.lang.mapping import repeat, spatial

tile, block_k = 64, 32  # of c and of the sum
piece = 8  # elements, 16 bytes
threads = 128  # 2 x 2 warps with 32 x 32 sums
config = MmaConfig.m16n8k16_f16_f32()
copy_a = repeat(2, 1) * spatial(32, 4)  # 64 rows of 4 pieces
copy_b = repeat(2, 1) * spatial(16, 8)  # 32 rows of 8 pieces


def matmul_module(m, n, k, split):
    """`split`: blocks of a cluster, 8 at most."""
    assert m % tile == 0 and n % tile == 0 and k % (split * block_k) == 0, 'the tiles must fill the matrices'
    assert split in (1, 2, 4, 8)
    steps = k // split // block_k

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f16[m, k], b: f16[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = split, n // tile, m // tile
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads

            # Pieces of a row change places from row to row, so that 8 rows of a matrix lie in different banks.
            pieces_a = row_major(tile, block_k // piece).swizzle(dim=1, log_step=1)
            pieces_b = row_major(block_k, tile // piece).swizzle(dim=1)
            smem_a = shared_tensor(f16, layout=row_major(2) + pieces_a + row_major(piece))
            smem_b = shared_tensor(f16, layout=row_major(2) + pieces_b + row_major(piece))
            partial = shared_tensor(f32, shape=[tile, tile + 8])  # longer rows, for the banks
            regs_a = register_tensor(f16, shape=[2, config.a_elements])
            regs_b = register_tensor(f16, shape=[4, config.b_elements])
            sums = register_tensor(f32, shape=[2, 4, config.c_elements])
            for x, y, i in grid(2, 4, config.c_elements, attrs='u'):
                sums[x, y, i] = 0.0

            rank = this_cluster.block_rank
            row = blockIdx.z * tile
            column = blockIdx.y * tile
            first = rank * steps * block_k
            lane = threadIdx.x % 32
            warp_row = threadIdx.x // 64 * 32
            warp_column = threadIdx.x // 32 % 2 * 32

            # A turn multiplies what the turn before copied.
            for turn in range(steps + 1):
                if turn < steps:
                    start = first + turn * block_k
                    for i, p in copy_a.on(threadIdx.x):
                        cp_async(~smem_a[turn % 2, i, p, 0], ~a[row + i, start + p * piece], cp_size=16)
                    for i, p in copy_b.on(threadIdx.x):
                        cp_async(~smem_b[turn % 2, i, p, 0], ~b[start + i, column + p * piece], cp_size=16)
                if turn > 0:
                    ready = (turn - 1) % 2
                    for step in grid(block_k // 16, attrs='u'):
                        for x in grid(2, attrs='u'):
                            words = view(~regs_a[x, 0], u32[4])
                            source = ~smem_a[ready, warp_row + x * 16 + lane % 16, step * 2 + lane // 16, 0]
                            ldmatrix([words[i] for i in range(4)], source)
                        for y in grid(2, attrs='u'):
                            words = view(~regs_b[y * 2, 0], u32[4])
                            source = ~smem_b[ready, step * 16 + lane % 16, warp_column // 8 + y * 2 + lane // 16, 0]
                            ldmatrix([words[i] for i in range(4)], source, trans=True)
                        for x, y in grid(2, 4, attrs='u'):
                            mma_sync(config, ~regs_a[x, 0], ~regs_b[y, 0], ~sums[x, y, 0])
                cp_async_commit_group()
                cp_async_wait_group(0)
                syncthreads()

            for x, y in grid(2, 4, attrs='u'):
                p = 0
                for i, j in config.c_store_map.on(lane):
                    partial[warp_row + x * 16 + i, warp_column + y * 8 + j] = sums[x, y, p]
                    p += 1
            this_cluster.sync()  # all parts are there
            for i in range(tile // split * tile // threads):
                element = i * threads + threadIdx.x
                r = rank * (tile // split) + element // tile
                j = element % tile
                total = f32(0.0)
                for other in grid(split, attrs='u'):
                    theirs = this_cluster.map_shared_rank(~partial[r, j], other, f32)
                    total += theirs[0]
                c[row + r, column + j] = total
            this_cluster.sync()  # nobody reads any more what a block takes with it

    return script_module.build()


if __name__ == '__main__':
    m, n, k = 64, 128, 1024
    for split in [1, 4, 8]:
        a = torch.randn(m, k, dtype=torch.float16, device='cuda')
        b = torch.randn(k, n, dtype=torch.float16, device='cuda')
        c = torch.empty(m, n, device='cuda')
        matmul_module(m, n, k, split)(a, b, c)
        torch.testing.assert_close(c, torch.matmul(a.float(), b.float()), atol=2e-3, rtol=1e-3)
        print(f'matmul {m} x {n} x {k}, the sum split into {split}: correct')
