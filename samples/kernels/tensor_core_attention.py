# SPDX-License-Identifier: Apache-2.0
"""Flash attention on the tensor cores of any GPU from sm_80 on: softmax(q k^T / sqrt(d)) v for each head, all keys or causal.

The scores of a head are far larger than its inputs, so they never reach memory: a block keeps 128 rows of q and goes over keys
and values tile by tile. Softmax needs the largest score of a row first, which is known at the end only. So each tile uses the
largest one so far, and when a later tile has a larger one, the sums up to there are scaled down (they fade).

One tile of k and one of v are enough. While the scores are computed the values are on their way, and while the values are
added up the keys of the next tile are; before each of the two products stands one wait and one barrier.

The sums of mma_sync lie in registers as the first factor of the next one does: two tiles of 8 columns beside each other,
packed to f16, are a tile of 16. So probabilities go from one product into the other without memory.

exp(x) is 2^(x log2 e), and the instruction is ex2; the factor and 1 / sqrt(d) go into one multiplication and addition.
"""
import hidet
import math
import torch
from hidet.lang import asm, attrs, cast, f16, f32, grid, i32, register_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    dynamic_shared_memory,
    ldmatrix,
    mma_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadIdx,
)
from hidet.ir.dtypes import f32x4
from hidet.lang.layout import row_major

block_rows, threads = 128, 128  # a warp has 32 rows
config = MmaConfig.m16n8k16_f16_f32()


