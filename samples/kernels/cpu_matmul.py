# SPDX-License-Identifier: Apache-2.0
"""Matrix product on the CPU: the same task mappings, with cores and vector registers in the place of blocks and threads.

A worker of the outer mapping is one part of a parallel loop: it owns some rows of the result, and goes through them in tiles
of 8 x 32. The order of its tiles is part of the mapping: col_repeat takes all tiles of a column strip before the next strip,
so that a strip of b (32 columns, packed one behind the other) is read from the core's own cache again and again.

Inside a tile, the 8 rows are unrolled ('u') and the 32 columns are left to the compiler ('.'), which makes vector
instructions of them: the 256 sums stay in vector registers while p runs over the whole of k.
"""
import hidet
import torch
from hidet.ir.primitives.math import fma
from hidet.lang import attrs, f32, grid, register_tensor, tensor
from hidet.lang.mapping import col_repeat, repeat, spatial

tile_m, tile_n = 8, 32
rows_each = 4  # tiles of rows that a worker owns


def matmul_kernel(m, n, k):
    strips = (n + tile_n - 1) // tile_n
    workers = (m + tile_m * rows_each - 1) // (tile_m * rows_each)
    tiles = spatial(workers, 1) * col_repeat(rows_each, strips)
    tile = repeat(tile_m, tile_n, attrs='u.')

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cpu_kernel'

            # A strip of b lies in one piece: the next element is always the next address.
            packed = tensor(f32, shape=[strips, k, tile_n])
            for strip in grid(strips, attrs='p'):
                for p in range(k):
                    for j in grid(tile_n):
                        packed[strip, p, j] = b.read([p, strip * tile_n + j], protected=True)

            for worker in grid(workers, attrs='p'):
                for row, strip in tiles.on(worker):
                    sums = register_tensor(f32, shape=[tile_m, tile_n])
                    for i, j in tile.on(0):
                        sums[i, j] = 0.0
                    if row * tile_m + tile_m <= m:
                        for p in range(k):
                            for i, j in tile.on(0):
                                sums[i, j] = fma(a[row * tile_m + i, p], packed[strip, p, j], sums[i, j])
                    else:  # the last rows: some of the tile lie outside of a
                        for p in range(k):
                            for i, j in tile.on(0):
                                x = a.read([row * tile_m + i, p], protected=True)
                                sums[i, j] = fma(x, packed[strip, p, j], sums[i, j])
                    for i, j in tile.on(0):
                        c.write([row * tile_m + i, strip * tile_n + j], sums[i, j], protected=True)

    return script_module.build()


for m, n, k in [(64, 96, 80), (50, 70, 30)]:
    a = torch.randn(m, k)
    b = torch.randn(k, n)
    c = torch.empty(m, n)
    matmul_kernel(m, n, k)(a, b, c)
    torch.testing.assert_close(c, torch.matmul(a, b), atol=1e-4, rtol=1e-4)
    print(f'matmul on the CPU {m} x {n} x {k}: correct')
