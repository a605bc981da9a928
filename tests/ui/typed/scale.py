# SPDX-License-Identifier: GPL-3.0-only
import hidet, torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

factor = 2.5

with hidet.script_module() as script_module:

    @hidet.script
    def scale(x: f32[64], y: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim, attrs.cuda.block_dim = 1, 64
        y[threadIdx.x] = x[threadIdx.x] * factor

x = torch.randn(64, device='cuda')
y = torch.empty(64, device='cuda')
script_module.build()(x, y)
torch.testing.assert_close(y, x * factor)
