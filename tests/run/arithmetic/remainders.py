# SPDX-License-Identifier: Apache-2.0
"""`%` has the sign of the divisor, as in Python, and mod() that of the dividend, as in C."""
import hidet
import torch
from hidet.ir.primitives import mod
from hidet.lang import attrs, f32, i32

with hidet.script_module() as script_module:

    @hidet.script
    def of_floats(x: f32, y: f32, out: f32[2]):
        attrs.func_kind = 'public'
        out[0] = x % y
        out[1] = mod(x, y)

    @hidet.script
    def of_integers(x: i32, y: i32, out: i32[2]):
        attrs.func_kind = 'public'
        out[0] = x % y
        out[1] = mod(x, y)

module = script_module.build()
for x, y, python, c in [(7, 3, 1, 1), (-7, 3, 2, -1), (7, -3, -2, 1), (-7, -3, -1, -1), (6, 3, 0, 0), (-6, 3, 0, 0)]:
    out = torch.zeros(2, dtype=torch.int32)
    module['of_integers'](x, y, out)
    assert out.tolist() == [python, c], f'{x}, {y}: {out.tolist()}'
    out = torch.zeros(2)
    module['of_floats'](x * 0.5, y * 0.5, out)
    assert out.tolist() == [python * 0.5, c * 0.5], f'{x}, {y}: {out.tolist()}'
