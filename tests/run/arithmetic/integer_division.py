# SPDX-License-Identifier: Apache-2.0
"""// and % round down, as in Python, for every combination of signs, whether constant or not."""
import hidet
import torch
from hidet.lang import attrs, i8, i32, i64, u32
from hidet.lang.cuda import threadIdx

values = [-9, -8, -7, -1, 0, 1, 5, 7, 8, 9]
divisors = [-7, -2, -1, 1, 2, 3, 8]
n, d = len(values), len(divisors)

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[n], y: i32[d], quotient: i32[n, d], remainder: i32[n, d]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        i = threadIdx.x
        for j in range(d):
            quotient[i, j] = x[i] // y[j]
            remainder[i, j] = x[i] % y[j]

    @hidet.script
    def launch(x: i32[n], y: i32[d], quotient: i32[n, d], remainder: i32[n, d]):
        attrs.func_kind = 'public'
        kernel(x, y, quotient, remainder)

    @hidet.script
    def constants(out: i64[6]):
        attrs.func_kind = 'public'
        a = 5
        out[0] = (a - 12) // 2
        out[1] = (a - 12) % 4
        b = i64(-9)
        out[2] = b // 4
        out[3] = b % 4
        out[4] = i8(-7) // i8(2)
        out[5] = u32(7) // u32(2)

    @hidet.script
    def by_constant(x: i32[n], out: i32[n, 4]):
        attrs.func_kind = 'public'
        for i in range(n):
            out[i, 0] = x[i] // 8
            out[i, 1] = x[i] % 8
            out[i, 2] = x[i] // -3
            out[i, 3] = x[i] % -3


module = script_module.build()
x = torch.tensor(values, dtype=torch.int32, device='cuda')
y = torch.tensor(divisors, dtype=torch.int32, device='cuda')
quotient = torch.zeros(n, d, dtype=torch.int32, device='cuda')
remainder = torch.zeros(n, d, dtype=torch.int32, device='cuda')
module(x, y, quotient, remainder)
assert quotient.tolist() == [[a // b for b in divisors] for a in values]
assert remainder.tolist() == [[a % b for b in divisors] for a in values]

out = torch.zeros(6, dtype=torch.int64)
module['constants'](out)
assert out.tolist() == [-4, 1, -3, 3, -4, 3], out.tolist()

out = torch.zeros(n, 4, dtype=torch.int32)
module['by_constant'](x.cpu(), out)
assert out.tolist() == [[a // 8, a % 8, a // -3, a % -3] for a in values]
