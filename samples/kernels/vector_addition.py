# SPDX-License-Identifier: Apache-2.0
"""The first kernel: a thread for each element.

The attributes say how many blocks are launched, and of how many threads. The length is no multiple of the block, so the
last block has threads without an element: the 'if' sends them home. Take it away and run 'emulate': it names the thread,
the index and the line.
"""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

length = 1000
threads = 128

with hidet.script_module() as script_module:

    @hidet.script
    def vector_add(a: f32[length], b: f32[length], c: f32[length]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (length + threads - 1) // threads
        attrs.cuda.block_dim = threads

        i = blockIdx.x * threads + threadIdx.x
        if i < length:
            c[i] = a[i] + b[i]


# A module with one kernel gets a launch function with the kernel's parameters.
module = script_module.build()

a = torch.randn(length, device='cuda')
b = torch.randn(length, device='cuda')
c = torch.empty(length, device='cuda')
module(a, b, c)

torch.testing.assert_close(c, a + b)
print(f'vector addition: {length} sums are correct')
