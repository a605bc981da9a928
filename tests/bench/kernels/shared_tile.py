# SPDX-License-Identifier: Apache-2.0
# Matrix product with 16x16 tiles in shared memory, one output a thread: the textbook kernel. 2 * m * n * k operations.
import hidet
import torch
from hidet.lang import attrs, shared_tensor
from hidet.lang.types import f32
from hidet.lang.cuda import threadIdx, blockIdx, syncthreads

m_size, n_size, k_size = 256, 256, 256
tile = 16

with hidet.script_module() as script_module:

    @hidet.script
    def shared_tile(a: f32[m_size, k_size], b: f32[k_size, n_size], c: f32[m_size, n_size]):
        attrs.cuda.grid_dim = n_size // tile, m_size // tile
        attrs.cuda.block_dim = tile, tile
        smem_a = shared_tensor(f32, shape=[tile, tile])
        smem_b = shared_tensor(f32, shape=[tile, tile])
        i = blockIdx.y * tile + threadIdx.y
        j = blockIdx.x * tile + threadIdx.x
        acc = f32(0.0)
        for k_tile in range(k_size // tile):
            smem_a[threadIdx.y, threadIdx.x] = a[i, k_tile * tile + threadIdx.x]
            smem_b[threadIdx.y, threadIdx.x] = b[k_tile * tile + threadIdx.y, j]
            syncthreads()
            for k in range(tile):
                acc += smem_a[threadIdx.y, k] * smem_b[k, threadIdx.x]
            syncthreads()
        c[i, j] = acc


module = script_module.build()
a = torch.randn(m_size, k_size, device='cuda')
b = torch.randn(k_size, n_size, device='cuda')
c = torch.empty(m_size, n_size, device='cuda')
module(a, b, c)
torch.testing.assert_close(c, a @ b, atol=1e-3, rtol=1e-3)
