# SPDX-License-Identifier: Apache-2.0
"""Warps that hand buffers to each other by named barriers: one side waits, the other one only counts."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import threadIdx
from hidet.ir.primitives.cuda import barrier_arrive, barrier_sync

turns, slots = 6, 2

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[turns, 32], y: i32[turns, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        lane = threadIdx.x % 32
        buffers = shared_tensor(i32, shape=[slots, 32])
        if threadIdx.x < 32:
            for turn in range(turns):
                # Barriers 3 and 4: the slot is empty. Of the first turns it is anyway.
                if turn >= slots:
                    if turn % slots == 0:
                        barrier_sync(3, 64)
                    else:
                        barrier_sync(4, 64)
                buffers[turn % slots, lane] = x[turn, lane] * 2
                if turn % slots == 0:
                    barrier_arrive(1, 64)
                else:
                    barrier_arrive(2, 64)
        else:
            for turn in range(turns):
                if turn % slots == 0:
                    barrier_sync(1, 64)
                else:
                    barrier_sync(2, 64)
                y[turn, lane] = buffers[turn % slots, 31 - lane]
                if turn + slots < turns:
                    if turn % slots == 0:
                        barrier_arrive(3, 64)
                    else:
                        barrier_arrive(4, 64)


module = script_module.build()

x = torch.arange(turns * 32, dtype=torch.int32, device='cuda').reshape(turns, 32)
y = torch.zeros(turns, 32, dtype=torch.int32, device='cuda')
module(x, y)
assert y.tolist() == [[(turn * 32 + 31 - lane) * 2 for lane in range(32)] for turn in range(turns)]
