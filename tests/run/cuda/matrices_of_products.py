# SPDX-License-Identifier: Apache-2.0
"""Matrices that ldmatrix loads for products, each way round, and that are wanted again when shared memory has something else."""
import hidet
import torch
from hidet.lang import attrs, f16, f32, grid, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import MmaConfig, ldmatrix, mma_sync, syncthreads, threadIdx

config = MmaConfig.m16n8k16_f16_f32()
warps = 2


def multiply(turned_a, turned_b, is_kept, is_read):
    """c[w] = a @ b[w], and again with one more k-step, or behind a barrier after which the tiles are others."""
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f16[2, 16, 16], b: f16[warps, 16, 8], c: f32[2, warps, 16, 8], firsts: f16[32 * warps]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32 * warps
            t = threadIdx.x
            lane = t % 32
            w = t // 32
            smem_a = shared_tensor(f16, shape=[2, 16, 16])
            smem_b = shared_tensor(f16, shape=[warps, 16, 16])
            regs_a = register_tensor(f16, shape=[8])
            regs_b = register_tensor(f16, shape=[4])
            regs_c = register_tensor(f32, shape=[4])
            words_a = view(~regs_a[0], u32[4])
            words_b = view(~regs_b[0], u32[2])
            for s in range(2):
                for i in range(256 // (32 * warps)):
                    e = i * 32 * warps + t
                    if turned_a:
                        smem_a[s, e % 16, e // 16] = a[s, e // 16, e % 16]
                    else:
                        smem_a[s, e // 16, e % 16] = a[s, e // 16, e % 16]
            for i in range(128 // 32):
                e = i * 32 + lane
                if turned_b:
                    smem_b[w, e // 8, e % 8] = b[w, e // 8, e % 8]
                else:
                    smem_b[w, e % 8, e // 8] = b[w, e // 8, e % 8]
            for i in range(4):
                regs_c[i] = 0.0
            syncthreads()
            if turned_b:
                ldmatrix([words_b[0], words_b[1]], ~smem_b[w, lane % 16, 0], trans=True)
            else:
                ldmatrix([words_b[0], words_b[1]], ~smem_b[w, lane % 8, lane // 8 % 2 * 8])
            for s in grid(1 if is_kept else 2, attrs='u+'):
                if turned_a:
                    ldmatrix([words_a[i] for i in range(4)], ~smem_a[s, lane // 16 * 8 + lane % 8, lane // 8 % 2 * 8], trans=True)
                else:
                    ldmatrix([words_a[i] for i in range(4)], ~smem_a[s, lane % 16, lane // 16 * 8])
                mma_sync(config, ~regs_a[0], ~regs_b[0], ~regs_c[0])
            p = 0
            for i, j in config.c_store_map.on(lane):
                c[0, w, i, j] = regs_c[p]
                p += 1
            if is_kept:
                syncthreads()
                for i in range(256 // (32 * warps)):
                    smem_a[0, (i * 32 * warps + t) // 16, t % 16] = 0.5
                    smem_b[w, (i * 32 + lane) // 16 % 16, t % 16] = 0.5
                syncthreads()
                mma_sync(config, ~regs_a[0], ~regs_b[0], ~regs_c[0])
                p = 0
                for i, j in config.c_store_map.on(lane):
                    c[1, w, i, j] = regs_c[p]
                    p += 1
                if is_read:
                    firsts[t] = regs_a[0]

    a = torch.randint(-4, 5, (2, 16, 16), device='cuda').to(torch.float16)
    b = torch.randint(-4, 5, (warps, 16, 8), device='cuda').to(torch.float16)
    c = torch.zeros(2, warps, 16, 8, device='cuda')
    firsts = torch.zeros(32 * warps, dtype=torch.float16, device='cuda')
    script_module.build()(a, b, c, firsts)
    for w in range(warps):
        once = torch.matmul(a[0].float(), b[w].float())
        both = once + torch.matmul(a[1].float(), b[w].float())
        torch.testing.assert_close(c[0, w], once if is_kept else both, rtol=0.0, atol=0.0)
        if is_kept:
            torch.testing.assert_close(c[1, w], once + once, rtol=0.0, atol=0.0)
            for lane in range(32 if is_read else 0):
                assert firsts.tolist()[32 * w + lane] == a.tolist()[0][lane // 4][lane % 4 * 2]


for turned_a in [False, True]:
    for turned_b in [False, True]:
        for is_kept, is_read in [(False, False), (True, False), (True, True)]:
            multiply(turned_a, turned_b, is_kept, is_read)
