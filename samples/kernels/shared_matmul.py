# SPDX-License-Identifier: Apache-2.0
"""Matrix product with tiles in shared memory, and task mappings that say who does what.

A task mapping sends a worker (a thread) to the tasks it does. spatial(4, 8) has 32 workers, one for each cell of a 4 x 8
grid; repeat(4, 4) has one worker, which does all 16 cells in turn. 'outer * inner', or a chain of calls, puts a copy of
the inner mapping into each cell of the outer one. So the mapping of the results reads, from the outside in:

    spatial(4, 2)                   8 warps, in a 4 x 2 grid
    repeat(2, 2)                    each warp does its part four times (try repeat(1, 2): the tile shrinks)
    spatial(2, 4) * spatial(2, 2)   32 threads of a warp, four neighbours in a square
    repeat(4, 4)                    each thread holds 4 x 4 neighbours in registers, so it has 8 x 8 results in all

A register tensor takes a layout that mirrors it: where the mapping says spatial, the data is spread over threads and the
layout says local (no storage of its own); where it says repeat, the thread holds all of it and the layout says row_major.
Then regs_c[i, j] means element (i, j) of the tile, and lands in the right register of the right thread.

The numbers make it fast, at any size. For each p a thread reads 8 + 8 elements and adds 64 products; it reads four
neighbours at once, and its warp wants few enough different words that no bank of shared memory has two to give at a time.
The tile of a lies transposed, so that the four are neighbours there too. Its rows are padded by 4: the threads that write
one column then write to different banks. At the edges protected reads and writes switch single elements off, so a size
like 2039 costs what 2048 costs.
"""
import hidet
import torch
from hidet.lang import attrs, f32, grid, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial

block_m, block_n, block_k = 128, 128, 16
threads = 256


def matmul_kernel(m, n, k):
    results = spatial(4, 2) * repeat(2, 2) * spatial(2, 4) * spatial(2, 2) * repeat(4, 4)
    load_a = repeat(8, 1) * spatial(16, 16)  # 128 x 16
    load_b = repeat(8, 1) * spatial(2, 128)  # 16 x 128

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + block_n - 1) // block_n, (m + block_m - 1) // block_m
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 2  # of a multiprocessor: one multiplies while the other one loads

            smem_a = shared_tensor(f32, shape=[block_k, block_m + 4])
            smem_b = shared_tensor(f32, shape=[block_k, block_n])
            regs_c = register_tensor(
                f32, layout=local_layout(4, 2) * row_major(2, 2) * local_layout(4, 8) * row_major(4, 4)
            )
            row = blockIdx.y * block_m
            column = blockIdx.x * block_n

            for i, j in results.on(threadIdx.x):
                regs_c[i, j] = 0.0

            for tile in range((k + block_k - 1) // block_k):
                # A protected read gives 0 outside of the matrix, which adds nothing to the sums.
                for i, p in load_a.on(threadIdx.x):
                    smem_a[p, i] = a.read([row + i, tile * block_k + p], protected=True)
                for p, j in load_b.on(threadIdx.x):
                    smem_b[p, j] = b.read([tile * block_k + p, column + j], protected=True)
                syncthreads()  # both tiles are complete

                for p in grid(block_k, attrs='u'):
                    for i, j in results.on(threadIdx.x):
                        regs_c[i, j] += smem_a[p, i] * smem_b[p, j]
                syncthreads()  # nobody reads them any more

            for i, j in results.on(threadIdx.x):
                c.write([row + i, column + j], regs_c[i, j], protected=True)

    return script_module.build()


if __name__ == '__main__':
    for m, n, k in [(128, 256, 64), (150, 130, 30)]:
        a = torch.randn(m, k, device='cuda')
        b = torch.randn(k, n, device='cuda')
        c = torch.empty(m, n, device='cuda')
        matmul_kernel(m, n, k)(a, b, c)
        torch.testing.assert_close(c, torch.matmul(a, b), atol=1e-4, rtol=1e-4)
        print(f'shared-memory matmul {m} x {n} x {k}: correct')
