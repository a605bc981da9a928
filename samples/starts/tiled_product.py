# SPDX-License-Identifier: Apache-2.0
"""Tiled product: a block for each tile, in shared memory."""
import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

m, n, k = 100, 120, 80
tile = 16


def expected(a, b):
    return torch.matmul(a, b)


with hidet.script_module() as script_module:

    @hidet.script
    def product(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = tile, tile
        attrs.cuda.grid_dim = (n + tile - 1) // tile, (m + tile - 1) // tile

        tile_a = shared_tensor(f32, shape=[tile, tile])
        tile_b = shared_tensor(f32, shape=[tile, tile])
        i = blockIdx.y * tile + threadIdx.y
        j = blockIdx.x * tile + threadIdx.x
        total = f32(0.0)
        for step in range((k + tile - 1) // tile):
            p = step * tile + threadIdx.x
            q = step * tile + threadIdx.y
            tile_a[threadIdx.y, threadIdx.x] = a[i, p] if i < m and p < k else f32(0.0)
            tile_b[threadIdx.y, threadIdx.x] = b[q, j] if q < k and j < n else f32(0.0)
            syncthreads()
            for inner in range(tile):
                total += tile_a[threadIdx.y, inner] * tile_b[inner, threadIdx.x]
            syncthreads()
        if i < m and j < n:
            c[i, j] = total


module = script_module.build()

a = torch.randn(m, k, device='cuda')
b = torch.randn(k, n, device='cuda')
c = torch.empty(m, n, device='cuda')
module(a, b, c)
torch.testing.assert_close(c, expected(a, b), atol=1e-4, rtol=1e-4)
print(f'product {m} x {n} x {k}: correct')
