# SPDX-License-Identifier: Apache-2.0
"""Two 16-bit floats in a register: sums, differences, products and a * b + c, rounded once each, against float64."""
import hidet
import torch
from hidet.lang import attrs, u32
from hidet.lang.cuda import threadIdx
from hidet.ir.primitives.cuda import add_bf16x2, add_f16x2, fma_bf16x2, fma_f16x2, mul_bf16x2, mul_f16x2, sub_bf16x2, sub_f16x2

n = 64


def module_of(add, sub, mul, fma):
    with hidet.script_module() as m:

        @hidet.script
        def kernel(a: ~u32, b: ~u32, c: ~u32, out: ~u32):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            add(~out[t], a[t], b[t])
            sub(~out[n + t], a[t], b[t])
            d = u32(0)
            mul(~d, a[t], b[t])
            out[2 * n + t] = d
            fma(~out[3 * n + t], a[t], b[t], c[t])

    return m.build()


for dtype, functions in [
    (torch.float16, (add_f16x2, sub_f16x2, mul_f16x2, fma_f16x2)),
    (torch.bfloat16, (add_bf16x2, sub_bf16x2, mul_bf16x2, fma_bf16x2)),
]:
    a, b, c = [torch.randn(2 * n, device='cuda').to(dtype) for i in range(3)]
    out = torch.zeros(4, 2 * n, dtype=dtype, device='cuda')
    module_of(*functions)(a.view(torch.int32), b.view(torch.int32), c.view(torch.int32), out.view(torch.int32))
    x, y, z = a.to(torch.float64), b.to(torch.float64), c.to(torch.float64)
    for row, exact in enumerate([x + y, x - y, x * y, x * y + z]):
        assert torch.equal(out[row], exact.to(dtype)), row
