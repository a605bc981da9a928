# SPDX-License-Identifier: Apache-2.0
"""Floats of 8 bits: what they round to and saturate at, arithmetic in them, tensors in every memory."""
import hidet
import torch
from hidet.lang import attrs, cast, f16, f32, float8_e4m3, float8_e5m2, i32, register_tensor, shared_tensor
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.primitives import isnan, max, min

inputs = [
    0.0, 1.0, -1.0, 1.0625, 1.1875, 17.0, 19.0, 448.0, 460.0, 464.0, 480.0, 1e6, -1e6, 57344.0, 60000.0, 61440.0,
    0.015625, 0.001, 0.0009765625, 0.0029296875, -0.3, 3.3,
]
cases = [
    (float8_e4m3, torch.float8_e4m3fn, [
        0.0, 1.0, -1.0, 1.0, 1.25, 16.0, 20.0, 448.0, 448.0, 448.0, 448.0, 448.0, -448.0, 448.0, 448.0, 448.0,
        0.015625, 0.001953125, 0.0, 0.00390625, -0.3125, 3.25,
    ]),
    (float8_e5m2, torch.float8_e5m2, [
        0.0, 1.0, -1.0, 1.0, 1.25, 16.0, 20.0, 448.0, 448.0, 448.0, 512.0, 57344.0, -57344.0, 57344.0, 57344.0, 57344.0,
        0.015625, 0.0009765625, 0.0009765625, 0.0029296875, -0.3125, 3.5,
    ]),
]
n = len(inputs)
for dtype, torch_dtype, rounded in cases:
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[n], y: dtype[n], back: f32[n], sums: dtype[n], whole: i32[n], least: dtype[n], holds: i32[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            smem = shared_tensor(dtype, shape=[n])
            regs = register_tensor(dtype, shape=[2])
            smem[t] = x[t]
            syncthreads()
            regs[0] = smem[t]
            regs[1] = dtype(0.5)
            value = regs[0]
            y[t] = value
            back[t] = value
            sums[t] = value + regs[1]
            whole[t] = cast(value, i32)
            least[t] = min(max(value, dtype(-2.0)), dtype(2.0)) * dtype(1.0) / -dtype(2.0)
            holds[t] = 1 if value > dtype(1.0) and not isnan(value) and value == dtype(f16(value)) else 0

    x = torch.tensor(inputs, dtype=torch.float32, device='cuda')
    y = torch.zeros(n, dtype=torch.float32, device='cuda').to(torch_dtype)
    sums = torch.zeros(n, dtype=torch.float32, device='cuda').to(torch_dtype)
    least = torch.zeros(n, dtype=torch.float32, device='cuda').to(torch_dtype)
    back = torch.zeros(n, dtype=torch.float32, device='cuda')
    whole = torch.zeros(n, dtype=torch.int32, device='cuda')
    holds = torch.zeros(n, dtype=torch.int32, device='cuda')
    script_module.build()(x, y, back, sums, whole, least, holds)
    assert back.tolist() == rounded, f'{dtype.name}: {back.tolist()} instead of {rounded}'
    assert y.tolist() == rounded
    assert x.to(torch_dtype).tolist() == rounded
    assert sums.tolist() == torch.tensor([v + 0.5 for v in rounded], dtype=torch.float32).to(torch_dtype).tolist()
    assert whole.tolist() == [int(v) for v in rounded]
    limited = [-2.0 if v < -2.0 else 2.0 if v > 2.0 else v for v in rounded]
    assert least.tolist() == torch.tensor([v / -2.0 for v in limited], dtype=torch.float32).to(torch_dtype).tolist()
    assert holds.tolist() == [1 if v > 1.0 else 0 for v in rounded]
