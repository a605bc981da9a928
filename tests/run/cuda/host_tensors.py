# SPDX-License-Identifier: Apache-2.0
"""Tensors of hidet on the CPU are memory that kernels reach: read, written, both at once, in part, and one after the other."""
import hidet
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx

n = 96

with hidet.script_module() as m:

    @hidet.script
    def scale(x: f32[n], y: f32[n], factor: f32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n // 32
        attrs.cuda.block_dim = 32
        i = blockIdx.x * 32 + threadIdx.x
        y[i] = x[i] * factor

    @hidet.script
    def shift(x: ~i32, y: ~i32, count: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        if threadIdx.x < count:
            y[threadIdx.x] = x[threadIdx.x] + 1

    @hidet.script
    def launch(x: f32[n], y: f32[n], factor: f32):
        attrs.func_kind = 'public'
        scale(x, y, factor)
        scale(y, y, factor)

    @hidet.script
    def launch_shift(x: ~i32, y: ~i32, count: i32):
        attrs.func_kind = 'public'
        shift(x, y, count)
        y[0] = y[0] * 10


module = m.build()

# Host memory in, GPU memory out, and the other way around.
x = hidet.arange(n, dtype='int64').to('float32')
y = hidet.zeros([n], device='cuda')
module(x, y, 2.0)
assert y.cpu().tolist() == [4.0 * i for i in range(n)]
back = hidet.empty([n])
module(y, back, 0.5)
assert back.tolist() == [1.0 * i for i in range(n)]

# One tensor is both arguments, and both launches see what the first one wrote.
module(x, x, 3.0)
assert x.tolist() == [9.0 * i for i in range(n)]

# Two parts of one tensor; the launch function of the CPU writes behind the kernel.
both = hidet.asarray([1, 2, 3, 4, 0, 0, 0, 0, 7], dtype='int32')
module['launch_shift'](both[:4], both[4:8], 4)
assert both.tolist() == [1, 2, 3, 4, 20, 3, 4, 5, 7]
