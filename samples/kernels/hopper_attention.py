# SPDX-License-Identifier: Apache-2.0
"""Flash attention for Hopper: softmax(q k^T / sqrt(d)) v for each head, f16 in and out, sums in f32; all keys, or causal.

The scores of a head are far larger than its inputs, so they never reach memory: a block keeps some rows of q and goes over the
keys and values tile by tile. Softmax needs the largest score of a row first, which is known at the end only. So each tile uses
the largest one so far, and when a later tile has a larger one, the sums up to there are scaled down (they fade).

One thread of the first warp group gives orders to the copy unit: tiles of k and v come into two rings of stages. The other
groups have 64 rows of q each. The tensor cores must multiply while a group computes exponentials, so two products are always
under way: for a tile, a group

* orders the scores of the next tile and then the values times this tile's probabilities,
* waits for the first of the two, and does the softmax of the next tile while the second one runs,
* waits for that as well, fades the sums, and packs the new probabilities.

The sums of one product lie in the registers just as wgmma wants the first factor of another, so probabilities are packed to
f16 where they are. Two groups take turns: one orders its products while the other computes exponentials.

exp(x) is 2^(x log2 e), and the instruction is ex2; the factor and 1 / sqrt(d) go into one multiplication and addition.
Lanes of a row keep their own sums, which are added at the end only.
"""
import hidet
import math
import torch
from hidet.lang import (
    OpaqueType,
    asm,
    attrs,
    cast,
    f16,
    f32,
    grid,
    i32,
    register_tensor,
    shared_tensor,
    tensor_pointer,
    u32,
    u64,
    view,
)
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    setmaxnreg,
    shfl_xor_sync,
    syncthreads,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.ir.primitives.cuda import (
    barrier_arrive,
    barrier_sync,
    copy_bulk_commit_group,
    copy_bulk_wait_group,
    copy_tensor_g2s,
    copy_tensor_s2g,
    create_tensor_map,
    fence_barrier_init,
    fence_view_async_shared,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    stmatrix,
    wgmma_fence_operand,
)

