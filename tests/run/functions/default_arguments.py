# SPDX-License-Identifier: Apache-2.0
"""Functions whose last arguments a call may leave out; numbers of the host, converted to the parameters' types."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

offset = 10

with hidet.script_module() as script_module:

    @hidet.script
    def scaled(x: f32, by: f32 = 2, more: i32 = offset + 1) -> f32:
        return x * by + more

    @hidet.script
    def all_given(x: i32 = -3) -> i32:
        return x * x

    @hidet.script
    def kernel(out: f32[32, 5]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        out[t, 0] = scaled(f32(t))
        out[t, 1] = scaled(f32(t), 0.5)
        out[t, 2] = scaled(f32(t), 3.0, t)
        out[t, 3] = all_given()
        out[t, 4] = all_given(t)


offset = 1000
out = torch.zeros(32, 5, device='cuda')
script_module.build()(out)
for t in range(32):
    assert out[t].tolist() == [t * 2 + 11, t * 0.5 + 11, t * 4, 9, t * t], f'{t}: {out[t].tolist()}'
