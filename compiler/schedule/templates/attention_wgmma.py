# SPDX-License-Identifier: Apache-2.0
"""Attention for Hopper where there is much to do: the softmax of q k, causal or with a mask added, times v; f16 or bf16, sums
in f32.

A block keeps 64 rows of q for each of its groups of four warps and goes over the keys and values tile by tile, which the copy
unit brings into two rings of stages; one thread of the first warp group gives the orders. Softmax needs the largest score of a
row first, which is known at the end only. So each tile uses the largest one so far, and when a later tile has a larger one, the
sums up to there are scaled down (they fade).

The tensor cores must multiply while a group computes exponentials, so two products are always under way: for a tile, a group

* orders the scores of the next tile and then the values times this tile's probabilities,
* waits for the first of the two, and does the softmax of the next tile while the second one runs,
* waits for that as well, fades the sums, and packs the new probabilities.

The sums of one product lie in the registers just as wgmma wants the first factor of another, so probabilities are packed where
they are. Two groups take turns: one orders its products while the other computes exponentials.

There are as many blocks as multiprocessors hold; each has several tiles of rows, one after the other. So the rows of the next
one and its first keys arrive while this one is completed. Where it is causal, some heads at a time are divided into tiles that
are ordered by what there is to do, the most first: so blocks that take every so manieth of them have about equally much.

Keys are [n, d] with transpose_k, and transposed already, [d, n], without: then the rows of a tile of them are terms of the sum,
as those of a tile of values are. Copies need addresses, so what makes q, k and v is a kernel of its own. That, and tiles this
large, pay off for long sequences; the template leaves the others to attention_mma.py. A mask is loaded by elements, while the
scores are computed to which it is added.

Lanes of a row exchange elements of the result until each has 8 neighbours. It stores those by elements, and what is fused
behind the operator is computed there.

exp(x) is 2^(x log2 e), and the instruction is ex2; without a mask, the factor and the scale of the scores go into one
multiplication and addition. A mask may hold the least number of its type in a whole row, so there the difference, which is 0
then, comes first. Lanes of a row keep their own sums, which are added at the end only.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import (
    barrier_arrive,
    barrier_sync,
    copy_tensor_g2s,
    create_tensor_map,
    fence_barrier_init,
    griddepcontrol_launch_dependents,
    griddepcontrol_wait,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    prefetch_tensor_map,
    wgmma_fence_operand,
)
from hidet.lang import (
    OpaqueType,
    asm,
    attrs,
    cast,
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
from hidet.utils import cdiv, prod

stages = 2
width = 64  # columns of a swizzled tile: 128 bytes
log2e = math.log2(math.e)
lowest = -3.4028234663852886e38
spare_bytes = 1024  # of shared memory, for barriers
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def batch_dims(shapes):
    """Of all leading dimensions: extent, and how far each operand moves on with it, in matrices; neighbours are joined."""
    rank = max([len(shape) for shape in shapes])
    shapes = [([1] * (rank - len(shape)) + list(shape))[:-2] for shape in shapes]
    dims = []
    for i in range(rank - 2):
        extent = max([shape[i] for shape in shapes])
        steps = [prod(shape[i + 1 :]) if shape[i] > 1 else 0 for shape in shapes]
        if extent == 1:
            continue
        if dims and dims[-1][1:] == [step * extent for step in steps]:
            dims[-1] = [dims[-1][0] * extent] + steps
        else:
            dims.append([extent] + steps)
    return dims


def attention_module(task, target, keys, groups):
    q_type, k_type, v_type = task.inputs[:3]
    o_type = task.outputs[0]
    has_mask = len(task.inputs) > 3
    mask_type = task.inputs[3] if has_mask else o_type  # without a mask, the result stands for it and is not read
    dtype, dtype_mask = q_type.dtype, mask_type.dtype
    m, d = q_type.shape[-2:]
    n = v_type.shape[-2]
    causal = not has_mask and task.attrs['is_causal']
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    tune.check(scale > 0, 'the largest score stays the largest one')
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(d in (64, 128) and v_type.shape[-1] == d, 'rows of q and v are one or two swizzled tiles wide')
    tune.check(transpose_k or n % 8 == 0, 'rows of k are multiples of 16 bytes, for the copy unit')
    tune.check(m >= 32 and n >= 512, 'queries and keys are many')
    tune.check(not has_mask or n % 2 == 0, 'keys are pairs where a mask is read')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape] + ([mask_type.shape] if has_mask else []))
    batch = prod([dim[0] for dim in dims])
    tune.check(batch * cdiv(m, 64) >= target.multiprocessors, 'there is work for all multiprocessors')

    keys = keys or (176 if d == 128 and transpose_k and not causal and not has_mask else 128)
    if groups is None:
        # Few rows make more blocks of one group. Narrow ones need fewer registers, and leave room for a third group, which
        # multiplies while the others compute exponentials.
        has_few_rows = batch * m < 4 * target.multiprocessors * 64
        groups = 1 if has_few_rows else 3 if d == 64 and not has_mask else 2
    tune.check(keys in (64, 128, 192) or (transpose_k and 64 <= keys <= 192 and keys % 16 == 0), 'a tile has 64 to 192 keys')
    tune.check(groups in (1, 2, 3), 'a block has up to 3 groups')
    tune.check(groups < 3 or (d == 64 and keys <= 128 and not has_mask), 'the sums of three groups fit into registers')
    tune.check(keys <= 128 or not has_mask, 'a tile and its mask fit into registers')
    parts = d // width
    rows_k = keys if transpose_k else d
    block_rows = groups * 64
    row_tiles = cdiv(m, block_rows)
    works = row_tiles * batch
    blocks = min(works, (2 if groups == 1 else 1) * target.multiprocessors)
    q_elements, tile_elements = block_rows * d, keys * d
    parts_k = tile_elements // (rows_k * width)  # tiles of 64 columns beside each other
    shared_bytes = (q_elements + 2 * stages * tile_elements) * 2
    tune.check(shared_bytes + spare_bytes <= target.shared_per_block_optin, 'the stages fit into shared memory')
    scores_config = WgmmaConfig.get(64, keys, 16, dtype, dtype, f32)
    values_config = WgmmaConfig.get(64, d, 16, dtype, dtype, f32)
    producer_registers, consumer_registers = {1: (24, 232), 2: (24, 240), 3: (32, 160)}[groups]
    take_turns = groups == 2
    has_unseen = causal or n % keys != 0
    top_start = lowest if has_mask else -1.0e30
    factor = scale * log2e  # of scores without a mask

    shape_q, shape_k = [prod(q_type.shape[:-2]), m, d], [prod(k_type.shape[:-2])] + ([n, d] if transpose_k else [d, n])
    shape_v, shape_o = [prod(v_type.shape[:-2]), n, d], [batch, m, d]
    full_mask = [1] * (2 - len(mask_type.shape)) + list(mask_type.shape)
    mask_m, mask_n = full_mask[-2:]
    mask_rows = 2 if has_mask and mask_m > 1 else 1
    shape_mask = [prod(full_mask[:-2]), mask_m, mask_n]
    # Of the copies, from the innermost dimension on. Rows behind the last of a head, and keys, are read as zeros.
    strides_q, strides_v = [d * 2, m * d * 2], [d * 2, n * d * 2]
    strides_k = strides_v if transpose_k else [n * 2, n * d * 2]
    box_q, box_v = [width, block_rows, 1], [width, keys, 1]
    box_k = box_v if transpose_k else [width, d, 1]
    # Heads whose tiles are ordered by what there is to do: a few tiles for each block, as keys should be read from the cache.
    together = 1
    while causal and together < batch and together * row_tiles < 4 * blocks:
        together = min([x for x in range(together + 1, batch + 1) if batch % x == 0])
    # What is inside of a leading dimension, its extent, and how far q, k, v and the mask move on with it.
    moves = [[prod([dim[0] for dim in dims[i + 1 :]]), dim[0], dim[1:] + [0]] for i, dim in enumerate(dims)]

    with hidet.script_module() as script_module:

        @hidet.script
        def exp2(x: f32) -> f32:
            y = f32(0.0)
            asm('ex2.approx.ftz.f32 %0, %1;', outputs=[y], inputs=[x])
            return y

        @hidet.script
        def power(score: f32, top: f32) -> f32:
            if has_mask:
                return exp2((score - top) * log2e)
            else:
                return exp2(score * factor - top * factor)

        @hidet.script
        def order_scores(scores: ~f32, desc_q: u64, desc_k: u64):
            # In descriptors addresses are in units of 16 bytes: 16 columns of a swizzled tile are 2, and 16 rows are 128.
            for i in grid(d // 16, attrs='u'):
                a = desc_q + (i // 4 * (block_rows * 8) + i % 4 * 2)
                if transpose_k:
                    b = desc_k + (i // 4 * (keys * 8) + i % 4 * 2)
                    wgmma_async(scores_config, a, scores, b, i > 0)
                else:
                    wgmma_async(scores_config, a, scores, desc_k + i * 128, i > 0, trans_b=1)
            wgmma_commit_group()

        @hidet.script
        def order_values(sums: ~f32, chances: ~dtype, desc_v: u64):
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
                fades[h] = power(tops[h], top)
                tops[h] = top
                for e in grid(2, attrs='u'):
                    total = totals[h * 2 + e] * fades[h]
                    for t in grid(keys // 8, attrs='u'):
                        p = power(scores[t * 4 + h * 2 + e], top)
                        scores[t * 4 + h * 2 + e] = p
                        total += p
                    totals[h * 2 + e] = total

        @hidet.script
        def hide(scores: ~f32, row: i32, first_key: i32):
            """Scores of keys that a row does not see are as good as minus infinity."""
            for h in grid(2, attrs='u'):
                seen = min(row + h * 8 + 1, n) if causal else n
                left = seen - first_key - threadIdx.x % 4 * 2
                for t, e in grid(keys // 8, 2, attrs='u'):
                    if t * 8 + e >= left:
                        scores[t * 4 + h * 2 + e] = -math.inf

        @hidet.script
        def head_of(work: i32) -> i32:
            rest = work % (together * row_tiles)
            return work // (together * row_tiles) * together + (rest % together if causal else rest // row_tiles)

        @hidet.script
        def first_row_of(work: i32) -> i32:
            rest = work % (together * row_tiles)
            return (row_tiles - 1 - rest // together if causal else rest % row_tiles) * block_rows

        @hidet.script
        def tiles_of(work: i32) -> i32:
            seen_keys = min(first_row_of(work) + block_rows, n) if causal else n
            return (seen_keys + keys - 1) // keys

        @hidet.script
        def gather_neighbours(words: ~u32):
            """Of four tiles of 8 columns, a lane of four has two neighbours each, and afterwards all 8 of one tile."""
            t = threadIdx.x % 4
            for step in grid(2, attrs='u'):
                is_high = t >> step & 1
                for pair in grid(2, attrs='u'):
                    low = pair * (2 - step)
                    high = low + 1 + step
                    theirs = shfl_xor_sync(0xFFFFFFFF, words[low] if is_high == 1 else words[high], 1 + step)
                    if is_high == 1:
                        words[low] = theirs
                    else:
                        words[high] = theirs

        @hidet.script
        def attention(
            q_map: tensor_map, k_map: tensor_map, v_map: tensor_map, mask: dtype_mask[shape_mask], o: dtype[shape_o]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = (groups + 1) * 128
            attrs.cuda.min_blocks = 2 if groups == 1 else 1
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            # Tiles of 64 columns beside each other.
            k_start, v_start = q_elements * 2, (q_elements + stages * tile_elements) * 2
            smem_q = tensor_pointer(dtype, shape=[parts, block_rows, width], init=dynamic_shared_memory(0, dtype))
            smem_k = tensor_pointer(dtype, shape=[stages, parts_k, rows_k, width], init=dynamic_shared_memory(k_start, dtype))
            smem_v = tensor_pointer(dtype, shape=[stages, parts, keys, width], init=dynamic_shared_memory(v_start, dtype))
            q_full = shared_tensor(u64, shape=[1])
            q_empty = shared_tensor(u64, shape=[1])
            k_full = shared_tensor(u64, shape=[stages])
            k_empty = shared_tensor(u64, shape=[stages])
            v_full = shared_tensor(u64, shape=[stages])
            v_empty = shared_tensor(u64, shape=[stages])
            if threadIdx.x == 0:
                prefetch_tensor_map(~q_map)
                prefetch_tensor_map(~k_map)
                prefetch_tensor_map(~v_map)
                mbarrier_init(~q_full[0], 1)
                mbarrier_init(~q_empty[0], groups)
                for s in range(stages):
                    mbarrier_init(~k_full[s], 1)
                    mbarrier_init(~k_empty[s], groups)
                    mbarrier_init(~v_full[s], 1)
                    mbarrier_init(~v_empty[s], groups)
                fence_barrier_init()
            syncthreads()

            turns = (works - blockIdx.x + blocks - 1) // blocks  # tiles of rows of this block

            group = threadIdx.x // 128
            if group == 0:
                setmaxnreg(producer_registers, 'dec')
                if threadIdx.x == 0:
                    griddepcontrol_wait()
                    done = 0  # tiles of keys
                    for index in range(turns):
                        work = blockIdx.x + index * blocks
                        z = head_of(work)
                        z_q, z_k, z_v = [sum([z // inner % extent * steps[i] for inner, extent, steps in moves]) for i in range(3)]
                        tiles = tiles_of(work)
                        # The keys are a tile ahead of the values.
                        for turn in range(tiles + 1):
                            if turn < tiles:
                                s = (done + turn) % stages
                                mbarrier_wait(~k_empty[s], ((done + turn) // stages + 1) % 2)
                                mbarrier_arrive_and_expect_tx(~k_full[s], tile_elements * 2)
                                for part in grid(parts_k, attrs='u'):
                                    column = part * width if transpose_k else turn * keys + part * width
                                    row = turn * keys if transpose_k else 0
                                    copy_tensor_g2s(3, ~smem_k[s, part, 0, 0], k_map, ~k_full[s], column, row, z_k)
                            if turn == 0:
                                mbarrier_wait(~q_empty[0], (index + 1) % 2)
                                mbarrier_arrive_and_expect_tx(~q_full[0], q_elements * 2)
                                for part in grid(parts, attrs='u'):
                                    row = first_row_of(work)
                                    copy_tensor_g2s(3, ~smem_q[part, 0, 0], q_map, ~q_full[0], part * width, row, z_q)
                            if turn > 0:
                                s = (done + turn - 1) % stages
                                mbarrier_wait(~v_empty[s], ((done + turn - 1) // stages + 1) % 2)
                                mbarrier_arrive_and_expect_tx(~v_full[s], tile_elements * 2)
                                for part in grid(parts, attrs='u'):
                                    first = (turn - 1) * keys
                                    copy_tensor_g2s(3, ~smem_v[s, part, 0, 0], v_map, ~v_full[s], part * width, first, z_v)
                        done += tiles
            else:
                setmaxnreg(consumer_registers, 'inc')
                consumer = group - 1
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                sums = register_tensor(f32, shape=[values_config.c_elements])
                scores = register_tensor(f32, shape=[scores_config.c_elements])
                chances = register_tensor(dtype, shape=[scores_config.c_elements])
                tops = register_tensor(f32, shape=[2])
                totals = register_tensor(f32, shape=[4])
                fades = register_tensor(f32, shape=[2])
                regs_mask = register_tensor(dtype_mask, shape=[mask_rows, keys // 4 if has_mask else 1])
                # Addresses in descriptors have 18 bits.
                first_q = cast(cvta_generic_to_shared(~smem_q[0, consumer * 64, 0]), u64) & 0x3FFFF
                first_k = cast(cvta_generic_to_shared(~smem_k[0, 0, 0, 0]), u64) & 0x3FFFF
                first_v = cast(cvta_generic_to_shared(~smem_v[0, 0, 0, 0]), u64) & 0x3FFFF
                desc_q = make_wgmma_desc(16, 1024, 1) | first_q >> 4
                desc_k = make_wgmma_desc(16 if transpose_k else d * 128, 1024, 1) | first_k >> 4
                desc_v = make_wgmma_desc(keys * 128, 1024, 1) | first_v >> 4

                halves = register_tensor(dtype, shape=[8])
                words = view(~halves[0], u32[4])
                if has_mask:
                    griddepcontrol_wait()
                if take_turns and consumer == 1:
                    barrier_arrive(1, 256)
                done = 0  # tiles of keys
                for index in range(turns):
                    work = blockIdx.x + index * blocks
                    z = head_of(work)
                    z_mask = sum([z // inner % extent * steps[3] for inner, extent, steps in moves])
                    tiles = tiles_of(work)
                    first_row = first_row_of(work) + consumer * 64
                    row = first_row + thread // 32 * 16 + lane // 4
                    # Every row of the group sees the keys before this one.
                    all_see = min(first_row + 1, n) if causal else n
                    for i in grid(values_config.c_elements, attrs='u'):
                        sums[i] = 0.0
                    for i in grid(4, attrs='u'):
                        totals[i] = 0.0
                    for i in grid(2, attrs='u'):
                        tops[i] = top_start

                    mbarrier_wait(~q_full[0], index % 2)
                    s0 = done % stages
                    mbarrier_wait(~k_full[s0], done // stages % 2)
                    wgmma_fence_operand(scores)
                    wgmma_fence()
                    order_scores(~scores[0], desc_q, desc_k + s0 * (tile_elements // 8))
                    if has_mask:
                        for h, t in grid(mask_rows, keys // 8, attrs='u'):
                            r = min(row + h * 8, m - 1) if mask_m > 1 else 0
                            key = t * 8 + lane % 4 * 2
                            if n % keys != 0:
                                key = min(key, n - 2)
                            for e in grid(2, attrs='u'):
                                regs_mask[h, t * 2 + e] = mask[z_mask, r, key + e if mask_n > 1 else 0]
                    wgmma_wait_group(0)
                    wgmma_fence_operand(scores)
                    if thread == 0:
                        mbarrier_arrive(~k_empty[s0])
                        if tiles == 1:
                            mbarrier_arrive(~q_empty[0])
                    if has_mask:
                        for t, h, e in grid(keys // 8, 2, 2, attrs='u'):
                            i = t * 4 + h * 2 + e
                            scores[i] = scores[i] * scale + cast(regs_mask[h % mask_rows, t * 2 + e], f32)
                    if has_unseen:
                        if keys > all_see:
                            hide(~scores[0], row, 0)
                    soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                    for i in grid(scores_config.c_elements, attrs='u'):
                        chances[i] = cast(scores[i], dtype)

                    if tiles > 1:
                        mbarrier_wait(~k_full[(done + 1) % stages], (done + 1) // stages % 2)
                    for turn in range(1, tiles):
                        s = (done + turn) % stages
                        before = (done + turn - 1) % stages
                        if take_turns:
                            barrier_sync(1 + consumer, 256)
                        wgmma_fence_operand(scores)
                        wgmma_fence_operand(sums)
                        wgmma_fence()
                        order_scores(~scores[0], desc_q, desc_k + s * (tile_elements // 8))
                        mbarrier_wait(~v_full[before], (done + turn - 1) // stages % 2)
                        order_values(~sums[0], ~chances[0], desc_v + before * (tile_elements // 8))
                        if take_turns:
                            barrier_arrive(2 - consumer, 256)
                        if has_mask:
                            for h, t in grid(mask_rows, keys // 8, attrs='u'):
                                r = min(row + h * 8, m - 1) if mask_m > 1 else 0
                                key = turn * keys + t * 8 + lane % 4 * 2
                                if n % keys != 0:
                                    key = min(key, n - 2)
                                for e in grid(2, attrs='u'):
                                    regs_mask[h, t * 2 + e] = mask[z_mask, r, key + e if mask_n > 1 else 0]
                        wgmma_wait_group(1)
                        wgmma_fence_operand(scores)
                        if thread == 0:
                            mbarrier_arrive(~k_empty[s])
                            if turn + 1 == tiles:
                                mbarrier_arrive(~q_empty[0])  # its rows were read for the last time
                        if has_mask:
                            for t, h, e in grid(keys // 8, 2, 2, attrs='u'):
                                i = t * 4 + h * 2 + e
                                scores[i] = scores[i] * scale + cast(regs_mask[h % mask_rows, t * 2 + e], f32)
                        if has_unseen:
                            if (turn + 1) * keys > all_see:
                                hide(~scores[0], row, turn * keys)
                        soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                        wgmma_fence_operand(scores)  # the exponentials are computed here, and not after the wait
                        if turn + 1 < tiles:
                            mbarrier_wait(~k_full[(done + turn + 1) % stages], (done + turn + 1) // stages % 2)
                        wgmma_wait_group(0)
                        wgmma_fence_operand(sums)
                        if thread == 0:
                            mbarrier_arrive(~v_empty[before])
                        for t, h, e in grid(d // 8, 2, 2, attrs='u'):
                            sums[t * 4 + h * 2 + e] = sums[t * 4 + h * 2 + e] * fades[h]
                        for i in grid(scores_config.c_elements, attrs='u'):
                            chances[i] = cast(scores[i], dtype)

                    last = done + tiles - 1
                    mbarrier_wait(~v_full[last % stages], last // stages % 2)
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    order_values(~sums[0], ~chances[0], desc_v + last % stages * (tile_elements // 8))
                    wgmma_wait_group(0)
                    wgmma_fence_operand(sums)
                    if thread == 0:
                        mbarrier_arrive(~v_empty[last % stages])
                    done += tiles

                    for h in grid(2, attrs='u'):
                        total = totals[h * 2] + totals[h * 2 + 1]
                        total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                        total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                        fades[h] = 1.0 / total
                    for h, four in grid(2, d // 32, attrs='u'):
                        for t, e in grid(4, 2, attrs='u'):
                            halves[t * 2 + e] = cast(sums[four * 16 + t * 4 + h * 2 + e] * fades[h], dtype)
                        gather_neighbours(~words[0])
                        if row + h * 8 < m:
                            for e in grid(8, attrs='u'):
                                o[z, row + h * 8, four * 32 + lane % 4 * 8 + e] = halves[e]

        if has_mask:

            @hidet.script
            def launch(
                q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], mask: dtype_mask[shape_mask], o: dtype[shape_o]
            ):
                attrs.func_kind = 'public'
                q_map: OpaqueType('CUtensorMap')
                k_map: OpaqueType('CUtensorMap')
                v_map: OpaqueType('CUtensorMap')
                create_tensor_map(~q_map, dtype, 3, q, shape_q[::-1], strides_q, box_q, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~k_map, dtype, 3, k, shape_k[::-1], strides_k, box_k, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~v_map, dtype, 3, v, shape_v[::-1], strides_v, box_v, [1, 1, 1], 'NONE', '128B')
                attention(q_map, k_map, v_map, mask, o)

        else:

            @hidet.script
            def launch(q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], o: dtype[shape_o]):
                attrs.func_kind = 'public'
                q_map: OpaqueType('CUtensorMap')
                k_map: OpaqueType('CUtensorMap')
                v_map: OpaqueType('CUtensorMap')
                create_tensor_map(~q_map, dtype, 3, q, shape_q[::-1], strides_q, box_q, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~k_map, dtype, 3, k, shape_k[::-1], strides_k, box_k, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~v_map, dtype, 3, v, shape_v[::-1], strides_v, box_v, [1, 1, 1], 'NONE', '128B')
                attention(q_map, k_map, v_map, o, o)

    return script_module


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, keys=[64, 128], groups=[1, 2])
@tune.space(2, keys=[64, 128, 192], groups=[1, 2, 3])
def attention(task, target, keys=None, groups=None):
    """`keys`: of a tile; `groups`: of four warps with 64 rows each."""
    return attention_module(task, target, keys, groups)


@hidet.template('AttnMaskAdd', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, keys=[64, 128], groups=[1, 2])
@tune.space(2, keys=[64, 128, 192], groups=[1, 2, 3])
def attention_with_mask(task, target, keys=None, groups=None):
    """As for `attention`."""
    return attention_module(task, target, keys, groups)
