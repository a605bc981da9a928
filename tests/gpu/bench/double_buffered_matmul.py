# SPDX-License-Identifier: Apache-2.0
# against: cublas
"""The sample double_buffered_matmul at a large size, for the ratio to cuBLAS, and at a prime."""
import torch
from kernels.double_buffered_matmul import matmul_kernel

sizes = [4096, 2048, 2039]  # on the emulator: [256, 251]


def check(m, n, k):
    """Multiplies once. All of the product is checked, against a vector: c @ v is a @ (b @ v)."""
    a = torch.randn(m, k, device='cuda')
    b = torch.randn(k, n, device='cuda')
    c = torch.empty(m, n, device='cuda')
    matmul_kernel(m, n, k)(a, b, c)
    v = torch.randn(n, 1, device='cuda')
    torch.testing.assert_close(c @ v, a @ (b @ v), atol=0.5, rtol=1e-3)
    torch.testing.assert_close(c[:2], a[:2] @ b, atol=1e-2, rtol=1e-3)


for size in sizes:
    check(size, size, size)
