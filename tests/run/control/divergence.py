# SPDX-License-Identifier: Apache-2.0
"""Threads of one warp that go different ways: nested branches, loops of different length, data-dependent exits."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx

n = 96

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[n], out: i32[n, 4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x

        # Collatz: every thread takes its own number of steps.
        v = x[t]
        steps = 0
        while v != 1:
            if v % 2 == 0:
                v //= 2
            else:
                v = v * 3 + 1
            steps += 1
        out[t, 0] = steps

        for i in range(t % 7):
            for j in range(i):
                if (i * j + t) % 5 == 3:
                    continue
                if j > 3:
                    break
                out[t, 1] += j + 1
            if out[t, 1] > 20:
                break

        if t % 2 == 0:
            if t % 3 == 0:
                out[t, 2] = 6
            else:
                out[t, 2] = 2
                if t > 50:
                    out[t, 2] = 50
        elif t % 3 == 0:
            out[t, 2] = 3

        found = -1
        for i in range(n):
            if x[i] * x[i] > t * 10:
                found = i
                break
        out[t, 3] = found


def reference(x, t):
    v, steps = x[t], 0
    while v != 1:
        v = v // 2 if v % 2 == 0 else v * 3 + 1
        steps += 1
    total = 0
    for i in range(t % 7):
        for j in range(i):
            if (i * j + t) % 5 == 3:
                continue
            if j > 3:
                break
            total += j + 1
        if total > 20:
            break
    branch = 0
    if t % 2 == 0:
        branch = 6 if t % 3 == 0 else 50 if t > 50 else 2
    elif t % 3 == 0:
        branch = 3
    found = -1
    for i in range(len(x)):
        if x[i] * x[i] > t * 10:
            found = i
            break
    return [steps, total, branch, found]


x = torch.arange(1, n + 1, dtype=torch.int32, device='cuda')
out = torch.zeros(n, 4, dtype=torch.int32, device='cuda')
script_module.build()(x, out)
values = x.tolist()
for t in range(n):
    assert out.tolist()[t] == reference(values, t), f'{t}: {out.tolist()[t]} instead of {reference(values, t)}'
