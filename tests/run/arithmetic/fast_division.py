# SPDX-License-Identifier: Apache-2.0
"""Division by multiplication and shift: the numbers are found on the host for every kind of divisor, and the quotients and
remainders are those of C at the ends of the range too."""
import hidet
import torch
from hidet.ir.primitives.runtime import calculate_magic_numbers
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockIdx, fast_intdiv, fast_intmod, threadIdx

with hidet.script_module() as m:

    @hidet.script
    def divide(x: i32[128], quotients: i32[128], remainders: i32[128], divisor: i32, m: i32, s: i32, ads: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.block_dim = 64
        at = blockIdx.x * 64 + threadIdx.x
        quotients[at] = fast_intdiv(x[at], divisor, m, s, ads)
        remainders[at] = fast_intmod(x[at], divisor, m, s, ads)

    @hidet.script
    def launch(x: i32[128], quotients: i32[128], remainders: i32[128], divisor: i32):
        attrs.func_kind = 'public'
        multiplier = 0
        shift = 0
        sign = 0
        calculate_magic_numbers(divisor, multiplier, shift, sign)
        divide(x, quotients, remainders, divisor, multiplier, shift, sign)


built = m.build()
lowest, highest = -(1 << 31), (1 << 31) - 1
edges = [0, 1, -1, 2, -2, 3, -3, 7, -7, lowest, lowest + 1, highest, highest - 1, 1 << 30, -(1 << 30)]
for divisor in [1, -1, 2, -2, 3, -3, 5, 7, -7, 10, 12, 25, 125, 625, 641, 1000, -1000, 1 << 16, 1 << 30, highest, -highest, lowest]:
    near = [k * divisor + d for k in [-3, -1, 1, 2, 1000] for d in [-1, 0, 1]]
    values = [v for v in edges + near if lowest <= v <= highest and not (v == lowest and divisor == -1)]
    x = torch.randint(lowest, highest, (128,), dtype=torch.int32, device='cpu')
    x[: len(values)] = torch.tensor(values, dtype=torch.int32)
    x = x.cuda()
    quotients = torch.zeros(128, dtype=torch.int32, device='cuda')
    remainders = torch.zeros(128, dtype=torch.int32, device='cuda')
    built(x, quotients, remainders, divisor)
    for value, quotient, remainder in zip(x.tolist(), quotients.tolist(), remainders.tolist()):
        if value == lowest and divisor == -1:
            continue
        exact = abs(value) // abs(divisor) * (1 if (value < 0) == (divisor < 0) else -1)
        assert (quotient, remainder) == (exact, value - exact * divisor), (value, divisor)
