# SPDX-License-Identifier: Apache-2.0
"""The tiled matrix product once more, with two buffers: the next tile is on its way while this one is multiplied.

With one buffer a block waits twice for each tile: until the loads have arrived, and until nobody reads the old tile any
more. Here a block first asks for the elements of the next tile, then multiplies the current one from shared memory while
those loads travel, and only then writes what arrived into the other buffer. One barrier a tile is enough, since readers
and writers use different buffers between two barriers.

The tiles, mappings and layouts are those of shared_matmul.py.

In frameworks where a schedule is a list of transformations, this reordering of statements around the loop body has to be
one of them. With task mappings the order is simply the order of the statements: the mappings say who does what, and the
program says when.
"""
import hidet
import torch
from hidet.lang import attrs, f32, grid, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial

block_m, block_n, block_k = 128, 128, 8
threads = 256


def matmul_kernel(m, n, k):
    results = spatial(4, 2) * repeat(2, 2) * spatial(2, 4) * spatial(2, 2) * repeat(4, 4)
    load_a = repeat(4, 1) * spatial(32, 8)
    load_b = repeat(4, 1) * spatial(2, 128)
    tiles = (k + block_k - 1) // block_k

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + block_n - 1) // block_n, (m + block_m - 1) // block_m
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 2

            # The first index chooses the buffer.
            smem_a = shared_tensor(f32, shape=[2, block_k, block_m + 4])
            smem_b = shared_tensor(f32, shape=[2, block_k, block_n])
            # What is on its way: the layouts mirror load_a and load_b.
            regs_a = register_tensor(f32, layout=row_major(4, 1) * local_layout(32, 8))
            regs_b = register_tensor(f32, layout=row_major(4, 1) * local_layout(2, 128))
            regs_c = register_tensor(
                f32, layout=local_layout(4, 2) * row_major(2, 2) * local_layout(4, 8) * row_major(4, 4)
            )
            row = blockIdx.y * block_m
            column = blockIdx.x * block_n

            for i, j in results.on(threadIdx.x):
                regs_c[i, j] = 0.0
            for i, p in load_a.on(threadIdx.x):
                smem_a[0, p, i] = a.read([row + i, p], protected=True)
            for p, j in load_b.on(threadIdx.x):
                smem_b[0, p, j] = b.read([p, column + j], protected=True)
            syncthreads()

            for tile in range(tiles):
                current = tile % 2
                # 1. Ask for the next tile. Behind the last one protected reads give zeros, which nobody uses.
                start = (tile + 1) * block_k
                for i, p in load_a.on(threadIdx.x):
                    regs_a[i, p] = a.read([row + i, start + p], protected=True)
                for p, j in load_b.on(threadIdx.x):
                    regs_b[p, j] = b.read([start + p, column + j], protected=True)

                # 2. Multiply the current one.
                for p in grid(block_k, attrs='u'):
                    for i, j in results.on(threadIdx.x):
                        regs_c[i, j] += smem_a[current, p, i] * smem_b[current, p, j]

                # 3. Put what arrived into the buffer that nobody reads.
                for i, p in load_a.on(threadIdx.x):
                    smem_a[1 - current, p, i] = regs_a[i, p]
                for p, j in load_b.on(threadIdx.x):
                    smem_b[1 - current, p, j] = regs_b[p, j]
                syncthreads()

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
        print(f'double-buffered matmul {m} x {n} x {k}: correct')
