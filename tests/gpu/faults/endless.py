# SPDX-License-Identifier: Apache-2.0
# exit: 124
# says: kernel 'wait'
# says: has not ended after 2 s
# says: [kernel-fault]
# options: --timeout 2
"""A loop whose end never comes: nobody writes what it waits for."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import atomic_add, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def wait(flag: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        while atomic_add(~flag[0], 0) == 0:
            pass


flag = torch.zeros(1, dtype=torch.int32, device='cuda')
script_module.build()(flag)
print('not reached')
