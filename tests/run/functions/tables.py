# SPDX-License-Identifier: Apache-2.0
"""Lists of numbers that kernels index: of floats, integers, long ones, booleans, and of one number."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, i64
from hidet.lang.cuda import threadIdx

nf4 = [-1.0, -0.6961928, -0.5250731, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0.0,
       0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0]
squares = [i * i for i in range(256)]
longs = (1, 2**40, -2**40)

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(floats: f32[32], whole: i32[32], wide: i64[32], odd: i32[32]):
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        floats[t] = nf4[t % 16] * 2.0
        whole[t] = squares[t * 8 + 7]
        wide[t] = longs[t % 3]
        odd[t] = 5 if [False, True][t % 2] else [7][t - t]
        for i in range(2):
            whole[t] += [10, 20][i]


floats = torch.zeros(32, device='cuda')
whole = torch.zeros(32, dtype=torch.int32, device='cuda')
wide = torch.zeros(32, dtype=torch.int64, device='cuda')
odd = torch.zeros(32, dtype=torch.int32, device='cuda')
script_module.build()(floats, whole, wide, odd)
torch.testing.assert_close(floats.cpu(), torch.tensor([nf4[t % 16] * 2 for t in range(32)]), atol=0.0, rtol=0.0)
assert whole.tolist() == [squares[t * 8 + 7] + 30 for t in range(32)]
assert wide.tolist() == [longs[t % 3] for t in range(32)]
assert odd.tolist() == [5 if t % 2 else 7 for t in range(32)]
