# SPDX-License-Identifier: Apache-2.0
# try: --reference emulator --tolerance 0,0
# verdict: correct
# only: cuda
"""The GPU and the emulator agree to the bit where nothing is rounded differently."""
import hidet
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def turn(x: i32[8, 64], y: i32[8, 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 8
        attrs.cuda.block_dim = 64
        row = shared_tensor(i32, shape=[64])
        row[63 - threadIdx.x] = x[blockIdx.x, threadIdx.x]
        syncthreads()
        y[blockIdx.x, threadIdx.x] = row[threadIdx.x] * 3


module = script_module.build()
