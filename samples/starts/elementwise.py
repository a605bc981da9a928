# SPDX-License-Identifier: Apache-2.0
"""Elementwise: a thread for each element. Change the kernel and `expected` together, and F5 says whether they agree."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

n = 1000
threads = 256


def expected(x, y):
    return 2.0 * x + y


with hidet.script_module() as script_module:

    @hidet.script
    def elementwise(x: f32[n], y: f32[n], out: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = threads
        attrs.cuda.grid_dim = (n + threads - 1) // threads

        i = blockIdx.x * threads + threadIdx.x
        if i < n:
            out[i] = 2.0 * x[i] + y[i]


module = script_module.build()

x = torch.randn(n, device='cuda')
y = torch.randn(n, device='cuda')
out = torch.empty(n, device='cuda')
module(x, y, out)
torch.testing.assert_close(out, expected(x, y))
print(f'{n} elements: correct')
