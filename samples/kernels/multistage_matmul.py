# SPDX-License-Identifier: Apache-2.0
"""Matrix product by mma_sync that waits for nothing: f16, sums in f32, for any GPU from sm_80 on.

tensor_core_matmul has the instructions; here they never wait. What a warp multiplies next is on its way twice over:

* from memory to shared memory, stages - 1 tiles ahead: cp_async, a share of the copies between the products of each step;
* from shared memory to registers, one step of 16 ahead: ldmatrix fills one of two sets of registers while mma_sync reads the
  other. The last step of a tile loads the first step of the next one, so the wait for that tile stands before it.

One barrier a tile is enough: behind it the next tile is there for all, and nobody reads any more the one before, whose stage
the copies that follow fill.

Tensor cores eat nearly as fast as shared memory feeds: for a step of 16 the warps of a block read 32 KB and copies write 12 KB,
and the products take about 400 cycles, in which shared memory moves 50 KB. So every access must be free of bank conflicts (the
pieces of 16 bytes in a row are swapped by the number of the row), and the tiles of warps are as large as registers allow: 64 x 64,
128 sums a thread.

Blocks that run at the same time share their inputs in the second-level cache: tiles are taken in groups of 8 rows of them,
column by column. The result goes through shared memory, because rows of 128 bytes are written faster than pairs of elements.
"""
import hidet
import torch
from hidet.lang import attrs, cast, f16, f32, grid, i32, register_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_all,
    cp_async_wait_group,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    ldmatrix,
    mma_sync,
    syncthreads,
    syncwarp,
    threadIdx,
)
from hidet.ir.dtypes import f32x4
from hidet.lang.layout import row_major

block_m, block_n, block_k = 128, 256, 64
stages = 4  # 192 KB; on sm_80 there is room for 3
rows_of_group = 8  # of tiles
piece = 8  # elements, 16 bytes
warps_across = block_n // 64
threads = block_m // 64 * warps_across * 32
steps = block_k // 16
row_a, row_b = block_k // piece, block_n // piece  # pieces of a row of a tile
rows_a, rows_b = threads // row_a, threads // row_b  # that all threads copy at once
copies_a, copies_b = block_m // rows_a, block_k // rows_b  # of a thread for a tile
config = MmaConfig.m16n8k16_f16_f32()

