# SPDX-License-Identifier: Apache-2.0
"""What a warp does together, in loops and branches that warps go through differently often: each comes whole, or not."""
import hidet
import torch
from hidet.lang import attrs, f16, f32, grid, i32, register_tensor, shared_tensor, u32, u64
from hidet.lang.cuda import (
    MmaConfig,
    WgmmaConfig,
    cvta_generic_to_shared,
    ldmatrix,
    make_wgmma_desc,
    mma_sync,
    shfl_xor_sync,
    syncthreads,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.ir.primitives.cuda import (
    any_sync,
    atomic_add,
    ballot_sync,
    barrier_sync,
    elect_sync,
    fence_view_async_shared,
    mbarrier_arrive,
    mbarrier_init,
    mbarrier_try_wait,
    mbarrier_wait,
    stmatrix,
    syncwarp,
)

config = MmaConfig.m16n8k16_f16_f32()
products = WgmmaConfig.get(64, 8, 16, f16, f16, f32)

with hidet.script_module() as by_turns:

    @hidet.script
    def multiply(y: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        a = register_tensor(f16, shape=[8])
        b = register_tensor(f16, shape=[4])
        c = register_tensor(f32, shape=[4])
        for i in grid(8, attrs='u'):
            a[i] = f16(1.0)
        for i in grid(4, attrs='u'):
            b[i] = f16(1.0)
            c[i] = 0.0
        for turn in range(2 - threadIdx.x // 32):
            mma_sync(config, ~a[0], ~b[0], ~c[0])
        y[threadIdx.x] = c[0]

    @hidet.script
    def move(y: i32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        warp = threadIdx.x // 32
        lane = threadIdx.x % 32
        tiles = shared_tensor(f16, shape=[4, 8, 8])
        words = register_tensor(u32, shape=[1])
        words[0] = u32(threadIdx.x)
        total = 0
        for turn in range(4):
            if turn > warp:
                continue
            stmatrix([words[0]], ~tiles[warp, lane % 8, 0])
            syncwarp()
            ldmatrix([words[0]], ~tiles[warp, lane % 8, 0], trans=True)
            syncwarp()
            total += shfl_xor_sync(u32(0xFFFFFFFF), 1, 1)
            if any_sync(u32(0xFFFFFFFF), lane == turn):
                total += 10
            if ballot_sync(u32(0xFFFFFFFF), lane < 2) == u32(3):
                total += 100
            if elect_sync():
                total += 1000
        y[threadIdx.x] = total

    @hidet.script
    def multiply_by_groups(y: f32[256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 256
        tile = shared_tensor(f16, shape=[64 * 16])
        sums = register_tensor(f32, shape=[products.c_elements])
        for i in range(4):
            tile[i * 256 + threadIdx.x] = f16(1.0)
        for i in grid(products.c_elements, attrs='u'):
            sums[i] = 0.0
        fence_view_async_shared()
        syncthreads()
        desc = make_wgmma_desc(128, 256, 0) | u64(cvta_generic_to_shared(tile)) >> 4
        for turn in range(1 + threadIdx.x // 128 * 2):
            wgmma_fence()
            wgmma_async(products, desc, ~sums[0], desc)
            wgmma_commit_group()
            wgmma_wait_group(0)
        y[threadIdx.x] = sums[0]

    @hidet.script
    def wait(y: i32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        warp = threadIdx.x // 32
        full = shared_tensor(u64, shape=[1])
        data = shared_tensor(i32, shape=[32])
        if threadIdx.x == 0:
            mbarrier_init(full, 32)
        syncthreads()
        for turn in range(2):
            if turn != warp:
                continue
            barrier_sync(1 + turn, 32)
        for turn in range(3):
            if turn < warp:
                continue
            if warp == 1:
                if turn == 2:
                    break
                data[threadIdx.x % 32] = i32(threadIdx.x) * 2
                mbarrier_arrive(full)
                continue
            if turn == 0:
                mbarrier_wait(full, 0)
                y[threadIdx.x] = data[31 - threadIdx.x]
        for turn in range(2):
            if warp == 0 and turn == 0:
                continue
            if warp == 1 and turn == 1:
                break
            barrier_sync(3, 64)
            y[32 + threadIdx.x % 32] = data[threadIdx.x % 32]
            break

    @hidet.script
    def fetch(warp: i32, data: i32[32], full: ~u64) -> i32:
        attrs.func_kind = 'cuda_internal'
        if warp == 1:
            return 5
        mbarrier_wait(full, 0)
        return data[threadIdx.x]

    @hidet.script
    def ask(y: i32[64], flag: i32[1]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        warp = threadIdx.x // 32
        full = shared_tensor(u64, shape=[1])
        data = shared_tensor(i32, shape=[32])
        if threadIdx.x == 0:
            mbarrier_init(full, 32)
        syncthreads()
        for turn in range(3):
            if turn < warp:
                continue
            if warp == 1:
                data[threadIdx.x % 32] = i32(threadIdx.x) * 2
                mbarrier_arrive(full)
                break
            while not mbarrier_try_wait(full, 0):
                pass
            y[threadIdx.x] = data[31 - threadIdx.x]
            break
        y[threadIdx.x] += fetch(warp, data, full)
        for turn in range(4):
            if turn % 2 == warp:
                continue
            syncthreads()
            y[threadIdx.x] += 1000
        if warp == 0:
            while atomic_add(~flag[0], 0) == 0:
                pass
        elif threadIdx.x == 32:
            atomic_add(~flag[0], 1)

    @hidet.script
    def launch(a: f32[64], b: i32[128], c: f32[256], d: i32[64], e: i32[64], flag: i32[1]):
        attrs.func_kind = 'public'
        multiply(a)
        move(b)
        multiply_by_groups(c)
        wait(d)
        ask(e, flag)


a = torch.zeros(64, device='cuda')
b = torch.zeros(128, dtype=torch.int32, device='cuda')
c = torch.zeros(256, device='cuda')
d = torch.zeros(64, dtype=torch.int32, device='cuda')
e = torch.zeros(64, dtype=torch.int32, device='cuda')
flag = torch.zeros(1, dtype=torch.int32, device='cuda')
by_turns.build()(a, b, c, d, e, flag)
assert a.tolist() == [32.0] * 32 + [16.0] * 32
assert b.tolist() == [(t // 32 + 1) * (111 + (1000 if t % 32 == 0 else 0)) for t in range(128)]
assert c.tolist() == [16.0] * 128 + [48.0] * 128
assert d.tolist() == [(63 - t) * 2 for t in range(32)] + [(32 + t) * 2 for t in range(32)]
assert e.tolist() == [2000 + (63 - t) * 2 + (32 + t) * 2 for t in range(32)] + [2005] * 32
