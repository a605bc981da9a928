# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: kernel 'write_outside' <<<(4, 1, 1), (256, 1, 1)>>>
# says: accessed an illegal address
# says: [kernel-fault]
"""A write a terabyte behind a tensor, where no memory is."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64
from hidet.lang.cuda import blockIdx, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def write_outside(x: f32[1024], steps: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.block_dim = 256
        x[blockIdx.x * 256 + threadIdx.x + i64(steps) * 1048576] = 1.0


x = torch.zeros(1024, device='cuda')
script_module.build()(x, 1 << 18)
print('not reached')
