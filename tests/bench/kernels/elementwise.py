# SPDX-License-Identifier: Apache-2.0
# y = a * x + b + y over a vector: 12 bytes moved an element.
import hidet
import torch
from hidet.lang import attrs
from hidet.lang.types import f32
from hidet.lang.cuda import threadIdx, blockIdx, blockDim

count = 1 << 20

with hidet.script_module() as script_module:

    @hidet.script
    def elementwise(x: f32[count], y: f32[count], a: f32, b: f32):
        attrs.cuda.grid_dim = (count + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * blockDim.x + threadIdx.x
        if i < count:
            y[i] = a * x[i] + b + y[i]


module = script_module.build()
x = torch.randn(count, device='cuda')
y = torch.randn(count, device='cuda')
expected = 2.0 * x + 0.5 + y
module(x, y, 2.0, 0.5)
torch.testing.assert_close(y, expected, atol=1e-5, rtol=1e-5)
