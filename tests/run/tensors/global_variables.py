# SPDX-License-Identifier: Apache-2.0
"""Variables of a module keep their value from one call to the next."""
import hidet
import torch
from hidet.lang import attrs, i32

with hidet.script_module() as script_module:
    table = script_module.define_global_var('table', i32[4])

    @hidet.script
    def remember(index: i32, value: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 1
        table[index] = value

    @hidet.script
    def recall(out: i32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 1
        for i in range(4):
            out[i] = table[i]

    @hidet.script
    def launch_remember(index: i32, value: i32):
        attrs.func_kind = 'public'
        assert index >= 0 and index < 4
        remember(index, value)

    @hidet.script
    def launch_recall(out: i32[4]):
        attrs.func_kind = 'public'
        recall(out)


module = script_module.build()
for i in range(4):
    module['launch_remember'](i, i * i)
out = torch.zeros(4, dtype=torch.int32, device='cuda')
module['launch_recall'](out)
assert out.tolist() == [0, 1, 4, 9]
module['launch_remember'](2, 100)
module['launch_recall'](out)
assert out.tolist() == [0, 1, 100, 9]
