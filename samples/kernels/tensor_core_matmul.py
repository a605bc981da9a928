# SPDX-License-Identifier: Apache-2.0
"""Matrix product on tensor cores: f16 inputs, sums in f32.

One mma instruction multiplies a 16 x 16 tile of a with a 16 x 8 tile of b, by the 32 lanes of a warp together. Each lane
holds some elements of each tile, in an order the hardware prescribes. ldmatrix fills the registers of a and b in just that
order: every lane passes the address of one row of 8 elements, and gets its share of all rows.

For the sums, the prescribed order is a task mapping like any other: the configuration has it as c_store_map. A register
tensor whose layout mirrors that mapping can be indexed by the element's place in the tile.
"""
import hidet
import torch
from hidet.lang import attrs, f16, f32, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import MmaConfig, blockIdx, ldmatrix, mma_sync, syncthreads, threadIdx
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial

m, n, k = 64, 64, 64
block_m, block_n, block_k = 32, 32, 16
config = MmaConfig.m16n8k16_f16_f32()  # repeat(2, 1) * spatial(8, 4) * repeat(1, 2) is its c_store_map

with hidet.script_module() as script_module:

    @hidet.script
    def matmul(a: f16[m, k], b: f16[k, n], c: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n // block_n, m // block_m
        attrs.cuda.block_dim = 128

        smem_a = shared_tensor(f16, shape=[block_m, block_k])
        smem_b = shared_tensor(f16, shape=[block_k, block_n])
        regs_a = register_tensor(f16, shape=[config.a_elements])
        regs_b = register_tensor(f16, shape=[config.b_elements])
        # Two 16 x 8 tiles beside each other.
        regs_c = register_tensor(f32, layout=row_major(1, 2) * row_major(2, 1) * local_layout(8, 4) * row_major(1, 2))

        lane = threadIdx.x % 32
        warp = threadIdx.x // 32
        warp_row = warp // 2 * 16  # 2 x 2 warps, 16 x 16 results each
        warp_column = warp % 2 * 16
        row = blockIdx.y * block_m
        column = blockIdx.x * block_n

        for t in range(2):
            for i, j in config.c_store_map.on(lane):
                regs_c[i, t * 8 + j] = 0.0

        for start in range(k // block_k):
            for i, p in (repeat(4, 1) * spatial(8, 16)).on(threadIdx.x):
                smem_a[i, p] = a[row + i, start * block_k + p]
            for p, j in (repeat(4, 1) * spatial(4, 32)).on(threadIdx.x):
                smem_b[p, j] = b[start * block_k + p, column + j]
            syncthreads()

            # Four 8 x 8 matrices of a: lanes 0-15 name the left half of the 16 rows, lanes 16-31 the right half.
            words_a = view(~regs_a[0], u32[4])
            ldmatrix(
                regs=[words_a[0], words_a[1], words_a[2], words_a[3]],
                smem_addr=~smem_a[warp_row + lane % 16, lane // 16 * 8],
            )
            for t in range(2):
                # b lies in memory by rows, the instruction wants columns: trans turns each 8 x 8 matrix.
                words_b = view(~regs_b[0], u32[2])
                ldmatrix(
                    regs=[words_b[0], words_b[1]],
                    smem_addr=~smem_b[lane % 16, warp_column + t * 8],
                    trans=True,
                )
                mma_sync(config, ~regs_a[0], ~regs_b[0], ~regs_c[lane // 4, t * 8 + lane % 4 * 2])
            syncthreads()

        for t in range(2):
            for i, j in config.c_store_map.on(lane):
                c[row + warp_row + i, column + warp_column + t * 8 + j] = regs_c[i, t * 8 + j]


module = script_module.build()

a = torch.randn(m, k, dtype=torch.float16, device='cuda')
b = torch.randn(k, n, dtype=torch.float16, device='cuda')
c = torch.empty(m, n, device='cuda')
module(a, b, c)

# The inputs are exact in f32, so only the order of the sums differs.
torch.testing.assert_close(c, torch.matmul(a.float(), b.float()), atol=1e-3, rtol=1e-3)
print(f'tensor-core matmul {m} x {n} x {k}: correct')
