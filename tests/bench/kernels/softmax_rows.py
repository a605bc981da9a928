# SPDX-License-Identifier: Apache-2.0
# Softmax of rows of 1024, a warp a row, with shuffles: 8 bytes moved an element.
import hidet
import torch
from hidet.lang import attrs, register_tensor
from hidet.lang.types import f32
from hidet.lang.cuda import threadIdx, blockIdx, shfl_xor_sync
from hidet.ir.primitives import exp

rows, columns = 512, 1024
warps = 4
per_lane = columns // 32

with hidet.script_module() as script_module:

    @hidet.script
    def softmax_rows(x: f32[rows, columns], y: f32[rows, columns]):
        attrs.cuda.grid_dim = rows // warps
        attrs.cuda.block_dim = warps * 32
        row = blockIdx.x * warps + threadIdx.x // 32
        lane = threadIdx.x % 32
        values = register_tensor(f32, shape=[per_lane])
        largest = f32(-3.0e38)
        for i in range(per_lane):
            values[i] = x[row, i * 32 + lane]
            largest = max(largest, values[i])
        for step in range(5):
            largest = max(largest, shfl_xor_sync(0xffffffff, largest, 16 >> step))
        total = f32(0.0)
        for i in range(per_lane):
            values[i] = exp(values[i] - largest)
            total += values[i]
        for step in range(5):
            total += shfl_xor_sync(0xffffffff, total, 16 >> step)
        for i in range(per_lane):
            y[row, i * 32 + lane] = values[i] / total


module = script_module.build()
x = torch.randn(rows, columns, device='cuda')
y = torch.empty(rows, columns, device='cuda')
module(x, y)
torch.testing.assert_close(y, torch.softmax(x, dim=1), atol=1e-5, rtol=1e-5)
