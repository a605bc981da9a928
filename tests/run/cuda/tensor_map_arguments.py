# SPDX-License-Identifier: Apache-2.0
"""Device functions take a kernel's tensor map by its address, whatever attributes the map has, or as it is.

Another name of a map is the map: the copy unit does not read what a thread has a copy of."""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, f32, i32, shared_tensor, u64
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    copy_tensor_g2s,
    create_tensor_map,
    fence_barrier_init,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
)

tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')
plain_map = OpaqueType('CUtensorMap')

with hidet.script_module() as script_module:

    @hidet.script
    def by_address(the_map: ~tensor_map, tile: f32[4, 8], full: ~u64, row: i32):
        attrs.func_kind = 'cuda_internal'
        copy_tensor_g2s(2, tile, the_map, full, 0, row)

    @hidet.script
    def by_plain_address(the_map: ~plain_map, tile: f32[4, 8], full: ~u64, row: i32):
        attrs.func_kind = 'cuda_internal'
        copy_tensor_g2s(2, tile, the_map, full, 0, row)

    @hidet.script
    def as_it_is(the_map: tensor_map, tile: f32[4, 8], full: ~u64, row: i32):
        attrs.func_kind = 'cuda_internal'
        copy_tensor_g2s(2, tile, the_map, full, 0, row)

    @hidet.script
    def kernel(a_map: tensor_map, b_map: tensor_map, out: f32[192]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        tiles = shared_tensor(f32, shape=[6, 4, 8])
        full = shared_tensor(u64, shape=[1])
        if threadIdx.x == 0:
            mbarrier_init(full, 1)
            fence_barrier_init()
        syncthreads()
        if threadIdx.x == 0:
            mbarrier_arrive_and_expect_tx(full, 6 * 4 * 8 * 4)
            by_address(~a_map, ~tiles[0, 0, 0], full, 0)
            kept = ~b_map
            by_plain_address(kept, ~tiles[1, 0, 0], full, 4)
            as_it_is(a_map, ~tiles[2, 0, 0], full, 8)
            by_plain_address(~a_map if out[0] > 1.0 else ~b_map, ~tiles[3, 0, 0], full, 12)
            same = a_map
            as_it_is(same, ~tiles[4, 0, 0], full, 16)
            other: plain_map = b_map
            by_plain_address(~other, ~tiles[5, 0, 0], full, 20)
        mbarrier_wait(full, 0)
        for i in range(6):
            out[i * 32 + threadIdx.x] = tiles[i, threadIdx.x // 8, threadIdx.x % 8]

    @hidet.script
    def launch(a: f32[24, 8], b: f32[24, 8], out: f32[192]):
        attrs.func_kind = 'public'
        a_map: plain_map
        b_map: plain_map
        create_tensor_map(~a_map, f32, 2, a, [8, 24], [32], [8, 4], [1, 1])
        create_tensor_map(~b_map, f32, 2, b, [8, 24], [32], [8, 4], [1, 1])
        kernel(a_map, b_map, out)


a = torch.randn(24, 8, device='cuda')
b = torch.randn(24, 8, device='cuda')
out = torch.zeros(192, device='cuda')
script_module.build()(a, b, out)
a, b = a.tolist(), b.tolist()
expected = a[0:4] + b[4:8] + a[8:12] + b[12:16] + a[16:20] + b[20:24]
assert out.tolist() == [value for row in expected for value in row]
