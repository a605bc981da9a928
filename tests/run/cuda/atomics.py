# SPDX-License-Identifier: Apache-2.0
"""Atomics on global and shared memory: no update is lost, and each returns what was there before."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, shared_tensor
from hidet.lang.cuda import (
    atomic_add, atomic_cas, atomic_exchange, atomic_max, atomic_min, atomic_sub, blockIdx, syncthreads, threadIdx,
)

blocks, threads = 4, 64

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[8], tickets: i32[256], real: f32[1], shared_sums: i32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = threads
        t = blockIdx.x * threads + threadIdx.x
        atomic_add(~out[0], t)
        atomic_sub(~out[1], 1)
        atomic_min(~out[2], 100 - t)
        atomic_max(~out[3], t * 7 % 256)
        ticket = atomic_add(~out[4], 1)
        atomic_add(~tickets[ticket], 1)
        if atomic_cas(~out[5], 0, t + 1) == 0:
            atomic_add(~out[6], 1)
        atomic_exchange(~out[7], 42)
        atomic_add(~real[0], 0.5)

        smem = shared_tensor(i32, shape=[1])
        if threadIdx.x == 0:
            smem[0] = 0
        syncthreads()
        atomic_add(~smem[0], threadIdx.x)
        syncthreads()
        if threadIdx.x == 0:
            shared_sums[blockIdx.x] = smem[0]


out = torch.zeros(8, dtype=torch.int32, device='cuda')
tickets = torch.zeros(256, dtype=torch.int32, device='cuda')
real = torch.zeros(1, device='cuda')
shared_sums = torch.zeros(4, dtype=torch.int32, device='cuda')
script_module.build()(out, tickets, real, shared_sums)
values = out.tolist()
assert values[0] == sum(range(256))
assert values[1] == -256
assert values[2] == 100 - 255
assert values[3] == 255
assert values[4] == 256
assert 1 <= values[5] <= 256 and values[6] == 1
assert values[7] == 42
assert tickets.tolist() == [1] * 256
assert real.tolist() == [128.0]
assert shared_sums.tolist() == [sum(range(64))] * 4
