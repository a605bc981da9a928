# SPDX-License-Identifier: Apache-2.0
"""Warps of a warp group that parted come together again at its products, whoever of them is there first."""
import hidet
import torch
from hidet.lang import attrs, f16, f32, grid, i32, register_tensor, shared_tensor, u64
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    WgmmaConfig,
    cvta_generic_to_shared,
    fence_view_async_shared,
    make_wgmma_desc,
    mbarrier_arrive,
    mbarrier_init,
    mbarrier_try_wait,
    mbarrier_wait,
    nano_sleep,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)

products = WgmmaConfig.get(64, 8, 16, f16, f16, f32)
turns = 3

with hidet.script_module() as script_module:

    @hidet.script
    def each_waits_for_itself(y: f32[2, 128], turns: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 160
        tile = shared_tensor(f16, shape=[64 * 16])
        full = shared_tensor(u64, shape=[4])
        over = shared_tensor(u64, shape=[1])
        sums = register_tensor(f32, shape=[products.c_elements])
        warp = threadIdx.x // 32
        if threadIdx.x < 4:
            mbarrier_init(~full[threadIdx.x], 1)
        if threadIdx.x == 4:
            mbarrier_init(over, 128)
        for i in range(7):
            if i * 160 + threadIdx.x < 1024:
                tile[i * 160 + threadIdx.x] = f16(1.0)
        for i in grid(products.c_elements, attrs='u'):
            sums[i] = 0.0
        fence_view_async_shared()
        syncthreads()
        desc = make_wgmma_desc(128, 256, 0) | u64(cvta_generic_to_shared(tile)) >> 4
        if warp == 4:
            for turn in range(turns):
                for first in range(4):
                    for pause in range(first * 5):
                        nano_sleep(10)
                    if threadIdx.x == 128:
                        mbarrier_arrive(~full[3 - first if turn % 2 == 0 else first])
                mbarrier_wait(over, turn % 2)
        else:
            for turn in range(turns):
                while not mbarrier_try_wait(~full[warp], turn % 2):
                    pass
                wgmma_fence()
                wgmma_async(products, desc, ~sums[0], desc)
                wgmma_commit_group()
                wgmma_wait_group(0)
                mbarrier_arrive(over)
            y[blockIdx.x, threadIdx.x] = sums[0]

    @hidet.script
    def one_waits_for_another_group(y: f32[256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 256
        tile = shared_tensor(f16, shape=[64 * 16])
        over = shared_tensor(u64, shape=[1])
        sums = register_tensor(f32, shape=[products.c_elements])
        warp = threadIdx.x // 32
        if threadIdx.x == 0:
            mbarrier_init(over, 128)
        for i in range(4):
            tile[i * 256 + threadIdx.x] = f16(1.0)
        for i in grid(products.c_elements, attrs='u'):
            sums[i] = 0.0
        fence_view_async_shared()
        syncthreads()
        desc = make_wgmma_desc(128, 256, 0) | u64(cvta_generic_to_shared(tile)) >> 4
        if warp == 5:
            mbarrier_wait(over, 0)
        wgmma_fence()
        wgmma_async(products, desc, ~sums[0], desc)
        wgmma_commit_group()
        wgmma_wait_group(0)
        if warp < 4:
            mbarrier_arrive(over)
        y[threadIdx.x] = sums[0]

    @hidet.script
    def launch(y: f32[2, 128], z: f32[256]):
        attrs.func_kind = 'public'
        each_waits_for_itself(y, turns)
        one_waits_for_another_group(z)


y = torch.zeros(2, 128, device='cuda')
z = torch.zeros(256, device='cuda')
script_module.build()(y, z)
assert y.tolist() == [[16.0 * turns] * 128] * 2
assert z.tolist() == [16.0] * 256
