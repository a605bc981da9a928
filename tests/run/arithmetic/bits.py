# SPDX-License-Identifier: Apache-2.0
"""Bit operations and shifts on signed and unsigned integers."""
import hidet
import torch
from hidet.lang import attrs, bitwise_not, i32, u32, u64

with hidet.script_module() as script_module:

    @hidet.script
    def signed(a: i32, b: i32, out: i32[8]):
        attrs.func_kind = 'public'
        out[0] = a & b
        out[1] = a | b
        out[2] = a ^ b
        out[3] = bitwise_not(a)
        out[4] = a << 3
        out[5] = a >> 2
        c = a
        c ^= b
        c <<= 1
        out[6] = c
        out[7] = -a

    @hidet.script
    def unsigned(a: u32, out: u64[4]):
        attrs.func_kind = 'public'
        out[0] = a >> 4
        out[1] = (a & 0xFF) << 2
        out[2] = u64(a) << 8
        out[3] = a * a


module = script_module.build()
wrap = lambda v: (v + (1 << 31)) % (1 << 32) - (1 << 31)
for a, b in [(12, 10), (-5, 3), (0x7FFFFFFF, -1), (0, 0)]:
    out = torch.zeros(8, dtype=torch.int32)
    module['signed'](a, b, out)
    assert out.tolist() == [a & b, a | b, a ^ b, ~a, wrap(a << 3), a >> 2, wrap((a ^ b) << 1), wrap(-a)], (a, b)
for a in [0, 1, 0xFFFFFFFF, 0x80001234]:
    out = hidet.zeros([4], dtype='uint64')
    module['unsigned'](a, out)
    want = [a >> 4, (a & 0xFF) << 2, a << 8, ((a >> 16) * a % (1 << 32) * 65536 + (a & 0xFFFF) * a) % (1 << 32)]
    assert [int(v) for v in out.tolist()] == want, (a, out.tolist())
