# SPDX-License-Identifier: Apache-2.0
"""Integers of less than a byte, packed in global, shared and register memory: neighbours in a byte stay untouched whoever
writes them, values come out as they went in, conversions keep the low bits."""
import hidet
import torch
from hidet.lang import attrs, cast, f16, f32, i1, i2, i3, i4, i8, i32, register_tensor, shared_tensor, tensor_pointer, u1, u2, u3, u4
from hidet.lang.cuda import syncthreads, threadIdx

n = 37
threads = 64


def low_bits(value, dtype):
    size = 2 ** dtype.nbits
    rest = value % size
    return rest - size if int(dtype.min_value) < 0 and rest >= size // 2 else rest


for dtype in [i4, i3, i2, i1, u4, u3, u2, u1]:
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[n], y: dtype[n], wide: i32[n], real: f32[n], made: dtype[3, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = threads
            t = threadIdx.x
            smem = shared_tensor(dtype, shape=[n])
            regs = register_tensor(dtype, shape=[3])
            if t < n:
                smem[t] = x[t]
            syncthreads()
            if t < n:
                for i in range(3):
                    regs[i] = smem[(t + i) % n]
                y[t] = regs[0]
                value = regs[1]
                wide[t] = i32(value) + i32(regs[2])
                real[t] = f32(regs[t % 3]) + f32(f16(value))
                made[0, t] = cast(t - 11, dtype)
                made[1, t] = cast(f32(t) - 20.5, dtype)
                made[2, t] = value if t % 2 == 0 else regs[2]

        @hidet.script
        def host(x: dtype[n], y: dtype[n], total: i32[1]):
            attrs.func_kind = 'public'
            total[0] = 0
            copy = register_tensor(dtype, shape=[n])
            for i in range(n):
                copy[n - 1 - i] = x[i]
                total[0] = total[0] + i32(x[i])
            for i in range(n):
                y[i] = copy[i]

        @hidet.script
        def launch(x: dtype[n], y: dtype[n], wide: i32[n], real: f32[n], made: dtype[3, n]):
            attrs.func_kind = 'public'
            kernel(x, y, wide, real, made)

    module = script_module.build()
    v = [low_bits(7 * i + 3, dtype) for i in range(n)]
    x = torch.tensor(v, dtype=torch.int32, device='cuda').to(dtype)
    assert x.tolist() == v, f'{dtype.name}: {x.tolist()}'
    y = torch.zeros(n, dtype=torch.int32, device='cuda').to(dtype)
    wide = torch.zeros(n, dtype=torch.int32, device='cuda')
    real = torch.zeros(n, dtype=torch.float32, device='cuda')
    made = torch.full([3, n], low_bits(-1, dtype), dtype=torch.int32, device='cuda').to(dtype)
    module(x, y, wide, real, made)
    assert y.tolist() == v, f'{dtype.name}: {y.tolist()} instead of {v}'
    assert wide.tolist() == [v[(t + 1) % n] + v[(t + 2) % n] for t in range(n)]
    assert real.tolist() == [float(v[(t + t % 3) % n] + v[(t + 1) % n]) for t in range(n)]
    rows = [[low_bits(t - 11, dtype) for t in range(n)], [low_bits(int(t - 20.5), dtype) for t in range(n)],
            [v[(t + 1 + t % 2) % n] for t in range(n)]]
    assert made.tolist() == rows, f'{dtype.name}: {made.tolist()} instead of {rows}'

    back = torch.zeros(n, dtype=torch.int32).to(dtype)
    total = torch.zeros(1, dtype=torch.int32)
    module['host'](x.cpu(), back, total)
    assert back.tolist() == v[::-1] and total.item() == sum(v)

# A byte has two values, the first in its low half: what PyTorch packs by hand is the same memory.
with hidet.script_module() as script_module:

    @hidet.script
    def unpack(packed: u4[4, 16], out: i32[4, 16], tail: i32[6]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        row = threadIdx.x // 16
        column = threadIdx.x % 16
        out[row, column] = i32(packed[row, column]) - 8
        if threadIdx.x < 6:
            rest = tensor_pointer(u4, shape=[64])
            rest = ~packed[2, 2]
            tail[threadIdx.x] = i32(rest[threadIdx.x])


packed = torch.arange(32, dtype=torch.int32, device='cuda').to(torch.uint8).reshape(4, 8)
out = torch.zeros([4, 16], dtype=torch.int32, device='cuda')
tail = torch.zeros(6, dtype=torch.int32, device='cuda')
script_module.build()(packed, out, tail)
nibbles = [half for byte in range(32) for half in [byte % 16, byte // 16]]
assert out.reshape(64).tolist() == [half - 8 for half in nibbles]
assert tail.tolist() == nibbles[34:40]

# Constants, and what does not fit.
assert int(i4.min_value) == -8 and int(i4.max_value) == 7 and int(u4.max_value) == 15
assert i3.nbits == 3 and i4.storage.name == 'uint8'
with hidet.script_module() as script_module:

    @hidet.script
    def constants(x: i8[4]):
        attrs.func_kind = 'public'
        x[0] = i4(-8)
        x[1] = u4(15)
        x[2] = cast(i32(x[1]) + 286, u2)
        x[3] = i1(-1)


x = torch.zeros(4, dtype=torch.int8)
script_module.build()['constants'](x)
assert x.tolist() == [-8, 15, 1, -1]
