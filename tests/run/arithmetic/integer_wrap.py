# SPDX-License-Identifier: Apache-2.0
"""Integers of kernels have a width and wrap; i32 stays i32 where Python would grow."""
import hidet
import torch
from hidet.lang import attrs, i32, i64, u32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(seed: u32[64], out: u32[64], signed: i32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        state = seed[t]
        for i in range(10):
            state = state * u32(1664525) + u32(1013904223)
        out[t] = state
        v = t + 2147483600
        signed[t] = v


seed = hidet.asarray(list(range(64)), dtype='uint32').cuda()
out = hidet.zeros([64], dtype='uint32', device='cuda')
signed = hidet.zeros([64], dtype='int32', device='cuda')
script_module.build()(seed, out, signed)
for t in range(64):
    state = t
    for i in range(10):
        state = (state * 1664525 + 1013904223) % (1 << 32)
    assert int(out.tolist()[t]) == state
    v = t + 2147483600
    assert int(signed.tolist()[t]) == (v if v < 2 ** 31 else v - 2 ** 32)
