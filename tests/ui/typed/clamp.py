# SPDX-License-Identifier: GPL-3.0-only
"""Values between two bounds.

One thread each.
"""
import hidet
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx


def clamp(n):
    with hidet.script_module() as script_module:

        @hidet.script
        def clamp_kernel(
            x: f32[n],
            y: f32[n]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = (n + 63) // 64
            attrs.cuda.block_dim = 64
            i = blockIdx.x * 64 + threadIdx.x
            if i < n:
                if x[i] < 0.0:
                    y[i] = 0.0
                else:
                    y[i] = x[i]
    return script_module.build()


kernel = clamp(100)
