# SPDX-License-Identifier: Apache-2.0
"""What runs while a kernel is compiled: meta loops, comprehensions, lambdas, host functions that return parts of it."""
import hidet
import torch
from hidet.lang import attrs, i32, meta


def weighted(values, weights):
    total = values[0] * weights[0]
    for v, w in zip(values[1:], weights[1:]):
        total = total + v * w
    return total


def apply(f, x, y):
    return f(x, y)


weights = [3, -1, 4]
names = {'low': 2, 'high': 9}

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[8], out: i32[12]):
        attrs.func_kind = 'cpu_kernel'
        for k in meta.range(4):
            out[0] += x[k] * (k + 1)
        for name, factor in meta.each([('low', 1), ('high', 100)]):
            out[1] += names[name] * factor
        items = [x[k] for k in range(3)]
        out[2] = weighted(items, weights)
        out[3] = apply(lambda a, b: a * 10 + b, x[1], x[2])
        out[4] = sum([x[i] * x[j] for i in range(3) for j in range(3) if i < j])
        out[5] = len(items) + len(weights)
        table = {str(k): x[k] for k in range(2)}
        out[6] = table['1']
        pairs = [(k, k * k) for k in range(4)]
        out[7] = pairs[3][1] + pairs[2][0]
        first, second = x[0], x[1]
        first, second = second, first
        out[8] = first * 10 + second
        a, b, c = 1, 2, 3
        a, b, c = c, a, b
        out[9] = a * 100 + b * 10 + c
        for t in meta.range(2):
            temporary = x[t] + t
            out[10] += temporary
        out[11] = max(x[0], x[1]) + min(3, 5)


x = torch.tensor([5, 7, 2, 8, 1, 0, 4, 6], dtype=torch.int32)
out = torch.zeros(12, dtype=torch.int32)
script_module.build()(x, out)
v = x.tolist()
want = [
    sum([v[k] * (k + 1) for k in range(4)]),
    2 + 900,
    v[0] * 3 - v[1] + v[2] * 4,
    v[1] * 10 + v[2],
    v[0] * v[1] + v[0] * v[2] + v[1] * v[2],
    6,
    v[1],
    11,
    v[1] * 10 + v[0],
    312,
    v[0] + v[1] + 1,
    10,
]
assert out.tolist() == want, f'{out.tolist()} instead of {want}'
