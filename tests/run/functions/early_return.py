# SPDX-License-Identifier: Apache-2.0
"""Threads that return early do not run what follows, in branches, in loops and inside mappings."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.lang.mapping import repeat, spatial

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[64], loops: i32[64], tasks: i32[64, 4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 32
        t = blockIdx.x * 32 + threadIdx.x
        if t % 5 == 0:
            return
        out[t] = 1
        for i in range(10):
            if i == t:
                return
            loops[t] += 1
        for i, j in (spatial(32, 1) * repeat(1, 4)).on(threadIdx.x):
            if t == 33 and j == 2:
                return
            tasks[blockIdx.x * 32 + i, j] = 1
        out[t] = 2


out = torch.zeros(64, dtype=torch.int32, device='cuda')
loops = torch.zeros(64, dtype=torch.int32, device='cuda')
tasks = torch.zeros(64, 4, dtype=torch.int32, device='cuda')
script_module.build()(out, loops, tasks)
for t in range(64):
    gone = t % 5 == 0
    assert out.tolist()[t] == (0 if gone else 1 if t < 10 or t == 33 else 2), t
    assert loops.tolist()[t] == (0 if gone else min(t, 10)), t
    want = [0] * 4 if gone or t < 10 else [1, 1, 0, 0] if t == 33 else [1] * 4
    assert tasks.tolist()[t] == want, t
