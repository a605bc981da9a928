# SPDX-License-Identifier: Apache-2.0
# A histogram of 256 bins with atomics in shared memory: one shared atomic an element.
import hidet
import torch
from hidet.lang import attrs, shared_tensor
from hidet.lang.types import i32
from hidet.lang.cuda import threadIdx, blockIdx, syncthreads, atomic_add

count, bins, blocks = 1 << 18, 256, 16
per_thread = count // (blocks * 256)

with hidet.script_module() as script_module:

    @hidet.script
    def histogram_bins(values: i32[count], result: i32[bins]):
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 256
        local = shared_tensor(i32, shape=[bins])
        local[threadIdx.x] = 0
        syncthreads()
        for i in range(per_thread):
            value = values[(blockIdx.x * per_thread + i) * 256 + threadIdx.x]
            atomic_add(~local[value], 1)
        syncthreads()
        atomic_add(~result[threadIdx.x], local[threadIdx.x])


module = script_module.build()
values = torch.randint(0, bins, (count,), device='cuda', dtype=torch.int32)
result = torch.zeros(bins, dtype=torch.int32, device='cuda')
module(values, result)
assert result.sum().item() == count
