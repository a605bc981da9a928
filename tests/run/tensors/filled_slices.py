# SPDX-License-Identifier: Apache-2.0
"""Slices of register and shared tensors that are filled with a number, whole and in part."""
import hidet
import torch
from hidet.lang import attrs, f32, grid, i32, register_tensor, shared_tensor
from hidet.lang.cuda import syncthreads, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(out: i32[32, 4, 6], sums: f32[32], n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        acc = register_tensor(i32, [4, 6])
        acc[:] = 7
        acc[:, :] = t
        acc[1, 2:] = -1
        acc[2:4, 1] = acc[0, 0] + 100
        acc[n:, n + 2 : 5] = n
        row = acc[0, :]
        row[:2] = 2.0
        table = shared_tensor(f32, [32, 8])
        table[t, :] = 1.5
        syncthreads()
        sums[t] = table[(t + 1) % 32, 7]
        for i, j in grid(4, 6):
            out[t, i, j] = acc[i, j]

    @hidet.script
    def launch(out: i32[32, 4, 6], sums: f32[32], n: i32):
        attrs.func_kind = 'public'
        assert n >= 0 and n <= 3
        kernel(out, sums, n)


out = torch.zeros(32, 4, 6, dtype=torch.int32, device='cuda')
sums = torch.zeros(32, device='cuda')
script_module.build()(out, sums, 2)
for t in range(32):
    want = [[t] * 6 for i in range(4)]
    want[1][2:] = [-1] * 4
    want[2][1] = want[3][1] = t + 100
    want[2][4] = want[3][4] = 2
    want[0][:2] = [2, 2]
    assert out[t].tolist() == want, f'{t}: {out[t].tolist()} instead of {want}'
assert sums.tolist() == [1.5] * 32
