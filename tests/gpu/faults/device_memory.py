# SPDX-License-Identifier: Apache-2.0
# exit: 3
# says: the device is out of memory: 'x' (f32[1048576, 768]) needs 3 GiB
# says: [device-error]
# leave: 2
"""A tensor of 3 GiB on a GPU that has 2 GiB left: the runner takes the rest before."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def clear(x: f32[1 << 20, 768]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 256
        x[0, threadIdx.x] = 0.0


x = torch.empty(1 << 20, 768, device='cuda')
script_module.build()(x)
print('not reached')
