# SPDX-License-Identifier: Apache-2.0
# Matrix product with 8x8 outputs a thread in registers, 128x128 a block, written with task mappings: 2 * m * n * k operations.
import hidet
import torch
from hidet.lang import attrs, register_tensor, shared_tensor
from hidet.lang.types import f32
from hidet.lang.cuda import threadIdx, blockIdx, syncthreads
from hidet.lang.mapping import auto_map, spatial
from hidet.lang.layout import local_layout, row_major

m_size, n_size, k_size = 512, 512, 512
block_m, block_n, block_k = 128, 128, 8
threads = 256

with hidet.script_module() as script_module:

    @hidet.script
    def register_tile(a: f32[m_size, k_size], b: f32[k_size, n_size], c: f32[m_size, n_size]):
        attrs.cuda.grid_dim = n_size // block_n, m_size // block_m
        attrs.cuda.block_dim = threads
        smem_a = shared_tensor(f32, shape=[block_m, block_k])
        smem_b = shared_tensor(f32, shape=[block_k, block_n])
        regs_c = register_tensor(f32, layout=local_layout(16, 16) * row_major(8, 8))
        outputs = spatial(16, 16).repeat(8, 8)

        for i, j in outputs.on(threadIdx.x):
            regs_c[i, j] = 0.0
        for k_tile in range(k_size // block_k):
            for i, k in auto_map(block_m, block_k, workers=threads).on(threadIdx.x):
                smem_a[i, k] = a[blockIdx.y * block_m + i, k_tile * block_k + k]
            for k, j in auto_map(block_k, block_n, workers=threads).on(threadIdx.x):
                smem_b[k, j] = b[k_tile * block_k + k, blockIdx.x * block_n + j]
            syncthreads()
            for k in range(block_k):
                for i, j in outputs.on(threadIdx.x):
                    regs_c[i, j] += smem_a[i, k] * smem_b[k, j]
            syncthreads()
        for i, j in outputs.on(threadIdx.x):
            c[blockIdx.y * block_m + i, blockIdx.x * block_n + j] = regs_c[i, j]


module = script_module.build()
a = torch.randn(m_size, k_size, device='cuda')
b = torch.randn(k_size, n_size, device='cuda')
c = torch.empty(m_size, n_size, device='cuda')
module(a, b, c)
torch.testing.assert_close(c, a @ b, atol=1e-3, rtol=1e-3)
