# SPDX-License-Identifier: Apache-2.0
"""Attention for Hopper over some hundred keys: the softmax of q k, causal or with a mask added, times v; f16 or bf16, sums in
f32.

All keys and values that 64 rows of q need fit into shared memory, so everything is loaded at once, and nothing has to become
free first. Threads load runs of 8 elements into registers and store them into shared memory, swizzled as products read them. So
what is fused before the operator (slices and transpositions of one product for q, k and v, a chain that makes the mask) is
computed in these loads. Values are stored while the first scores are computed.

The groups of four warps of a block have the same rows and share the tiles of keys; each has a softmax of its own. In the end
their sums meet in shared memory, each fades to the largest score of all, and they are added in order. Where there are enough
rows for all multiprocessors, a block has twice as many instead, and its groups share them: keys are loaded half as often.

The sums of one product lie in the registers just as wgmma wants the first factor of another, so probabilities are packed where
they are. For a tile, a group orders the scores of its next tile and then the values times this tile's probabilities, and does
the softmax of the next tile while these are multiplied.

A lane's elements of a tile of scores are two of each 8 columns. With a mask, rows of keys and values are stored in another
order, so that they belong to 8 neighbouring keys, whose elements of the mask one access loads.

Keys are [n, d] with transpose_k, and transposed already, [d, n], without: then the rows of a tile of them are terms of the sum,
as those of a tile of values are.

exp(x) is 2^(x log2 e), and the instruction is ex2; without a mask, the factor and the scale of the scores go into one
multiplication and addition. A mask may hold the least number of its type in a whole row, so there the difference, which is 0
then, comes first. Lanes of a row keep their own sums, which are added at the end only.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import (
    fence_view_async_shared,
    griddepcontrol_launch_dependents,
    griddepcontrol_wait,
    wgmma_fence_operand,
)
from hidet.ir.primitives.math import make_vector
from hidet.lang import (
    asm,
    attrs,
    cast,
    f32,
    f32x2,
    f32x4,
    grid,
    i32,
    meta,
    register_tensor,
    tensor_pointer,
    u64,
    view,
)
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    shfl_xor_sync,
    syncthreads,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.templates import batch_dims
from hidet.utils import cdiv, prod

width = 64  # columns of a swizzled tile: 128 bytes
block_rows = 64
log2e = math.log2(math.e)
lowest = -3.4028234663852886e38
most_loads = 16  # of 16 bytes, on their way to a thread's registers


def attention_module(task, target, keys, groups, over):
    """`over`: tiles of 64 rows of a block; `groups`: of four warps, that share the keys of each."""
    q_type, k_type, v_type = task.inputs[:3]
    o_type = task.outputs[0]
    has_mask = len(task.inputs) > 3
    tune.check(len(task.inputs) <= 4, 'no row of k and v is replaced')
    mask_type = task.inputs[3] if has_mask else q_type  # without a mask, q stands for it and is not read
    dtype, dtype_mask = q_type.dtype, mask_type.dtype
    m, d = q_type.shape[-2:]
    n = v_type.shape[-2]
    causal = not has_mask and task.attrs['is_causal']
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    tune.check(scale > 0, 'the largest score stays the largest one')
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(d in (64, 128) and v_type.shape[-1] == d, 'rows of q and v are one or two swizzled tiles wide')
    usual_m, usual_n, is_known = tune.typical(m), tune.typical(n), isinstance(n, int)
    tune.check(transpose_k or (is_known and n % 8 == 0), 'rows of k are whole runs')
    tune.check(not has_mask or n % 2 == 0, 'keys are pairs where a mask is read')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape] + ([mask_type.shape] if has_mask else []))
    usual_batch = tune.typical(prod([dim[0] for dim in dims]))
    tiles_of_rows = usual_batch * cdiv(usual_m, block_rows)
    is_full = tiles_of_rows >= target.multiprocessors
    is_nearly_full = tiles_of_rows * 8 >= target.multiprocessors * 7
    least = 256 if has_mask else 63 if is_nearly_full and is_known else 128
    tune.check(usual_m > 32 and usual_n > least, 'queries and keys are not few')
    # As attention_wgmma.py has it.
    is_long = usual_n >= 512 or (usual_n > 256 and tiles_of_rows >= 4 * target.multiprocessors)
    tune.check(not (is_long and is_full), 'tiles of more rows would be faster')

    keys = keys or 64
    tiles = cdiv(usual_n, keys)
    tune.check(n <= tiles * keys, 'all keys have a place')
    # Where there are enough rows for all multiprocessors, a group's rows are all that it has to share, and keys are loaded half as
    # often.
    is_many = not has_mask and usual_m > block_rows and tiles_of_rows >= 2 * target.multiprocessors
    over = over or (2 if is_many else 1)
    groups = groups or (1 if over > 1 else min(2, tiles))
    tune.check(keys in (64, 128), 'a tile has 64 or 128 keys')
    tune.check(1 <= groups <= min(4, tiles), 'each group has keys')
    parts = d // width
    tune.check(over in (1, 2) and groups * over <= 4, 'a block has up to four groups')
    threads = over * groups * 128
    rows_here = over * block_rows
    rows_k = keys if transpose_k else d
    queries, key_count = tune.index(m), tune.index(n)
    row_tiles = tune.index(cdiv(m, rows_here))
    blocks = tune.index(cdiv(m, rows_here) * prod([dim[0] for dim in dims]))
    q_elements, tile_elements = rows_here * d, keys * d
    runs = tile_elements // 8  # of a tile of keys, or of values
    loads_q, loads = cdiv(q_elements // 8, threads), cdiv(tiles * runs, threads)
    tune.check(loads <= most_loads, 'all loads can be on their way')
    parts_k = tile_elements // (rows_k * width)  # tiles of 64 columns beside each other
    pitch = d + 4  # of a row of sums in shared memory
    sums_bytes = groups * rows_here * (pitch + 2) * 4
    shared_bytes = max((q_elements + 2 * tiles * tile_elements) * 2, sums_bytes)
    tune.check(shared_bytes <= target.shared_per_block_optin, 'all keys and values fit into shared memory')
    seen = min((usual_n + rows_here) // 2, usual_n) if causal else usual_n  # on average
    tune.metric('read_bytes', (q_elements + 2 * seen * d) * 2)
    tune.metric('in_flight_bytes', (q_elements + 2 * seen * d) * 2)
    scores_config = WgmmaConfig.get(64, keys, 16, dtype, dtype, f32)
    values_config = WgmmaConfig.get(64, d, 16, dtype, dtype, f32)
    is_even = is_known and n % keys == 0
    has_unseen = causal or not is_even
    is_interleaved = has_mask and transpose_k  # keys of a tile
    # Times any factor it is exact, so that nothing remains of the difference to itself, whatever is rounded when.
    top_start = lowest if has_mask else -(2.0**100)
    factor = scale * log2e  # of scores without a mask
    pieces = d // 8  # of a row of the result
    shares = cdiv(rows_here * pieces, threads)

    shape_q, shape_k = [prod(q_type.shape[:-2]), m, d], [prod(k_type.shape[:-2])] + ([n, d] if transpose_k else [d, n])
    shape_v, shape_o = [prod(v_type.shape[:-2]), n, d], [prod([dim[0] for dim in dims]), m, d]
    full_mask = [1] * (2 - len(mask_type.shape)) + list(mask_type.shape)
    mask_m, mask_n = full_mask[-2:]
    has_rows, has_columns = not tune.same(mask_m, 1), not tune.same(mask_n, 1)
    mask_rows = 2 if has_mask and has_rows else 1
    run_mask = 8 if is_interleaved and is_known and n % 8 == 0 else 2
    shape_mask = [prod(full_mask[:-2]), mask_m, mask_n]
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
        def order_scores(scores: ~f32, desc_q: u64, desc_k: u64):
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
                seen = min(row + h * 8 + 1, key_count) if causal else key_count
                left = seen - first_key - threadIdx.x % 4 * (8 if is_interleaved else 2)
                for t, e in grid(keys // 8, 2, attrs='u'):
                    if (t // 4 * 32 + t % 4 * 2 if is_interleaved else t * 8) + e >= left:
                        scores[t * 4 + h * 2 + e] = -math.inf

        @hidet.script
        def place_of(key: i32) -> i32:
            """The row of a key in its tile."""
            if is_interleaved:
                return key // 32 * 32 + key % 8 // 2 * 8 + key % 32 // 8 * 2 + key % 2
            else:
                return key

        @hidet.script
        def load_mask(regs: ~dtype_mask, mask: dtype_mask[shape_mask], z_mask: i32, row: i32, first_key: i32):
            run = run_mask
            for h, t in grid(mask_rows, keys // 4 // run, attrs='u'):
                r = min(row + h * 8, queries - 1) if has_rows else 0
                pair = t // 4 * 32 + t % 4 * 2 + threadIdx.x % 4 * 8
                start = pair if is_interleaved and run == 2 else t * (run * 4) + threadIdx.x % 4 * run
                key = first_key + start if is_even else min(first_key + start, key_count - run)
                for e in grid(run, attrs='u'):
                    regs[h * (keys // 4) + t * run + e] = mask[z_mask, r, key + e if has_columns else 0]

        @hidet.script
        def add_mask(scores: ~f32, regs: ~dtype_mask):
            for t, h, e in grid(keys // 8, 2, 2, attrs='u'):
                i = t * 4 + h * 2 + e
                scores[i] = scores[i] * scale + cast(regs[h % mask_rows * (keys // 4) + t * 2 + e], f32)

        @hidet.script
        def attention(
            q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], mask: dtype_mask[shape_mask], o: dtype[shape_o]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = threads
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            griddepcontrol_wait()
            k_start, v_start = q_elements * 2, (q_elements + tiles * tile_elements) * 2
            smem_q = tensor_pointer(dtype, shape=[over, parts, block_rows, width], init=dynamic_shared_memory(0, dtype))
            smem_k = tensor_pointer(dtype, shape=[tiles, parts_k, rows_k, width], init=dynamic_shared_memory(k_start, dtype))
            smem_v = tensor_pointer(dtype, shape=[tiles, parts, keys, width], init=dynamic_shared_memory(v_start, dtype))
            loaded_q = register_tensor(dtype, shape=[loads_q, 8])
            loaded_k = register_tensor(dtype, shape=[loads, 8])
            loaded_v = register_tensor(dtype, shape=[loads, 8])

            z = blockIdx.x // row_tiles
            row_tile = row_tiles - 1 - blockIdx.x % row_tiles  # where it is causal the last rows have most to do: they begin
            block_row = row_tile * rows_here
            z_q, z_k, z_v, z_mask = [sum([z // inner % extent * steps[i] for inner, extent, steps in moves]) for i in range(4)]
            seen_keys = min(block_row + rows_here, key_count) if causal else key_count
            seen_tiles = (seen_keys + keys - 1) // keys
            # Runs of 8 elements. What is behind the last row of a head, or the last key, is not used, or has no probability.
            for i in grid(loads_q, attrs='u'):
                run = i * threads + threadIdx.x
                if run < q_elements // 8:
                    r = min(block_row + run // pieces, queries - 1)
                    for e in grid(8, attrs='u'):
                        loaded_q[i, e] = q[z_q, r, run % pieces * 8 + e]
            for i in grid(loads, attrs='u'):
                run = i * threads + threadIdx.x
                if run < seen_tiles * runs:
                    if transpose_k:
                        key = min(run // pieces, key_count - 1)
                        for e in grid(8, attrs='u'):
                            loaded_k[i, e] = k[z_k, key, run % pieces * 8 + e]
                    else:
                        key = min(run // runs * keys + run % (keys // 8) * 8, key_count - 8)
                        for e in grid(8, attrs='u'):
                            loaded_k[i, e] = k[z_k, run % runs // (keys // 8), key + e]
            for i in grid(loads, attrs='u'):
                run = i * threads + threadIdx.x
                if run < seen_tiles * runs:
                    key = min(run // pieces, key_count - 1)
                    for e in grid(8, attrs='u'):
                        loaded_v[i, e] = v[z_v, key, run % pieces * 8 + e]
            # Rows of 64 columns, whose runs are swizzled, as the descriptors of products say.
            for i in grid(loads_q, attrs='u'):
                run = i * threads + threadIdx.x
                if run < q_elements // 8:
                    r, c = run // pieces, run % pieces
                    to = cast(~smem_q[r // block_rows, c // 8, r % block_rows, (c % 8 ^ (r % 8)) * 8], ~f32x4)
                    to[0] = view(~loaded_q[i, 0], f32x4[1])[0]
            for i in grid(loads, attrs='u'):
                run = i * threads + threadIdx.x
                if run < seen_tiles * runs:
                    s = run // runs
                    r = place_of(run % runs // pieces) if transpose_k else run % runs // (keys // 8)
                    c = run % (pieces if transpose_k else keys // 8)
                    to = cast(~smem_k[s, c // 8, r, (c % 8 ^ (r % 8)) * 8], ~f32x4)
                    to[0] = view(~loaded_k[i, 0], f32x4[1])[0]
            fence_view_async_shared()
            syncthreads()

            group = threadIdx.x // 128 % groups
            top_row = threadIdx.x // 128 // groups * block_rows  # of the group's tile
            thread = threadIdx.x % 128
            lane = threadIdx.x % 32
            first_row = top_row + thread // 32 * 16 + lane // 4  # of the block
            row = block_row + first_row
            sums = register_tensor(f32, shape=[values_config.c_elements])
            scores = register_tensor(f32, shape=[scores_config.c_elements])
            chances = register_tensor(dtype, shape=[scores_config.c_elements])
            tops = register_tensor(f32, shape=[2])
            totals = register_tensor(f32, shape=[4])
            fades = register_tensor(f32, shape=[2])
            regs_mask = register_tensor(dtype_mask, shape=[mask_rows, keys // 4 if has_mask else 1])
            # Addresses in descriptors have 18 bits.
            first_q = cast(cvta_generic_to_shared(~smem_q[top_row // block_rows, 0, 0, 0]), u64) & 0x3FFFF
            first_k = cast(cvta_generic_to_shared(~smem_k[0, 0, 0, 0]), u64) & 0x3FFFF
            first_v = cast(cvta_generic_to_shared(~smem_v[0, 0, 0, 0]), u64) & 0x3FFFF
            desc_q = make_wgmma_desc(16, 1024, 1) | first_q >> 4
            desc_k = make_wgmma_desc(16 if transpose_k else d * 128, 1024, 1) | first_k >> 4
            desc_v = make_wgmma_desc(keys * 128, 1024, 1) | first_v >> 4
            for i in grid(values_config.c_elements, attrs='u'):
                sums[i] = 0.0
            for i in grid(4, attrs='u'):
                totals[i] = 0.0
            for i in grid(2, attrs='u'):
                tops[i] = top_start
            all_see = min(block_row + top_row + 1, key_count) if causal else key_count  # keys before this one
            last_key = min(block_row + top_row + block_rows, key_count) if causal and over > 1 else seen_keys
            seen_here = (last_key + keys - 1) // keys if causal and over > 1 else seen_tiles  # by the group's rows

            # Products stand outside of branches. A group for which there is nothing to see takes any tile, and hides all of it.
            mine = max((seen_here - group + groups - 1) // groups, 1)
            first = min(group, seen_here - 1)
            wgmma_fence_operand(scores)
            wgmma_fence()
            order_scores(~scores[0], desc_q, desc_k + first * (tile_elements // 8))
            if has_mask:
                load_mask(~regs_mask[0, 0], mask, z_mask, row, group * keys)
            for i in grid(loads, attrs='u'):
                run = i * threads + threadIdx.x
                if run < seen_tiles * runs:
                    s = run // runs
                    r, c = place_of(run % runs // pieces), run % pieces
                    to = cast(~smem_v[s, c // 8, r, (c % 8 ^ (r % 8)) * 8], ~f32x4)
                    to[0] = view(~loaded_v[i, 0], f32x4[1])[0]
            fence_view_async_shared()
            syncthreads()
            wgmma_wait_group(0)
            wgmma_fence_operand(scores)
            if has_mask:
                add_mask(~scores[0], ~regs_mask[0, 0])
            if has_unseen:
                if (group + 1) * keys > all_see:
                    hide(~scores[0], row, group * keys)
            soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
            for i in grid(scores_config.c_elements, attrs='u'):
                chances[i] = cast(scores[i], dtype)
            for turn in range(1, mine):
                s = turn * groups + group
                wgmma_fence_operand(scores)
                wgmma_fence_operand(sums)
                wgmma_fence()
                order_scores(~scores[0], desc_q, desc_k + s * (tile_elements // 8))
                before = first + (turn - 1) * groups
                order_values(~sums[0], ~chances[0], desc_v + before * (tile_elements // 8))
                if has_mask:
                    load_mask(~regs_mask[0, 0], mask, z_mask, row, s * keys)
                wgmma_wait_group(1)
                wgmma_fence_operand(scores)
                if has_mask:
                    add_mask(~scores[0], ~regs_mask[0, 0])
                if has_unseen:
                    if (s + 1) * keys > all_see:
                        hide(~scores[0], row, s * keys)
                soften(~scores[0], ~tops[0], ~totals[0], ~fades[0])
                wgmma_fence_operand(scores)  # the exponentials are computed here, and not after the wait
                wgmma_wait_group(0)
                wgmma_fence_operand(sums)
                for t, h, e in grid(d // 8, 2, 2, attrs='u'):
                    sums[t * 4 + h * 2 + e] = sums[t * 4 + h * 2 + e] * fades[h]
                for i in grid(scores_config.c_elements, attrs='u'):
                    chances[i] = cast(scores[i], dtype)
            last = (mine - 1) * groups + first
            wgmma_fence_operand(sums)
            wgmma_fence()
            order_values(~sums[0], ~chances[0], desc_v + last * (tile_elements // 8))
            wgmma_wait_group(0)
            wgmma_fence_operand(sums)

            their_sums = tensor_pointer(f32, shape=[groups, rows_here, pitch], init=dynamic_shared_memory(0, f32))
            # Largest scores and sums of powers.
            theirs = tensor_pointer(
                f32, shape=[groups, 2, rows_here], init=dynamic_shared_memory(groups * rows_here * pitch * 4, f32)
            )
            syncthreads()  # nobody reads keys and values any more
            for h in grid(2, attrs='u'):
                total = totals[h * 2] + totals[h * 2 + 1]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                r = first_row + h * 8
                if lane % 4 == 0:
                    theirs[group, 0, r] = tops[h]
                    theirs[group, 1, r] = total
                for t in grid(d // 8, attrs='u'):
                    to = cast(~their_sums[group, r, t * 8 + lane % 4 * 2], ~f32x2)
                    to[0] = make_vector(sums[t * 4 + h * 2], sums[t * 4 + h * 2 + 1])
            syncthreads()
            result = register_tensor(f32, shape=[8])
            for i in grid(shares, attrs='u'):
                piece = i * threads + threadIdx.x
                r = piece // pieces
                c = piece % pieces * 8
                if r < rows_here and block_row + r < queries:
                    top = theirs[0, 0, r]
                    for w in grid(groups - 1, attrs='u'):
                        top = max(top, theirs[w + 1, 0, r])
                    total = 0.0
                    for u in grid(8, attrs='u'):
                        result[u] = 0.0
                    for w in grid(groups, attrs='u'):
                        fade = power(theirs[w, 0, r], top)
                        total += theirs[w, 1, r] * fade
                        for half in grid(2, attrs='u'):
                            four = cast(~their_sums[w, r, c + half * 4], ~f32x4)[0]
                            for u in meta.range(4):
                                result[half * 4 + u] += four[u] * fade
                    part = 1.0 / total
                    for u in grid(8, attrs='u'):
                        o[z, block_row + r, c + u] = cast(result[u] * part, dtype)

        if has_mask:

            @hidet.script
            def launch(
                q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], mask: dtype_mask[shape_mask], o: dtype[shape_o]
            ):
                attrs.func_kind = 'public'
                attention(q, k, v, mask, o)

        else:

            @hidet.script
            def launch(q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], o: dtype[shape_o]):
                attrs.func_kind = 'public'
                attention(q, k, v, q, o)

    return script_module


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, keys=[64, 128], groups=[1, 2, 3])
@tune.space(2, keys=[64, 128], groups=[1, 2, 3, 4], over=[1, 2])
def attention(task, target, keys=None, groups=None, over=None):
    """`keys`: of a tile; `groups`: of four warps that share the keys; `over`: tiles of 64 rows, one over the other, of a block."""
    return attention_module(task, target, keys, groups, over)


@hidet.template('AttnMaskAdd', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, keys=[64, 128], groups=[1, 2, 3])
@tune.space(2, keys=[64, 128], groups=[1, 2, 3, 4], over=[1, 2])
def attention_with_mask(task, target, keys=None, groups=None, over=None):
    """As for `attention`."""
    return attention_module(task, target, keys, groups, over)
