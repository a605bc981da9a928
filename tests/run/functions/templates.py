# SPDX-License-Identifier: Apache-2.0
"""Python makes kernels: types, sizes, operators and parts of the body come from the functions around them."""
import hidet
import torch
from hidet.lang import attrs, f16, f32, i32, i64
from hidet.lang.cuda import threadIdx


def elementwise(dtype, n, combine, scale=1):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[n], y: dtype[n], z: dtype[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'elementwise_' + dtype.name
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            i = threadIdx.x
            z[i] = combine(x[i], y[i]) * scale

    return script_module.build()


n = 32
for dtype, torch_dtype in [(i32, torch.int32), (i64, torch.int64), (f32, torch.float32)]:
    x = torch.arange(n, device='cuda').to(torch_dtype)
    y = torch.full((n,), 3, dtype=torch_dtype, device='cuda')
    for combine in [lambda a, b: a + b, lambda a, b: a * b - a]:
        z = torch.zeros(n, dtype=torch_dtype, device='cuda')
        elementwise(dtype, n, combine, scale=2)(x, y, z)
        assert z.tolist() == [combine(i, 3) * 2 for i in range(n)], dtype


class Config:
    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns

    def size(self):
        return self.rows * self.columns

    def offset(self, i, j):
        return i * self.columns + j


config = Config(4, 6)
with hidet.script_module() as script_module:

    @hidet.script
    def fill(x: i32[config.size()]):
        attrs.func_kind = 'cpu_kernel'
        for i in range(config.rows):
            for j in range(config.columns):
                x[config.offset(i, j)] = i * 10 + j


x = torch.zeros(24, dtype=torch.int32)
script_module.build()(x)
assert x.tolist() == [i * 10 + j for i in range(4) for j in range(6)]
