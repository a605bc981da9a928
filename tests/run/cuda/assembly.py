# SPDX-License-Identifier: Apache-2.0
"""Functions of numbers as single instructions of PTX, which are less exact and faster than those of CUDA."""
import hidet
import math
import torch
from hidet.lang import asm, attrs, f32
from hidet.lang.cuda import threadIdx

functions = {
    'ex2.approx.ftz.f32': lambda x: 2.0**x,
    'lg2.approx.ftz.f32': lambda x: math.log(x) / math.log(2.0),
    'rcp.approx.ftz.f32': lambda x: 1.0 / x,
    'sqrt.approx.f32': lambda x: math.sqrt(x),
    'rsqrt.approx.f32': lambda x: 1.0 / math.sqrt(x),
    'sin.approx.f32': lambda x: math.sin(x),
    'cos.approx.f32': lambda x: math.cos(x),
    'tanh.approx.f32': lambda x: math.tanh(x),
    'neg.f32': lambda x: -x,
    'abs.f32': lambda x: abs(x),
}


def check(instruction, function):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[32], y: f32[32]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            out = f32(0.0)
            asm(f'{instruction} %0, %1;', outputs=[out], inputs=[x[threadIdx.x]])
            y[threadIdx.x] = out

    x = torch.asarray([(i + 1) / 16 for i in range(32)], dtype=torch.float32).cuda()
    y = torch.empty(32, device='cuda')
    script_module.build()(x, y)
    expected = torch.asarray([function(value) for value in x.tolist()], dtype=torch.float32)
    torch.testing.assert_close(y.cpu(), expected, atol=1e-3, rtol=1e-3)


for instruction, function in functions.items():
    check(instruction, function)
