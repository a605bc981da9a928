# SPDX-License-Identifier: Apache-2.0
"""Tensors of every width in memory, registers and shared memory: neighbours stay untouched, values wrap."""
import hidet
import torch
from hidet.lang import attrs, boolean, f64, i8, i16, i32, i64, register_tensor, shared_tensor, u8
from hidet.lang.cuda import syncthreads, threadIdx

n = 40
for dtype, tensor_dtype, low, high in [
    (i8, torch.int8, -128, 127), (u8, torch.uint8, 0, 255), (i16, torch.int16, -32768, 32767),
    (i32, torch.int32, -2147483648, 2147483647), (i64, torch.int64, -4611686018427387904, 4611686018427387904),
    (f64, torch.float64, -1.5, 2.5),
]:
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[n], y: dtype[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            smem = shared_tensor(dtype, shape=[n])
            regs = register_tensor(dtype, shape=[3])
            smem[t] = x[t]
            syncthreads()
            for i in range(3):
                regs[i] = smem[(t + i) % n]
            if t % 2 == 0:
                y[t] = regs[0] + regs[1] - regs[1]
            else:
                y[t] = regs[2]

    x = torch.tensor([low if i % 3 == 0 else high if i % 3 == 1 else low + i for i in range(n)], dtype=tensor_dtype, device='cuda')
    y = torch.zeros(n, dtype=tensor_dtype, device='cuda')
    script_module.build()(x, y)
    v = x.tolist()
    want = [v[t] if t % 2 == 0 else v[(t + 2) % n] for t in range(n)]
    assert y.tolist() == want, f'{dtype.name}: {y.tolist()} instead of {want}'

with hidet.script_module() as script_module:

    @hidet.script
    def flags(x: i32[n], y: boolean[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        y[threadIdx.x] = x[threadIdx.x] > 3 and x[threadIdx.x] != 10


x = torch.arange(n, dtype=torch.int32, device='cuda')
y = torch.zeros(n, dtype=torch.bool, device='cuda')
script_module.build()(x, y)
assert y.tolist() == [i > 3 and i != 10 for i in range(n)]
