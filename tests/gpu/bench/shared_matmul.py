# SPDX-License-Identifier: Apache-2.0
# against: cublas
"""The sample shared_matmul at large sizes: 4096 for the ratio to cuBLAS, and sizes that no tile divides, a prime among
them, to show that they cost no more an operation than a power of two."""
import torch
from kernels.shared_matmul import matmul_kernel

sizes = [4096, 2048, 2047, 2046, 2045, 2044, 2043, 2042, 2039]  # on the emulator: [256, 250, 251]


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
