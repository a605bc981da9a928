# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: kernel 'clear' is launched with blocks of (2048, 1, 1); at most 1024 threads are allowed in x
# says: [invalid-launch]
"""More threads than any block has."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def clear(x: f32[2048], threads: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = threads
        x[threadIdx.x] = 0.0


x = torch.zeros(2048, device='cuda')
script_module.build()(x, 2048)
print('not reached')
