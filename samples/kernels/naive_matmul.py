# SPDX-License-Identifier: Apache-2.0
"""Matrix product, the simple way: a thread for each element of the result.

Everything outside of the script function is ordinary Python that runs while the kernel is compiled: m, n and k are
constants of the kernel, and a kernel for other sizes is one more call of matmul_kernel.
"""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx


def matmul_kernel(m, n, k):
    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + 15) // 16, (m + 15) // 16
            attrs.cuda.block_dim = 16, 16

            # Threads with neighbouring threadIdx.x share a warp. They take neighbouring columns, so that the warp reads
            # and writes whole lines of memory.
            i = blockIdx.y * 16 + threadIdx.y
            j = blockIdx.x * 16 + threadIdx.x
            if i < m and j < n:
                total = f32(0.0)
                for p in range(k):
                    total += a[i, p] * b[p, j]
                c[i, j] = total

    return script_module.build()


m, n, k = 100, 120, 80
a = torch.randn(m, k, device='cuda')
b = torch.randn(k, n, device='cuda')
c = torch.empty(m, n, device='cuda')

matmul = matmul_kernel(m, n, k)
matmul(a, b, c)

expected = torch.matmul(a, b)
torch.testing.assert_close(c, expected, atol=1e-4, rtol=1e-4)
error = (c - expected).abs().max().item()
print(f'naive matmul {m} x {n} x {k}: correct, largest error {error:.1e}')
