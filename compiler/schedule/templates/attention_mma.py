# SPDX-License-Identifier: Apache-2.0
"""Attention by mma_sync, from sm_80 on: the softmax of q k, causal or with a mask added, times v; f16 or bf16, sums in f32.

At the sizes of a model that answers one request, time goes into waiting for memory, not into products. So nothing stands
between a load of k or v and its product: a lane loads runs of neighbouring elements straight into the registers of a fragment.
What is fused before the operator (slices and transpositions of one product for q, k and v, a chain that makes the mask) is
computed in these loads. Rows of q go through shared memory, for all warps that have them. The barrier there has a second
purpose: no product can begin before it, so all loads of the first tile are on their way at once.

That works because the order of what is summed up is free, if both factors have the same. The fragments of mma_sync want two
neighbouring terms here and two there from a lane, but which terms are called neighbours is ours to say:

* Scores are sums over the columns of q: of each group of 32, lane t of four has the columns 8 t to 8 t + 7.
* The columns of a tile of scores are keys: column c of the j-th piece of 8 is the key c * pieces + j. So a lane reads the mask
  for keys beside each other, and its probabilities are the first factor of the next product as they stand.
* Columns of the result are those of v: column c of the j-th piece is 8 c + j. So a lane loads 8 neighbours of a row of v, and
  has 8 neighbours of the result in the end.

Keys are [n, d] with transpose_k, and transposed already, [d, n], without. What neighbours each other in memory should be
what the inner loop goes over; `along` says which that is, if it is not the last dimension.

Softmax needs the largest score of a row first. Each tile uses the largest one so far; when a later one is larger, the sums up
to there are scaled down (they fade). Where blocks are few, the warps of a block have the same rows and share the keys: then
their sums meet in shared memory, each fades to the largest score of all, and they are added in the order of the warps.

exp(x) is 2^(x log2 e), and the instruction is ex2. Without a mask, the factor and the scale of the scores go into one
multiplication and addition. A mask may hold the least number of its type in a whole row, so there the difference, which is 0
then, comes first.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import make_vector
from hidet.lang import asm, attrs, cast, f32, f32x2, f32x4, grid, meta, register_tensor, tensor_pointer, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    dynamic_shared_memory,
    mma_sync,
    shfl_xor_sync,
    syncthreads,
    threadIdx,
)
from hidet.templates import batch_dims, padded
from hidet.utils import cdiv, prod

log2e = math.log2(math.e)
lowest = -3.4028234663852886e38


def shape_for(batch, m, tiles, width, multiprocessors):
    """Rows of a warp, warps with rows of their own, and warps that share the tiles of keys of a row."""
    if width <= 64 and batch * cdiv(m, 128) >= multiprocessors:
        return 32, 4, 1
    if batch * cdiv(m, 64) >= multiprocessors:
        return (16, 2, 2) if width <= 64 and tiles > 2 else (16, 4, 1)  # two warps share the keys of a row
    most = 8 if batch * cdiv(m, 16) * 2 <= multiprocessors else 4
    return 16, 1, cdiv(tiles, cdiv(tiles, most))


def attention_module(task, target, rows, row_warps, split, keys, along):
    q_type, k_type, v_type = task.inputs[:3]
    has_mask = len(task.inputs) > 3
    tune.check(len(task.inputs) <= 4, 'no row of k and v is replaced')
    mask_type = task.inputs[3] if has_mask else q_type  # without a mask, q stands for it and is not read
    o_type = task.outputs[0]
    dtype, dtype_mask = q_type.dtype, mask_type.dtype
    is_causal = not has_mask and task.attrs['is_causal']
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    m, d = q_type.shape[-2:]
    n, width = v_type.shape[-2:]
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(d % 4 == 0 and d <= 128 and width % 8 == 0 and width <= 128, 'rows of q and v have whole runs, up to 128')
    usual_m, usual_n = tune.typical(m), tune.typical(n)
    tune.check(isinstance(d * width, int), 'the length of rows must be known')
    tune.check(tune.typical(prod(o_type.shape)) > 0 and usual_n > 0 and d > 0, 'there is something to compute')
    # On Hopper more keys than these go to attention_short and attention_wgmma, if they can.
    is_hopper = target.capability >= 90 and d in (64, 128) and width == d and usual_m > 32 and not (has_mask and usual_n % 2)
    most_keys = 511 if not transpose_k else 256 if has_mask else 128
    tune.check(n <= most_keys if is_hopper and not isinstance(n, int) else True, 'keys are not many')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape] + ([mask_type.shape] if has_mask else []))
    batch, usual_batch = prod([dim[0] for dim in dims]), tune.typical(prod([dim[0] for dim in dims]))

    keys = keys or (32 if max(d, width) <= 64 else 16)
    if rows is None and row_warps is None and split is None:
        rows, row_warps, split = shape_for(usual_batch, usual_m, cdiv(usual_n, keys), max(d, width), target.multiprocessors)
    rows, row_warps, split = rows or 16, row_warps or 1, split or 1
    parts, tiles_n = rows // 16, keys // 8
    tiles, is_even = cdiv(usual_n, keys), isinstance(n, int) and n % (keys * split) == 0
    queries, key_count = tune.index(m), tune.index(n)
    warps, block_rows = row_warps * split, rows * row_warps
    row_tiles = tune.index(cdiv(m, block_rows))
    blocks = tune.index(cdiv(m, block_rows) * batch)
    tune.check(rows in (16, 32) and keys in (16, 32, 64) and warps <= 16, 'a warp has 16 or 32 rows, a tile 16, 32 or 64 keys')
    tune.check(split <= tiles, 'every warp has keys')
    tune.check(keys * max(d, width) <= 4096 and rows * width <= 2048, 'the tiles fit into registers')
    along = along or ('d' if transpose_k else 'keys')
    tune.check(along in ('d', 'keys'), "runs of k are along 'd' or 'keys'")
    tune.check(scale > 0, 'the largest score stays the largest one')

    run = 8 if d % 32 == 0 else 4  # columns of q that a lane has beside each other
    groups = cdiv(d, run * 4)  # of columns, with a run of each of four lanes
    steps = groups * run // 4  # of 16 columns
    has_rest = d % (run * 4) != 0
    tiles_v = width // 8
    run_v = 8 if tiles_v % 8 == 0 else 4 if tiles_v % 4 == 0 else 2 if tiles_v % 2 == 0 else 1
    has_tail = not is_even
    run_keys = along == 'keys' and (is_even or (isinstance(n, int) and n % tiles_n == 0))  # runs are not cut by the last key
    config = MmaConfig.m16n8k16_bf16_f32() if dtype == hidet.bfloat16 else MmaConfig.m16n8k16_f16_f32()

    mask_shape = padded(mask_type.shape, 2)
    mask_m, mask_n = mask_shape[-2:]
    has_rows, has_columns = not tune.same(mask_m, 1), not tune.same(mask_n, 1)
    cuts_runs = has_tail and usual_n % (2 * tiles_n) != 0  # of the mask, at the last key
    if has_mask and not cuts_runs and not isinstance(n, int):
        tune.check(n % (2 * tiles_n) == 0, 'runs of the mask are whole')
    mask_rows = 2 if has_mask and has_rows else 1
    shape_q, shape_k = [prod(q_type.shape[:-2]), m, d], [prod(k_type.shape[:-2])] + ([n, d] if transpose_k else [d, n])
    shape_v, shape_o = [prod(v_type.shape[:-2]), n, width], [batch, m, width]
    shape_mask = [prod(mask_shape[:-2]), mask_m, mask_n]
    # What is inside of a leading dimension, its extent, and how far q, k, v and the mask move on with it.
    counts = [[prod([dim[0] for dim in dims[i + 1 :]])] + dim + [0] for i, dim in enumerate(dims)]
    moves = [[each[0], each[1], each[2:]] for each in [[tune.index(number) for number in row] for row in counts]]

    wide = f32x4 if run == 8 else f32x2  # a run of q
    columns = steps * 16  # of q, with zeros behind the last
    pitch_q = columns + (32 if columns % 64 == 0 else 0)  # two rows of a run of each of four lanes lie in different banks
    runs_q = block_rows * columns // run
    loads_q = cdiv(runs_q, warps * 32)
    pitch = width + 4  # of a row of sums in shared memory
    sums_start = block_rows * pitch_q * 2
    tops_start = sums_start + split * block_rows * pitch * 4
    shared_bytes = tops_start + split * block_rows * 2 * 4 if split > 1 else sums_start
    tune.check(shared_bytes <= target.shared_per_block_optin, 'the sums of the warps fit into shared memory')
    seen = min((usual_n + block_rows) // 2, usual_n) if is_causal else usual_n  # on average
    tune.metric('read_bytes', (block_rows * d + seen * (d + width)) * 2)
    tune.metric('in_flight_bytes', warps * keys * (d + width) * 2)
    pieces = width // 8  # of a row of the result
    shares = cdiv(block_rows * pieces, warps * 32)
    is_programmatic = target.capability >= 90
    is_single = isinstance(n, int) and tiles == split  # a warp has one tile
    # Times any factor it is exact, so that nothing remains of the difference to itself, whatever is rounded when.
    top_start = lowest if has_mask else -(2.0**100)
    factor = scale * log2e  # of scores without a mask

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
        def attention(
            q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], mask: dtype_mask[shape_mask], o: dtype[shape_o]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = warps * 32
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            if is_programmatic:  # the launch is over before the kernel before is
                griddepcontrol_launch_dependents()
                griddepcontrol_wait()
            smem_q = tensor_pointer(dtype, shape=[block_rows, pitch_q], init=dynamic_shared_memory(0, dtype))
            regs_q = register_tensor(dtype, shape=[parts, steps, config.a_elements])
            first_q = register_tensor(dtype, shape=[loads_q, run])  # on its way to shared memory
            run_q = register_tensor(dtype, shape=[run])
            regs_k = register_tensor(dtype, shape=[tiles_n, steps * config.b_elements])
            regs_v = register_tensor(dtype, shape=[keys // 16, tiles_v, config.b_elements])
            regs_mask = register_tensor(f32, shape=[parts, mask_rows, tiles_n * 2 if has_mask else 1])
            scores = register_tensor(f32, shape=[parts, tiles_n, config.c_elements])
            chances = register_tensor(dtype, shape=[parts, tiles_n, config.c_elements])
            sums = register_tensor(f32, shape=[parts, tiles_v, config.c_elements])
            tops = register_tensor(f32, shape=[parts, 2])
            totals = register_tensor(f32, shape=[parts, 2])

            z = blockIdx.x // row_tiles
            row_tile = row_tiles - 1 - blockIdx.x % row_tiles  # where it is causal the last rows have most to do: they begin
            block_row = row_tile * block_rows
            # Nothing that changes: of such an index it could not be seen that neighbours of it are aligned.
            z_q, z_k, z_v, z_mask = [sum([z // inner % extent * steps[i] for inner, extent, steps in moves]) for i in range(4)]
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            g = lane // 4  # a row of a fragment, and a column of a second factor
            t = lane % 4
            first_row = warp // split * rows
            row = block_row + first_row + g
            share = warp % split
            seen_keys = min(block_row + block_rows, key_count) if is_causal else key_count
            # All warps take as many turns; behind the last tile, none of the keys is seen.
            count = 1 if is_single else (seen_keys + split * keys - 1) // (split * keys)
            all_see = min(block_row + first_row + 1, key_count) if is_causal else key_count  # keys before this one

            for i in grid(loads_q, attrs='u'):
                piece = i * (warps * 32) + threadIdx.x
                r = min(block_row + piece // (columns // run), queries - 1)
                c = piece % (columns // run) * run
                if has_rest:
                    for e in grid(run, attrs='u'):
                        first_q[i, e] = cast(0.0, dtype)
                if not has_rest or c < d:
                    for e in grid(run, attrs='u'):
                        first_q[i, e] = q[z_q, r, c + e]
            for x, y, i in grid(parts, tiles_v, config.c_elements, attrs='u'):
                sums[x, y, i] = 0.0
            for x, h in grid(parts, 2, attrs='u'):
                tops[x, h] = top_start
                totals[x, h] = 0.0

            # A turn computes with the tile that the turn before asked for, and asks for the next one as registers become free.
            for turn in range(count + 1):
                first_key = (turn * split + share) * keys
                if turn > 0:
                    for x, j, i in grid(parts, tiles_n, config.c_elements, attrs='u'):
                        scores[x, j, i] = 0.0
                    for s, j, x in grid(steps, tiles_n, parts, attrs='u'):
                        mma_sync(config, ~regs_q[x, s, 0], ~regs_k[j, s * 4], ~scores[x, j, 0])
                if turn < count:
                    if run_keys:
                        key = first_key + g * tiles_n
                        if has_tail:
                            key = min(key, key_count - tiles_n)
                        for p, i in grid(groups, run, attrs='u'):
                            c = (p * 4 + t) * run
                            if has_rest:
                                c = min(c, d - run)  # times zeros of q
                            for j in grid(tiles_n, attrs='u'):
                                regs_k[j, p * run + i] = k[z_k, key + j, c + i] if transpose_k else k[z_k, c + i, key + j]
                    else:
                        for j, p in grid(tiles_n, groups, attrs='u'):
                            key = first_key + g * tiles_n + j
                            if has_tail:
                                key = min(key, key_count - 1)
                            c = (p * 4 + t) * run
                            if has_rest:
                                c = min(c, d - run)  # times zeros of q
                            for i in grid(run, attrs='u'):
                                regs_k[j, p * run + i] = k[z_k, key, c + i] if transpose_k else k[z_k, c + i, key]
                if turn > 0:
                    start = first_key - split * keys
                    if has_mask:
                        for x, j, h, e in grid(parts, tiles_n, 2, 2, attrs='u'):
                            i = h * 2 + e
                            scores[x, j, i] = scores[x, j, i] * scale + regs_mask[x, h % mask_rows, e * tiles_n + j]
                    if has_tail or is_causal:
                        if start + keys > all_see:
                            # What a row does not see has no probability.
                            for x, h in grid(parts, 2, attrs='u'):
                                seen = min(row + x * 16 + h * 8 + 1, key_count) if is_causal else key_count
                                left = seen - start - t * (2 * tiles_n)
                                for e, j in grid(2, tiles_n, attrs='u'):
                                    if e * tiles_n + j >= left:
                                        scores[x, j, h * 2 + e] = -math.inf

                    for x, h in grid(parts, 2, attrs='u'):
                        top = tops[x, h]
                        for j, e in grid(tiles_n, 2, attrs='u'):
                            top = max(top, scores[x, j, h * 2 + e])
                        top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                        top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                        # A lane adds up its own elements of a row; those of the four lanes are added at the end.
                        total = 0.0
                        if not is_single:
                            fade = power(tops[x, h], top)
                            total = totals[x, h] * fade
                            for y, e in grid(tiles_v, 2, attrs='u'):
                                sums[x, y, h * 2 + e] = sums[x, y, h * 2 + e] * fade
                        tops[x, h] = top
                        for j, e in grid(tiles_n, 2, attrs='u'):
                            chance = power(scores[x, j, h * 2 + e], top)
                            chances[x, j, h * 2 + e] = cast(chance, dtype)
                            total += chance
                        totals[x, h] = total
                    for s, y, x in grid(keys // 16, tiles_v, parts, attrs='u'):
                        mma_sync(config, ~chances[x, s * 2, 0], ~regs_v[s, y, 0], ~sums[x, y, 0])
                if turn < count:
                    if has_mask:
                        for x, h in grid(parts, mask_rows, attrs='u'):
                            r = min(row + x * 16 + h * 8, queries - 1) if has_rows else 0
                            key = first_key + t * (2 * tiles_n)
                            if has_tail and not cuts_runs:
                                key = min(key, key_count - 2 * tiles_n)
                            if cuts_runs:
                                for i in grid(2 * tiles_n, attrs='u'):
                                    regs_mask[x, h, i] = cast(mask[z_mask, r, min(key + i, key_count - 1) if has_columns else 0], f32)
                            else:
                                for i in grid(2 * tiles_n, attrs='u'):
                                    regs_mask[x, h, i] = cast(mask[z_mask, r, key + i if has_columns else 0], f32)
                    for s, half, e in grid(keys // 16, 2, 2, attrs='u'):
                        key = first_key + (t * 2 + e) * tiles_n + s * 2 + half
                        if has_tail:
                            key = min(key, key_count - 1)
                        for y in grid(tiles_v // run_v, attrs='u'):
                            for i in grid(run_v, attrs='u'):
                                regs_v[s, y * run_v + i, half * 2 + e] = v[z_v, key, (y * 8 + g) * run_v + i]
                if turn == 0:
                    for i in grid(loads_q, attrs='u'):
                        piece = i * (warps * 32) + threadIdx.x
                        if piece < runs_q:
                            to = cast(~smem_q[piece // (columns // run), piece % (columns // run) * run], ~wide)
                            to[0] = view(~first_q[i, 0], wide[1])[0]
                    syncthreads()
                    for x, h, p in grid(parts, 2, groups, attrs='u'):
                        source = cast(~smem_q[first_row + x * 16 + h * 8 + g, (p * 4 + t) * run], ~wide)
                        view(~run_q[0], wide[1])[0] = source[0]
                        for i in grid(run, attrs='u'):
                            regs_q[x, p * (run // 4) + i // 4, i % 4 // 2 * 4 + h * 2 + i % 2] = run_q[i]

            for x, h in grid(parts, 2, attrs='u'):
                total = totals[x, h]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                totals[x, h] = total
            if split == 1:
                for x, h in grid(parts, 2, attrs='u'):
                    r = row + x * 16 + h * 8
                    part = 1.0 / totals[x, h]
                    if r < queries:
                        for y, e in grid(tiles_v // run_v, 2, attrs='u'):
                            for i in grid(run_v, attrs='u'):
                                value = sums[x, y * run_v + i, h * 2 + e] * part
                                o[z, r, (y * 8 + t * 2 + e) * run_v + i] = cast(value, dtype)
            else:
                their_sums = tensor_pointer(f32, shape=[split, block_rows, pitch], init=dynamic_shared_memory(sums_start, f32))
                # Largest scores and sums of powers.
                theirs = tensor_pointer(f32, shape=[2, split, block_rows], init=dynamic_shared_memory(tops_start, f32))
                for x, h in grid(parts, 2, attrs='u'):
                    r = first_row + x * 16 + h * 8 + g
                    if t == 0:
                        theirs[0, share, r] = tops[x, h]
                        theirs[1, share, r] = totals[x, h]
                    for y, e in grid(tiles_v // run_v, 2, attrs='u'):
                        c = (y * 8 + t * 2 + e) * run_v
                        if run_v >= 4:
                            for four in grid(run_v // 4, attrs='u'):
                                to = cast(~their_sums[share, r, c + four * 4], ~f32x4)
                                u = y * run_v + four * 4
                                to[0] = make_vector(
                                    sums[x, u, h * 2 + e],
                                    sums[x, u + 1, h * 2 + e],
                                    sums[x, u + 2, h * 2 + e],
                                    sums[x, u + 3, h * 2 + e],
                                )
                        else:
                            for i in grid(run_v, attrs='u'):
                                their_sums[share, r, c + i] = sums[x, y * run_v + i, h * 2 + e]
                syncthreads()

                result = register_tensor(f32, shape=[8])
                for i in grid(shares, attrs='u'):
                    piece = i * (warps * 32) + threadIdx.x
                    r = piece // pieces
                    c = piece % pieces * 8
                    if r < block_rows and block_row + r < queries:
                        top = theirs[0, 0, r]
                        for w in grid(split - 1, attrs='u'):
                            top = max(top, theirs[0, w + 1, r])
                        total = 0.0
                        for u in grid(8, attrs='u'):
                            result[u] = 0.0
                        for w in grid(split, attrs='u'):
                            fade = power(theirs[0, w, r], top)
                            total += theirs[1, w, r] * fade
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


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=80, dynamic=True)
@tune.space(1, rows=[16, 32], row_warps=[1, 4], split=[1, 4, 8], along=['d', 'keys'])
@tune.space(2, rows=[16, 32], row_warps=[1, 2, 4], split=[1, 2, 4, 8, 16], keys=[16, 32, 64], along=['d', 'keys'])
def attention(task, target, rows=None, row_warps=None, split=None, keys=None, along=None):
    """`rows`: of a warp; `row_warps`: with different rows; `split`: warps that share the keys of a row; `keys`: of a tile."""
    return attention_module(task, target, rows, row_warps, split, keys, along)


@hidet.template('AttnMaskAdd', dtypes=['float16', 'bfloat16'], capability=80, dynamic=True)
@tune.space(1, rows=[16, 32], row_warps=[1, 4], split=[1, 4, 8], along=['d', 'keys'])
@tune.space(2, rows=[16, 32], row_warps=[1, 2, 4], split=[1, 2, 4, 8, 16], keys=[16, 32, 64], along=['d', 'keys'])
def attention_with_mask(task, target, rows=None, row_warps=None, split=None, keys=None, along=None):
    """As for `attention`."""
    return attention_module(task, target, rows, row_warps, split, keys, along)
