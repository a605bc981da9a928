# SPDX-License-Identifier: Apache-2.0
"""Matrix product on tensor cores: f16 inputs, sums in f32, copies that run ahead.

One mma instruction multiplies a 16 x 16 tile of a with a 16 x 8 tile of b, by the 32 lanes of a warp together. Each lane
holds some elements of each tile, in an order the hardware prescribes. ldmatrix fills the registers of a and b in just that
order: every lane passes the address of one row of 8 elements, and gets its share of all rows.

For the sums, the prescribed order is a task mapping like any other: the configuration has it as c_store_map. A register
tensor whose layout mirrors that mapping can be indexed by the element's place in the tile.

Tensor cores are fast, so the tiles must be there in time. cp_async copies 16 bytes to shared memory without passing through
registers, and does not wait; a commit closes a group of copies. With three stages two tiles are on their way while a third
is multiplied, and wait_group(1) waits for all groups but the newest.

In shared memory a row is made of pieces of 8 elements, since cp_async writes and ldmatrix reads nothing smaller. swizzle
gives the pieces of a row another order from row to row, so that the 8 rows of a matrix lie in different banks.
"""
import hidet
import torch
from hidet.lang import attrs, f16, f32, grid, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    ldmatrix,
    mma_sync,
    syncthreads,
    threadIdx,
)
from hidet.lang.layout import local_layout, row_major
from hidet.lang.mapping import repeat, spatial

block_m, block_n, block_k = 128, 128, 32
warp_m, warp_n = 64, 64  # 2 x 2 warps
stages = 3
piece = 8  # elements, 16 bytes
config = MmaConfig.m16n8k16_f16_f32()  # repeat(2, 1) * spatial(8, 4) * repeat(1, 2) is its c_store_map


def matmul_kernel(m, n, k):
    assert m % block_m == 0 and n % block_n == 0 and k % block_k == 0, 'the tiles must fill the matrices'
    tiles = k // block_k
    load_a = repeat(4, 1) * spatial(32, 4)  # 128 rows of 4 pieces
    load_b = repeat(4, 1) * spatial(8, 16)  # 32 rows of 16 pieces

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: f16[m, k], b: f16[k, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = n // block_n, m // block_m
            attrs.cuda.block_dim = 128
            attrs.cuda.min_blocks = 2

            # The indices: stage, row, piece, element of the piece. Four pieces of a fill half of the banks, so every other
            # row changes their order.
            pieces_a = row_major(block_m, block_k // piece).swizzle(dim=1, regards_dim=0, log_step=1)
            pieces_b = row_major(block_k, block_n // piece).swizzle(dim=1)
            smem_a = shared_tensor(f16, layout=row_major(stages) + pieces_a + row_major(piece))
            smem_b = shared_tensor(f16, layout=row_major(stages) + pieces_b + row_major(piece))
            regs_a = register_tensor(f16, shape=[4, config.a_elements])
            regs_b = register_tensor(f16, shape=[8, config.b_elements])
            # 4 x 8 tiles of 16 x 8.
            regs_c = register_tensor(
                f32, layout=row_major(4, 8) * row_major(2, 1) * local_layout(8, 4) * row_major(1, 2)
            )

            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            warp_row = warp // 2 * warp_m
            warp_column = warp % 2 * warp_n
            row = blockIdx.y * block_m
            column = blockIdx.x * block_n

            for x, y in grid(4, 8, attrs='u'):
                for i, j in config.c_store_map.on(lane):
                    regs_c[x * 16 + i, y * 8 + j] = 0.0

            # A turn multiplies the tile whose copies began two turns before, so the first two turns only begin copies.
            for turn in range(tiles + stages - 1):
                cp_async_wait_group(stages - 2)
                syncthreads()  # what has arrived is there for all, and nobody reads the oldest stage any more
                # Behind the end the last tile is copied again, and nobody reads it: that is cheaper than a condition.
                to = turn % stages
                start = min(turn, tiles - 1) * block_k
                for i, p in load_a.on(threadIdx.x):
                    source = ~a[row + i, start + p * piece]
                    cp_async(~smem_a[to, i, p, 0], source, cp_size=16, cache_level='global')
                for p, j in load_b.on(threadIdx.x):
                    source = ~b[start + p, column + j * piece]
                    cp_async(~smem_b[to, p, j, 0], source, cp_size=16, cache_level='global')
                cp_async_commit_group()

                if turn >= stages - 1:
                    ready = (turn - stages + 1) % stages
                    for step in grid(block_k // 16, attrs='u'):
                        # Four 8 x 8 matrices of a: lanes 0-15 name the left half of 16 rows, lanes 16-31 the right half.
                        for x in grid(4, attrs='u'):
                            words_a = view(~regs_a[x, 0], u32[4])
                            ldmatrix(
                                regs=[words_a[0], words_a[1], words_a[2], words_a[3]],
                                smem_addr=~smem_a[ready, warp_row + x * 16 + lane % 16, step * 2 + lane // 16, 0],
                            )
                        # b lies in memory by rows, the instruction wants columns: trans turns each 8 x 8 matrix. Two tiles
                        # beside each other are loaded at once.
                        for y in grid(4, attrs='u'):
                            words_b = view(~regs_b[y * 2, 0], u32[4])
                            ldmatrix(
                                regs=[words_b[0], words_b[1], words_b[2], words_b[3]],
                                smem_addr=~smem_b[ready, step * 16 + lane % 16, warp_column // 8 + y * 2 + lane // 16, 0],
                                trans=True,
                            )
                        for x, y in grid(4, 8, attrs='u'):
                            sums = ~regs_c[x * 16 + lane // 4, y * 8 + lane % 4 * 2]
                            mma_sync(config, ~regs_a[x, 0], ~regs_b[y, 0], sums)

            for x, y in grid(4, 8, attrs='u'):
                for i, j in config.c_store_map.on(lane):
                    c[row + warp_row + x * 16 + i, column + warp_column + y * 8 + j] = regs_c[x * 16 + i, y * 8 + j]

    return script_module.build()


if __name__ == '__main__':
    m, n, k = 128, 256, 160
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, device='cuda')
    matmul_kernel(m, n, k)(a, b, c)

    # The inputs are exact in f32, so only the order of the sums differs.
    torch.testing.assert_close(c, torch.matmul(a.float(), b.float()), atol=1e-3, rtol=1e-3)
    print(f'tensor-core matmul {m} x {n} x {k}: correct')
