# SPDX-License-Identifier: Apache-2.0
"""Four warps with a task each: two producers, two consumers, a barrier for each direction, and memory that has two names."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, shared_tensor, tensor_pointer, u64
from hidet.lang.cuda import dynamic_shared_memory, syncthreads, syncwarp, threadIdx
from hidet.ir.primitives.cuda import cp_async, cp_async_commit_group, cp_async_wait_group, fence_barrier_init, mbarrier_arrive
from hidet.ir.primitives.cuda import mbarrier_init, mbarrier_wait

turns = 4

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: f32[turns, 2, 32], y: f32[turns, 2, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        attrs.cuda.dynamic_smem_bytes = 512
        buffers = tensor_pointer(f32, shape=[2, 32], init=dynamic_shared_memory(0, f32))
        words = tensor_pointer(i32, shape=[2, 32], init=dynamic_shared_memory(0, i32))
        staged = tensor_pointer(f32, shape=[2, 32], init=dynamic_shared_memory(256, f32))
        full = shared_tensor(u64, shape=[2])
        empty = shared_tensor(u64, shape=[2])
        if threadIdx.x == 0:
            for i in range(2):
                mbarrier_init(~full[i], 32)
                mbarrier_init(~empty[i], 64)
            fence_barrier_init()
        syncthreads()
        warp = threadIdx.x // 32
        lane = threadIdx.x % 32
        if warp < 2:
            for turn in range(turns):
                cp_async(~staged[warp, lane], ~x[turn, warp, lane], 4)
                cp_async_commit_group()
                mbarrier_wait(~empty[warp], (turn + 1) % 2)
                cp_async_wait_group(0)
                syncwarp()
                buffers[warp, lane] = staged[warp, 31 - lane] + 1.0
                syncwarp()
                mbarrier_arrive(~full[warp])
        else:
            for turn in range(turns):
                mbarrier_wait(~full[0], turn % 2)
                mbarrier_wait(~full[1], turn % 2)
                both = buffers[0, lane] + buffers[1, lane]
                # The sign of a float is the highest bit of its word.
                if words[warp - 2, lane] < 0:
                    both = -both
                y[turn, warp - 2, lane] = both
                mbarrier_arrive(~empty[0])
                mbarrier_arrive(~empty[1])


module = script_module.build()

x = torch.randn(turns, 2, 32, device='cuda')
y = torch.zeros(turns, 2, 32, device='cuda')
module(x, y)
for turn, pair in enumerate(x.tolist()):
    parts = [[value + 1.0 for value in reversed(row)] for row in pair]
    for w in range(2):
        for lane in range(32):
            both = parts[0][lane] + parts[1][lane]
            assert abs(y[turn][w][lane].item() - (-both if parts[w][lane] < 0 else both)) < 1e-5
