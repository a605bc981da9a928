# SPDX-License-Identifier: Apache-2.0
"""One mma instruction of each configuration against a plain matrix product, its operands placed by the load maps."""
import hidet
import torch
from hidet.lang import attrs, bf16, f16, f32, register_tensor, tf32
from hidet.lang.cuda import MmaConfig, mma_sync, threadIdx

configs = [
    (MmaConfig.m16n8k8_f16_f16(), f16, f16, torch.float16, torch.float16),
    (MmaConfig.m16n8k8_f16_f32(), f16, f32, torch.float16, torch.float32),
    (MmaConfig.m16n8k16_f16_f16(), f16, f16, torch.float16, torch.float16),
    (MmaConfig.m16n8k16_f16_f32(), f16, f32, torch.float16, torch.float32),
    (MmaConfig.m16n8k8_bf16_f32(), bf16, f32, torch.bfloat16, torch.float32),
    (MmaConfig.m16n8k16_bf16_f32(), bf16, f32, torch.bfloat16, torch.float32),
]

for config, in_type, out_type, in_tensor, out_tensor in configs:
    m, n, k = config.m, config.n, config.k
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: in_type[m, k], b: in_type[k, n], c: out_type[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            regs_a = register_tensor(in_type, shape=[config.a_elements])
            regs_b = register_tensor(in_type, shape=[config.b_elements])
            regs_c = register_tensor(out_type, shape=[config.c_elements])
            p = 0
            for i, j in config.a_load_map.on(threadIdx.x):
                regs_a[p] = a[i, j]
                p += 1
            p = 0
            for i, j in config.b_load_map.on(threadIdx.x):
                regs_b[p] = b[i, j]
                p += 1
            p = 0
            for i, j in config.c_store_map.on(threadIdx.x):
                regs_c[p] = c[i, j]
                p += 1
            mma_sync(config, ~regs_a[0], ~regs_b[0], ~regs_c[0])
            p = 0
            for i, j in config.c_store_map.on(threadIdx.x):
                c[i, j] = regs_c[p]
                p += 1

    a = torch.randn(m, k, device='cuda').to(in_tensor)
    b = torch.randn(k, n, device='cuda').to(in_tensor)
    start = torch.randn(m, n, device='cuda').to(out_tensor)
    c = start + torch.zeros(m, n, dtype=out_tensor, device='cuda')
    script_module.build()(a, b, c)
    want = torch.matmul(a.float(), b.float()) + start.float()
    tolerance = 2e-2 if out_tensor == torch.float16 else 1e-3
    torch.testing.assert_close(c.float(), want, rtol=tolerance, atol=tolerance)
