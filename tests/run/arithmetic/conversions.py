# SPDX-License-Identifier: Apache-2.0
"""Casts and promotion: what a value becomes on the way from one type to another."""
import hidet
import torch
from hidet.lang import attrs, boolean, cast, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32

with hidet.script_module() as script_module:

    @hidet.script
    def integers(x: i32, out: i64[12]):
        attrs.func_kind = 'public'
        out[0] = cast(x, i8)
        out[1] = cast(x, u8)
        out[2] = cast(x, i16)
        out[3] = cast(x, u16)
        out[4] = i64(x) * i64(x)
        out[5] = u32(x)
        out[6] = boolean(x)
        small = i8(100)
        out[7] = small + small
        wide = u8(200)
        out[8] = wide + 1
        out[9] = x / 2
        out[10] = cast(2.9, i32) + cast(f32(x) / 2.0, i32)
        out[11] = x + wide

    @hidet.script
    def floats(x: f32, out: f64[8]):
        attrs.func_kind = 'public'
        out[0] = f16(x)
        out[1] = f64(x) / 3.0
        out[2] = x * 2
        half = f16(0.5)
        out[3] = half + 1
        out[4] = half + x
        out[5] = i32(x)
        y: f64 = 0.25
        out[6] = y + x
        out[7] = 7 / 2


module = script_module.build()
for x in [0, 1, -1, 300, -300, 70000]:
    out = torch.zeros(12, dtype=torch.int64)
    module['integers'](x, out)
    wrap = lambda v, bits: (v + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    half = abs(x) // 2 * (1 if x >= 0 else -1)
    want = [wrap(x, 8), x % 256, wrap(x, 16), x % 65536, x * x, x % (1 << 32), int(x != 0), wrap(200, 8), 201, half, 2 + half, x + 200]
    assert out.tolist() == want, f'{x}: {out.tolist()} instead of {want}'

for x in [0.0, 1.5, -2.75, 1000.0]:
    out = torch.zeros(8, dtype=torch.float64)
    module['floats'](x, out)
    want = [x, x / 3.0, x * 2, 1.5, 0.5 + x, float(int(x)), 0.25 + x, 3.5]
    assert out.tolist() == want, f'{x}: {out.tolist()} instead of {want}'
