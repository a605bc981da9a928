# SPDX-License-Identifier: Apache-2.0
"""The sample hopper_attention at the sizes of language models, with some rows checked."""
import math
import torch
from kernels.hopper_attention import attention_module

models = [
    (128, 4096, 128),
    (32, 16384, 128),
    (32, 2048, 128),
    (128, 4096, 64),
    (12, 384, 64),
    (12, 1536, 64),
]
shapes = models  # on the emulator: [(1, 200, 64)]


def check(heads, length, d, causal):
    q = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    k = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    o = torch.empty(heads, length, d, dtype=torch.float16, device='cuda')
    attention_module(heads, length, d, causal)(q, k, k, o)
    for head in (0, heads - 1):
        for row in (0, length // 2 + 1, length - 1):
            seen = row + 1 if causal else length
            scores = torch.matmul(q[head][row : row + 1].float(), k[head][:seen].float().T) / math.sqrt(d)
            expected = torch.matmul(torch.softmax(scores, dim=1), k[head][:seen].float())
            torch.testing.assert_close(o[head][row : row + 1].float(), expected, atol=3e-3, rtol=2e-2)


for heads, length, d in shapes:
    for causal in (False, True):
        check(heads, length, d, causal)
