# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: kernel 'check'
# says: failed an assertion
# says: [kernel-fault]
"""An assertion of a kernel that one of its threads fails."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def check(x: f32[256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 256
        assert x[threadIdx.x] < 255.0, 'x is too large'
        x[threadIdx.x] = 0.0


x = torch.arange(256, device='cuda').to(torch.float32)
script_module.build()(x)
print('not reached')
