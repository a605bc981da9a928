# SPDX-License-Identifier: Apache-2.0
"""Histogram: many threads count into the same places.

'counts[b] += 1' by two threads at once may lose one of the two; atomic_add does not. Atomics on one global counter queue
up over the whole device, so each block counts in its shared memory first, and adds its counts to the global ones once.
"""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, syncthreads, threadIdx

length, bins = 4000, 32
threads, per_thread = 128, 8
per_block = threads * per_thread

with hidet.script_module() as script_module:

    @hidet.script
    def histogram(values: i32[length], counts: i32[bins]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (length + per_block - 1) // per_block
        attrs.cuda.block_dim = threads

        local = shared_tensor(i32, shape=[bins])
        if threadIdx.x < bins:
            local[threadIdx.x] = 0
        syncthreads()

        for step in range(per_thread):
            i = blockIdx.x * per_block + step * threads + threadIdx.x
            if i < length:
                atomic_add(~local[values[i]], 1)
        syncthreads()

        if threadIdx.x < bins:
            atomic_add(~counts[threadIdx.x], local[threadIdx.x])


module = script_module.build()

values = torch.randint(0, bins, (length,), dtype=torch.int32, device='cuda')
counts = torch.zeros(bins, dtype=torch.int32, device='cuda')
module(values, counts)

expected = [0] * bins
for value in values.tolist():
    expected[value] += 1
assert counts.tolist() == expected
print(f'histogram: {length} values in {bins} bins, counted right')
