# SPDX-License-Identifier: Apache-2.0
# try: --reference expected
# verdict: wrong
# says: at (99,): never written
"""The last element is never written, which a device that begins with zeros would hide."""
import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def scale(x: f32[100], y: f32[100]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 99
        y[threadIdx.x] = x[threadIdx.x] * 0.0


module = script_module.build()


def expected(x):
    return x * 0
