# SPDX-License-Identifier: Apache-2.0
"""Copies from shared memory that are combined with what lies in global memory: rows of values, boxes of tensors."""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, bf16, f16, f32, i32, shared_tensor, u32
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    copy_bulk_commit_group,
    copy_bulk_reduce_s2g,
    copy_bulk_wait_group,
    copy_tensor_reduce_s2g,
    create_tensor_map,
    fence_view_async_shared,
)

blocks, size = 3, 64
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def rows(dtype, op, start, expected):
    """Every block combines (its number + 1) * 64 + the lane with the same row."""
    row_bytes = {f16: 2, bf16: 2}.get(dtype, 4)
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(out: dtype[size]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = size
            row = shared_tensor(dtype, shape=[size])
            row[threadIdx.x] = (blockIdx.x + 1) * 64 + threadIdx.x
            fence_view_async_shared()
            syncthreads()
            if threadIdx.x == 0:
                copy_bulk_reduce_s2g(size * row_bytes, out, row, op)
                copy_bulk_commit_group()
                copy_bulk_wait_group(0)

    out = torch.full([size], start, dtype=getattr(torch, names[dtype]), device='cuda')
    script_module.build()(out)
    assert out.tolist() == [expected(i) for i in range(size)], (names[dtype], op)


names = {i32: 'int32', f32: 'float32', f16: 'float16', bf16: 'bfloat16'}
for dtype in [i32, f32, f16]:
    rows(dtype, 'add', 5, lambda i: 5 + 64 * 6 + 3 * i)
rows(f16, 'min', 1000, lambda i: 64 + i)
rows(f16, 'max', 0, lambda i: 192 + i)
rows(i32, 'min', 70, lambda i: min(70, 64 + i))
rows(i32, 'max', 200, lambda i: max(200, 192 + i))
rows(i32, 'bits_or', 1024, lambda i: 1024 | 192 | i)
rows(i32, 'bits_and', 255, lambda i: i)
rows(i32, 'bits_xor', 0, lambda i: (64 + i) ^ (128 + i) ^ (192 + i))

with hidet.script_module() as boxes:

    @hidet.script
    def kernel(out_map: tensor_map):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = blocks
        attrs.cuda.block_dim = 64
        tile = shared_tensor(f32, shape=[8, 8])
        tile[threadIdx.x // 8, threadIdx.x % 8] = blockIdx.x + 1
        fence_view_async_shared()
        syncthreads()
        if threadIdx.x == 0:
            copy_tensor_reduce_s2g(2, tile, out_map, 12, 4, op='add')
            copy_tensor_reduce_s2g(2, tile, out_map, 0, 0)
            copy_bulk_commit_group()
            copy_bulk_wait_group(0)

    @hidet.script
    def launch(out: f32[16, 16]):
        attrs.func_kind = 'public'
        out_map: OpaqueType('CUtensorMap')
        create_tensor_map(~out_map, f32, 2, out, [16, 16], [64], [8, 8], [1, 1])
        kernel(out_map)


out = torch.ones(16, 16, dtype=torch.float32, device='cuda')
boxes.build()(out)
for i, row in enumerate(out.tolist()):
    inside = [1.0 + 6.0 * (j < 8 and i < 8) + 6.0 * (j >= 12 and 4 <= i < 12) for j in range(16)]
    assert row == inside, i
