# SPDX-License-Identifier: Apache-2.0
"""A host function that launches kernels.

A public function named 'launch...' replaces the generated one. It runs on the host: calling a kernel from it launches that
kernel with the grid and block of the kernel's attributes, worked out from the arguments. The launches run one after the
other, so the second kernel sees what the first one wrote.
"""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx

threads = 64

with hidet.script_module() as script_module:

    @hidet.script
    def scale(x: ~f32, y: ~f32, factor: f32, n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + threads - 1) // threads
        attrs.cuda.block_dim = threads
        i = blockIdx.x * threads + threadIdx.x
        if i < n:
            y[i] = x[i] * factor

    @hidet.script
    def accumulate(x: ~f32, y: ~f32, n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + threads - 1) // threads
        attrs.cuda.block_dim = threads
        i = blockIdx.x * threads + threadIdx.x
        if i < n:
            y[i] += x[i]

    @hidet.script
    def launch(x: ~f32, z: ~f32, y: ~f32, factor: f32, n: i32):
        attrs.func_kind = 'public'
        scale(x, y, factor, n)
        accumulate(z, y, n)


module = script_module.build()

for n in [1, 64, 1000]:
    x = torch.randn(n, device='cuda')
    z = torch.randn(n, device='cuda')
    y = torch.empty(n, device='cuda')
    module(x, z, y, 2.5, n)
    torch.testing.assert_close(y, x * 2.5 + z)
print('host launch: two kernels a call, three calls, all correct')
