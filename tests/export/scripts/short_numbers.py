# SPDX-License-Identifier: Apache-2.0
"""Numbers of 16 bits as parameters and results, for a GPU and for the CPU."""
import hidet
import torch
from hidet.lang import attrs, bf16, f16, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def line(x: f32[32], y: f32[32], slope: f16, offset: bf16):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        y[threadIdx.x] = x[threadIdx.x] * f32(slope) + f32(offset)

    @hidet.script
    def launch(x: f32[32], y: f32[32], slope: f16, offset: bf16):
        attrs.func_kind = 'public'
        line(x, y, slope, offset)

    @hidet.script
    def nearest(x: f16) -> f16:
        attrs.func_kind = 'public'
        return x

    @hidet.script
    def coarsest(x: bf16) -> bf16:
        attrs.func_kind = 'public'
        return x


module = script_module.build()
x = torch.randn(32, device='cuda')
y = torch.empty(32, device='cuda')
module(x, y, 1.2001, -3.3)
torch.testing.assert_close(y, x * 1.2001 - 3.3, atol=1e-1, rtol=1e-2)
assert module['nearest'](0.1) == 0.0999755859375
assert module['coarsest'](-0.1) == -0.10009765625
