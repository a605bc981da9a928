# SPDX-License-Identifier: Apache-2.0
"""Lanes of a warp that hold equal values, and their values combined; of whole warps and of parts of them."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64, u32
from hidet.lang.cuda import match_all_sync, match_any_sync, redux_sync, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i64[64, 14]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        full = 0xFFFFFFFF
        v = t * 7 % 5 - 2
        out[t, 0] = match_any_sync(full, v)
        out[t, 1] = match_any_sync(full, i64(v) * 10000000000)
        out[t, 2] = match_any_sync(full, f32(t % 3))
        out[t, 3] = match_all_sync(full, t // 32)
        out[t, 4] = match_all_sync(full, t // 31)
        out[t, 5] = redux_sync(full, v)
        out[t, 6] = redux_sync(full, v, op='min')
        out[t, 7] = redux_sync(full, v, 'max')
        out[t, 8] = redux_sync(full, u32(v), op='max')
        out[t, 9] = redux_sync(full, t | 8, op='bits_and')
        out[t, 10] = redux_sync(full, u32(t), op='bits_or')
        out[t, 11] = redux_sync(full, v * 1000000000 + t, op='bits_xor')
        if t % 3 == 0:
            part = 0x49249249 if t < 32 else 0x92492492
            out[t, 12] = match_any_sync(part, v)
            out[t, 13] = redux_sync(part, u32(0x7FFFFFFF) + u32(v))


out = torch.zeros(64, 14, dtype=torch.int64, device='cuda')
script_module.build()(out)


def signed(value):
    value %= 2**32
    return value - 2**32 if value >= 2**31 else value


for t in range(64):
    lanes = range(t // 32 * 32, t // 32 * 32 + 32)
    value = lambda l: l * 7 % 5 - 2
    alike = lambda f, among: sum([1 << l % 32 for l in among if f(l) == f(t)])
    values = [value(l) for l in lanes]
    ands, ors, exclusive = -1, 0, 0
    for l in lanes:
        ands &= l | 8
        ors |= l
        exclusive ^= signed(value(l) * 1000000000 + l)
    want = [
        alike(value, lanes), alike(value, lanes), alike(lambda l: l % 3, lanes), 0xFFFFFFFF, 0, sum(values), min(values),
        max(values), 2**32 - 1, ands, ors, exclusive, 0, 0,
    ]
    if t % 3 == 0:
        part = [l for l in lanes if l % 3 == 0]
        want[12] = alike(value, part)
        want[13] = sum([0x7FFFFFFF + value(l) for l in part]) % 2**32
    got = out[t].tolist()
    assert got == want, f'{t}: {got} instead of {want}'
