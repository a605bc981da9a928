# SPDX-License-Identifier: Apache-2.0
"""Loops: ranges with start and step, while, break and continue at each depth, and every loop attribute."""
import hidet
import torch
from hidet.lang import attrs, grid, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def ranges(out: i32[10], a: i32, b: i32, s: i32):
        attrs.func_kind = 'public'
        for i in range(a, b):
            out[0] += i
        for i in range(a, b, 3):
            out[1] += i
        for i in range(b, a, -2):
            out[2] += i
        for i in range(a, b, s):
            out[3] = out[3] * 2 + 1
        for i in range(2, 9, 3):
            out[4] = out[4] * 10 + i
        for i in range(5, 0, -2):
            out[5] = out[5] * 10 + i
        for i in range(0):
            out[6] = 1
        for i in range(b, a):
            out[7] = 1
        i = 100
        for i in range(3):
            out[8] += i
        out[9] = i

    @hidet.script
    def nests(out: i32[6]):
        attrs.func_kind = 'public'
        for i in range(6):
            for j in range(6):
                if j > i:
                    break
                if (i + j) % 2 == 0:
                    continue
                out[0] += i * 10 + j
            if i == 4:
                break
        n = 27
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            out[1] += 1
        while True:
            out[2] += 1
            if out[2] == 5:
                break
        k = 0
        while k < 10:
            k += 1
            if k % 3 == 0:
                continue
            out[3] += k

    @hidet.script
    def attributes(out: i32[8]):
        attrs.func_kind = 'public'
        for i in grid(4, attrs='u'):
            out[0] += i
        for i in grid(4, attrs='u+'):
            out[1] += i
        for i in grid(8, attrs='u4'):
            out[2] += i
        for i, j in grid(3, 4, attrs='u+.'):
            out[3] += i * j
        for i, j in grid(3, 4, '.u'):
            out[4] += i * j
        for i in grid(5, attrs='p'):
            if i == 4:
                out[5] = 10
        for axes in grid([2, 3]):
            out[6] += axes[0] * 10 + axes[1]
        extent = 10
        for i in grid(extent, attrs='u+'):
            out[7] += i


def python_ranges(a, b, s):
    shifted = 0
    for _ in range(a, b, s):
        shifted = shifted * 2 + 1
    return [sum(range(a, b)), sum(range(a, b, 3)), sum(range(b, a, -2)), shifted, 258, 531, 0, 0, 3]


out = torch.zeros(10, dtype=torch.int32)
module = script_module.build()
for a, b, s in [(0, 10, 4), (3, 11, 5), (-7, 2, 1)]:
    out = torch.zeros(10, dtype=torch.int32)
    module['ranges'](out, a, b, s)
    assert out.tolist()[:9] == python_ranges(a, b, s), f'{a} {b} {s}: {out.tolist()}'

out = torch.zeros(6, dtype=torch.int32)
module['nests'](out)
total = sum([i * 10 + j for i in range(5) for j in range(i + 1) if (i + j) % 2 == 1])
assert out.tolist() == [total, 111, 5, 37, 0, 0], out.tolist()

out = torch.zeros(8, dtype=torch.int32)
module['attributes'](out)
assert out.tolist() == [6, 6, 28, 18, 18, 10, 36, 45], out.tolist()
