# SPDX-License-Identifier: Apache-2.0
# against: cublas
"""The sample multistage_matmul at large sizes, for the ratio to cuBLAS."""
import torch
from kernels.multistage_matmul import matmul_module

sizes = [4096, 8192]  # on the emulator: [256]


def check(m, n, k):
    """Multiplies once. All of the product is checked, against a vector: c @ v is a @ (b @ v)."""
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, dtype=torch.float16, device='cuda')
    matmul_module(m, n, k)(a, b, c)
    v = torch.randn(n, 1, device='cuda')
    torch.testing.assert_close(c.float() @ v, a.float() @ (b.float() @ v), atol=32.0, rtol=1e-2)
    torch.testing.assert_close(c[:2].float(), a[:2].float() @ b.float(), atol=0.25, rtol=1e-2)


for size in sizes:
    check(size, size, size)
