# SPDX-License-Identifier: Apache-2.0
"""Lanes of vectors that loops choose which become copies of their bodies."""
import hidet
import torch
from hidet.lang import attrs, f32, f32x4, grid
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: f32x4[32], out: f32[32, 11]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        v = x[t]
        for i in grid(4, attrs='u+'):
            out[t, i] = v[i]
        for i, j in grid(2, 2, attrs='u+'):
            out[t, 4 + i * 2 + j] = v[3 - i - 2 * j] + x[t][i * 2 + j]
        for k in range(3):
            out[t, 8 + k] = v[k + 1] * 2


x = torch.arange(128, dtype=torch.float32, device='cuda')
out = torch.zeros(32, 11, device='cuda')
script_module.build()(x, out)
for t in range(32):
    v = x[4 * t : 4 * t + 4].tolist()
    want = v + [v[3 - i - 2 * j] + v[2 * i + j] for i in range(2) for j in range(2)] + [v[k + 1] * 2 for k in range(3)]
    assert out[t].tolist() == want, f'{t}: {out[t].tolist()} instead of {want}'
