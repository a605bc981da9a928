# SPDX-License-Identifier: Apache-2.0
"""cvtv converts several values at once: every pair of types that it takes, every value of the packed integers."""
import hidet
import torch
from hidet.ir.dtypes import int2b, int4b, uint1b, uint2b, uint4b
from hidet.ir.primitives.cuda.cvt import cast_u4x8_to_f16x8_interleaved, cvtv
from hidet.lang import attrs, bf16, cast, f16, f32, i8, register_tensor, u8
from hidet.lang.cuda import threadIdx

n = 64

# `count` values of each thread from a buffer of bytes, converted in registers.
def unpack(packed, out, out_tensor, count, bits, given, is_signed):
    with hidet.script_module() as m:

        @hidet.script
        def kernel(x: ~u8, y: ~out):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            source = register_tensor(u8, shape=[count * bits // 8])
            values = register_tensor(out, shape=[count])
            for i in range(count * bits // 8):
                source[i] = x[t * (count * bits // 8) + i]
            if given:
                cvtv(cast(~source[0], ~packed), ~values[0], count)
            else:
                cvtv(cast(~source[0], ~packed), ~values[0])
            for i in range(count):
                y[t * count + i] = values[i]

    data = torch.randint(0, 256, (n * count * bits // 8,), dtype=torch.uint8, device='cuda')
    y = torch.zeros(n * count, dtype=out_tensor, device='cuda')
    m.build()(data, y)
    want = []
    for byte in data.tolist():
        for i in range(8 // bits):
            value = (byte >> (bits * i)) % (1 << bits)
            want.append(value - (1 << bits) if is_signed and value >= 1 << (bits - 1) else value)
    assert [int(v) for v in y.tolist()] == want, (packed, out, count)


for packed, is_signed in [(uint4b, False), (int4b, True)]:
    for out, tensor in [(f16, torch.float16), (bf16, torch.bfloat16)]:
        for count in [2, 4, 8]:
            unpack(packed, out, tensor, count, 4, count != 8, is_signed)
for packed, is_signed in [(uint2b, False), (int2b, True)]:
    for count in [4, 8, 16]:
        unpack(packed, f16, torch.float16, count, 2, count != 16, is_signed)
for count in [8, 16, 32]:
    unpack(uint1b, f16, torch.float16, count, 1, count != 32, False)
unpack(int4b, i8, torch.int8, 8, 4, False, True)


# Pairs of floats.
def convert(source, source_tensor, out, out_tensor):
    with hidet.script_module() as m:

        @hidet.script
        def kernel(x: ~source, y: ~out):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            cvtv(~x[2 * t], ~y[2 * t])

    x = torch.randn(2 * n, device='cuda').to(source_tensor)
    y = torch.zeros(2 * n, dtype=out_tensor, device='cuda')
    m.build()(x, y)
    assert torch.equal(y, x.to(out_tensor)), (source, out)


convert(f16, torch.float16, f32, torch.float32)
convert(bf16, torch.bfloat16, f32, torch.float32)
convert(f32, torch.float32, f16, torch.float16)
convert(f32, torch.float32, bf16, torch.bfloat16)

with hidet.script_module() as m:

    # Values that lie four apart become neighbours.
    @hidet.script
    def interleaved(x: u8[n, 4], y: f16[n, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        cast_u4x8_to_f16x8_interleaved(cast(~x[t, 0], ~uint4b), ~y[t, 0])


x = torch.randint(0, 256, (n, 4), dtype=torch.uint8, device='cuda')
y = torch.zeros(n, 8, dtype=torch.float16, device='cuda')
m.build()(x, y)
for t in range(n):
    plain = []
    for byte in x[t].tolist():
        plain += [byte % 16, byte // 16]
    assert [int(v) for v in y[t].tolist()] == [plain[i // 2 + i % 2 * 4] for i in range(8)], t
