# SPDX-License-Identifier: Apache-2.0
"""reduce_add adds up to 128 bits of values to neighbours in memory, of all threads that name them."""
import hidet
import torch
from hidet.ir.primitives.cuda.atomic import reduce_add
from hidet.lang import attrs, f16, f32, float16x2
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.ir.primitives import make_vector

with hidet.script_module() as m:

    @hidet.script
    def kernel(singles: f32[4], halves: f16[8], pairs: f16[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        reduce_add(f32, ~singles[0], [1.0, 2.0, f32(t), 0.5], scope='gpu')
        if t < 4:
            reduce_add('float16', ~halves[0], [f16(1.0), f16(2.0), f16(t), f16(0.5), f16(1.0), f16(1.0), f16(1.0), f16(blockIdx.x)])
            reduce_add(float16x2, ~pairs[0], [make_vector(f16(1.0), f16(2.0)), make_vector(f16(3.0), f16(t))])


singles = torch.zeros(4, device='cuda')
halves = torch.zeros(8, dtype=torch.float16, device='cuda')
pairs = torch.zeros(4, dtype=torch.float16, device='cuda')
m.build()(singles, halves, pairs)
assert singles.tolist() == [128.0, 256.0, 4032.0, 64.0]
assert halves.tolist() == [8.0, 16.0, 12.0, 4.0, 8.0, 8.0, 8.0, 4.0]
assert pairs.tolist() == [8.0, 16.0, 24.0, 12.0]
