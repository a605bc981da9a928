# SPDX-License-Identifier: Apache-2.0
"""Grids and blocks of one, two and three dimensions; the built-in variables agree with the launch."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import atomic_add, blockDim, blockIdx, gridDim, threadIdx


def launch(grid, block):
    gx, gy, gz = (list(grid) + [1, 1])[:3]
    bx, by, bz = (list(block) + [1, 1])[:3]
    total = gx * gy * gz * bx * by * bz
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(seen: i32[total], dims: i32[6]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = grid
            attrs.cuda.block_dim = block
            b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x
            t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x
            atomic_add(~seen[b * (blockDim.x * blockDim.y * blockDim.z) + t], 1)
            if b == 0 and t == 0:
                dims[0] = gridDim.x
                dims[1] = gridDim.y
                dims[2] = gridDim.z
                dims[3] = blockDim.x
                dims[4] = blockDim.y
                dims[5] = blockDim.z

    seen = torch.zeros(total, dtype=torch.int32, device='cuda')
    dims = torch.zeros(6, dtype=torch.int32, device='cuda')
    script_module.build()(seen, dims)
    assert seen.tolist() == [1] * total, f'{grid} {block}'
    assert dims.tolist() == [gx, gy, gz, bx, by, bz], f'{grid} {block}: {dims.tolist()}'


launch([1], [1])
launch([3], [33])
launch([2, 3], [8, 4])
launch([2, 1, 3], [4, 2, 5])
launch([5, 2], [100])
