# SPDX-License-Identifier: Apache-2.0
"""Bits of integers, shifts of two words and products of bytes, against Python's integers."""
import hidet
import torch
from hidet.lang import attrs, i32, i64, u32, u64
from hidet.lang.cuda import (
    blockIdx, brev, clz, dp4a, dp4a_u32, ffs, funnelshift_l, funnelshift_lc, funnelshift_r, funnelshift_rc, lanemask_eq,
    lanemask_ge, lanemask_gt, lanemask_le, lanemask_lt, popc, threadfence, threadfence_block, threadfence_system, threadIdx,
)

words = [0, 1, 2, 3, 0x80, 0x8000, 0x10000, 0x7FFFFFFF, 0x12345678, 0x40000000, -1, -2, -128, -0x80000000]
wide = [0, 1, -1, 1 << 32, 1 << 40, 5 << 31, -0x7FFFFFFFFFFFFFFF - 1, 0x123456789ABCDEF0, 1 << 62, 0xFFFFFFFF, 0x100000001, 12, 13, 14]
count = len(words)

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[count], y: i64[count], out: i64[count, 16], masks: u32[2, 64, 5]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 32, 2
        threadfence_block()
        t = threadIdx.y * 32 + threadIdx.x
        b = blockIdx.x
        masks[b, t, 0] = lanemask_lt()
        masks[b, t, 1] = lanemask_le()
        masks[b, t, 2] = lanemask_eq()
        masks[b, t, 3] = lanemask_ge()
        masks[b, t, 4] = lanemask_gt()
        if t < count and b == 0:
            a = x[t]
            w = y[t]
            out[t, 0] = popc(a)
            out[t, 1] = popc(u32(a))
            out[t, 2] = clz(a)
            out[t, 3] = ffs(a)
            out[t, 4] = brev(u32(a))
            out[t, 5] = brev(a)
            out[t, 6] = popc(u64(w))
            out[t, 7] = clz(w)
            out[t, 8] = ffs(u64(w))
            out[t, 9] = brev(w)
            out[t, 10] = funnelshift_l(a, x[0] + 77, t * 5)
            out[t, 11] = funnelshift_lc(a, 77, t * 5)
            out[t, 12] = funnelshift_r(77, a, t * 5)
            out[t, 13] = funnelshift_rc(77, a, t * 5)
            out[t, 14] = dp4a(a, x[(t + 3) % count], 0x7FFFFFF0)
            out[t, 15] = dp4a_u32(a, x[(t + 3) % count], 0xFFFFFFF0)
        threadfence()
        threadfence_system()


out = torch.zeros(count, 16, dtype=torch.int64, device='cuda')
masks = torch.zeros(2, 64, 5, dtype=torch.uint32, device='cuda')
x = torch.tensor(words, dtype=torch.int32, device='cuda')
y = torch.tensor(wide, dtype=torch.int64, device='cuda')
script_module.build()(x, y, out, masks)


def unsigned(value, bits):
    return value % 2**bits


def signed(value, bits):
    value = unsigned(value, bits)
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def digits(value, bits):
    return [value >> i & 1 for i in range(bits)]


def ones(value, bits):
    return sum(digits(value, bits))


def leading(value, bits):
    set_ = [i for i, bit in enumerate(digits(value, bits)) if bit]
    return bits - 1 - set_[-1] if set_ else bits


def first(value, bits):
    set_ = [i for i, bit in enumerate(digits(value, bits)) if bit]
    return set_[0] + 1 if set_ else 0


def turned(value):
    return sum([bit << (31 - i) for i, bit in enumerate(digits(value, 32))])


def turned_wide(value):
    return signed(turned(value), 32) * 2**32 + turned(value >> 32)


def products(a, b, c, extend):
    part = lambda v, i: extend(v >> (8 * i), 8)
    return c + sum([part(a, i) * part(b, i) for i in range(4)])


def upper(lo, hi, by):
    return unsigned(hi << by, 32) | unsigned(lo, 32) >> (32 - by)


def lower(lo, hi, by):
    return unsigned(lo, 32) >> by | unsigned(hi << (32 - by), 32)


for t in range(count):
    a, w, by = words[t], wide[t], t * 5
    other = words[(t + 3) % count]
    want = [
        ones(a, 32), ones(a, 32), leading(a, 32), first(a, 32), turned(a), signed(turned(a), 32),
        ones(w, 64), leading(w, 64), first(w, 64), turned_wide(w),
        upper(a, 77, by % 32), upper(a, 77, min(by, 32)), lower(77, a, by % 32), lower(77, a, min(by, 32)),
        signed(products(a, other, 0x7FFFFFF0, signed), 32), unsigned(products(a, other, 0xFFFFFFF0, unsigned), 32),
    ]
    got = out[t].tolist()
    assert got == want, f'{a}, {w}: {got} instead of {want}'

for b in range(2):
    for t in range(64):
        bit = 1 << t % 32
        below = bit - 1
        want = [below, below + bit, bit, 0xFFFFFFFF - below, 0xFFFFFFFF - below - bit]
        assert masks[b, t].tolist() == want, f'{t}: {masks[b, t].tolist()} instead of {want}'
