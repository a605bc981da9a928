# SPDX-License-Identifier: Apache-2.0
"""Public functions: they return values, call each other's kernels, choose and repeat launches, and run without any."""
import hidet
import torch
from hidet.lang import attrs, f32, f64, i32, i64
from hidet.lang.cuda import blockIdx, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def add(x: ~i32, n: i32, amount: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32
        attrs.cuda.block_dim = 32
        i = blockIdx.x * 32 + threadIdx.x
        if i < n:
            x[i] += amount

    @hidet.script
    def double(x: ~i32, n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 63) // 64
        attrs.cuda.block_dim = 64
        i = blockIdx.x * 64 + threadIdx.x
        if i < n:
            x[i] *= 2

    @hidet.script
    def launch(x: ~i32, n: i32, steps: i32, twice: i32):
        attrs.func_kind = 'public'
        for step in range(steps):
            add(x, n, step)
            if twice != 0:
                double(x, n)

    @hidet.script
    def fibonacci(n: i32) -> i64:
        attrs.func_kind = 'public'
        a = i64(0)
        b = i64(1)
        for i in range(n):
            a, b = b, a + b
        return a

    @hidet.script
    def mean(x: ~f32, n: i32) -> f64:
        attrs.func_kind = 'public'
        total = f64(0.0)
        for i in range(n):
            total += x[i]
        return total / n


module = script_module.build()
for n, steps, twice in [(10, 3, 0), (100, 4, 1), (1, 0, 1)]:
    x = torch.arange(n, dtype=torch.int32, device='cuda')
    want = x.tolist()
    module(x, n, steps, twice)
    for step in range(steps):
        want = [(v + step) * (2 if twice else 1) for v in want]
    assert x.tolist() == want

assert module['fibonacci'](50) == 12586269025
x = torch.tensor([1.0, 2.0, 4.5])
assert module['mean'](x, 3) == 2.5
