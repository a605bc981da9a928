# SPDX-License-Identifier: Apache-2.0
"""Static and dynamic conditions, chains of comparisons, and operators that evaluate only what they need."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx


def choose(wide):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(out: i32[16]):
            attrs.func_kind = 'cpu_kernel'
            if wide:
                step = 4
            else:
                step = 1
            if wide and step == 4:
                out[1] = 7
            elif not wide:
                out[1] = 8
            out[0] = step

    out = torch.zeros(16, dtype=torch.int32)
    script_module.build()(out)
    return out.tolist()[:2]


assert choose(True) == [4, 7]
assert choose(False) == [1, 8]

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[32], out: i32[32, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        # The second half of the block would be out of bounds.
        if t < 32 and x[t] >= 0:
            if t < 10:
                out[t, 0] = 1
            elif t < 20:
                out[t, 0] = 2
            elif t == 20 or t == 25:
                out[t, 0] = 3
            else:
                out[t, 0] = 4
            out[t, 1] = 1 if 5 <= t < 12 else 0
            out[t, 2] = x[t] if t % 2 == 0 else -x[t]
            out[t, 3] = 1 if not (t > 3) else 0
            out[t, 4] = x[t + 100] if t > 100 else 9
            odd = t % 2 == 1
            out[t, 5] = i32(odd)
            if odd and t > 5 or t == 0:
                out[t, 6] = 1
            out[t, 7] = max(t, 7) - min(t, 3)


x = torch.arange(32, dtype=torch.int32, device='cuda')
out = torch.zeros(32, 8, dtype=torch.int32, device='cuda')
script_module.build()(x, out)
for t in range(32):
    want = [
        1 if t < 10 else 2 if t < 20 else 3 if t in (20, 25) else 4,
        1 if 5 <= t < 12 else 0,
        t if t % 2 == 0 else -t,
        1 if t <= 3 else 0,
        9,
        t % 2,
        1 if (t % 2 == 1 and t > 5) or t == 0 else 0,
        max(t, 7) - min(t, 3),
    ]
    assert out.tolist()[t] == want, f'{t}: {out.tolist()[t]} instead of {want}'


# Conditions that all threads share, in front of loads: the results go into variables that all threads share as well.
with hidet.script_module() as script_module:

    @hidet.script
    def shared_by_all(x: i32[8], out: i32[32, 4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        total = 0
        both = False
        either = False
        for i in range(8):
            total += x[i] if x[i] < 5 else -x[0]
            both = x[i] > 2 and x[i] < 5
            either = x[i] < 2 or x[7 - i] == 0
        out[threadIdx.x, 0] = total
        out[threadIdx.x, 1] = i32(both)
        out[threadIdx.x, 2] = i32(either)
        last = 0
        while last < 7 and x[last] < 4:
            last += 1
        out[threadIdx.x, 3] = last


x = torch.tensor([1, 2, 3, 4, 5, 6, 7, 0], dtype=torch.int32, device='cuda')
out = torch.zeros(32, 4, dtype=torch.int32, device='cuda')
script_module.build()(x, out)
for t in range(32):
    assert out.tolist()[t] == [1 + 2 + 3 + 4 - 3 + 0, 0, 1, 3], f'{t}: {out.tolist()[t]}'
