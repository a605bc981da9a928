# SPDX-License-Identifier: Apache-2.0
"""A kernel that begins before the one before it has ended, and waits for it where it needs its results."""
import hidet
import torch
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait

size = 4096

with hidet.script_module() as script_module:

    @hidet.script
    def first(a: i32[size]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = size // 128
        attrs.cuda.block_dim = 128
        griddepcontrol_launch_dependents()
        i = blockIdx.x * 128 + threadIdx.x
        a[i] = a[i] * 3 + 1

    @hidet.script
    def second(a: i32[size], b: i32[size]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = size // 128
        attrs.cuda.block_dim = 128
        i = blockIdx.x * 128 + threadIdx.x
        griddepcontrol_wait()
        b[i] = b[i] + a[size - 1 - i]

    @hidet.script
    def launch(a: i32[size], b: i32[size]):
        attrs.func_kind = 'public'
        for i in range(8):
            first(a)
            second(a, b)


a = torch.ones(size, dtype=torch.int32, device='cuda')
b = torch.zeros(size, dtype=torch.int32, device='cuda')
script_module.build()(a, b)
value, total = 1, 0
for _ in range(8):
    value = value * 3 + 1
    total += value
assert a.tolist() == [value] * size
assert b.tolist() == [total] * size
