# SPDX-License-Identifier: Apache-2.0
# against: cublas
"""The sample few_rows_matmul at the sizes of language models that decode, for the ratio to cuBLAS."""
import torch
from kernels.few_rows_matmul import matmul_module

decoding = [
    (1, 4096, 4096),
    (8, 4096, 4096),
    (16, 4096, 4096),
    (32, 4096, 4096),
    (64, 4096, 4096),
    (16, 6144, 4096),
    (16, 4096, 11008),
    (16, 11008, 4096),
    (1, 11008, 4096),
    (8, 768, 768),
    (1, 3072, 768),
]
shapes = decoding  # on the emulator: [(16, 256, 768)]


def check(m, n, k):
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, dtype=torch.float16, device='cuda')
    matmul_module(m, n, k)(a, b, c)
    v = torch.randn(n, 1, device='cuda')
    torch.testing.assert_close(c.float() @ v, a.float() @ (b.float() @ v), atol=32.0, rtol=1e-2)


for m, n, k in shapes:
    check(m, n, k)
