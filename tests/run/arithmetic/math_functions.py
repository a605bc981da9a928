# SPDX-License-Identifier: Apache-2.0
"""Math functions in kernels, against Python's."""
import math

import hidet
import torch
from hidet.ir import primitives as prim
from hidet.lang import attrs, f32, f64
from hidet.lang.cuda import threadIdx

functions = [
    (prim.sin, math.sin), (prim.cos, math.cos), (prim.tan, math.tan), (prim.tanh, math.tanh), (prim.exp, math.exp),
    (prim.sqrt, math.sqrt), (prim.log, math.log), (prim.log2, math.log2), (prim.ceil, math.ceil), (prim.floor, math.floor),
    (prim.abs, abs), (prim.erf, math.erf), (prim.atan, math.atan), (prim.trunc, math.trunc), (prim.expm1, math.expm1),
    (prim.rsqrt, lambda x: 1.0 / math.sqrt(x)), (prim.sinh, math.sinh), (prim.asinh, math.asinh), (prim.log1p, math.log1p),
]
values = [0.125, 0.5, 1.0, 1.75, 2.5, 3.999, 10.0]
n = len(values)

for dtype, tensor_dtype, tolerance in [(f32, torch.float32, 2e-6), (f64, torch.float64, 1e-14)]:
    for primitive, reference in functions:
        with hidet.script_module() as script_module:

            @hidet.script
            def kernel(x: dtype[n], y: dtype[n]):
                attrs.func_kind = 'cuda_kernel'
                attrs.cuda.grid_dim = 1
                attrs.cuda.block_dim = n
                y[threadIdx.x] = primitive(x[threadIdx.x])

        x = torch.tensor(values, dtype=tensor_dtype, device='cuda')
        y = torch.zeros(n, dtype=tensor_dtype, device='cuda')
        script_module.build()(x, y)
        for given, got in zip(x.tolist(), y.tolist()):
            want = reference(given)
            assert abs(got - want) <= tolerance * max(1.0, abs(want)), f'{reference}({given}) is {want}, not {got}'

# Names of Python's math module work inside kernels too, and two-argument functions.
with hidet.script_module() as script_module:

    @hidet.script
    def mixed(x: f32[2], y: f32[6]):
        attrs.func_kind = 'cpu_kernel'
        y[0] = math.exp(x[0])
        y[1] = math.sqrt(x[1])
        y[2] = prim.pow(x[1], 3.0)
        y[3] = prim.atan2(x[0], x[1])
        y[4] = prim.min(x[0], x[1]) + prim.max(x[0], x[1])
        y[5] = x[1] ** 2.0


x = torch.tensor([0.5, 2.0])
y = torch.zeros(6)
script_module.build()(x, y)
want = [math.exp(0.5), math.sqrt(2.0), 8.0, math.atan2(0.5, 2.0), 2.5, 4.0]
for got, expected in zip(y.tolist(), want):
    assert abs(got - expected) < 1e-5, (got, expected)