def attention_module(heads, length, d, causal):
    """`heads`: of all batches."""
    assert d in (64, 128)
    keys = 64 if d == 64 else 32  # of a tile: as registers allow
    row_tiles = (length + block_rows - 1) // block_rows
    scale = math.log2(math.e) / math.sqrt(d)
    pieces = d // 8  # of 16 bytes in a row
    rows_at_once = threads // pieces
    has_mask = causal or length % keys != 0

    # The indices: row, 128 bytes of it, piece of those, element of the piece.
    def layout(rows):
        return row_major(rows, d // 64, 8).swizzle(dim=2, regards_dim=0) + row_major(8)

    q_layout, tile_layout = layout(block_rows), layout(keys)
    o_layout = row_major(block_rows, d // 64, 8).swizzle(dim=2, regards_dim=0) + row_major(4)
    k_start, v_start = block_rows * d * 2, (block_rows + keys) * d * 2

    with hidet.script_module() as script_module:

        @hidet.script
        def exp2(x: f32) -> f32:
            y = f32(0.0)
            asm('ex2.approx.ftz.f32 %0, %1;', outputs=[y], inputs=[x])
            return y

        @hidet.script
        def copy_rows(to: ~f16, rows: i32, first: i32, source: ~f16):
            """Begins copies of rows of a head, zeros behind its end; they have the layout of a tile."""
            tile = tensor_pointer(f16, layout=q_layout, init=to)
            p = threadIdx.x % pieces
            for i in grid(rows // rows_at_once, attrs='u'):
                r = i * rows_at_once + threadIdx.x // pieces
                size = 16 if first + r < length else 0
                at = source + (min(first + r, length - 1) * d + p * 8)
                cp_async(~tile[r, p // 8, p % 8, 0], at, cp_size=16, src_size=size, cache_level='global')
            cp_async_commit_group()

        @hidet.script
        def mask(scores: ~f32, row: i32, first_key: i32):
            """Scores of keys that a row does not see are as good as minus infinity."""
            for x, h in grid(2, 2, attrs='u'):
                seen = min(row + x * 16 + h * 8 + 1, length) if causal else length
                left = seen - first_key - threadIdx.x % 4 * 2
                for y, e in grid(keys // 8, 2, attrs='u'):
                    if y * 8 + e >= left:
                        scores[(x * (keys // 8) + y) * 4 + h * 2 + e] = -1.0e30

        @hidet.script
        def attention(
            q: f16[heads, length, d], k: f16[heads, length, d], v: f16[heads, length, d], o: f16[heads, length, d]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = row_tiles, heads
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 2
            attrs.cuda.dynamic_smem_bytes = (block_rows + 2 * keys) * d * 2

            smem_q = tensor_pointer(f16, layout=q_layout, init=dynamic_shared_memory(0, f16))
            smem_k = tensor_pointer(f16, layout=tile_layout, init=dynamic_shared_memory(k_start, f16))
            smem_v = tensor_pointer(f16, layout=tile_layout, init=dynamic_shared_memory(v_start, f16))
            regs_q = register_tensor(f16, shape=[2, config.a_elements])
            regs_b = register_tensor(f16, shape=[2, config.b_elements])  # of k or v: two tiles beside each other
            words_b = view(~regs_b[0, 0], u32[4])
            scores = register_tensor(f32, shape=[2, keys // 8, config.c_elements])
            chances = register_tensor(f16, shape=[2, keys // 8, config.c_elements])
            sums = register_tensor(f32, shape=[2, d // 8, config.c_elements])
            tops = register_tensor(f32, shape=[2, 2])
            totals = register_tensor(f32, shape=[2, 2])

            head = blockIdx.y
            row_tile = row_tiles - 1 - blockIdx.x  # where it is causal the last rows have most to do: they begin
            block_row = row_tile * block_rows
            seen_keys = min(block_row + block_rows, length) if causal else length
            tiles = (seen_keys + keys - 1) // keys
            lane = threadIdx.x % 32
            warp_row = threadIdx.x // 32 * 32
            row = block_row + warp_row + lane // 4
            all_see = min(block_row + warp_row + 1, length) if causal else length  # keys before this one

            for x, y, i in grid(2, d // 8, config.c_elements, attrs='u'):
                sums[x, y, i] = 0.0
            for x, h in grid(2, 2, attrs='u'):
                tops[x, h] = -1.0e30
                totals[x, h] = 0.0

            copy_rows(dynamic_shared_memory(0, f16), block_rows, block_row, ~q[head, 0, 0])
            copy_rows(dynamic_shared_memory(k_start, f16), keys, 0, ~k[head, 0, 0])
            for tile in range(tiles):
                cp_async_wait_group(0)
                syncthreads()  # the keys are there, and nobody reads the values of the tile before
                copy_rows(dynamic_shared_memory(v_start, f16), keys, tile * keys, ~v[head, 0, 0])

                for x, y, i in grid(2, keys // 8, config.c_elements, attrs='u'):
                    scores[x, y, i] = 0.0
                for step in grid(d // 16, attrs='u'):
                    for x in grid(2, attrs='u'):
                        words = view(~regs_q[x, 0], u32[4])
                        p = step * 2 + lane // 16
                        ldmatrix([words[i] for i in range(4)], ~smem_q[warp_row + x * 16 + lane % 16, p // 8, p % 8, 0])
                    for y in grid(keys // 16, attrs='u'):
                        p = step * 2 + lane // 8 % 2
                        r = y * 16 + lane // 16 * 8 + lane % 8
                        ldmatrix([words_b[i] for i in range(4)], ~smem_k[r, p // 8, p % 8, 0])
                        for x, side in grid(2, 2, attrs='u'):
                            mma_sync(config, ~regs_q[x, 0], ~regs_b[side, 0], ~scores[x, y * 2 + side, 0])
                if has_mask:
                    if (tile + 1) * keys > all_see:
                        mask(~scores[0, 0, 0], row, tile * keys)

                for x, h in grid(2, 2, attrs='u'):
                    top = tops[x, h]
                    for y, e in grid(keys // 8, 2, attrs='u'):
                        top = max(top, scores[x, y, h * 2 + e])
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                    fade = exp2((tops[x, h] - top) * scale)
                    tops[x, h] = top
                    # A lane adds up its own elements of a row; those of the four lanes are added at the end.
                    total = totals[x, h] * fade
                    for y, e in grid(keys // 8, 2, attrs='u'):
                        chance = exp2(scores[x, y, h * 2 + e] * scale - top * scale)
                        chances[x, y, h * 2 + e] = cast(chance, f16)
                        total += chance
                    totals[x, h] = total
                    for y, e in grid(d // 8, 2, attrs='u'):
                        sums[x, y, h * 2 + e] = sums[x, y, h * 2 + e] * fade

                cp_async_wait_group(0)
                syncthreads()  # the values are there, and nobody reads the keys any more
                if tile + 1 < tiles:
                    copy_rows(dynamic_shared_memory(k_start, f16), keys, (tile + 1) * keys, ~k[head, 0, 0])
                for step in grid(keys // 16, attrs='u'):
                    for y in grid(d // 16, attrs='u'):
                        p = y * 2 + lane // 16
                        source = ~smem_v[step * 16 + lane % 16, p // 8, p % 8, 0]
                        ldmatrix([words_b[i] for i in range(4)], source, trans=True)
                        for x, side in grid(2, 2, attrs='u'):
                            mma_sync(config, ~chances[x, step * 2, 0], ~regs_b[side, 0], ~sums[x, y * 2 + side, 0])

            # The rows go to memory through shared memory, where the rows of q of this warp were.
            smem_o = tensor_pointer(u32, layout=o_layout, init=dynamic_shared_memory(0, u32))
            halves = register_tensor(f16, shape=[2])
            for x, h in grid(2, 2, attrs='u'):
                total = totals[x, h]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                for y in grid(d // 8, attrs='u'):
                    for e in grid(2, attrs='u'):
                        halves[e] = cast(sums[x, y, h * 2 + e] / total, f16)
                    r = warp_row + x * 16 + h * 8 + lane // 4
                    smem_o[r, y // 8, y % 8, lane % 4] = view(~halves[0], u32[1])[0]
            syncwarp()
            for i in grid(pieces, attrs='u'):
                r = warp_row + (i * 32 + lane) // pieces
                p = (i * 32 + lane) % pieces
                if block_row + r < length:
                    to = cast(~o[head, block_row + r, p * 8], ~f32x4)
                    to[0] = cast(~smem_o[r, p // 8, p % 8, 0], ~f32x4)[0]

    return script_module.build()


def check(heads, length, d, causal):
    q = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    k = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    v = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    o = torch.empty(heads, length, d, dtype=torch.float16, device='cuda')
    attention_module(heads, length, d, causal)(q, k, v, o)

    for head in range(heads):
        scores = torch.matmul(q[head].float(), k[head].float().T) / math.sqrt(d)
        if causal:
            scores = scores + torch.triu(torch.full((length, length), -1.0e30), 1).cuda()
        expected = torch.matmul(torch.softmax(scores, dim=1), v[head].float())
        torch.testing.assert_close(o[head].float(), expected, atol=2e-3, rtol=2e-2)
    print(f'attention, {heads} heads of {length} x {d}{", causal" if causal else ""}: correct')


if __name__ == '__main__':
    check(heads=2, length=200, d=128, causal=False)
    check(heads=1, length=300, d=64, causal=True)
