# SPDX-License-Identifier: Apache-2.0
"""f16 and bf16: rounding to nearest even, limits, and sums kept in f32."""
import hidet
import torch
from hidet.lang import attrs, bf16, f16, f32
from hidet.lang.cuda import threadIdx

n = 32
for dtype, tensor_dtype in [(f16, torch.float16), (bf16, torch.bfloat16)]:
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[n], y: dtype[n], z: dtype[n], total: f32[1]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            i = threadIdx.x
            y[i] = dtype(x[i])
            z[i] = y[i] * y[i] + y[i]
            if i == 0:
                sum = f32(0.0)
                for k in range(n):
                    sum += f32(dtype(x[k]))
                total[0] = sum

    x = torch.randn(n, device='cuda') * 10.0
    y = torch.zeros(n, dtype=tensor_dtype, device='cuda')
    z = torch.zeros(n, dtype=tensor_dtype, device='cuda')
    total = torch.zeros(1, device='cuda')
    script_module.build()(x, y, z, total)
    rounded = x.to(tensor_dtype)
    assert y.tolist() == rounded.tolist(), dtype
    torch.testing.assert_close(z.float(), rounded.float() * rounded.float() + rounded.float(), rtol=2e-2, atol=2e-2)
    torch.testing.assert_close(total, rounded.float().sum().reshape(1), rtol=1e-4, atol=1e-4)

with hidet.script_module() as script_module:

    @hidet.script
    def edges(out: f16[4]):
        attrs.func_kind = 'cpu_kernel'
        big = f32(65504.0)
        out[0] = f16(big)
        out[1] = f16(big * 2.0)
        out[2] = f16(f32(2049.0))
        out[3] = f16(f32(0.0000001))


out = torch.zeros(4, dtype=torch.float16)
script_module.build()(out)
assert out.tolist()[0] == 65504.0
assert out.tolist()[1] == float('inf')
assert out.tolist()[2] == 2048.0
assert 0.0 < out.tolist()[3] < 2.0e-7
