# SPDX-License-Identifier: Apache-2.0
"""Lanes of a warp exchange through shared memory, with syncwarp between what one writes and another one reads."""
import hidet
import torch
from hidet.lang import attrs, i32, shared_tensor
from hidet.lang.cuda import blockIdx, syncwarp, threadIdx

warps = 2

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[4, warps * 32], sums: i32[4, warps]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.block_dim = warps * 32
        parts = shared_tensor(i32, shape=[warps, 32])
        warp = threadIdx.x // 32
        lane = threadIdx.x % 32
        parts[warp, lane] = x[blockIdx.x, threadIdx.x]
        syncwarp()
        for step in range(5):
            distance = 16 >> step
            if lane < distance:
                parts[warp, lane] += parts[warp, lane + distance]
            syncwarp()
        if lane == 0:
            sums[blockIdx.x, warp] = parts[warp, 0]
        # Half of the lanes go on alone.
        if lane < 16:
            parts[warp, lane] = lane
            syncwarp(0xFFFF)
            if parts[warp, 15 - lane] != 15 - lane:
                sums[blockIdx.x, warp] = -1


module = script_module.build()

x = torch.arange(4 * warps * 32, dtype=torch.int32, device='cuda').reshape(4, warps * 32)
sums = torch.zeros(4, warps, dtype=torch.int32, device='cuda')
module(x, sums)
rows = x.tolist()
assert sums.tolist() == [[sum(row[w * 32:w * 32 + 32]) for w in range(warps)] for row in rows]
