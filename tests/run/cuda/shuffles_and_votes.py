# SPDX-License-Identifier: Apache-2.0
"""Exchanges between the lanes of a warp, in every direction and width, and votes."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64, u32
from hidet.lang.cuda import (
    shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync, syncthreads_and, syncthreads_count, syncthreads_or, threadIdx,
)

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[64, 10], wide: i64[64], reals: f32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        v = t * 3 + 1
        full = 0xFFFFFFFF
        out[t, 0] = shfl_sync(full, v, 5)
        out[t, 1] = shfl_sync(full, v, t % 32 // 2)
        out[t, 2] = shfl_up_sync(full, v, 3)
        out[t, 3] = shfl_down_sync(full, v, 4)
        out[t, 4] = shfl_xor_sync(full, v, 9)
        out[t, 5] = shfl_down_sync(full, v, 2, 8)
        out[t, 6] = shfl_sync(full, v, 1, 4)
        out[t, 7] = syncthreads_count(t % 3 == 0)
        out[t, 8] = syncthreads_and(t < 64)
        out[t, 9] = syncthreads_or(t == 1000)
        wide[t] = shfl_xor_sync(full, i64(t) * 10000000000, 1)
        reals[t] = shfl_down_sync(full, f32(t) * 0.5, 1)


out = torch.zeros(64, 10, dtype=torch.int32, device='cuda')
wide = torch.zeros(64, dtype=torch.int64, device='cuda')
reals = torch.zeros(64, device='cuda')
script_module.build()(out, wide, reals)
value = lambda t: t * 3 + 1
for t in range(64):
    lane, base = t % 32, t // 32 * 32
    at = lambda l: value(base + l)
    segment = lane // 8 * 8
    want = [
        at(5),
        at(lane // 2),
        at(lane - 3) if lane >= 3 else at(lane),
        at(lane + 4) if lane + 4 < 32 else at(lane),
        at(lane ^ 9),
        at(lane + 2) if lane + 2 < segment + 8 else at(lane),
        at(lane // 4 * 4 + 1),
        22,
        1,
        0,
    ]
    got = out.tolist()[t]
    got[8] = 1 if got[8] else 0
    assert got == want, f'{t}: {got} instead of {want}'
    assert wide.tolist()[t] == (t ^ 1) * 10000000000
    assert reals.tolist()[t] == (t + 1 if lane < 31 else t) * 0.5
