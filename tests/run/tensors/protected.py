# SPDX-License-Identifier: Apache-2.0
"""Protected reads give 0 outside of a tensor, protected writes do nothing there."""
import hidet
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def shift(x: f32[4, 5], y: f32[4, 5], dx: i32, dy: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 8, 8
        i = threadIdx.y
        j = threadIdx.x
        value = x.read([i - dy, j - dx], protected=True)
        y.write([i, j], value, protected=True)


module = script_module.build()
x = torch.randn(4, 5, device='cuda')
source = x.tolist()
for dx, dy in [(0, 0), (1, 0), (0, -1), (-2, 3), (7, 7), (-100, 100)]:
    y = torch.zeros(4, 5, device='cuda')
    module(x, y, dx, dy)
    for i in range(4):
        for j in range(5):
            inside = 0 <= i - dy < 4 and 0 <= j - dx < 5
            assert y.tolist()[i][j] == (source[i - dy][j - dx] if inside else 0.0), f'{dx}, {dy}: {i}, {j}'
