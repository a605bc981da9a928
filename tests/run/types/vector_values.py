# SPDX-License-Identifier: Apache-2.0
"""Vectors as values: made of lanes, read by lane, computed lane by lane, converted, in memory and behind functions."""
import hidet
import torch
from hidet.lang import attrs, cast, i32, register_tensor, shared_tensor, u32
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.dtypes import f16x2, f16x8, f32x2, f32x4, f32x8, i4x2, i4x8, i8x4, int4bx2, u4x2, u4x8, u8, vectorize
from hidet.ir.primitives import make_vector

n = 32
for vector, dtype in [(f32x4, torch.float32), (f32x2, torch.float32), (f32x8, torch.float32), (f16x2, torch.float16),
                      (f16x8, torch.float16), (i8x4, torch.int8)]:
    lanes = vector.num_lanes
    lane = vector.lane_type
    with hidet.script_module() as script_module:

        @hidet.script
        def twice(value: vector) -> vector:
            attrs.func_kind = 'cuda_internal'
            if threadIdx.x % 2 == 0:
                return value + value
            return value * vector(2)

        @hidet.script
        def kernel(x: vector[n], y: vector[n], z: lane[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            smem = shared_tensor(vector, shape=[n])
            regs = register_tensor(vector, shape=[2])
            smem[t] = twice(x[t])
            syncthreads()
            regs[t % 2] = smem[n - 1 - t]
            value = regs[t % 2]
            y[t] = value - vector(1) if t < n // 2 else -value
            z[t] = value[0] + value[lanes - 1]

    v = [i % 11 - 5 for i in range(n * lanes)]
    x = torch.tensor(v, dtype=dtype, device='cuda')
    y = torch.zeros(n * lanes, dtype=dtype, device='cuda')
    z = torch.zeros(n, dtype=dtype, device='cuda')
    script_module.build()(x, y, z)
    rows = [[2 * e for e in v[(n - 1 - t) * lanes:(n - t) * lanes]] for t in range(n)]
    want = [e - 1 if t < n // 2 else -e for t in range(n) for e in rows[t]]
    assert y.tolist() == want, f'{vector.name}: {y.tolist()} instead of {want}'
    assert z.tolist() == [row[0] + row[-1] for row in rows]

# Eight values of four bits in a word.
for vector, low in [(i4x8, -8), (u4x8, 0)]:
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(words: u32[n], packed: vector[n], back: vector[n], real: f16x8[n], sums: i32[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            value = packed[t]
            total = i32(value[0]) + i32(value[3]) + i32(value[7])
            sums[t] = total
            real[t] = cast(value, f16x8)
            back[t] = make_vector(value[7], value[6], value[5], value[4], value[3], value[2], value[1], value[0])
            words[t] = u32(total + 100)

    digits = [[(5 * t + 3 * i) % 16 for i in range(8)] for t in range(n)]
    values = [[d - 16 if d > 7 and low < 0 else d for d in row] for row in digits]
    words = torch.tensor([sum([d << (4 * i) for i, d in enumerate(row)]) for row in digits], dtype=torch.int64, device='cuda')
    packed = torch.tensor([e for row in values for e in row], dtype=torch.int32, device='cuda').to(vector.lane_type)
    back = torch.zeros(8 * n, dtype=torch.int32, device='cuda').to(vector.lane_type)
    real = torch.zeros(8 * n, dtype=torch.float16, device='cuda')
    sums = torch.zeros(n, dtype=torch.int32, device='cuda')
    script_module.build()(words.to(torch.uint32), packed, back, real, sums)
    assert sums.tolist() == [row[0] + row[3] + row[7] for row in values]
    assert real.tolist() == [float(e) for row in values for e in row]
    assert back.tolist() == [e for row in values for e in row[::-1]]

# Two in a byte.
assert int4bx2 == i4x2 == vectorize('int4b', 2) and i4x2.nbytes == 1 and i4x2.num_lanes == 2
for vector, low in [(i4x2, -8), (u4x2, 0)]:
    with hidet.script_module() as script_module:

        @hidet.script
        def swapped(value: vector) -> vector:
            attrs.func_kind = 'cuda_internal'
            return make_vector(value[1], value[0])

        @hidet.script
        def kernel(packed: vector[n], back: vector[n], real: f16x2[n], again: vector[n], bits: u8[n], same: vector[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            smem = shared_tensor(vector, shape=[n])
            regs = register_tensor(vector, shape=[2])
            smem[t] = packed[t]
            syncthreads()
            regs[t % 2] = smem[n - 1 - t]
            back[n - 1 - t] = swapped(regs[t % 2])
            real[t] = cast(packed[t], f16x2)
            again[t] = cast(real[t], vector)
            bits[t] = cast(~packed[0], ~u8)[t]
            same[t] = packed[t] if t % 2 == 0 else vector(7)

    digits = [[(5 * t + 3 * i) % 16 for i in range(2)] for t in range(n)]
    values = [[d - 16 if d > 7 and low < 0 else d for d in row] for row in digits]
    packed = torch.tensor([e for row in values for e in row], dtype=torch.int32, device='cuda').to(vector.lane_type)
    back, again, same = [torch.zeros(2 * n, dtype=torch.int32, device='cuda').to(vector.lane_type) for _ in range(3)]
    real = torch.zeros(2 * n, dtype=torch.float16, device='cuda')
    bits = torch.zeros(n, dtype=torch.uint8, device='cuda')
    script_module.build()(packed, back, real, again, bits, same)
    flat = [e for row in values for e in row]
    assert back.tolist() == [e for row in values for e in row[::-1]]
    assert real.tolist() == [float(e) for e in flat]
    assert again.tolist() == flat
    assert bits.tolist() == [a | b << 4 for a, b in digits]
    assert same.tolist() == [e if i // 2 % 2 == 0 else 7 for i, e in enumerate(flat)]
