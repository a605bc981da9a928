# SPDX-License-Identifier: Apache-2.0
# try: --dim m=64,100 --reference expected
# verdict: correct
"""A product of matrices that is right at every size."""
import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import blockIdx, threadIdx

m = hidet.symbol_var('m')

with hidet.script_module() as script_module:

    @hidet.script
    def matmul(a: f32[m, 80], b: f32[80, 96], c: f32[m, 96]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 6, (m + 15) // 16
        attrs.cuda.block_dim = 16, 16
        i = blockIdx.y * 16 + threadIdx.y
        j = blockIdx.x * 16 + threadIdx.x
        if i < m and j < 96:
            total = f32(0.0)
            for p in range(80):
                total += a[i, p] * b[p, j]
            c[i, j] = total


module = script_module.build()


def expected(a, b):
    return a @ b
