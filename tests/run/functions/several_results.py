# SPDX-License-Identifier: Apache-2.0
"""Functions that return several values, and calls by keywords."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def divided(a: i32, by: i32 = 3) -> tuple[i32, i32]:
        return a // by, a % by

    @hidet.script
    def ordered(a: f32, b: f32) -> (f32, f32, i32):
        if a <= b:
            return a, b, 0
        return b, a, 1

    @hidet.script
    def twice_ordered(a: f32, b: f32) -> tuple[f32, f32, i32]:
        low, high, swapped = ordered(b=a * 2, a=b * 2)
        return ordered(high, low)

    @hidet.script
    def kernel(out: i32[32, 6], numbers: f32[32, 5]):
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        quotient, rest = divided(t)
        out[t, 0] = quotient
        out[t, 1] = rest
        quotient, rest = divided(rest * 10 + quotient, by=4)  # the names that they had are arguments
        out[t, 2], out[t, 3] = quotient, rest
        parts = divided(by=5, a=t)
        out[t, 4], out[t, 5] = parts
        divided(t)
        for i in range(2):
            low, high, swapped = ordered(f32(t), f32(10 * i))
            numbers[t, 2 * i], numbers[t, 2 * i + 1] = low, high
        low, high, swapped = twice_ordered(1.0, f32(t))
        numbers[t, 4] = low * 1000 + high * 10 + swapped


out = torch.zeros(32, 6, dtype=torch.int32, device='cuda')
numbers = torch.zeros(32, 5, device='cuda')
script_module.build()(out, numbers)
for t in range(32):
    q, r = t // 3, t % 3
    assert out[t].tolist() == [q, r, (r * 10 + q) // 4, (r * 10 + q) % 4, t // 5, t % 5], f'{t}: {out[t].tolist()}'
    low, high = min(2, 2 * t), max(2, 2 * t)
    assert numbers[t].tolist() == [0, t, min(t, 10), max(t, 10), low * 1000 + high * 10 + (1 if high > low else 0)], \
        f'{t}: {numbers[t].tolist()}'
