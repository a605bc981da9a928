# SPDX-License-Identifier: Apache-2.0
# exit: 1
# says: 'turn' asks for 1048576 bytes of dynamic shared memory
# says: [too-much-dynamic-shared-memory]
"""More shared memory than any block has: the compiler sees it."""
import hidet
import torch
from hidet.lang import attrs, f32
from hidet.lang.cuda import dynamic_shared_memory, syncthreads, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def turn(x: f32[256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 256
        attrs.cuda.dynamic_smem_bytes = 1 << 20
        tile = dynamic_shared_memory(byte_offset=0, dtype=f32)
        tile[threadIdx.x] = x[threadIdx.x]
        syncthreads()
        x[threadIdx.x] = tile[255 - threadIdx.x]


x = torch.zeros(256, device='cuda')
script_module.build()(x)
print('not reached')
