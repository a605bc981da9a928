# SPDX-License-Identifier: Apache-2.0
"""Barriers: warps that do different amounts of work meet, in loops and behind branches that all threads take alike."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import syncthreads, syncwarp, threadIdx

threads = 128

with hidet.script_module() as script_module:

    @hidet.script
    def scan(x: i32[threads], y: i32[threads], work: i32[4], rounds: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = threads
        t = threadIdx.x
        smem = shared_tensor(i32, shape=[2, threads])
        smem[0, t] = x[t]
        syncthreads()
        current = 0
        distance = 1
        while distance < threads:
            value = smem[current, t]
            if t >= distance:
                value += smem[current, t - distance]
            smem[1 - current, t] = value
            current = 1 - current
            distance *= 2
            syncthreads()
        y[t] = smem[current, t]

        # Each warp runs its own number of steps between two barriers.
        for r in range(rounds):
            if r % 2 == 0:
                steps = t // 32 * 3
                for s in range(steps):
                    if t % 32 == 0:
                        work[t // 32] += 1
                syncthreads()
        syncwarp()


x = torch.arange(threads, dtype=torch.int32, device='cuda')
y = torch.zeros(threads, dtype=torch.int32, device='cuda')
work = torch.zeros(4, dtype=torch.int32, device='cuda')
script_module.build()(x, y, work, 5)
assert y.tolist() == [i * (i + 1) // 2 for i in range(threads)]
assert work.tolist() == [0, 9, 18, 27]