# The indices: stage, row, piece of the row, element of the piece. Rows of four pieces fill half of the banks, so every other row
# changes their order.
layout_a = (
    row_major(stages)
    + row_major(block_m, row_a).swizzle(dim=1, regards_dim=0, log_step=0 if row_a >= 8 else 1)
    + row_major(piece)
)
layout_b = row_major(stages) + row_major(block_k, row_b // 8, 8).swizzle(dim=2, regards_dim=0) + row_major(piece)
# Of the result a warp has 64 rows of 8 pieces of 4 pairs of elements.
layout_c = row_major(threads // 32) + row_major(64, 8).swizzle(dim=1) + row_major(4)
tile_a, tile_b = block_m * block_k, block_k * block_n  # elements
bytes_a, bytes_b = stages * tile_a * 2, stages * tile_b * 2


def matmul_module(m, n, k):
    assert m % block_m == 0 and n % block_n == 0 and k % block_k == 0, 'the tiles must fill the matrices'
    down, across, tiles = m // block_m, n // block_n, k // block_k
    full_groups = down // rows_of_group * rows_of_group

    with hidet.script_module() as script_module:

        @hidet.script
        def copy_share(from_a: ~f16, from_b: ~f16, to_a: ~f16, to_b: ~f16, share: i32, shares: i32, tile: i32):
            """Begins copies of some rows of a tile; behind the last one they write zeros and read nothing."""
            size = 16 if tile < tiles else 0
            for i in grid(copies_a // shares, attrs='u'):
                r = (share * (copies_a // shares) + i) * rows_a
                cp_async(to_a + r * block_k, from_a + r * k, cp_size=16, src_size=size, cache_level='global')
            for i in grid(copies_b // shares, attrs='u'):
                r = (share * (copies_b // shares) + i) * rows_b
                cp_async(to_b + r * block_n, from_b + r * n, cp_size=16, src_size=size, cache_level='global')

        @hidet.script
        def load_step(regs_a: ~f16, regs_b: ~f16, address_a: u32, addresses_b: ~u32, start: u32):
            """Fills the registers of a warp with 64 rows of a and 64 columns of b."""
            for x in grid(4, attrs='u'):
                words = view(regs_a + x * config.a_elements, u32[4])
                ldmatrix([words[i] for i in range(4)], address_a + x * (16 * block_k * 2), True)
            for y in grid(4, attrs='u'):
                words = view(regs_b + y * 2 * config.b_elements, u32[4])
                ldmatrix([words[i] for i in range(4)], addresses_b[y] + start, True, trans=True)

        @hidet.script
        def matmul(a: f16[m, k], b: f16[k, n], c: f16[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = down * across
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = max(bytes_a + bytes_b, block_m * block_n * 2)

            smem_a = tensor_pointer(f16, layout=layout_a, init=dynamic_shared_memory(0, f16))
            smem_b = tensor_pointer(f16, layout=layout_b, init=dynamic_shared_memory(bytes_a, f16))
            regs_a = register_tensor(f16, shape=[2, 4, config.a_elements])
            regs_b = register_tensor(f16, shape=[2, 8, config.b_elements])
            sums = register_tensor(f32, shape=[4, 8, config.c_elements])

            thread = threadIdx.x
            lane = thread % 32
            warp = thread // 32
            in_group = blockIdx.x % (rows_of_group * across)
            top = blockIdx.x // (rows_of_group * across) * rows_of_group
            height = rows_of_group if top < full_groups else down - full_groups
            row = (top + in_group % height) * block_m
            column = in_group // height * block_n

            for x, y, i in grid(4, 8, config.c_elements, attrs='u'):
                sums[x, y, i] = 0.0

            # What a thread copies first of a tile, and where it reads first. All else lies at constant distances from there: rows
            # far enough from each other have the same order of pieces.
            from_a = ~a[row + thread // row_a, thread % row_a * piece]
            from_b = ~b[thread // row_b, column + thread % row_b * piece]
            to_a = ~smem_a[0, thread // row_a, thread % row_a, 0]
            to_b = ~smem_b[0, thread // row_b, thread % row_b // 8, thread % 8, 0]
            addresses_a = register_tensor(u32, shape=[steps])
            addresses_b = register_tensor(u32, shape=[4])
            for step in grid(steps, attrs='u'):
                first = ~smem_a[0, warp // warps_across * 64 + lane % 16, step * 2 + lane // 16, 0]
                addresses_a[step] = cvta_generic_to_shared(first)
            for y in grid(4, attrs='u'):
                first = ~smem_b[0, lane % 16, warp % warps_across, y * 2 + lane // 16, 0]
                addresses_b[y] = cvta_generic_to_shared(first)

            for tile in range(stages - 1):
                at_a, at_b = to_a + tile * tile_a, to_b + tile * tile_b
                copy_share(from_a, from_b, at_a, at_b, 0, 1, tile)
                cp_async_commit_group()
                from_a += block_k
                from_b += block_k * n
            last = stages - 1
            copy_share(from_a, from_b, to_a + last * tile_a, to_b + last * tile_b, 0, steps, last)
            cp_async_wait_group(stages - 2)
            syncthreads()
            load_step(~regs_a[0, 0, 0], ~regs_b[0, 0, 0], addresses_a[0], ~addresses_b[0], 0)

            for tile in range(tiles):
                for step in grid(steps, attrs='u'):
                    if step == steps - 1:
                        cp_async_commit_group()
                        cp_async_wait_group(stages - 2)
                        syncthreads()
                        from_a += block_k
                        from_b += block_k * n
                    stage = (tile + (step + 1) // steps) % stages
                    after = (step + 1) % steps
                    to = (step + 1) % 2
                    load_step(
                        ~regs_a[to, 0, 0],
                        ~regs_b[to, 0, 0],
                        addresses_a[after] + stage * (tile_a * 2),
                        ~addresses_b[0],
                        stage * (tile_b * 2) + after * (16 * block_n * 2),
                    )
                    copied = tile + stages - 1 + (step + 1) // steps
                    free = copied % stages
                    copy_share(from_a, from_b, to_a + free * tile_a, to_b + free * tile_b, after, steps, copied)
                    for y, x in grid(8, 4, attrs='u'):
                        mma_sync(config, ~regs_a[step % 2, x, 0], ~regs_b[step % 2, y, 0], ~sums[x, y, 0])

            cp_async_wait_all()
            syncthreads()  # nobody reads the tiles any more
            smem_c = tensor_pointer(u32, layout=layout_c, init=dynamic_shared_memory(0, u32))
            halves = register_tensor(f16, shape=[2])
            for x, y, i in grid(4, 8, 2, attrs='u'):
                halves[0] = cast(sums[x, y, i * 2], f16)
                halves[1] = cast(sums[x, y, i * 2 + 1], f16)
                smem_c[warp, x * 16 + i * 8 + lane // 4, y, lane % 4] = view(~halves[0], u32[1])[0]
            syncwarp()
            row += warp // warps_across * 64
            column += warp % warps_across * 64
            for i in grid(16, attrs='u'):
                r = i * 4 + lane // 8
                p = lane % 8
                from_c = cast(~smem_c[warp, r, p, 0], ~f32x4)
                to_c = cast(~c[row + r, column + p * piece], ~f32x4)
                to_c[0] = from_c[0]

    return script_module.build()


if __name__ == '__main__':
    m, n, k = 256, 512, 320
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, dtype=torch.float16, device='cuda')
    matmul_module(m, n, k)(a, b, c)

    torch.testing.assert_close(c.float(), torch.matmul(a.float(), b.float()), atol=5e-2, rtol=5e-3)
    print(f'multistage matmul {m} x {n} x {k}: correct')
