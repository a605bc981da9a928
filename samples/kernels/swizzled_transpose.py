# SPDX-License-Identifier: Apache-2.0
"""Transpose through a swizzled tile in shared memory.

Memory likes it when a warp reads, and writes, neighbouring elements of a row. So a block reads a tile by rows and writes
it by rows of the transposed matrix, which are columns of the tile. Shared memory has 32 banks of 4 bytes, and in a plain
32 x 32 tile a column lies in one bank: 32 lanes would queue for it.

swizzle(dim=1) changes where an element is stored, not how it is named: column j of row i goes to slot j xor i of that row.
Rows are still free of conflicts, columns now are too, and no storage is spent on padding.
"""
import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.layout import row_major
from hidet.lang.mapping import repeat, spatial

m, n = 96, 80
tile = 32

with hidet.script_module() as script_module:

    @hidet.script
    def transpose(x: f32[m, n], y: f32[n, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + tile - 1) // tile, (m + tile - 1) // tile
        attrs.cuda.block_dim = 256

        smem = shared_tensor(f32, layout=row_major(tile, tile).swizzle(1))
        row = blockIdx.y * tile
        column = blockIdx.x * tile

        # 256 threads are 8 rows of 32; four times that is a tile.
        for i, j in (repeat(4, 1) * spatial(8, 32)).on(threadIdx.x):
            smem[i, j] = x.read([row + i, column + j], protected=True)
        syncthreads()
        for i, j in (repeat(4, 1) * spatial(8, 32)).on(threadIdx.x):
            y.write([column + i, row + j], smem[j, i], protected=True)


module = script_module.build()

x = torch.randn(m, n, device='cuda')
y = torch.empty(n, m, device='cuda')
module(x, y)
torch.testing.assert_close(y, x.t())
print(f'swizzled transpose {m} x {n}: correct')
