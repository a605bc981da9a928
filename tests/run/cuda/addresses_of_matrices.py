# SPDX-License-Identifier: Apache-2.0
"""Addresses that matrices and copies take are read by others too: behind a branch, in the next turn of a loop, as numbers."""
import hidet
import torch
from hidet.lang import attrs, f16, i32, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import cp_async, cp_async_wait_all, ldmatrix, syncthreads, threadIdx

turns = 3

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: f16[turns, 64, 8], order: i32[64], tiles: f16[turns, 2, 64, 2], firsts: f16[turns, 64], seconds: f16[turns, 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        smem = shared_tensor(f16, shape=[2, 64, 8])
        halves = register_tensor(f16, shape=[4])
        words = view(~halves[0], u32[2])
        target = ~smem[0, order[t], 0]
        for turn in range(turns):
            to = turn % 2
            cp_async(~smem[to, t ^ turn, 0], ~x[turn, order[t], 0], cp_size=16)
            cp_async_wait_all()
            syncthreads()
            row = ~smem[to, t // 32 * 32 + t % 16, 0]
            ldmatrix([words[0], words[1]], row)
            firsts[turn, t] = row[1]
            for h in range(2):
                tiles[turn, 0, t, h] = halves[h]
            if t % 64 >= 32:
                ldmatrix([words[0], words[1]], row, trans=True)
            seconds[turn, t] = row[turn]
            for h in range(2):
                tiles[turn, 1, t, h] = halves[2 + h]
            syncthreads()
        for turn in range(turns):
            cp_async(target, ~x[turn, t, 0], cp_size=16)
            cp_async_wait_all()
            syncthreads()
            seconds[turn, t] += target[turn] + smem[0, (t + turn) % 64, 1]
            syncthreads()


x = torch.randint(0, 100, (turns, 64, 8), device='cuda').to(torch.float16)
order = torch.tensor([(7 * t + 3) % 64 for t in range(64)], dtype=torch.int32, device='cuda')
tiles = torch.zeros(turns, 2, 64, 2, dtype=torch.float16, device='cuda')
firsts = torch.zeros(turns, 64, dtype=torch.float16, device='cuda')
seconds = torch.zeros(turns, 64, dtype=torch.float16, device='cuda')
script_module.build()(x, order, tiles, firsts, seconds)
x, order = x.tolist(), order.tolist()
back = [order.index(t) for t in range(64)]
for turn in range(turns):
    rows = [x[turn][order[t ^ turn]] for t in range(64)]
    for t in range(64):
        own = rows[t // 32 * 32 + t % 16]
        matrices = [rows[t // 32 * 32 + 8 * m:t // 32 * 32 + 8 * m + 8] for m in range(2)]
        assert firsts.tolist()[turn][t] == own[1]
        assert seconds.tolist()[turn][t] == own[turn] + x[turn][t][turn] + x[turn][back[(t + turn) % 64]][1]
        for h in range(2):
            i, j = t % 32 // 4, t % 4 * 2 + h
            assert tiles.tolist()[turn][0][t][h] == matrices[0][i][j]
            assert tiles.tolist()[turn][1][t][h] == (matrices[1][j][i] if t >= 32 else matrices[1][i][j])
