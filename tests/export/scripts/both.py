# SPDX-License-Identifier: Apache-2.0
"""A kernel for a GPU, a function of the CPU, and two that return numbers: one module of Python."""
import hidet
from hidet.lang import attrs, f32, f64, grid, i32
from hidet.lang.cuda import blockIdx, threadIdx
m, n = hidet.symbol_var('m'), hidet.symbol_var('n')
with hidet.script_module() as on_gpu:
    @hidet.script
    def double(x: f32[m, 32], y: f32[m, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = m
        attrs.cuda.block_dim = 32
        y[blockIdx.x, threadIdx.x] = x[blockIdx.x, threadIdx.x] * 2.0

    @hidet.script
    def launch(x: f32[m, 32], y: f32[m, 32]):
        attrs.func_kind = 'public'
        double(x, y)

    @hidet.script
    def larger(a: i32, b: i32) -> i32:
        attrs.func_kind = 'public'
        return max(a, b)
on_gpu.build()
with hidet.script_module() as on_cpu:
    @hidet.script
    def scaled(x: f32[m, n], y: f32[m, n], by: f32, divisor: i32):
        attrs.func_kind = 'cpu_kernel'
        for i in grid(m, attrs='p'):
            for j in range(n):
                y[i, j] = x[i, j] * by + f32(j // divisor)
on_cpu.build()
with hidet.script_module() as sums:
    @hidet.script
    def total(x: f32[m, n]) -> f64:
        attrs.func_kind = 'public'
        added = f64(0.0)
        for i in range(m):
            for j in range(n):
                added += x[i, j]
        return added
sums.build()
