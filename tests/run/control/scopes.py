# SPDX-License-Identifier: Apache-2.0
"""Names: assignments in branches and loops reach the variable outside, annotations declare, slots start where they are set."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64

limit = 5

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[10], n: i32):
        attrs.func_kind = 'cpu_kernel'
        best = 0
        for i in range(n):
            if i % 2 == 1:
                best = i
        out[0] = best
        x: i64 = 3
        if n > 2:
            x = x + n
        out[1] = x
        count: i32
        count = 0
        while count * count < n:
            count += 1
        out[2] = count
        for i in range(2):
            inner = i * 10
            out[3 + i] = inner
        total = i32(0)
        for i in range(limit):
            total += i
        out[5] = total
        y = f32(1.5)
        y = 2
        out[6] = i32(y * 2.0)
        z = n
        z = 2.9
        out[7] = z


out = torch.zeros(10, dtype=torch.int32)
script_module.build()(out, 8)
assert out.tolist() == [7, 11, 3, 0, 10, 10, 4, 2, 0, 0], out.tolist()
