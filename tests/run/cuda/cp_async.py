# SPDX-License-Identifier: Apache-2.0
"""Asynchronous copies into shared memory: whole, partly zero-filled, and two groups in flight."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, shared_tensor
from hidet.lang.cuda import cp_async, cp_async_commit_group, cp_async_wait_all, cp_async_wait_group, syncthreads, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: f32[256], y: f32[256], z: f32[128]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = threadIdx.x
        smem = shared_tensor(f32, shape=[2, 128])
        cp_async(~smem[0, t * 4], ~x[t * 4], cp_size=16)
        cp_async_commit_group()
        cp_async(~smem[1, t * 4], ~x[128 + t * 4], cp_size=16)
        cp_async_commit_group()
        cp_async_wait_group(1)
        syncthreads()
        for i in range(4):
            y[t + i * 32] = smem[0, t + i * 32] + 1.0
        cp_async_wait_group(0)
        syncthreads()
        for i in range(4):
            y[128 + t + i * 32] = smem[1, t + i * 32] + 2.0
        syncthreads()

        # Behind src_size the destination is filled with zeros.
        cp_async(~smem[0, t * 4], ~x[t * 4], cp_size=16, src_size=8 if t < 16 else 0)
        cp_async_wait_all()
        syncthreads()
        for i in range(4):
            z[t * 4 + i] = smem[0, t * 4 + i]


x = torch.randn(256, device='cuda')
y = torch.zeros(256, device='cuda')
z = torch.ones(128, device='cuda')
script_module.build()(x, y, z)
torch.testing.assert_close(y[:128], x[:128] + 1.0)
torch.testing.assert_close(y[128:], x[128:] + 2.0)
values = x.tolist()
assert z.tolist() == [values[i] if i < 64 and i % 4 < 2 else 0.0 for i in range(128)]
