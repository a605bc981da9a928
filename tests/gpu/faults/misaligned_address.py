# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: kernel 'read_between'
# says: accessed a misaligned address
# says: [kernel-fault]
"""A number of 8 bytes, read where 4 fit."""
import hidet
import torch
from hidet.lang import attrs, cast, f32, i32, i64
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def read_between(x: f32[64], y: f32[64], offset: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 16
        words = cast(~x[offset], ~i64)
        y[threadIdx.x] = f32(words[threadIdx.x])


x = torch.zeros(64, device='cuda')
y = torch.zeros(64, device='cuda')
script_module.build()(x, y, 1)
print('not reached')
