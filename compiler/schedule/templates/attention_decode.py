# SPDX-License-Identifier: Apache-2.0
"""Attention of few queries over many keys, on Hopper: what a language model does for each token; f16 or bf16, sums in f32.

All time goes into reading keys and values, so all multiprocessors must read, each as much at once as it has registers for. The
keys of a head are shared by the warps of a block and by the blocks of a cluster. Each warp has a softmax of its own: its largest
score, the sum of its powers, and its sums of values. In the end these meet, first those of a block in its shared memory, then
those of a cluster: each block is sent what its part of the result is made of. Each fades to the largest score of all, and they
are added in order.

Queries of several heads that read the keys of one are rows of one tile: their leading dimension moves q on, and neither k nor
v. Up to 16 rows cost the same as one.

A cache that gets a row in this step is an operand as it was before, and that row another one, which takes its place in registers:
so no kernel need have written it.

Loads go straight into the registers of fragments, and what is fused before the operator is computed in them. A turn computes
with the keys and values that the turn before asked for, and asks for the next as registers become free. attention_mma.py says
how runs of neighbouring elements are what fragments want, and the order of what is summed up is free:

* Scores are sums over the columns of q: of each group of 32, lane t of four has the columns 8 t to 8 t + 7.
* Column c of the j-th piece of 8 of a tile of scores is the key c * pieces + j.
* Column c of the j-th piece of 8 of the result is 8 c + j.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import make_vector
from hidet.lang import asm, attrs, cast, f32, f32x4, grid, i32, meta, register_tensor, tensor_pointer
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    dynamic_shared_memory,
    mma_sync,
    shfl_xor_sync,
    syncthreads,
    this_cluster,
    threadIdx,
)
from hidet.templates import batch_dims, padded
from hidet.utils import cdiv, prod

log2e = math.log2(math.e)
lowest = -3.4028234663852886e38
tile_rows = 16


def attention_module(task, target, warps, keys, cluster):
    q_type, k_type, v_type = task.inputs[:3]
    has_mask = len(task.inputs) > 3
    has_update = len(task.inputs) > 4
    mask_type = task.inputs[3] if has_mask else q_type  # without a mask, q stands for it and is not read
    place_type = task.inputs[6] if has_update else q_type
    o_type = task.outputs[0]
    dtype, dtype_mask = q_type.dtype, mask_type.dtype
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    m, d = q_type.shape[-2:]
    n, width = v_type.shape[-2:]
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(d % 8 == 0 and d <= 128 and width % 8 == 0 and width <= 128, 'rows of q and v have whole runs, up to 128')
    tune.check(has_mask or not task.attrs['is_causal'] or m == n == 1, 'all queries see all keys')
    tune.check(min(o_type.shape) > 0 and d > 0 and scale > 0, 'there is something to compute')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape] + ([mask_type.shape] if has_mask else [o_type.shape]))
    group, step_group = 1, 0
    if dims and dims[-1][1] == 1 and dims[-1][2] == 0 and dims[-1][3] == 0:
        group, step_group = dims[-1][0], dims[-1][4]
        dims = dims[:-1]
    batch = prod([dim[0] for dim in dims])
    rows = group * m
    used = min(rows, tile_rows)
    row_tiles = cdiv(rows, tile_rows)
    is_token = m == 1
    is_short = n < 256 and not (is_token and group > 1)
    tune.check(row_tiles <= 2 and (has_update or not is_short), 'queries are few, and keys are many')
    tune.check(is_token or not has_update, 'a new row is that of one query')
    tune.check(is_token or batch * row_tiles < target.multiprocessors, 'without sharing keys, multiprocessors have nothing to do')

    keys = keys or 16
    tiles = cdiv(n, keys)
    warps = warps or (16 if tiles >= 32 and keys * max(d, width) <= 2048 else 8)
    tune.check(warps in (4, 8, 16) and keys in (16, 32), 'a block has 4, 8 or 16 warps, a tile 16 or 32 keys')
    tune.check(keys * max(d, width) <= (2048 if warps == 16 else 4096), 'the tiles fit into registers')
    if cluster is None:
        # All blocks at once; and meeting costs more than it brings where warps have nothing to read.
        cluster, most = 1, target.multiprocessors // (batch * row_tiles)
        while cluster < target.cluster_blocks and cluster * 2 <= most and cluster * 2 * warps <= tiles:
            cluster *= 2
    tune.check(cluster in (1, 2, 4, 8), 'a cluster has up to 8 blocks')
    tiles_n, tiles_v = keys // 8, width // 8
    shares = cluster * warps
    turns = cdiv(tiles, shares)
    run = 8 if d % 32 == 0 else 4 if d % 16 == 0 else 2  # columns of q that a lane has beside each other
    groups = d // (run * 4)
    steps = cdiv(d, 16)
    tune.check(d % 16 == 0, 'rows of q are whole fragments')
    run_v = 8 if tiles_v % 8 == 0 else 4 if tiles_v % 4 == 0 else 2 if tiles_v % 2 == 0 else 1
    has_tail = n % (keys * shares) != 0
    along_keys = not transpose_k and (not has_tail or n % tiles_n == 0)  # runs are not cut by the last key
    config = MmaConfig.m16n8k16_bf16_f32() if dtype == hidet.bfloat16 else MmaConfig.m16n8k16_f16_f32()

    mask_shape = padded(mask_type.shape, 2)
    mask_m, mask_n = mask_shape[-2:]
    halves = 2 if used > 8 else 1  # of a fragment's 16 rows; the others are zeros, and nobody looks at what they give
    mask_rows = halves if has_mask and used > 1 and (mask_m > 1 or step_group > 0) else 1
    shape_q, shape_o = [prod(q_type.shape[:-2]) // group, rows, d], [batch, rows, width]
    shape_k = [prod(k_type.shape[:-2])] + ([n, d] if transpose_k else [d, n])
    shape_v = [prod(v_type.shape[:-2]), n, width]
    shape_mask = [prod(mask_shape[:-2]), mask_m, mask_n]
    shape_new_k, shape_new_v = [shape_k[0], d], [shape_v[0], width]
    # What is inside of a leading dimension, its extent, and how far q, k, v and the mask move on with it.
    moves = [
        [prod([dim[0] for dim in dims[i + 1 :]]), dim[0], [dim[1] // group] + dim[2:]] for i, dim in enumerate(dims)
    ]

    pitch = width + 4  # of a row of sums in shared memory
    quads = width // 4  # of a row of sums
    loads_block = cdiv(used * quads, warps * 32)
    pieces = width // 8  # of a row of the result
    each = cdiv(used * pieces, cluster)  # pieces of a block
    loads_cluster = cdiv(each, warps * 32)
    tops_start = warps * used * pitch * 4
    sent_start = tops_start + warps * used * 2 * 4
    sent_tops_start = sent_start + cluster * each * 8 * 4
    shared_bytes = sent_tops_start + cluster * used * 2 * 4
    tune.check(shared_bytes <= target.shared_per_block_optin, 'the sums of the warps fit into shared memory')
    tune.metric('read_bytes', (used * d + cdiv(n, cluster) * (d + width)) * 2)
    tune.metric('in_flight_bytes', warps * keys * (d + width) * 2)
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
            q: dtype[shape_q],
            k: dtype[shape_k],
            v: dtype[shape_v],
            mask: dtype_mask[shape_mask],
            new_k: dtype[shape_new_k],
            new_v: dtype[shape_new_v],
            place: place_type.dtype[1],
            o: dtype[shape_o],
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = batch * row_tiles * cluster
            attrs.cuda.block_dim = warps * 32
            if cluster > 1:
                attrs.cuda.cluster_dim = cluster
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            if cluster > 1:
                this_cluster.sync()  # all blocks are there to be sent to
            regs_q = register_tensor(dtype, shape=[steps, config.a_elements])
            regs_k = register_tensor(dtype, shape=[tiles_n, steps * config.b_elements])
            regs_v = register_tensor(dtype, shape=[keys // 16, tiles_v, config.b_elements])
            regs_mask = register_tensor(f32, shape=[mask_rows, tiles_n * 2 if has_mask else 1])
            scores = register_tensor(f32, shape=[tiles_n, config.c_elements])
            chances = register_tensor(dtype, shape=[tiles_n, config.c_elements])
            sums = register_tensor(f32, shape=[tiles_v, config.c_elements])
            tops = register_tensor(f32, shape=[2])
            totals = register_tensor(f32, shape=[2])

            rank = blockIdx.x % cluster
            tile = blockIdx.x // cluster
            z = tile // row_tiles
            block_row = tile % row_tiles * tile_rows
            z_q, z_k, z_v, z_mask = [sum([z // inner % extent * steps[i] for inner, extent, steps in moves]) for i in range(4)]
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            g = lane // 4  # a row of a fragment, and a column of a second factor
            t = lane % 4
            share = rank * warps + warp
            griddepcontrol_wait()
            new_key = -1
            if has_update:
                new_key = cast(place[0], i32)
                if new_key < 0:
                    new_key += n

            if halves == 1:
                for s, i in grid(steps, config.a_elements, attrs='u'):
                    regs_q[s, i] = cast(0, dtype)
                for j, i in grid(tiles_n, config.c_elements, attrs='u'):
                    chances[j, i] = cast(0, dtype)
            for h, p in grid(halves, groups, attrs='u'):
                r = min(block_row + h * 8 + g, rows - 1)
                for i in grid(run, attrs='u'):
                    regs_q[p * run // 4 + i // 4, i % 4 // 2 * 4 + h * 2 + i % 2] = q[z_q, r, (p * 4 + t) * run + i]
            for y, i in grid(tiles_v, config.c_elements, attrs='u'):
                sums[y, i] = 0.0
            for h in grid(halves, attrs='u'):
                tops[h] = top_start
                totals[h] = 0.0

            for turn in range(turns + 1):
                first_key = (turn * shares + share) * keys
                if has_update and turn > 0:
                    tile = first_key - shares * keys
                    if min(tile, n - 1) <= new_key and new_key < tile + keys:  # keys behind the last are the last again
                        for j, p in grid(tiles_n, groups, attrs='u'):
                            if min(tile + g * tiles_n + j, n - 1) == new_key:
                                for i in grid(run, attrs='u'):
                                    regs_k[j, p * run + i] = new_k[z_k, (p * 4 + t) * run + i]
                        for s, half, e in grid(keys // 16, 2, 2, attrs='u'):
                            if min(tile + (t * 2 + e) * tiles_n + s * 2 + half, n - 1) == new_key:
                                for y in grid(tiles_v // run_v, attrs='u'):
                                    for i in grid(run_v, attrs='u'):
                                        regs_v[s, y * run_v + i, half * 2 + e] = new_v[z_v, (y * 8 + g) * run_v + i]
                if turn > 0:
                    for j, i in grid(tiles_n, config.c_elements, attrs='u'):
                        scores[j, i] = 0.0
                    for s, j in grid(steps, tiles_n, attrs='u'):
                        mma_sync(config, ~regs_q[s, 0], ~regs_k[j, s * 4], ~scores[j, 0])
                if turn < turns:
                    if along_keys:
                        key = first_key + g * tiles_n
                        if has_tail:
                            key = min(key, n - tiles_n)
                        for p, i in grid(groups, run, attrs='u'):
                            for j in grid(tiles_n, attrs='u'):
                                regs_k[j, p * run + i] = k[z_k, (p * 4 + t) * run + i, key + j]
                    else:
                        for j, p in grid(tiles_n, groups, attrs='u'):
                            key = first_key + g * tiles_n + j
                            if has_tail:
                                key = min(key, n - 1)
                            c = (p * 4 + t) * run
                            for i in grid(run, attrs='u'):
                                regs_k[j, p * run + i] = k[z_k, key, c + i] if transpose_k else k[z_k, c + i, key]
                if turn > 0:
                    start = first_key - shares * keys
                    if has_mask:
                        for j, h, e in grid(tiles_n, halves, 2, attrs='u'):
                            scores[j, h * 2 + e] = scores[j, h * 2 + e] * scale + regs_mask[h % mask_rows, e * tiles_n + j]
                    if has_tail:
                        if start + keys > n:
                            left = n - start - t * (2 * tiles_n)
                            for h, e, j in grid(halves, 2, tiles_n, attrs='u'):
                                if e * tiles_n + j >= left:
                                    scores[j, h * 2 + e] = -math.inf
                    for h in grid(halves, attrs='u'):
                        top = tops[h]
                        for j, e in grid(tiles_n, 2, attrs='u'):
                            top = max(top, scores[j, h * 2 + e])
                        top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                        top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                        fade = power(tops[h], top)
                        total = totals[h] * fade
                        for y, e in grid(tiles_v, 2, attrs='u'):
                            sums[y, h * 2 + e] = sums[y, h * 2 + e] * fade
                        tops[h] = top
                        for j, e in grid(tiles_n, 2, attrs='u'):
                            chance = power(scores[j, h * 2 + e], top)
                            chances[j, h * 2 + e] = cast(chance, dtype)
                            total += chance
                        totals[h] = total
                    for s, y in grid(keys // 16, tiles_v, attrs='u'):
                        mma_sync(config, ~chances[s * 2, 0], ~regs_v[s, y, 0], ~sums[y, 0])
                if turn < turns:
                    if has_mask:
                        for h in grid(mask_rows, attrs='u'):
                            r = min(block_row + h * 8 + g, rows - 1)
                            at = z_mask + r // m * step_group
                            mask_row = r % m if mask_m > 1 else 0
                            key = first_key + t * (2 * tiles_n)
                            if has_tail and n % (2 * tiles_n) == 0:  # runs are not cut by the last key
                                key = min(key, n - 2 * tiles_n)
                            if has_tail and n % (2 * tiles_n) != 0:
                                for i in grid(2 * tiles_n, attrs='u'):
                                    regs_mask[h, i] = cast(mask[at, mask_row, min(key + i, n - 1) if mask_n > 1 else 0], f32)
                            else:
                                for i in grid(2 * tiles_n, attrs='u'):
                                    regs_mask[h, i] = cast(mask[at, mask_row, key + i if mask_n > 1 else 0], f32)
                    for s, half, e in grid(keys // 16, 2, 2, attrs='u'):
                        key = first_key + (t * 2 + e) * tiles_n + s * 2 + half
                        if has_tail:
                            key = min(key, n - 1)
                        for y in grid(tiles_v // run_v, attrs='u'):
                            for i in grid(run_v, attrs='u'):
                                regs_v[s, y * run_v + i, half * 2 + e] = v[z_v, key, (y * 8 + g) * run_v + i]

            # Of the warps: their sums of values; their largest scores and sums of powers. Of the blocks: the same, as they were sent.
            warp_sums = tensor_pointer(f32, shape=[warps, used, pitch], init=dynamic_shared_memory(0, f32))
            theirs = tensor_pointer(f32, shape=[warps, 2, used], init=dynamic_shared_memory(tops_start, f32))
            sent_sums = tensor_pointer(f32, shape=[cluster, each, 8], init=dynamic_shared_memory(sent_start, f32))
            sent_tops = tensor_pointer(f32, shape=[cluster, 2, used], init=dynamic_shared_memory(sent_tops_start, f32))
            for h in grid(halves, attrs='u'):
                total = totals[h]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                r = h * 8 + g
                if r < used:
                    if t == 0:
                        theirs[warp, 0, r] = tops[h]
                        theirs[warp, 1, r] = total
                    for y, e in grid(tiles_v // run_v, 2, attrs='u'):
                        c = (y * 8 + t * 2 + e) * run_v
                        if run_v >= 4:
                            for four in grid(run_v // 4, attrs='u'):
                                u = y * run_v + four * 4
                                x = h * 2 + e
                                to = cast(~warp_sums[warp, r, c + four * 4], ~f32x4)
                                to[0] = make_vector(sums[u, x], sums[u + 1, x], sums[u + 2, x], sums[u + 3, x])
                        else:
                            for i in grid(run_v, attrs='u'):
                                warp_sums[warp, r, c + i] = sums[y * run_v + i, h * 2 + e]
            syncthreads()
            result = register_tensor(f32, shape=[8])
            for i in grid(loads_block, attrs='u'):
                piece = i * (warps * 32) + threadIdx.x
                r = piece // quads
                c = piece % quads * 4
                if r < used:
                    top = theirs[0, 0, r]
                    for w in grid(warps - 1, attrs='u'):
                        top = max(top, theirs[w + 1, 0, r])
                    total = 0.0
                    for u in grid(4, attrs='u'):
                        result[u] = 0.0
                    for w in grid(warps, attrs='u'):
                        fade = power(theirs[w, 0, r], top)
                        total += theirs[w, 1, r] * fade
                        four = cast(~warp_sums[w, r, c], ~f32x4)[0]
                        for u in meta.range(4):
                            result[u] += four[u] * fade
                    at = r * pieces + c // 8
                    to = cast(~sent_sums[rank, at % each, c % 8], ~f32x4)
                    if cluster > 1:
                        to = this_cluster.map_shared_rank(to, at // each, f32x4)
                    to[0] = make_vector(result[0], result[1], result[2], result[3])
                    for b in grid(cdiv(cluster, quads), attrs='u'):
                        other = b * quads + c // 4
                        if other < cluster:
                            to_top = ~sent_tops[rank, 0, r]
                            if cluster > 1:
                                to_top = this_cluster.map_shared_rank(to_top, other, f32)
                            to_top[0] = top
                            to_top[used] = total
            if cluster > 1:
                this_cluster.sync()
            else:
                syncthreads()
            for i in grid(loads_cluster, attrs='u'):
                at = i * (warps * 32) + threadIdx.x
                piece = rank * each + at
                r = piece // pieces
                c = piece % pieces * 8
                if at < each and r < used and block_row + r < rows:
                    top = sent_tops[0, 0, r]
                    for b in grid(cluster - 1, attrs='u'):
                        top = max(top, sent_tops[b + 1, 0, r])
                    total = 0.0
                    for u in grid(8, attrs='u'):
                        result[u] = 0.0
                    for b in grid(cluster, attrs='u'):
                        fade = power(sent_tops[b, 0, r], top)
                        total += sent_tops[b, 1, r] * fade
                        for half in grid(2, attrs='u'):
                            four = cast(~sent_sums[b, at, half * 4], ~f32x4)[0]
                            for u in meta.range(4):
                                result[half * 4 + u] += four[u] * fade
                    part = 1.0 / total
                    for u in grid(8, attrs='u'):
                        o[z, block_row + r, c + u] = cast(result[u] * part, dtype)

        if has_update:

            @hidet.script
            def launch(
                q: dtype[shape_q],
                k: dtype[shape_k],
                v: dtype[shape_v],
                mask: dtype_mask[shape_mask],
                new_k: dtype[shape_new_k],
                new_v: dtype[shape_new_v],
                place: place_type.dtype[1],
                o: dtype[shape_o],
            ):
                attrs.func_kind = 'public'
                attention(q, k, v, mask, new_k, new_v, place, o)

        elif has_mask:

            @hidet.script
            def launch(
                q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], mask: dtype_mask[shape_mask], o: dtype[shape_o]
            ):
                attrs.func_kind = 'public'
                attention(q, k, v, mask, q, q, q, o)

        else:

            @hidet.script
            def launch(q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], o: dtype[shape_o]):
                attrs.func_kind = 'public'
                attention(q, k, v, q, q, q, q, o)

    return script_module


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, warps=[4, 8], cluster=[1, 4, 8])
@tune.space(2, warps=[4, 8, 16], keys=[16, 32], cluster=[1, 2, 4, 8])
def attention(task, target, warps=None, keys=None, cluster=None):
    """`warps`: of a block; `keys`: of a tile; `cluster`: blocks that share the keys of a row."""
    return attention_module(task, target, warps, keys, cluster)


@hidet.template('AttnMaskAdd', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, warps=[4, 8], cluster=[1, 4, 8])
@tune.space(2, warps=[4, 8, 16], keys=[16, 32], cluster=[1, 2, 4, 8])
def attention_with_mask(task, target, warps=None, keys=None, cluster=None):
    """As for `attention`."""
    return attention_module(task, target, warps, keys, cluster)
