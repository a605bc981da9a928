# SPDX-License-Identifier: Apache-2.0
"""Another file that kernels of capture_test.py take functions from."""

import hidet
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

OFFSET = 1.5


def offset():
    return OFFSET


def shifted_by(factor):
    with hidet.script_module() as module:

        @hidet.script
        def shifted(x: f32[8]):
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 8
            x[threadIdx.x] += float(factor)

    return module.build()
