# SPDX-License-Identifier: Apache-2.0
"""Barriers that copies of cp.async arrive at, tests that do not wait, an elected lane, hints for the cache."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor, u64
from hidet.lang.cuda import cp_async, syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    copy_bulk_g2s,
    cp_async_barrier_arrive,
    elect_sync,
    fence_barrier_init,
    fence_proxy_async,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_test_wait,
    mbarrier_wait,
)


def copies(mode, policy):
    """Each thread copies 16 bytes; the phase ends when all copies are there."""
    # Without noinc the phase waits for the copies besides those that it waits for anyway.
    counts_itself = mode == 'none'
    expected = 64
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: i32[256], b: i32[256]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 64
            data = shared_tensor(i32, shape=[256])
            barrier = shared_tensor(u64, shape=[1])
            if threadIdx.x == 0:
                mbarrier_init(barrier, expected)
                fence_barrier_init()
            syncthreads()
            cp_async(~data[threadIdx.x * 4], ~a[threadIdx.x * 4], 16, evict_policy=policy)
            cp_async_barrier_arrive(barrier, mode)
            if counts_itself:
                mbarrier_arrive_and_expect_tx(barrier, 0)
            while mbarrier_test_wait(barrier, 0, 0) == 0:
                pass
            for i in range(4):
                b[threadIdx.x * 4 + i] = data[255 - threadIdx.x * 4 - i]

    a = torch.arange(256, dtype=torch.int32, device='cuda')
    b = torch.zeros(256, dtype=torch.int32, device='cuda')
    script_module.build()(a, b)
    assert b.tolist() == list(reversed(range(256))), (mode, policy)


copies('none', 'evict_normal')
copies('noinc', 'evict_first')
copies('noinc', 'evict_last')

with hidet.script_module() as elected:

    @hidet.script
    def kernel(a: i32[64], b: i32[64], who: i32[64], tested: i32[2]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        data = shared_tensor(i32, shape=[64])
        barrier = shared_tensor(u64, shape=[1])
        if threadIdx.x == 0:
            mbarrier_init(barrier, 1)
            fence_barrier_init()
        syncthreads()
        chosen = elect_sync()
        who[threadIdx.x] = 1 if chosen else 0
        if threadIdx.x // 32 == 0:
            if chosen:
                tested[0] = mbarrier_test_wait(barrier, 0, 0)
                tested[1] = mbarrier_test_wait(barrier, 1, 0, False)
                mbarrier_arrive_and_expect_tx(barrier, 256)
                copy_bulk_g2s(256, data, a, barrier, evict_policy='evict_first')
        mbarrier_wait(barrier, 0)
        b[threadIdx.x] = data[63 - threadIdx.x]
        fence_proxy_async('global')


a = torch.arange(64, dtype=torch.int32, device='cuda')
b = torch.zeros(64, dtype=torch.int32, device='cuda')
who = torch.zeros(64, dtype=torch.int32, device='cuda')
tested = torch.ones(2, dtype=torch.int32, device='cuda')
elected.build()(a, b, who, tested)
assert b.tolist() == list(reversed(range(64)))
assert [sum(who.tolist()[:32]), sum(who.tolist()[32:])] == [1, 1]
assert tested.tolist() == [0, 0]
