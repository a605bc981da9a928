# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: kernel 'stop'
# says: [kernel-fault]
"""An instruction that stops the kernel."""
import hidet
import torch
from hidet.lang import asm, attrs, f32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def stop(x: f32[32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        if x[threadIdx.x] == 0.0:
            asm('trap;', is_volatile=True)


x = torch.zeros(32, device='cuda')
script_module.build()(x)
print('not reached')
