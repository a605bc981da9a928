# SPDX-License-Identifier: Apache-2.0
"""Barriers in shared memory: producers and consumers that take turns, phases, and bytes that are expected."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u64
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    fence_barrier_init,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_complete_transaction,
    mbarrier_expect_transaction,
    mbarrier_init,
    mbarrier_invalidate,
    mbarrier_try_wait,
    mbarrier_wait,
)

turns, slots = 7, 2

with hidet.script_module() as ring:

    @hidet.script
    def kernel(out: i32[turns, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        full = shared_tensor(u64, shape=[slots])
        empty = shared_tensor(u64, shape=[slots])
        data = shared_tensor(i32, shape=[slots, 32])
        if threadIdx.x == 0:
            for s in range(slots):
                mbarrier_init(~full[s], 32)
                mbarrier_init(~empty[s], 32)
            fence_barrier_init()
        syncthreads()
        lane = threadIdx.x % 32
        if threadIdx.x < 32:
            for t in range(turns):
                mbarrier_wait(~empty[t % slots], (t // slots + 1) % 2)
                data[t % slots, lane] = t * 100 + lane
                mbarrier_arrive(~full[t % slots])
        else:
            for t in range(turns):
                while mbarrier_try_wait(~full[t % slots], t // slots % 2) == 0:
                    pass
                out[t, lane] = data[t % slots, 31 - lane]
                mbarrier_arrive(~empty[t % slots])
        syncthreads()
        if threadIdx.x == 0:
            for s in range(slots):
                mbarrier_invalidate(~full[s])


out = torch.zeros(turns, 32, dtype=torch.int32, device='cuda')
ring.build()(out)
assert out.tolist() == [[t * 100 + 31 - lane for lane in range(32)] for t in range(turns)]

with hidet.script_module() as bytes_module:

    @hidet.script
    def kernel(out: i32[2]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        barrier = shared_tensor(u64, shape=[1])
        word = shared_tensor(i32, shape=[1])
        if threadIdx.x == 0:
            mbarrier_init(barrier, 2)
            fence_barrier_init()
        syncthreads()
        if threadIdx.x == 0:
            mbarrier_arrive_and_expect_tx(barrier, 48)
            mbarrier_expect_transaction(barrier, 16)
            mbarrier_arrive(barrier, pred=False)
            mbarrier_arrive(barrier)
        if threadIdx.x == 32:
            word[0] = 5
            mbarrier_complete_transaction(barrier, 48)
            mbarrier_complete_transaction(barrier, 16)
            mbarrier_wait(barrier, 0)
            out[0] = word[0]
            mbarrier_wait(barrier, 0)
            out[1] = 1


out = torch.zeros(2, dtype=torch.int32, device='cuda')
bytes_module.build()(out)
assert out.tolist() == [5, 1]
