# SPDX-License-Identifier: Apache-2.0
"""The tiled matrix product once more, with two buffers: the next tile is on its way while this one is multiplied.

With one buffer a block waits twice for each tile: until the loads have arrived, and until nobody reads the old tile any
more. Here a block first asks for the elements of the next tile, then multiplies the current one from shared memory while
those loads travel, and only then writes what arrived into the other buffer. One barrier a tile is enough, since readers
and writers use different buffers between two barriers.

In frameworks where a schedule is a list of transformations, this reordering of statements around the loop body has to be
one of them. With task mappings the order is simply the order of the statements: the mappings say who does what, and the
program says when.
"""
import hidet
import torch
from hidet.lang import attrs, f32, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial

block_m, block_n, block_k = 32, 64, 8
threads = 128


def matmul_kernel(m, n, k):
    results = spatial(2, 2) * spatial(4, 8) * repeat(4, 4)
    load_a = repeat(2, 1) * spatial(16, 8)
    load_b = repeat(4, 1) * spatial(2, 64)
    tiles = (k + block_k - 1) // block_k

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + block_n - 1) // block_n, (m + block_m - 1) // block_m
            attrs.cuda.block_dim = threads

            # The first index chooses the buffer.
            smem_a = shared_tensor(f32, shape=[2, block_m, block_k])
            smem_b = shared_tensor(f32, shape=[2, block_k, block_n])
            # What is on its way: the layouts mirror load_a and load_b.
            regs_a = register_tensor(f32, layout=row_major(2, 1) * local_layout(16, 8))
            regs_b = register_tensor(f32, layout=row_major(4, 1) * local_layout(2, 64))
            regs_c = register_tensor(f32, layout=local_layout(2, 2) * local_layout(4, 8) * row_major(4, 4))
            row = blockIdx.y * block_m
            column = blockIdx.x * block_n

            for i, j in results.on(threadIdx.x):
                regs_c[i, j] = 0.0
            for i, p in load_a.on(threadIdx.x):
                smem_a[0, i, p] = a.read([row + i, p], protected=True)
            for p, j in load_b.on(threadIdx.x):
                smem_b[0, p, j] = b.read([p, column + j], protected=True)
            syncthreads()

            for tile in range(tiles):
                # 1. Ask for the next tile. Behind the last one protected reads give zeros, which nobody uses.
                start = (tile + 1) * block_k
                for i, p in load_a.on(threadIdx.x):
                    regs_a[i, p] = a.read([row + i, start + p], protected=True)
                for p, j in load_b.on(threadIdx.x):
                    regs_b[p, j] = b.read([start + p, column + j], protected=True)

                # 2. Multiply the current one.
                for p in range(block_k):
                    for i, j in results.on(threadIdx.x):
                        regs_c[i, j] += smem_a[tile % 2, i, p] * smem_b[tile % 2, p, j]

                # 3. Put what arrived into the buffer that nobody reads.
                for i, p in load_a.on(threadIdx.x):
                    smem_a[(tile + 1) % 2, i, p] = regs_a[i, p]
                for p, j in load_b.on(threadIdx.x):
                    smem_b[(tile + 1) % 2, p, j] = regs_b[p, j]
                syncthreads()

            for i, j in results.on(threadIdx.x):
                c.write([row + i, column + j], regs_c[i, j], protected=True)

    return script_module.build()


for m, n, k in [(64, 128, 64), (50, 70, 30)]:
    a = torch.randn(m, k, device='cuda')
    b = torch.randn(k, n, device='cuda')
    c = torch.empty(m, n, device='cuda')
    matmul_kernel(m, n, k)(a, b, c)
    torch.testing.assert_close(c, torch.matmul(a, b), atol=1e-4, rtol=1e-4)
    print(f'double-buffered matmul {m} x {n} x {k}: correct')
