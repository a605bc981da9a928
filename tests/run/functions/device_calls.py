# SPDX-License-Identifier: Apache-2.0
"""Calls between device functions: values, early returns, pointers, calls in calls, calls in conditions and loops."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def square(x: i32) -> i32:
        return x * x

    @hidet.script
    def clamp(x: i32, low: i32, high: i32) -> i32:
        if x < low:
            return low
        if x > high:
            return high
        return x

    @hidet.script
    def first_multiple(of: i32, above: i32) -> i32:
        i = above
        while True:
            i += 1
            if i % of == 0:
                return i
        return -1

    @hidet.script
    def both(p: ~i32, q: ~i32, value: i32):
        p[0] = clamp(square(value), 2, 50)
        q[0] = square(clamp(value, 2, 5))

    @hidet.script
    def kernel(out: i32[32, 6]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        out[t, 0] = square(t) + square(t + 1)
        out[t, 1] = clamp(t, 5, 20)
        out[t, 2] = first_multiple(7, t)
        both(~out[t, 3], ~out[t, 4], t)
        total = 0
        for i in range(t):
            if clamp(i, 3, 9) == i:
                total += square(i)
        out[t, 5] = total


out = torch.zeros(32, 6, dtype=torch.int32, device='cuda')
script_module.build()(out)
for t in range(32):
    clamped = lambda x, a, b: max(a, min(x, b))
    want = [
        t * t + (t + 1) * (t + 1),
        clamped(t, 5, 20),
        (t // 7 + 1) * 7,
        clamped(t * t, 2, 50),
        clamped(t, 2, 5) ** 2,
        sum([i * i for i in range(t) if 3 <= i <= 9]),
    ]
    assert out.tolist()[t] == want, f'{t}: {out.tolist()[t]} instead of {want}'