stages = 2
width = 64  # columns of a swizzled tile: 128 bytes
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def attention_module(heads, length, d, causal, keys=128, groups=None):
    """`heads`: of all batches; `keys`: of a tile; `groups`: of four warps with 64 rows each."""
    if groups is None:
        # Few rows make more blocks of one group. Narrow ones need fewer registers, and leave room for a third group, which
        # multiplies while the others compute exponentials.
        has_few_rows = heads * length < 4 * 132 * 64
        groups = 1 if has_few_rows else 3 if d == 64 else 2
    assert d in (64, 128) and keys % 16 == 0 and keys <= 192 and groups in (1, 2, 3)
    parts = d // width
    block_rows = groups * 64
    row_tiles = (length + block_rows - 1) // block_rows
    q_elements, tile_elements = block_rows * d, keys * d
    scale = math.log2(math.e) / math.sqrt(d)
    scores_config = WgmmaConfig.get(64, keys, 16, f16, f16, f32)
    values_config = WgmmaConfig.get(64, d, 16, f16, f16, f32)
    producer_registers, consumer_registers = {1: (24, 232), 2: (24, 240), 3: (32, 160)}[groups]
    take_turns = groups == 2
    has_mask = causal or length % keys != 0

    with hidet.script_module() as script_module:

        @hidet.script
        def exp2(x: f32) -> f32:
            y = f32(0.0)
            asm('ex2.approx.ftz.f32 %0, %1;', outputs=[y], inputs=[x])
            return y

        @hidet.script
        def order_scores(scores: ~f32, desc_q: u64, desc_k: u64):
            # In descriptors addresses are in units of 16 bytes: 16 columns of a swizzled tile are 2.
            for i in grid(d // 16, attrs='u'):
                a = desc_q + (i // 4 * (block_rows * 8) + i % 4 * 2)
                b = desc_k + (i // 4 * (keys * 8) + i % 4 * 2)
                wgmma_async(scores_config, a, scores, b, i > 0)
            wgmma_commit_group()

        @hidet.script
        def order_values(sums: ~f32, chances: ~f16, desc_v: u64):
            for i in grid(keys // 16, attrs='u'):
                wgmma_async(values_config, chances + i * 8, sums, desc_v + i * 128, trans_b=1)
            wgmma_commit_group()

        @hidet.script
        def soften(scores: ~f32, tops: ~f32, totals: ~f32, fades: ~f32):
            """Scores become probabilities, but for a factor. A thread has elements of two rows, at h = 0 and 1."""
            for h in grid(2, attrs='u'):
                largest = register_tensor(f32, shape=[2])
                for e in grid(2, attrs='u'):
                    largest[e] = scores[h * 2 + e]
                    for t in grid(keys // 8 - 1, attrs='u'):
                        largest[e] = max(largest[e], scores[t * 4 + 4 + h * 2 + e])
                top = max(tops[h], max(largest[0], largest[1]))
                top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                fades[h] = exp2((tops[h] - top) * scale)
                tops[h] = top
                for e in grid(2, attrs='u'):
                    total = totals[h * 2 + e] * fades[h]
                    for t in grid(keys // 8, attrs='u'):
                        p = exp2(scores[t * 4 + h * 2 + e] * scale - top * scale)
                        scores[t * 4 + h * 2 + e] = p
                        total += p
                    totals[h * 2 + e] = total

        @hidet.script
        def mask(scores: ~f32, row: i32, first_key: i32):
            """Scores of keys that a row does not see are as good as minus infinity."""
            for h in grid(2, attrs='u'):
                seen = min(row + h * 8 + 1, length) if causal else length
                left = seen - first_key - threadIdx.x % 4 * 2
                for t, e in grid(keys // 8, 2, attrs='u'):
                    if t * 8 + e >= left:
                        scores[t * 4 + h * 2 + e] = -1.0e30

        @hidet.script
        def attention(q_map: tensor_map, k_map: tensor_map, v_map: tensor_map, o_map: tensor_map):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = row_tiles, heads
            attrs.cuda.block_dim = (groups + 1) * 128
            attrs.cuda.min_blocks = 2 if groups == 1 else 1
            attrs.cuda.dynamic_smem_bytes = (q_elements + 2 * stages * tile_elements) * 2

            # Tiles of 64 columns beside each other.
            k_start, v_start = q_elements * 2, (q_elements + stages * tile_elements) * 2
            smem_q = tensor_pointer(f16, shape=[parts, block_rows, width], init=dynamic_shared_memory(0, f16))
            smem_k = tensor_pointer(f16, shape=[stages, parts, keys, width], init=dynamic_shared_memory(k_start, f16))
            smem_v = tensor_pointer(f16, shape=[stages, parts, keys, width], init=dynamic_shared_memory(v_start, f16))
            q_full = shared_tensor(u64, shape=[1])
            k_full = shared_tensor(u64, shape=[stages])
            k_empty = shared_tensor(u64, shape=[stages])
            v_full = shared_tensor(u64, shape=[stages])
            v_empty = shared_tensor(u64, shape=[stages])
            if threadIdx.x == 0:
                mbarrier_init(~q_full[0], 1)
                for s in range(stages):
                    mbarrier_init(~k_full[s], 1)
                    mbarrier_init(~k_empty[s], groups)
                    mbarrier_init(~v_full[s], 1)
                    mbarrier_init(~v_empty[s], groups)
                fence_barrier_init()
            syncthreads()

            head = blockIdx.y
            row_tile = row_tiles - 1 - blockIdx.x  # where it is causal the last rows have most to do: they begin
            block_row = row_tile * block_rows
            seen_keys = min(block_row + block_rows, length) if causal else length
            tiles = (seen_keys + keys - 1) // keys

            group = threadIdx.x // 128
            if group == 0:
                setmaxnreg(producer_registers, 'dec')
                if threadIdx.x == 0:
                    mbarrier_arrive_and_expect_tx(~q_full[0], q_elements * 2)
                    for part in grid(parts, attrs='u'):
                        copy_tensor_g2s(3, ~smem_q[part, 0, 0], q_map, ~q_full[0], part * width, block_row, head)
                    # The keys are a tile ahead of the values.
                    for turn in range(tiles + 1):
                        if turn < tiles:
                            s = turn % stages
                            mbarrier_wait(~k_empty[s], (turn // stages + 1) % 2)
                            mbarrier_arrive_and_expect_tx(~k_full[s], tile_elements * 2)
                            for part in grid(parts, attrs='u'):
                                copy_tensor_g2s(
                                    3, ~smem_k[s, part, 0, 0], k_map, ~k_full[s], part * width, turn * keys, head
                                )
                        if turn > 0:
                            before = turn - 1
                            s = before % stages
                            mbarrier_wait(~v_empty[s], (before // stages + 1) % 2)
                            mbarrier_arrive_and_expect_tx(~v_full[s], tile_elements * 2)
                            for part in grid(parts, attrs='u'):
                                copy_tensor_g2s(
                                    3, ~smem_v[s, part, 0, 0], v_map, ~v_full[s], part * width, before * keys, head
                                )
            else:
                setmaxnreg(consumer_registers, 'inc')
                consumer = group - 1
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                row = block_row + consumer * 64 + thread // 32 * 16 + lane // 4
                sums = register_tensor(f32, shape=[values_config.c_elements])
                scores = register_tensor(f32, shape=[scores_config.c_elements])
                chances = register_tensor(f16, shape=[scores_config.c_elements])
                tops = register_tensor(f32, shape=[2])
                totals = register_tensor(f32, shape=[4])
                fades = register_tensor(f32, shape=[2])
                for i in grid(values_config.c_elements, attrs='u'):
                    sums[i] = 0.0
                for i in grid(4, attrs='u'):
                    totals[i] = 0.0
                for i in grid(2, attrs='u'):
                    tops[i] = -1.0e30
                # Every row of the group sees the keys before this one.
                all_see = min(block_row + consumer * 64 + 1, length) if causal else length

                # Addresses in descriptors have 18 bits.
                first_q = cast(cvta_generic_to_shared(~smem_q[0, consumer * 64, 0]), u64) & 0x3FFFF
                first_k = cast(cvta_generic_to_shared(~smem_k[0, 0, 0, 0]), u64) & 0x3FFFF
                first_v = cast(cvta_generic_to_shared(~smem_v[0, 0, 0, 0]), u64) & 0x3FFFF
                desc_q = make_wgmma_desc(16, 1024, 1) | first_q >> 4
                desc_k = make_wgmma_desc(16, 1024, 1) | first_k >> 4
                desc_v = make_wgmma_desc(keys * 128, 1024, 1) | first_v >> 4

                mbarrier_wait(~q_full[0], 0)
                mbarrier_wait(~k_full[0], 0)
                wgmma_fence_operand(scores)
                wgmma_fence()
                order_scores(~scores[0], desc_q, desc_k)
                wgmma_wait_group(0)
                wgmma_fence_operand(scores)
                if thread == 0:
                    mbarrier_arrive(~k_empty[0])
                if has_mask:
                    if keys > all_see:
                        mask(~scores[0], row, 0)
                soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                for i in grid(scores_config.c_elements, attrs='u'):
                    chances[i] = cast(scores[i], f16)

                if take_turns and consumer == 1:
                    barrier_arrive(1, 256)
                if tiles > 1:
                    mbarrier_wait(~k_full[1 % stages], 1 // stages % 2)
                for turn in range(1, tiles):
                    s = turn % stages
                    before = (turn + stages - 1) % stages
                    if take_turns:
                        barrier_sync(1 + consumer, 256)
                    wgmma_fence_operand(scores)
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    order_scores(~scores[0], desc_q, desc_k + s * (tile_elements // 8))
                    mbarrier_wait(~v_full[before], (turn - 1) // stages % 2)
                    order_values(~sums[0], ~chances[0], desc_v + before * (tile_elements // 8))
                    if take_turns:
                        barrier_arrive(2 - consumer, 256)
                    wgmma_wait_group(1)
                    wgmma_fence_operand(scores)
                    if thread == 0:
                        mbarrier_arrive(~k_empty[s])
                    if has_mask:
                        if (turn + 1) * keys > all_see:
                            mask(~scores[0], row, turn * keys)
                    soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                    wgmma_fence_operand(scores)  # the exponentials are computed here, and not after the wait
                    if turn + 1 < tiles:
                        mbarrier_wait(~k_full[(turn + 1) % stages], (turn + 1) // stages % 2)
                    wgmma_wait_group(0)
                    wgmma_fence_operand(sums)
                    if thread == 0:
                        mbarrier_arrive(~v_empty[before])
                    for t, h, e in grid(d // 8, 2, 2, attrs='u'):
                        sums[t * 4 + h * 2 + e] = sums[t * 4 + h * 2 + e] * fades[h]
                    for i in grid(scores_config.c_elements, attrs='u'):
                        chances[i] = cast(scores[i], f16)

                last = tiles - 1
                mbarrier_wait(~v_full[last % stages], last // stages % 2)
                wgmma_fence_operand(sums)
                wgmma_fence()
                order_values(~sums[0], ~chances[0], desc_v + last % stages * (tile_elements // 8))
                wgmma_wait_group(0)
                wgmma_fence_operand(sums)

                # The rows go to memory through shared memory, where the rows of q of this group were.
                halves = register_tensor(f16, shape=[8])
                words = view(~halves[0], u32[4])
                for h in grid(2, attrs='u'):
                    total = totals[h * 2] + totals[h * 2 + 1]
                    total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                    total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                    fades[h] = 1.0 / total
                for part in grid(parts, attrs='u'):
                    for piece in grid(width // 16, attrs='u'):
                        for t, h, e in grid(2, 2, 2, attrs='u'):
                            halves[t * 4 + h * 2 + e] = cast(
                                sums[part * 32 + piece * 8 + t * 4 + h * 2 + e] * fades[h], f16
                            )
                        r = thread // 32 * 16 + lane % 16
                        swizzled = (piece * 2 + lane // 16) ^ (r % 8)
                        target = ~smem_q[part, consumer * 64 + r, swizzled * 8]
                        stmatrix([words[0], words[1], words[2], words[3]], target)
                fence_view_async_shared()
                barrier_sync(3 + consumer, 128)
                if thread == 0:
                    for part in grid(parts, attrs='u'):
                        copy_tensor_s2g(
                            3, ~smem_q[part, consumer * 64, 0], o_map, part * width, block_row + consumer * 64, head
                        )
                    copy_bulk_commit_group()
                    copy_bulk_wait_group(0)

        @hidet.script
        def launch(q: f16[heads, length, d], k: f16[heads, length, d], v: f16[heads, length, d], o: f16[heads, length, d]):
            attrs.func_kind = 'public'
            q_map: OpaqueType('CUtensorMap')
            k_map: OpaqueType('CUtensorMap')
            v_map: OpaqueType('CUtensorMap')
            o_map: OpaqueType('CUtensorMap')
            # Dimensions from the innermost on. Rows behind the last of a head are read as zeros and not written.
            extents, strides = [d, length, heads], [d * 2, length * d * 2]
            create_tensor_map(~q_map, f16, 3, q, extents, strides, [width, block_rows, 1], [1, 1, 1], 'NONE', '128B')
            create_tensor_map(~k_map, f16, 3, k, extents, strides, [width, keys, 1], [1, 1, 1], 'NONE', '128B')
            create_tensor_map(~v_map, f16, 3, v, extents, strides, [width, keys, 1], [1, 1, 1], 'NONE', '128B')
            create_tensor_map(~o_map, f16, 3, o, extents, strides, [width, 64, 1], [1, 1, 1], 'NONE', '128B')
            attention(q_map, k_map, v_map, o_map)

    return script_module.build()


def check(heads, length, d, causal, keys=128, groups=None):
    q = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    k = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    v = torch.randn(heads, length, d, dtype=torch.float16, device='cuda')
    o = torch.empty(heads, length, d, dtype=torch.float16, device='cuda')
    attention_module(heads, length, d, causal, keys, groups)(q, k, v, o)

    for head in range(heads):
        scores = torch.matmul(q[head].float(), k[head].float().T) / math.sqrt(d)
        if causal:
            scores = scores + torch.triu(torch.full((length, length), -1.0e30), 1).cuda()
        expected = torch.matmul(torch.softmax(scores, dim=1), v[head].float())
        torch.testing.assert_close(o[head].float(), expected, atol=2e-3, rtol=2e-2)
    print(f'Hopper attention, {heads} heads of {length} x {d}{", causal" if causal else ""}: correct')


if __name__ == '__main__':
    check(heads=1, length=300, d=128, causal=False, groups=2)
    check(heads=1, length=330, d=64, causal=True, groups=3)
    check(heads=2, length=150, d=64, causal=False, keys=112)
