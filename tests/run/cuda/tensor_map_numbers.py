# SPDX-License-Identifier: Apache-2.0
"""A tensor map whose extents, strides, box and steps stand in tensors of the launch function."""
import hidet
from hidet.lang import OpaqueType, attrs, f32, shared_tensor, tensor, u32, u64
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.primitives.cuda import copy_tensor_g2s, create_tensor_map, mbarrier_arrive_and_expect_tx, mbarrier_init, mbarrier_wait
from hidet.ir.primitives.cuda import fence_barrier_init

with hidet.script_module() as m:

    @hidet.script
    def kernel(tensor_map: OpaqueType('CUtensorMap', 'const', '__grid_constant__'), out: f32[8, 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        tile = shared_tensor(f32, [8, 16])
        bar = shared_tensor(u64, [1])
        if threadIdx.x == 0:
            mbarrier_init(bar, 1)
            fence_barrier_init()
            mbarrier_arrive_and_expect_tx(bar, 8 * 16 * 4)
            copy_tensor_g2s(2, ~tile[0, 0], ~tensor_map, bar, 16, 8)
        syncthreads()
        mbarrier_wait(bar, 0)
        out[threadIdx.x // 16, threadIdx.x % 16] = tile[threadIdx.x // 16, threadIdx.x % 16]

    @hidet.script
    def launch(x: ~f32, out: f32[8, 16]):
        attrs.func_kind = 'public'
        tensor_map: OpaqueType('CUtensorMap')
        size = tensor(u64, [2])
        size[0] = 64
        size[1] = 32
        stride = tensor(u64, [1])
        stride[0] = 64 * 4
        box = tensor(u32, [2])
        box[0] = 16
        box[1] = 8
        steps = tensor(u32, [2])
        steps[0] = 1
        steps[1] = 1
        create_tensor_map(~tensor_map, 'float32', 2, x, size, stride, box, steps)
        kernel(tensor_map, out)


x = hidet.randn([32, 64], device='cuda')
out = hidet.zeros([8, 16], device='cuda')
m.build()(x, out)
assert out.cpu().tolist() == x[8:16, 16:32].cpu().tolist()
