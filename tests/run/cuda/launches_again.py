# SPDX-License-Identifier: Apache-2.0
"""A kernel is launched again and again, on other memory and with other numbers: nothing of the launch before shows."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, shared_tensor
from hidet.lang.cuda import atomic_add, blockIdx, syncthreads, threadIdx

n = 256

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: ~f32, y: ~f32, first: i32, step: i32, count: ~i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.block_dim = 64
        row = shared_tensor(f32, shape=[64])
        seen = shared_tensor(i32, shape=[1])
        t = threadIdx.x
        if t == 0:
            seen[0] = 0
        row[t] = x[first + (blockIdx.x * 64 + t) * step]
        syncthreads()
        if row[63 - t] > 0.0:
            atomic_add(~seen[0], 1)
        y[blockIdx.x * 64 + t] = row[(t + first) % 64] + row[63 - t]
        syncthreads()
        if t == 0:
            count[blockIdx.x] = seen[0]


module = script_module.build()
for turn in range(6):
    step, first = 1 + turn % 3, 5 * (turn % 2)
    x = torch.randint(-8, 9, (first + n * step,), device='cuda').to(torch.float32)
    y = torch.zeros(n, device='cuda')
    count = torch.zeros(4, dtype=torch.int32, device='cuda')
    module(x, y, first, step, count)
    values, got, counts = x.tolist(), y.tolist(), count.tolist()
    for b in range(4):
        row = [values[first + (b * 64 + t) * step] for t in range(64)]
        assert counts[b] == len([v for v in row if v > 0.0])
        for t in range(64):
            assert got[b * 64 + t] == row[(t + first) % 64] + row[63 - t]
