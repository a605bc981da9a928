# SPDX-License-Identifier: Apache-2.0
"""A variable that a loop takes for its own has the last value behind the loop, also where the body assigns it."""
import hidet
import torch
from hidet.lang import attrs, grid, i32, i64
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i64[32, 8], n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        total = 0
        i = 7
        for i in range(n):
            total += i
        out[t, 0] = i
        while total < 100:
            total += i
            i += t
        out[t, 1] = total
        i = -1
        for i in range(0):
            total += i
        out[t, 2] = i
        j = i64(5)
        for i, j in grid(n, t + 1):
            i += 10
            if i + j > 11:
                break
        out[t, 3] = i
        out[t, 4] = j
        k = 0
        while k < 20:
            for k in range(k + 1, k + 9, 3):
                total += k
            k += 1
        out[t, 5] = k
        out[t, 6] = total
        for k in range(2):
            pass
        out[t, 7] = k


out = torch.zeros(32, 8, dtype=torch.int64, device='cuda')
script_module.build()(out, 4)
for t in range(32):
    want = []
    total, i = 0, 7
    for i in range(4):
        total += i
    want.append(i)
    while total < 100:
        total += i
        i += t
    want.append(total)
    i = -1
    for i in range(0):
        total += i
    want.append(i)
    done = False
    for i in range(4):
        for j in range(t + 1):
            i_now = i + 10
            done = i_now + j > 11
            if done:
                break
        if done:
            break
    want += [i_now, j]
    k = 0
    while k < 20:
        for k in range(k + 1, k + 9, 3):
            total += k
        k += 1
    want += [k, total]
    for k in range(2):
        pass
    want.append(k)
    assert out[t].tolist() == want, f'{t}: {out[t].tolist()} instead of {want}'
