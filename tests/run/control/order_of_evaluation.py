# SPDX-License-Identifier: Apache-2.0
"""Every operand is evaluated once and in Python's order: from left to right, the right side of `=` before its targets, and what
stands behind `and`, `or`, `if-else` or another comparison only if it is needed. `bump` counts its calls in c[0]."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import atomic_add, threadIdx
from hidet.lang.layout import row_major


# Functions of host code: their parameters and names stand for values, not for the text of an expression.
def double(x):
    return x + x


def pair(x):
    y = x + 1
    return y, y


def twice(f, p):
    f(p)
    return f(p)


def first_smaller(x, y):
    return i32(x < y) * 10 + x


with hidet.script_module() as script_module:

    @hidet.script
    def bump(c: ~i32) -> i32:
        attrs.func_kind = 'cpu_internal'
        c[0] = c[0] + 1
        return c[0]

    @hidet.script
    def comparisons(c: i32[4], t: i32[16]):
        attrs.func_kind = 'public'
        p = ~c[0]
        t[0] = i32(0 <= bump(p) < 10)
        t[1] = c[0]
        t[2] = i32(bump(p) > bump(p))
        t[3] = i32(bump(p) >= bump(p) - 1)
        t[4] = i32(5 < bump(p) < bump(p) < bump(p))
        t[5] = c[0]
        t[6] = i32(100 < bump(p) < bump(p) < bump(p))
        t[7] = c[0]
        t[8] = i32(c[0] < bump(p) <= c[0])
        t[9] = i32(bump(p) < c[0] + 1 < bump(p) + 1 and bump(p) > 0)
        t[10] = c[0]
        n = 0
        while 0 < bump(p) < 20:
            n += 1
        t[11] = n
        t[12] = c[0]
        if c[0] > 0 and 0 < double(bump(p)) < 100 or bump(p) > 0:
            t[13] = c[0]
        t[14] = 1 if bump(p) == 22 and bump(p) == 24 else double(bump(p))
        t[15] = c[0]

    @hidet.script
    def operands(c: i32[4], t: i32[16]):
        attrs.func_kind = 'public'
        p = ~c[0]
        t[0] = bump(p) - bump(p) * 2
        t[1] = c[0] + bump(p) + c[0]
        t[2] = bump(p) // 3 + bump(p) % 3
        t[3] = max(bump(p), bump(p)) - min(bump(p), 100)
        t[4] = bump(p) ** 2
        t[5] = bump(p) ** 0
        t[6] = c[0]
        for i in range(bump(p)):
            t[7] = t[7] + 1
        for i in range(bump(p), bump(p) + 4, c[0] - 11):
            t[8] = t[8] * 10 + i - 12
        t[9] = c[0]
        t[10] = double(bump(p))
        t[11] = c[0] + double(bump(p)) + c[0]
        t[12] = first_smaller(c[0], bump(p))
        t[13] = twice(bump, p)
        a, b = pair(bump(p))
        t[14] = a * 100 + b
        t[15] = c[0]

    @hidet.script
    def assignments(c: i32[8], t: i32[64]):
        attrs.func_kind = 'public'
        p = ~c[0]
        t[2], t[3] = bump(p), c[0]
        t[4], t[5] = c[0], bump(p)
        t[c[0] + 4], t[c[0] + 5] = bump(p), bump(p)
        a, b = bump(p), c[0]
        t[10], t[11] = a, b
        t[bump(p) + 6] = bump(p)
        t[bump(p) + 5] += 1
        t[bump(p) + 5] += bump(p)
        c[1] = 1
        c[c[1]] += bump(p)
        c[0] += bump(p)
        t[16], c[0], t[17] = c[0], 30, c[0]
        k = 1
        k, t[k + 17] = 2, 7
        t[bump(p) - 12], k = k, k + 1
        t[20] = k
        t[21] = t[22] = bump(p)
        t[23] = c[0]
        items = [bump(p), c[0] + 100]
        t[24] = items[0] + items[0]
        t[25] = items[1]
        for item in [bump(p), 5]:
            t[26] += item + item
        t[27] = c[0]
        at = row_major(4, 8)
        t[28] = at(bump(p) - 34, 1) + at(c[0] - 33, bump(p) - 33)
        t[29] = c[0]

    @hidet.script
    def kernel(c: i32[1], t: i32[32, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        lane = threadIdx.x
        if lane == 0:
            t[0, 0] = i32(0 <= atomic_add(~c[0], 1) < 10)
            t[0, 1] = c[0]
            t[0, 2], t[0, 3] = atomic_add(~c[0], 1), c[0]
            t[0, 4] = i32(atomic_add(~c[0], 1) > c[0])
            t[0, 5] = double(atomic_add(~c[0], 1))
            t[0, 6] += atomic_add(~c[0], 1)
            t[0, 7] = c[0]


module = script_module.build()


def run(name, size, want):
    c, t = torch.zeros(8 if size == 64 else 4, dtype=torch.int32), torch.zeros(size, dtype=torch.int32)
    module[name](c, t)
    got = t.tolist()
    assert got == want + [0] * (size - len(want)), f'{name}: {got} instead of {want}'


run('comparisons', 16, [1, 1, 0, 1, 1, 8, 0, 9, 1, 1, 13, 6, 20, 21, 48, 24])
run('operands', 16, [-3, 8, 3, -1, 81, 1, 10, 11, 24, 13, 28, 59, 25, 18, 2020, 19])
run('assignments', 64, [0, 0, 1, 1, 1, 2, 0, 0, 3, 4, 5, 5, 0, 7, 10, 0, 23, 23, 0, 2, 3, 32, 32, 32, 66, 133, 78, 34, 28, 36])
c, t = torch.zeros(1, dtype=torch.int32, device='cuda'), torch.zeros(32, 8, dtype=torch.int32, device='cuda')
module['kernel'](c, t)
want = [1, 1, 1, 2, 0, 6, 4, 5]
assert t.tolist()[0] == want, f'kernel: {t.tolist()[0]} instead of {want}'
