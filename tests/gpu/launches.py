# SPDX-License-Identifier: Apache-2.0
"""A kernel that does next to nothing, launched by a host function again and again; the runner sets the count."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

count = 1

with hidet.script_module() as script_module:

    @hidet.script
    def add(a: f32[32], b: f32[32], c: f32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]

    @hidet.script
    def launch(a: f32[32], b: f32[32], c: f32[32], times: i32):
        attrs.func_kind = 'public'
        for i in range(times):
            add(a, b, c)


a = torch.randn(32, device='cuda')
b = torch.randn(32, device='cuda')
c = torch.empty(32, device='cuda')
script_module.build()(a, b, c, count)
torch.testing.assert_close(c, a + b)
