# SPDX-License-Identifier: Apache-2.0
"""Warps that wait at a barrier keep their values while others are still before it.

Addresses take 64 bits of a thread's registers, the values that are kept 32. Both exist before the barrier, one after the
other, and the block is too large for all of its warps to run together.
"""
import hidet
import torch
from hidet.lang import attrs, f32, i32, register_tensor, shared_tensor
from hidet.lang.cuda import cp_async, cp_async_wait_all, syncthreads, threadIdx

threads, kept, rounds = 256, 200, 3

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: f32[threads], y: i32[threads]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = threads
        t = threadIdx.x
        smem = shared_tensor(f32, shape=[threads])
        values = register_tensor(i32, shape=[kept])
        cp_async(~smem[t ^ 5], ~x[t ^ 5], cp_size=4)
        for i in range(kept):
            values[i] = t * i
        first = (t * 3) ^ 1
        second = (t * 5) ^ 2
        third = (t * 7) ^ 3
        total = 0
        for r in range(rounds):
            cp_async_wait_all()
            syncthreads()
            cp_async(~smem[t ^ (8 + r)], ~x[t ^ (8 + r)], cp_size=4)
            total += first + second * 2 + third * 3 + r
            for i in range(kept):
                values[i] += total
        for i in range(kept):
            total += values[i]
        y[t] = total


x = torch.randn(threads, device='cuda')
y = torch.zeros(threads, dtype=torch.int32, device='cuda')
script_module.build()(x, y)


def expected(t):
    values = [t * i for i in range(kept)]
    total = 0
    for r in range(rounds):
        total += ((t * 3) ^ 1) + ((t * 5) ^ 2) * 2 + ((t * 7) ^ 3) * 3 + r
        values = [value + total for value in values]
    return total + sum(values)


assert y.tolist() == [expected(t) for t in range(threads)]
