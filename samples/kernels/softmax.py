# SPDX-License-Identifier: Apache-2.0
"""Softmax of each row: a warp keeps its row in registers, and reads and writes memory once.

exp(x) overflows for large x, so the largest element of the row is subtracted first. Both reductions exchange values with
a butterfly (shfl_xor), after which every lane has the result. They are functions of the device: called by the kernel,
by every lane of the warp, and inlined where they are called.
"""
import hidet
import torch
from hidet.ir.primitives import exp
from hidet.lang import attrs, f32, meta, register_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, threadIdx

rows, columns = 16, 200
warps = 4
per_lane = (columns + 31) // 32

with hidet.script_module() as script_module:

    @hidet.script
    def warp_max(value: f32) -> f32:
        for distance in meta.each([16, 8, 4, 2, 1]):
            value = max(value, shfl_xor_sync(0xFFFFFFFF, value, distance))
        return value

    @hidet.script
    def warp_sum(value: f32) -> f32:
        for distance in meta.each([16, 8, 4, 2, 1]):
            value += shfl_xor_sync(0xFFFFFFFF, value, distance)
        return value

    @hidet.script
    def softmax(x: f32[rows, columns], y: f32[rows, columns]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (rows + warps - 1) // warps
        attrs.cuda.block_dim = warps * 32

        row = blockIdx.x * warps + threadIdx.x // 32
        lane = threadIdx.x % 32
        values = register_tensor(f32, shape=[per_lane])

        largest = f32(-3.0e38)
        for i in range(per_lane):
            column = i * 32 + lane
            values[i] = x[row, column] if column < columns else f32(-3.0e38)
            largest = max(largest, values[i])
        largest = warp_max(largest)

        total = f32(0.0)
        for i in range(per_lane):
            values[i] = exp(values[i] - largest)
            total += values[i]
        total = warp_sum(total)

        for i in range(per_lane):
            column = i * 32 + lane
            if column < columns:
                y[row, column] = values[i] / total


module = script_module.build()

# The offset would overflow a softmax that does not subtract the largest element.
x = torch.randn(rows, columns, device='cuda') + 100.0
y = torch.empty(rows, columns, device='cuda')
module(x, y)
torch.testing.assert_close(y, torch.softmax(x, dim=1), atol=1e-5, rtol=1e-4)
print(f'softmax of {rows} rows of {columns}: correct')
