# SPDX-License-Identifier: Apache-2.0
"""Boxes of tensors to shared memory and back: swizzled, beyond the edges, to all blocks of a cluster; rows of bytes."""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, f16, i32, shared_tensor, u64
from hidet.lang.cuda import blockIdx, syncthreads, this_cluster, threadIdx
from hidet.ir.primitives.cuda import (
    copy_bulk_commit_group,
    copy_bulk_g2s,
    copy_bulk_s2g,
    copy_bulk_wait_group,
    copy_tensor_g2s,
    copy_tensor_s2g,
    create_tensor_map,
    fence_barrier_init,
    fence_view_async_shared,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
)

rows, columns = 40, 64
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def through_shared(swizzle, box_columns):
    """Copies a box from row 36 on, beyond the end, and the tile as it lies to `tile`; then the box to another place."""
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a_map: tensor_map, b_map: tensor_map, tile: f16[8 * box_columns]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            data = shared_tensor(f16, shape=[8 * 64])
            barrier = shared_tensor(u64, shape=[1])
            if threadIdx.x == 0:
                mbarrier_init(barrier, 1)
                fence_barrier_init()
            syncthreads()
            if threadIdx.x == 0:
                mbarrier_arrive_and_expect_tx(barrier, 8 * box_columns * 2)
                copy_tensor_g2s(2, data, a_map, barrier, 16, 36)
            mbarrier_wait(barrier, 0)
            for i in range(8 * box_columns // 32):
                tile[i * 32 + threadIdx.x] = data[i * 32 + threadIdx.x]
            syncthreads()
            if threadIdx.x == 0:
                fence_view_async_shared()
                copy_tensor_s2g(2, data, b_map, 0, 2)
                copy_bulk_commit_group()
                copy_bulk_wait_group(0)

        @hidet.script
        def launch(a: f16[rows, columns], b: f16[rows, columns], tile: f16[8 * box_columns]):
            attrs.func_kind = 'public'
            a_map: OpaqueType('CUtensorMap')
            b_map: OpaqueType('CUtensorMap')
            box = [box_columns, 8]
            create_tensor_map(~a_map, f16, 2, a, [columns, rows], [columns * 2], box, [1, 1], 'NONE', swizzle)
            create_tensor_map(~b_map, f16, 2, b, [columns, rows], [columns * 2], box, [1, 1], 'NONE', swizzle)
            kernel(a_map, b_map, tile)

    a = torch.randn(rows, columns, dtype=torch.float16, device='cuda')
    b = torch.zeros(rows, columns, dtype=torch.float16, device='cuda')
    tile = torch.zeros(8 * box_columns, dtype=torch.float16, device='cuda')
    script_module.build()(a, b, tile)
    a, b, tile = a.tolist(), b.tolist(), tile.tolist()
    box = [[a[36 + i][16 + j] if i < 4 and 16 + j < columns else 0.0 for j in range(box_columns)] for i in range(8)]
    for i in range(8):
        assert b[2 + i][:box_columns] == box[i], (swizzle, i)
    bits = {'NONE': 0, '32B': 1, '64B': 3, '128B': 7}[swizzle]
    for i in range(8):
        for j in range(box_columns):
            byte = (i * box_columns + j) * 2
            byte ^= (byte >> 7 & bits) << 4
            assert tile[byte // 2] == box[i][j], (swizzle, i, j)


through_shared('NONE', 64)
through_shared('32B', 16)
through_shared('64B', 32)
through_shared('128B', 64)

with hidet.script_module() as bulk:

    @hidet.script
    def kernel(a: i32[64], b: i32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 2
        attrs.cuda.cluster_dim = 2
        attrs.cuda.block_dim = 32
        data = shared_tensor(i32, shape=[32])
        barrier = shared_tensor(u64, shape=[1])
        if threadIdx.x == 0:
            mbarrier_init(barrier, 1)
            fence_barrier_init()
            mbarrier_arrive_and_expect_tx(barrier, 128)
        this_cluster.sync()
        if threadIdx.x == 0 and this_cluster.block_rank == 0:
            copy_bulk_g2s(128, data, ~a[32], barrier, 3)
        mbarrier_wait(barrier, 0)
        if threadIdx.x == 0:
            copy_bulk_s2g(64, ~b[blockIdx.x * 32], ~data[16])
            copy_bulk_commit_group()
            copy_bulk_wait_group(0, read=True)
            copy_bulk_wait_group(0)
        this_cluster.sync()


a = torch.arange(64, dtype=torch.int32, device='cuda')
b = torch.zeros(64, dtype=torch.int32, device='cuda')
bulk.build()(a, b)
half = [48 + i for i in range(16)] + [0] * 16
assert b.tolist() == half + half
