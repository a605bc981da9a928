# SPDX-License-Identifier: Apache-2.0
"""Attention for Hopper where there is much to do: the softmax of q k, causal or with a mask added, times v; f16 or bf16, sums
in f32.

A block keeps 64 rows of q for each of its groups of four warps and goes over the keys and values tile by tile, which the copy
unit brings into two rings of stages; one thread of the first warp group gives the orders. Softmax needs the largest score of a
row first, which is known at the end only. So each tile uses a largest one so far, and when a later tile has a much larger one,
the sums up to there are scaled down (they fade). Scores above it by a little are no harm: a probability may be up to 2^8, until
the sums are divided by their total. So hardly any tile but the first ones has to look at more than its own lane's scores.

The tensor cores must multiply while a group computes exponentials, so two products are always under way: for a tile, a group

* orders the scores of the next tile and then the values times this tile's probabilities,
* waits for the first of the two, finds the largest scores of the next tile, and begins its exponentials,
* waits for the second as well, packs the new probabilities, and fades the sums if it must.

The next tile may be the first one of other rows: then the sums are complete, and are written while other groups multiply. The
sums of one product lie in the registers just as wgmma wants the first factor of another, so probabilities are packed where they
are. Groups take turns: one orders its products while the others compute exponentials.

There are as many blocks as multiprocessors hold; each has several tiles of rows, one after the other, and the rows of the next
one and its first keys arrive before this one is completed. Where it is causal, some heads at a time are divided into tiles that
are ordered by what there is to do, the most first: so blocks that take every so manieth of them have about equally much.

Rows need not fill swizzled tiles: behind them the copy unit writes zeros, which no product asks for. Rows of more than two tiles
leave room for tiles of 64 keys and for one buffer of q.

Rows of q are read from registers where there is room, which leaves shared memory to the keys, and else from two buffers.

Keys are [n, d] with transpose_k, and transposed already, [d, n], without: then the rows of a tile of them are terms of the sum,
as those of a tile of values are. Copies need addresses, so what makes q, k and v is a kernel of its own. That, and tiles this
large, pay off for long sequences; the template leaves the others to attention_short.py and attention_mma.py. A mask is loaded
by elements, while the scores are computed to which it is added.

Lanes of a row exchange elements of the result until each has 8 neighbours. It stores those by elements, and what is fused
behind the operator is computed there.

exp(x) is 2^(x log2 e), and the instruction is ex2; without a mask, the factor and the scale of the scores go into one
multiplication and addition. A mask may hold the least number of its type in a whole row, so there the difference, which is 0
then, comes first. Lanes of a row keep their own sums, which are added at the end only.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import barrier_arrive, barrier_sync, copy_tensor_g2s, create_tensor_map
from hidet.ir.primitives.cuda import fence_barrier_init, griddepcontrol_launch_dependents, griddepcontrol_wait, ldmatrix
from hidet.ir.primitives.cuda import mbarrier_arrive, mbarrier_arrive_and_expect_tx, mbarrier_init, mbarrier_wait
from hidet.ir.primitives.cuda import prefetch_tensor_map, wgmma_fence_operand
from hidet.lang import OpaqueType, asm, attrs, cast, f32, grid, i32, register_tensor
from hidet.lang import shared_tensor, tensor_pointer, u32, u64, view
from hidet.lang.cuda import WgmmaConfig, any_sync, blockIdx, cvta_generic_to_shared, dynamic_shared_memory
from hidet.lang.cuda import make_wgmma_desc, setmaxnreg, shfl_xor_sync, syncthreads, threadIdx, wgmma_async
from hidet.lang.cuda import wgmma_commit_group, wgmma_fence, wgmma_wait_group
from hidet.templates import batch_dims
from hidet.utils import cdiv, prod

stages = 2
width = 64  # columns of a swizzled tile: 128 bytes
log2e = math.log2(math.e)
lowest = -3.4028234663852886e38
spare_bytes = 1024  # of shared memory, for barriers
most_above = 8.0  # of a score in base 2 above what counts as the largest one
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def is_long(tiles_of_rows, n, target):
    """Whether keys are brought tile by tile. attention_short.py, which has all of them at once, asks the same."""
    return n >= 512 or (n > 256 and tiles_of_rows >= 4 * target.multiprocessors)


def groups_for(batch, m, d, causal, has_mask, multiprocessors):
    """Groups of a block. Three are fastest where registers suffice: two multiply while one computes exponentials."""
    most = 3 if d == 64 and not has_mask else 2
    if causal or d >= 128:
        # Few rows make more blocks of one group.
        return 1 if batch * m < 4 * multiprocessors * 64 else most
    # What a tile of keys takes where as many groups share a multiprocessor, which two blocks of one group do.
    times = [0.0, 1.2, 1.25, 1.6]
    best, least = 1, math.inf
    for groups in range(1, most + 1):
        blocks = batch * cdiv(m, groups * 64)
        rounds = cdiv(blocks, multiprocessors)
        time = rounds // 2 * times[2] + rounds % 2 * times[1] if groups == 1 else rounds * times[groups]
        if time < least:
            best, least = groups, time
    return best


def attention_module(task, target, keys, groups):
    q_type, k_type, v_type, o_type = list(task.inputs[:3]) + list(task.outputs[:1])
    has_mask = len(task.inputs) > 3
    tune.check(len(task.inputs) <= 4, 'no row of k and v is replaced')
    mask_type = task.inputs[3] if has_mask else o_type  # without a mask, the result stands for it and is not read
    dtype, dtype_mask = q_type.dtype, mask_type.dtype
    m, length = q_type.shape[-2:]
    n = v_type.shape[-2]
    causal = not has_mask and task.attrs['is_causal']
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    tune.check(scale > 0, 'the largest score stays the largest one')
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(isinstance(length, int) and length % 8 == 0 and v_type.shape[-1] == length, 'rows of q and v have one known length')
    tune.check(40 <= length <= 256, 'rows fill most of one to four swizzled tiles')
    d = cdiv(length, width) * width  # in shared memory, with zeros behind a row
    tune.check(transpose_k or n % 8 == 0, 'rows of k are multiples of 16 bytes, for the copy unit')
    usual_m, usual_n = tune.typical(m), tune.typical(n)
    tune.check(not has_mask or n % 2 == 0, 'keys are pairs where a mask is read')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape] + ([mask_type.shape] if has_mask else []))
    batch, usual_batch = prod([dim[0] for dim in dims]), tune.typical(prod([dim[0] for dim in dims]))
    tiles_of_rows = usual_batch * cdiv(usual_m, 64)
    is_wide = d > 128  # nothing else takes that
    is_cut = d > length and usual_n > 64 and tiles_of_rows >= 4 * target.multiprocessors  # attention_short.py takes whole tiles
    is_many = is_wide or is_cut or is_long(tiles_of_rows, usual_n, target)
    tune.check(usual_m >= 32 and is_many, 'queries and keys are many')
    is_enough = tiles_of_rows >= target.multiprocessors or is_wide
    tune.check(is_enough or not isinstance(n, int), 'there is work for all multiprocessors')  # or nothing else takes it

    keys = keys or (64 if is_wide else 128)
    groups = groups or (2 if is_wide else 0) or groups_for(usual_batch, usual_m, d, causal, has_mask, target.multiprocessors)
    tune.check(keys in (64, 128, 192) or (transpose_k and 64 <= keys <= 192 and keys % 16 == 0), 'a tile has 64 to 192 keys')
    tune.check(groups in (1, 2, 3), 'a block has up to 3 groups')
    tune.check(groups == 2 or not is_wide, 'sums of wide rows need the registers that a thread of two groups has')
    tune.check(groups < 3 or (d == 64 and keys <= 128 and not has_mask), 'the sums of three groups fit into registers')
    tune.check(keys <= 128 or not has_mask, 'a tile and its mask fit into registers')
    parts = d // width
    rows_k = keys if transpose_k else d
    block_rows = groups * 64
    row_tiles, works = tune.index(cdiv(m, block_rows)), tune.index(cdiv(m, block_rows) * batch)
    queries, key_count = tune.index(m), tune.index(n)
    blocks = min(works, (2 if groups == 1 else 1) * target.multiprocessors)
    q_elements, tile_elements = block_rows * d, keys * d
    parts_k = tile_elements // (rows_k * width)  # tiles of 64 columns beside each other
    in_registers = d == 128 and keys <= 128 and not has_mask  # rows of q
    buffers = 1 if in_registers or is_wide else 2
    steps = cdiv(length, 16)  # of the terms of a score
    shared_bytes = (buffers * q_elements + 2 * stages * tile_elements) * 2
    tune.check(shared_bytes + spare_bytes <= target.shared_per_block_optin, 'the stages fit into shared memory')
    seen = min((usual_n + block_rows) // 2, usual_n) if causal else usual_n  # on average
    tune.metric('read_bytes', cdiv(tune.typical(works), tune.typical(blocks)) * (q_elements + 2 * seen * d) * 2)
    tune.metric('in_flight_bytes', 2 * stages * tile_elements * 2)
    scores_config = WgmmaConfig.get(64, keys, 16, dtype, dtype, f32)
    values_config = WgmmaConfig.get(64, length, 16, dtype, dtype, f32)
    producer_registers, consumer_registers = {1: (24, 232), 2: (24, 240), 3: (32, 160)}[groups]
    take_turns = groups > 1
    has_unseen = causal or not (isinstance(n, int) and n % keys == 0)
    # Times any factor it is exact, so that nothing remains of the difference to itself, whatever is rounded when.
    top_start = lowest if has_mask else -(2.0**100)
    factor = scale * log2e  # of scores without a mask
    in_base_2 = log2e if has_mask else factor

    shape_q, shape_k = [prod(q_type.shape[:-2]), m, length], [prod(k_type.shape[:-2])] + ([n, length] if transpose_k else [length, n])
    shape_v, shape_o = [prod(v_type.shape[:-2]), n, length], [batch, m, length]
    full_mask = [1] * (2 - len(mask_type.shape)) + list(mask_type.shape)
    mask_m, mask_n = full_mask[-2:]
    has_rows, has_columns = not tune.same(mask_m, 1), not tune.same(mask_n, 1)
    mask_rows = 2 if has_mask and has_rows else 1
    shape_mask = [prod(full_mask[:-2]), mask_m, mask_n]
    # Of the copies, from the innermost dimension on. What lies behind the last row of a head, and behind a row, is read as zeros.
    strides_q, strides_v = [length * 2, m * length * 2], [length * 2, n * length * 2]
    strides_k = strides_v if transpose_k else [n * 2, n * length * 2]
    box_q, box_v = [width, block_rows, 1], [width, keys, 1]
    box_k = box_v if transpose_k else [width, d, 1]
    # Heads whose tiles are ordered by what there is to do: a few tiles for each block, as keys should be read from the cache.
    together = 1
    while causal and isinstance(works, int) and together < batch and together * row_tiles < 4 * blocks:
        together = min([x for x in range(together + 1, batch + 1) if batch % x == 0])
    # What is inside of a leading dimension, its extent, and how far q, k, v and the mask move on with it.
    counts = [[prod([dim[0] for dim in dims[i + 1 :]])] + dim + [0] for i, dim in enumerate(dims)]
    moves = [[each[0], each[1], each[2:]] for each in [[tune.index(number) for number in row] for row in counts]]

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
        def order_scores(scores: ~f32, regs_q: ~dtype, desc_q: u64, desc_k: u64):
            # In descriptors addresses are in units of 16 bytes: 16 columns of a swizzled tile are 2, and 16 rows are 128.
            for i in grid(steps, attrs='u'):
                a = regs_q + i * 8 if in_registers else desc_q + (i // 4 * (block_rows * 8) + i % 4 * 2)
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
        def soften(scores: ~f32, tops: ~f32, totals: ~f32, fades: ~f32) -> i32:
            """Scores become probabilities, but for a factor. A thread has elements of two rows, at h = 0 and 1. The answer is
            whether what went before must fade."""
            largest = register_tensor(f32, shape=[4])
            for x in grid(4, attrs='u'):
                largest[x] = scores[x]
                for t in grid(keys // 8 - 1, attrs='u'):
                    largest[x] = max(largest[x], scores[t * 4 + 4 + x])
            above = max(max(largest[0], largest[1]) - tops[0], max(largest[2], largest[3]) - tops[1])
            has_grown = any_sync(0xFFFFFFFF, above * in_base_2 > most_above)
            if has_grown:
                for h in grid(2, attrs='u'):
                    top = max(tops[h], max(largest[h * 2], largest[h * 2 + 1]))
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                    fades[h] = power(tops[h], top)
                    tops[h] = top
                    for e in grid(2, attrs='u'):
                        totals[h * 2 + e] = totals[h * 2 + e] * fades[h]
            for x in grid(4, attrs='u'):
                total = totals[x]
                for t in grid(keys // 8, attrs='u'):
                    p = power(scores[t * 4 + x], tops[x // 2])
                    scores[t * 4 + x] = p
                    total += p
                totals[x] = total
            return has_grown

        @hidet.script
        def hide(scores: ~f32, row: i32, first_key: i32):
            """Scores of keys that a row does not see are as good as minus infinity."""
            for h in grid(2, attrs='u'):
                seen = min(row + h * 8 + 1, key_count) if causal else key_count
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
            seen_keys = min(first_row_of(work) + block_rows, key_count) if causal else key_count
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
        def load_rows(regs_q: ~dtype, rows: ~dtype, empty: ~u64):
            """Rows of q of a group, as a first factor of its products. Their buffer is free then."""
            words = view(regs_q, u32[steps * 4])
            lane = threadIdx.x % 32
            r = threadIdx.x % 128 // 32 * 16 + lane % 16
            for i in grid(steps, attrs='u'):
                swizzled = (i % 4 * 2 + lane // 16) ^ (r % 8)
                source = rows + (i // 4 * (block_rows * width) + r * width + swizzled * 8)
                ldmatrix([words[i * 4 + j] for j in range(4)], source)
            if lane == 0:
                mbarrier_arrive(empty)

        @hidet.script
        def load_mask(regs: ~dtype_mask, mask: dtype_mask[shape_mask], z: i32, row: i32, first_key: i32):
            z_mask = sum([z // inner % extent * steps[3] for inner, extent, steps in moves])
            for h, t in grid(mask_rows, keys // 8, attrs='u'):
                r = min(row + h * 8, queries - 1) if has_rows else 0
                key = first_key + t * 8 + threadIdx.x % 4 * 2
                if has_unseen:
                    key = min(key, key_count - 2)
                for e in grid(2, attrs='u'):
                    regs[h * (keys // 4) + t * 2 + e] = mask[z_mask, r, key + e if has_columns else 0]

        @hidet.script
        def add_mask(scores: ~f32, regs: ~dtype_mask):
            for t, h, e in grid(keys // 8, 2, 2, attrs='u'):
                i = t * 4 + h * 2 + e
                scores[i] = scores[i] * scale + cast(regs[h % mask_rows * (keys // 4) + t * 2 + e], f32)

        @hidet.script
        def share_of_totals(totals: ~f32, shares: ~f32):
            """What a sum is divided by, as a factor."""
            for h in grid(2, attrs='u'):
                total = totals[h * 2] + totals[h * 2 + 1]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                shares[h] = 1.0 / total

        @hidet.script
        def write_rows(sums: ~f32, shares: ~f32, o: dtype[shape_o], z: i32, row: i32):
            halves = register_tensor(dtype, shape=[8])
            for h, four in grid(2, cdiv(length, 32), attrs='u'):
                for t, e in grid(4, 2, attrs='u'):
                    tile = min(four * 4 + t, length // 8 - 1)  # behind the last: nobody stores it
                    halves[t * 2 + e] = cast(sums[tile * 4 + h * 2 + e] * shares[h], dtype)
                gather_neighbours(view(~halves[0], u32[4]))
                column = four * 32 + threadIdx.x % 4 * 8
                if row + h * 8 < queries and column < length:
                    for e in grid(8, attrs='u'):
                        o[z, row + h * 8, column + e] = halves[e]

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
            k_start, v_start = buffers * q_elements * 2, (buffers * q_elements + stages * tile_elements) * 2
            smem_q = tensor_pointer(dtype, shape=[buffers, parts, block_rows, width], init=dynamic_shared_memory(0, dtype))
            smem_k = tensor_pointer(dtype, shape=[stages, parts_k, rows_k, width], init=dynamic_shared_memory(k_start, dtype))
            smem_v = tensor_pointer(dtype, shape=[stages, parts, keys, width], init=dynamic_shared_memory(v_start, dtype))
            q_full = shared_tensor(u64, shape=[buffers])
            q_empty = shared_tensor(u64, shape=[buffers])
            k_full = shared_tensor(u64, shape=[stages])
            k_empty = shared_tensor(u64, shape=[stages])
            v_full = shared_tensor(u64, shape=[stages])
            v_empty = shared_tensor(u64, shape=[stages])
            if threadIdx.x == 0:
                prefetch_tensor_map(~q_map)
                prefetch_tensor_map(~k_map)
                prefetch_tensor_map(~v_map)
                for i in range(buffers):
                    mbarrier_init(~q_full[i], 1)
                    mbarrier_init(~q_empty[i], groups * 4 if in_registers else groups)
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
                                i = index % buffers
                                mbarrier_wait(~q_empty[i], (index // buffers + 1) % 2)
                                mbarrier_arrive_and_expect_tx(~q_full[i], q_elements * 2)
                                for part in grid(parts, attrs='u'):
                                    row = first_row_of(work)
                                    copy_tensor_g2s(3, ~smem_q[i, part, 0, 0], q_map, ~q_full[i], part * width, row, z_q)
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
                shares = register_tensor(f32, shape=[2])
                regs_q = register_tensor(dtype, shape=[steps * 8 if in_registers else 8])
                regs_mask = register_tensor(dtype_mask, shape=[mask_rows, keys // 4 if has_mask else 1])
                # Addresses in descriptors have 18 bits.
                first_k = cast(cvta_generic_to_shared(~smem_k[0, 0, 0, 0]), u64) & 0x3FFFF
                first_v = cast(cvta_generic_to_shared(~smem_v[0, 0, 0, 0]), u64) & 0x3FFFF
                first_q = cast(cvta_generic_to_shared(~smem_q[0, 0, consumer * 64, 0]), u64) & 0x3FFFF
                desc_q = make_wgmma_desc(16, 1024, 1) | first_q >> 4
                desc_k = make_wgmma_desc(16 if transpose_k else d * 128, 1024, 1) | first_k >> 4
                desc_v = make_wgmma_desc(keys * 128, 1024, 1) | first_v >> 4
                own_row = consumer * 64 + thread // 32 * 16 + lane // 4  # of a tile of rows
                if has_mask:
                    griddepcontrol_wait()
                if take_turns and consumer == groups - 1:
                    barrier_arrive(1, 256)

                # The first tile of keys of the first rows.
                row = first_row_of(blockIdx.x) + own_row
                mbarrier_wait(~q_full[0], 0)
                if in_registers:
                    load_rows(~regs_q[0], ~smem_q[0, 0, consumer * 64, 0], ~q_empty[0])
                mbarrier_wait(~k_full[0], 0)
                wgmma_fence_operand(scores)
                wgmma_fence()
                order_scores(~scores[0], ~regs_q[0], desc_q, desc_k)
                if has_mask:
                    load_mask(~regs_mask[0, 0], mask, head_of(blockIdx.x), row, 0)
                for i in grid(values_config.c_elements, attrs='u'):
                    sums[i] = 0.0
                for i in grid(4, attrs='u'):
                    totals[i] = 0.0
                    tops[i // 2] = top_start
                wgmma_wait_group(0)
                wgmma_fence_operand(scores)
                if thread == 0:
                    mbarrier_arrive(~k_empty[0])
                    if not in_registers and tiles_of(blockIdx.x) == 1:
                        mbarrier_arrive(~q_empty[0])
                if has_mask:
                    add_mask(~scores[0], ~regs_mask[0, 0])
                if has_unseen:
                    hide(~scores[0], row, 0)
                soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                for i in grid(scores_config.c_elements, attrs='u'):
                    chances[i] = cast(scores[i], dtype)

                done = 0  # tiles of keys
                for index in range(turns):
                    work = blockIdx.x + index * blocks
                    tiles = tiles_of(work)
                    # The values of a tile, and the scores of the next one, which may be the first of the next rows. Behind the
                    # last one of all there is none.
                    for turn in range(tiles if index + 1 < turns else tiles - 1):
                        ends = turn + 1 == tiles
                        next_work = work + (blocks if ends else 0)
                        first_key = 0 if ends else (turn + 1) * keys
                        row = first_row_of(next_work) + own_row
                        s, before = (done + 1) % stages, done % stages
                        next_q = (index + (1 if ends else 0)) % buffers
                        if ends:
                            mbarrier_wait(~q_full[next_q], (index + 1) // buffers % 2)
                            if in_registers:
                                load_rows(~regs_q[0], ~smem_q[next_q, 0, consumer * 64, 0], ~q_empty[next_q])
                        mbarrier_wait(~k_full[s], (done + 1) // stages % 2)
                        mbarrier_wait(~v_full[before], done // stages % 2)
                        if take_turns:
                            barrier_sync(1 + consumer, 256)
                        wgmma_fence_operand(scores)
                        wgmma_fence_operand(sums)
                        wgmma_fence()
                        at_q = desc_q + next_q * (q_elements // 8)
                        order_scores(~scores[0], ~regs_q[0], at_q, desc_k + s * (tile_elements // 8))
                        order_values(~sums[0], ~chances[0], desc_v + before * (tile_elements // 8))
                        if take_turns:
                            barrier_arrive(1 + (consumer + 1) % groups, 256)
                        if has_mask:
                            load_mask(~regs_mask[0, 0], mask, head_of(next_work), row, first_key)
                        wgmma_wait_group(1)
                        wgmma_fence_operand(scores)
                        if thread == 0:
                            mbarrier_arrive(~k_empty[s])
                            if not in_registers and (turn + 2 == tiles or (ends and tiles_of(next_work) == 1)):
                                mbarrier_arrive(~q_empty[next_q])  # its rows were read for the last time
                        if has_mask:
                            add_mask(~scores[0], ~regs_mask[0, 0])
                        if has_unseen:
                            # Every row of the group sees the keys before the least of its rows.
                            all_see = min(first_row_of(next_work) + consumer * 64 + 1, key_count) if causal else key_count
                            if first_key + keys > all_see:
                                hide(~scores[0], row, first_key)
                        if ends:
                            share_of_totals(~totals[0], ~shares[0])
                            for i in grid(4, attrs='u'):
                                totals[i] = 0.0
                                tops[i // 2] = top_start
                        has_grown = soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                        # Exponentials that ptxas moves behind this wait are no loss: keeping all of them before it was slower.
                        wgmma_fence_operand(scores)
                        wgmma_wait_group(0)
                        wgmma_fence_operand(sums)
                        if thread == 0:
                            mbarrier_arrive(~v_empty[before])
                        for i in grid(scores_config.c_elements, attrs='u'):
                            chances[i] = cast(scores[i], dtype)
                        if ends:
                            write_rows(~sums[0], ~shares[0], o, head_of(work), first_row_of(work) + own_row)
                            for i in grid(values_config.c_elements, attrs='u'):
                                sums[i] = 0.0
                        elif has_grown:
                            for t, h, e in grid(length // 8, 2, 2, attrs='u'):
                                sums[t * 4 + h * 2 + e] = sums[t * 4 + h * 2 + e] * fades[h]
                        done += 1

                mbarrier_wait(~v_full[done % stages], done // stages % 2)
                wgmma_fence_operand(sums)
                wgmma_fence()
                order_values(~sums[0], ~chances[0], desc_v + done % stages * (tile_elements // 8))
                wgmma_wait_group(0)
                wgmma_fence_operand(sums)
                share_of_totals(~totals[0], ~shares[0])
                last = blockIdx.x + (turns - 1) * blocks
                write_rows(~sums[0], ~shares[0], o, head_of(last), first_row_of(last) + own_row)

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


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, keys=[64, 128], groups=[1, 2])
@tune.space(2, keys=[64, 128, 192], groups=[1, 2, 3])
def attention(task, target, keys=None, groups=None):
    """`keys`: of a tile; `groups`: of four warps with 64 rows each."""
    return attention_module(task, target, keys, groups)


@hidet.template('AttnMaskAdd', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, keys=[64, 128], groups=[1, 2])
@tune.space(2, keys=[64, 128, 192], groups=[1, 2, 3])
def attention_with_mask(task, target, keys=None, groups=None):
    """As for `attention`."""
    return attention_module(task, target, keys, groups)
