# SPDX-License-Identifier: Apache-2.0
"""A float becomes an integer the same way in kernels, host functions, constants and torch: at each end, of NaN and of infinities."""
import hidet
import torch
from hidet.lang import attrs, bf16, cast, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32
from hidet.lang.cuda import threadIdx

INTEGERS = [(i8, torch.int8, 8, True), (u8, torch.uint8, 8, False), (i16, torch.int16, 16, True), (u16, None, 16, False),
            (i32, torch.int32, 32, True), (u32, None, 32, False), (i64, torch.int64, 64, True)]
inf, nan = float('inf'), float('nan')
VALUES = [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, -1.0, -1.5, 2.5, 100.0, 127.0, 128.0, -128.0, -129.0, 200.0, 255.0, 256.0, 300.0,
          -300.0, 32767.0, 32768.0, -32769.0, 65535.0, 65536.0, 70000.0, -70000.0, 2147483520.0, 2147483648.0, -2147483648.0,
          -2147483904.0, 4294967040.0, 4294967296.0, 1e10, -1e10, 9e18, 1e19, -1e19, 1e30, -1e30, 3e38, -3e38, 1e-40, -1e-40, inf, -inf, nan]


def nearest(x, bits, signed):
    highest = 9223372036854775807 if bits == 64 else (1 << (bits - 1 if signed else bits)) - 1
    lowest = -highest - 1 if signed else 0
    if x != x:
        return 0
    if x >= 9.3e18 or x <= -9.3e18:
        return highest if x > 0 else lowest
    return max(lowest, min(highest, int(x)))


def wanted(x, bits, signed):
    """What does not fit becomes the nearest end; less than 32 bits are the low ones of a signed integer of 32."""
    if bits >= 32:
        return nearest(x, bits, signed)
    low = nearest(x, 32, True) % (1 << bits)
    return low - (1 << bits) if signed and low >= 1 << (bits - 1) else low


def of_type(x, dtype):
    return torch.tensor([x], dtype=dtype).to(torch.float64).tolist()[0]


def converting(source, target):
    with hidet.script_module() as script_module:

        @hidet.script
        def on_gpu(x: source[64], y: i64[64]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 64
            y[threadIdx.x] = cast(x[threadIdx.x], target)

        @hidet.script
        def launch(x: source[64], y: i64[64]):
            attrs.func_kind = 'public'
            on_gpu(x, y)

        @hidet.script
        def on_host(x: source[64], y: i64[64]):
            attrs.func_kind = 'public'
            for i in range(64):
                y[i] = cast(x[i], target)

    return script_module.build()


def folded(source, target, value):
    with hidet.script_module() as script_module:

        @hidet.script
        def launch(y: i64[1]):
            attrs.func_kind = 'public'
            y[0] = cast(source(value), target)

    y = torch.zeros(1, dtype=torch.int64)
    script_module.build()(y)
    return y.tolist()[0]


for source, dtype in [(f16, torch.float16), (bf16, torch.bfloat16), (f32, torch.float32), (f64, torch.float64)]:
    x = torch.tensor(VALUES + [0.0] * (64 - len(VALUES)), dtype=dtype)
    for target, in_torch, bits, signed in INTEGERS:
        module = converting(source, target)
        want = [wanted(of_type(v, dtype), bits, signed) for v in VALUES]
        y = torch.zeros(64, dtype=torch.int64)
        module['on_host'](x, y)
        assert y.tolist()[:len(VALUES)] == want, f'{source} to {target}: {y.tolist()} instead of {want}'
        z = torch.zeros(64, dtype=torch.int64, device='cuda')
        module['launch'](x.cuda(), z)
        assert z.cpu().tolist()[:len(VALUES)] == want, f'{source} to {target} in a kernel: {z.tolist()} instead of {want}'
        if in_torch is not None:
            assert x.to(in_torch).to(torch.int64).tolist()[:len(VALUES)] == want, f'{source} to {target} in torch'
    for target, value in [(i8, 300.0), (u8, -1.0), (u16, 70000.0), (i32, 1e30), (u32, -5.0), (i64, -1e30), (u8, 256.5)]:
        if source == f16 and abs(value) > 65504:  # which is a mistake of its own
            continue
        bits, signed = [(b, s) for t, _, b, s in INTEGERS if t == target][0]
        exact = of_type(value, dtype)
        assert folded(source, target, value) == wanted(exact, bits, signed), f'the constant {value} of {source} to {target}'
