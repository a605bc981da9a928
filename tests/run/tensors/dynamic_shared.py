# SPDX-License-Identifier: Apache-2.0
"""Dynamic shared memory: one piece, cut up by byte offsets, its size from a parameter."""
import hidet
import torch
from hidet.lang import attrs, f32, i32, tensor_pointer
from hidet.lang.cuda import dynamic_shared_memory, syncthreads, threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def reverse(x: ~f32, y: ~f32, tag: ~i32, n: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        attrs.cuda.dynamic_smem_bytes = n * 8
        values = tensor_pointer(f32, shape=[n], init=dynamic_shared_memory(0, f32))
        tags = dynamic_shared_memory(n * 4, i32)
        values[threadIdx.x] = x[threadIdx.x]
        tags[threadIdx.x] = threadIdx.x * 3
        syncthreads()
        y[threadIdx.x] = values[n - 1 - threadIdx.x]
        tag[threadIdx.x] = tags[n - 1 - threadIdx.x]


module = script_module.build()
for n in [1, 32, 100]:
    x = torch.randn(n, device='cuda')
    y = torch.empty(n, device='cuda')
    tag = torch.zeros(n, dtype=torch.int32, device='cuda')
    module(x, y, tag, n)
    assert y.tolist() == list(reversed(x.tolist()))
    assert tag.tolist() == [(n - 1 - i) * 3 for i in range(n)]
