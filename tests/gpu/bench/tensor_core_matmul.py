# SPDX-License-Identifier: Apache-2.0
# against: cublas
"""The sample tensor_core_matmul at a large size: f16 with sums in f32, for the ratio to cuBLAS."""
import torch
from kernels.tensor_core_matmul import matmul_kernel

sizes = [4096]  # on the emulator: [256, 384]


def check(m, n, k):
    """Multiplies once. All of the product is checked, against a vector: c @ v is a @ (b @ v)."""
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, device='cuda')
    matmul_kernel(m, n, k)(a, b, c)
    v = torch.randn(n, 1, device='cuda')
    torch.testing.assert_close(c @ v, a.float() @ (b.float() @ v), atol=1.0, rtol=1e-3)
    torch.testing.assert_close(c[:2], a[:2].float() @ b.float(), atol=2e-2, rtol=1e-3)


for size in sizes:
    check(size, size, size)
