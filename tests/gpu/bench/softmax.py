# SPDX-License-Identifier: Apache-2.0
"""Softmax of 4096 rows of 4096: a block a row, 16 elements a thread in registers, so memory is read and written once."""
import hidet
import torch
from hidet.ir.primitives import exp
from hidet.lang import attrs, f32, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, syncthreads, threadIdx

rows, columns = 4096, 4096  # on the emulator: 8, 4096
threads = 256
per_thread = columns // threads

with hidet.script_module() as script_module:

    @hidet.script
    def softmax(x: f32[rows, columns], y: f32[rows, columns]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = rows
        attrs.cuda.block_dim = threads

        row = blockIdx.x
        lane = threadIdx.x % 32
        values = register_tensor(f32, shape=[per_thread])
        parts = shared_tensor(f32, shape=[2, threads // 32])

        largest = f32(-3.0e38)
        for i in meta.each(range(per_thread)):
            values[i] = x[row, i * threads + threadIdx.x]
        for i in meta.each(range(per_thread)):
            largest = max(largest, values[i])
        for distance in meta.each([16, 8, 4, 2, 1]):
            largest = max(largest, shfl_xor_sync(0xFFFFFFFF, largest, distance))
        if lane == 0:
            parts[0, threadIdx.x // 32] = largest
        syncthreads()
        for w in meta.each(range(threads // 32)):
            largest = max(largest, parts[0, w])

        total = f32(0.0)
        for i in meta.each(range(per_thread)):
            values[i] = exp(values[i] - largest)
            total += values[i]
        for distance in meta.each([16, 8, 4, 2, 1]):
            total += shfl_xor_sync(0xFFFFFFFF, total, distance)
        if lane == 0:
            parts[1, threadIdx.x // 32] = total
        syncthreads()
        total = f32(0.0)
        for w in meta.each(range(threads // 32)):
            total += parts[1, w]

        scale = 1.0 / total
        for i in meta.each(range(per_thread)):
            y[row, i * threads + threadIdx.x] = values[i] * scale


x = torch.randn(rows, columns, device='cuda')
y = torch.empty(rows, columns, device='cuda')
script_module.build()(x, y)
torch.testing.assert_close(y[:64], torch.softmax(x[:64], dim=1), atol=1e-7, rtol=1e-4)
torch.testing.assert_close(y.sum(dim=1), torch.ones(rows), atol=1e-4, rtol=1e-4)
