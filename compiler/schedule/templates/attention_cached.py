# SPDX-License-Identifier: Apache-2.0
"""Attention of few queries over a cache of many keys and values, on Hopper; f16 or bf16, sums in f32.

All time goes into reading keys and values, so as many of them as possible should be on their way: the copy unit brings them
into shared memory, more than registers have room for. The keys of a head are shared by the warps of a block and by the blocks
of a cluster. Half of the multiprocessors keep memory busy; on the others the next kernel begins meanwhile.

Each warp has a ring of stages of its own, orders what comes into it, and waits for nobody else. It has a softmax of its own as
well: its largest score, the sum of its powers, and its sums of values. In the end these meet, first those of a block in its
shared memory, then those of a cluster in that of all its blocks: each fades to the largest score of all, and they are added in
order.

Queries of several heads that read the keys of one are rows of one tile: their leading dimension moves q on, and neither k nor
v. Up to 16 rows cost the same as one.

Copies need addresses, so what makes k and v is a kernel of its own. attention_decode.py takes what is short, has a mask, or has
keys that are transposed already.
"""
import hidet
import math
from hidet import tune
from hidet.ir.primitives.cuda import (
    copy_tensor_g2s,
    create_tensor_map,
    fence_barrier_init,
    griddepcontrol_launch_dependents,
    griddepcontrol_wait,
    ldmatrix,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    prefetch_tensor_map,
)
from hidet.ir.primitives.math import make_vector
from hidet.lang import (
    OpaqueType,
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
    shared_tensor,
    tensor_pointer,
    u32,
    u64,
    view,
)
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    dynamic_shared_memory,
    mma_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    this_cluster,
    threadIdx,
)
from hidet.templates import batch_dims
from hidet.utils import cdiv, prod

log2e = math.log2(math.e)
tile_rows = 16
keys = 16  # of a stage
wide = 64  # columns of a swizzled tile: 128 bytes
most_stages = 12
least_bytes = 1 << 17  # of keys and values, for each multiprocessor: less is over before copies pay off
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def attention_module(task, target, warps, stages, cluster):
    q_type, k_type, v_type = task.inputs[:3]
    o_type = task.outputs[0]
    dtype = q_type.dtype
    transpose_k, scale = task.attrs['transpose_k'], task.attrs['scale']
    m, d = q_type.shape[-2:]
    n, width = v_type.shape[-2:]
    tune.check(k_type.dtype == dtype and v_type.dtype == dtype and o_type.dtype == dtype, 'q, k, v and o have one dtype')
    tune.check(d in (64, 128, 256) and width == d, 'rows of k and v are one, two or four swizzled tiles wide')
    tune.check(transpose_k, 'rows of k are keys')
    tune.check(not task.attrs['is_causal'] or m == n == 1, 'all queries see all keys')
    tune.check(min(o_type.shape) > 0 and d > 0 and scale > 0, 'there is something to compute')
    dims = batch_dims([q_type.shape, k_type.shape, v_type.shape])
    group = 1
    if dims and dims[-1][1] == 1 and dims[-1][2] == 0 and dims[-1][3] == 0:
        group = dims[-1][0]
        dims = dims[:-1]
    batch = prod([dim[0] for dim in dims])
    rows = group * m
    used = min(rows, tile_rows)
    row_tiles = cdiv(rows, tile_rows)
    tune.check(row_tiles <= 2, 'queries are few')
    is_wide = d > 128  # nothing else takes that
    tune.check(is_wide or batch * n * d * 4 >= target.multiprocessors * least_bytes, 'keys are many')
    is_shared = batch * row_tiles < target.multiprocessors
    tune.check(is_wide or is_shared, 'without sharing keys, multiprocessors have nothing to do')

    tiles = cdiv(n, keys)
    warps = warps or (4 if is_wide else 8)
    if cluster is None:
        # Meeting costs more than it brings where warps have nothing to read.
        cluster, most = 1, target.multiprocessors // 2 // (batch * row_tiles)
        while cluster < target.cluster_blocks and cluster * 2 <= most and cluster * 2 * warps <= tiles:
            cluster *= 2
    tune.check(warps in (4, 8), 'a block has 4 or 8 warps, whose sums fit into registers')
    tune.check(cluster in (1, 2, 4, 8), 'a cluster has up to 8 blocks')
    shares = cluster * warps
    turns = cdiv(tiles, shares)
    steps, tiles_v, parts = d // 16, width // 8, d // wide
    tile_elements = keys * d
    has_tail = n % keys != 0
    config = MmaConfig.m16n8k16_bf16_f32() if dtype == hidet.bfloat16 else MmaConfig.m16n8k16_f16_f32()
    shape_q, shape_o = [prod(q_type.shape[:-2]) // group, rows, d], [batch, rows, width]
    shape_k, shape_v = [prod(k_type.shape[:-2]), n, d], [prod(v_type.shape[:-2]), n, d]
    # Of the copies, from the innermost dimension on. Keys behind the last of a head are read as zeros.
    strides, box = [d * 2, n * d * 2], [wide, keys, 1]
    # What is inside of a leading dimension, its extent, and how far q, k and v move on with it.
    moves = [
        [prod([dim[0] for dim in dims[i + 1 :]]), dim[0], [dim[1] // group] + dim[2:]] for i, dim in enumerate(dims)
    ]

    pitch = width + 4  # of a row of sums in shared memory
    sums_start = used * pitch * 4
    tops_start = sums_start + warps * used * pitch * 4
    sums_bytes = tops_start + (warps + 1) * used * 2 * 4
    stage_bytes = 2 * tile_elements * 2
    if stages is None:
        stages = min(turns, most_stages, (target.shared_per_block_optin - 4096) // (warps * stage_bytes))
    tune.check(1 <= stages <= most_stages, 'there are 1 to 12 stages')
    shared_bytes = max(warps * stages * stage_bytes, sums_bytes)
    tune.check(shared_bytes + 4096 <= target.shared_per_block_optin, 'the stages of the warps fit into shared memory')
    tune.metric('read_bytes', (used * d + cdiv(n, cluster) * 2 * d) * 2)
    tune.metric('in_flight_bytes', warps * stages * stage_bytes)
    quads = width // 4  # of a row of sums
    loads_block = cdiv(used * quads, warps * 32)
    pieces = width // 8  # of a row of the result
    each = cdiv(used * pieces, cluster)  # pieces of a block
    loads_cluster = cdiv(each, warps * 32)
    # Times any factor it is exact, so that nothing remains of the difference to itself, whatever is rounded when.
    top_start = -(2.0**100)
    factor = scale * log2e

    with hidet.script_module() as script_module:

        @hidet.script
        def exp2(x: f32) -> f32:
            y = f32(0.0)
            asm('ex2.approx.ftz.f32 %0, %1;', outputs=[y], inputs=[x])
            return y

        @hidet.script
        def power(score: f32, top: f32) -> f32:
            return exp2(score * factor - top * factor)

        @hidet.script
        def attention(q: dtype[shape_q], k_map: tensor_map, v_map: tensor_map, o: dtype[shape_o]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = batch * row_tiles * cluster
            attrs.cuda.block_dim = warps * 32
            if cluster > 1:
                attrs.cuda.cluster_dim = cluster
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            v_start = warps * stages * tile_elements * 2
            ring = [warps, stages, parts, keys, wide]
            smem_k = tensor_pointer(dtype, shape=ring, init=dynamic_shared_memory(0, dtype))
            smem_v = tensor_pointer(dtype, shape=ring, init=dynamic_shared_memory(v_start, dtype))
            k_full = shared_tensor(u64, shape=[warps, stages])
            v_full = shared_tensor(u64, shape=[warps, stages])
            regs_q = register_tensor(dtype, shape=[steps, config.a_elements])
            fragment = register_tensor(dtype, shape=[8])
            words = view(~fragment[0], u32[4])
            scores = register_tensor(f32, shape=[2, config.c_elements])
            chances = register_tensor(dtype, shape=[2, config.c_elements])
            sums = register_tensor(f32, shape=[tiles_v, config.c_elements])
            tops = register_tensor(f32, shape=[2])
            totals = register_tensor(f32, shape=[2])

            rank = blockIdx.x % cluster
            tile = blockIdx.x // cluster
            z = tile // row_tiles
            block_row = tile % row_tiles * tile_rows
            z_q, z_k, z_v = [sum([z // inner % extent * steps[i] for inner, extent, steps in moves]) for i in range(3)]
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            g = lane // 4  # a row of a fragment, and a column of a second factor
            t = lane % 4
            share = rank * warps + warp
            mine = (tiles - share + shares - 1) // shares  # tiles of this warp
            if lane == 0:
                for s in range(stages):
                    mbarrier_init(~k_full[warp, s], 1)
                    mbarrier_init(~v_full[warp, s], 1)
                fence_barrier_init()
            syncwarp()
            griddepcontrol_wait()
            if lane == 0:
                for s in range(min(stages, mine)):
                    key = (s * shares + share) * keys
                    mbarrier_arrive_and_expect_tx(~k_full[warp, s], tile_elements * 2)
                    for part in grid(parts, attrs='u'):
                        copy_tensor_g2s(3, ~smem_k[warp, s, part, 0, 0], k_map, ~k_full[warp, s], part * wide, key, z_k)
                    mbarrier_arrive_and_expect_tx(~v_full[warp, s], tile_elements * 2)
                    for part in grid(parts, attrs='u'):
                        copy_tensor_g2s(3, ~smem_v[warp, s, part, 0, 0], v_map, ~v_full[warp, s], part * wide, key, z_v)
            syncwarp()

            for s, h, half in grid(steps, 2, 2, attrs='u'):
                r = min(block_row + h * 8 + g, rows - 1)
                for e in grid(2, attrs='u'):
                    regs_q[s, half * 4 + h * 2 + e] = q[z_q, r, s * 16 + half * 8 + t * 2 + e]
            for y, i in grid(tiles_v, config.c_elements, attrs='u'):
                sums[y, i] = 0.0
            for h in grid(2, attrs='u'):
                tops[h] = top_start
                totals[h] = 0.0

            for turn in range(mine):
                s = turn % stages
                first_key = (turn * shares + share) * keys
                mbarrier_wait(~k_full[warp, s], turn // stages % 2)
                for j, i in grid(2, config.c_elements, attrs='u'):
                    scores[j, i] = 0.0
                for step in grid(steps, attrs='u'):
                    key = lane // 16 * 8 + lane % 8
                    run = step % 4 * 2 + lane // 8 % 2
                    ldmatrix([words[i] for i in range(4)], ~smem_k[warp, s, step // 4, key, (run ^ (key % 8)) * 8])
                    for j in grid(2, attrs='u'):
                        mma_sync(config, ~regs_q[step, 0], ~fragment[j * 4], ~scores[j, 0])
                if has_tail:
                    if first_key + keys > n:
                        left = n - first_key - t * 2
                        for j, h, e in grid(2, 2, 2, attrs='u'):
                            if j * 8 + e >= left:
                                scores[j, h * 2 + e] = -math.inf
                for h in grid(2, attrs='u'):
                    top = tops[h]
                    for j, e in grid(2, 2, attrs='u'):
                        top = max(top, scores[j, h * 2 + e])
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 1))
                    top = max(top, shfl_xor_sync(0xFFFFFFFF, top, 2))
                    fade = power(tops[h], top)
                    total = totals[h] * fade
                    for y, e in grid(tiles_v, 2, attrs='u'):
                        sums[y, h * 2 + e] = sums[y, h * 2 + e] * fade
                    tops[h] = top
                    for j, e in grid(2, 2, attrs='u'):
                        chance = power(scores[j, h * 2 + e], top)
                        chances[j, h * 2 + e] = cast(chance, dtype)
                        total += chance
                    totals[h] = total
                mbarrier_wait(~v_full[warp, s], turn // stages % 2)
                for y in grid(tiles_v // 2, attrs='u'):
                    key = lane // 8 % 2 * 8 + lane % 8
                    run = y % 4 * 2 + lane // 16
                    ldmatrix([words[i] for i in range(4)], ~smem_v[warp, s, y // 4, key, (run ^ (key % 8)) * 8], trans=True)
                    for j in grid(2, attrs='u'):
                        mma_sync(config, ~chances[0, 0], ~fragment[j * 4], ~sums[y * 2 + j, 0])
                syncwarp()  # all lanes have read the stage
                if lane == 0 and turn + stages < mine:
                    there = ((turn + stages) * shares + share) * keys
                    mbarrier_arrive_and_expect_tx(~k_full[warp, s], tile_elements * 2)
                    for part in grid(parts, attrs='u'):
                        copy_tensor_g2s(3, ~smem_k[warp, s, part, 0, 0], k_map, ~k_full[warp, s], part * wide, there, z_k)
                    mbarrier_arrive_and_expect_tx(~v_full[warp, s], tile_elements * 2)
                    for part in grid(parts, attrs='u'):
                        copy_tensor_g2s(3, ~smem_v[warp, s, part, 0, 0], v_map, ~v_full[warp, s], part * wide, there, z_v)
            syncthreads()  # nobody reads stages any more

            # The first row of shares of sums and tops is the block's, the others are those of the warps.
            block_sums = tensor_pointer(f32, shape=[used, pitch], init=dynamic_shared_memory(0, f32))
            warp_sums = tensor_pointer(f32, shape=[warps, used, pitch], init=dynamic_shared_memory(sums_start, f32))
            # Largest scores and sums of powers.
            theirs = tensor_pointer(f32, shape=[warps + 1, 2, used], init=dynamic_shared_memory(tops_start, f32))
            for h in grid(2, attrs='u'):
                total = totals[h]
                total += shfl_xor_sync(0xFFFFFFFF, total, 1)
                total += shfl_xor_sync(0xFFFFFFFF, total, 2)
                r = h * 8 + g
                if r < used:
                    if t == 0:
                        theirs[warp + 1, 0, r] = tops[h]
                        theirs[warp + 1, 1, r] = total
                    for y in grid(tiles_v, attrs='u'):
                        to = cast(~warp_sums[warp, r, y * 8 + t * 2], ~f32x2)
                        to[0] = make_vector(sums[y, h * 2], sums[y, h * 2 + 1])
            syncthreads()
            result = register_tensor(f32, shape=[8])
            for i in grid(loads_block, attrs='u'):
                piece = i * (warps * 32) + threadIdx.x
                r = piece // quads
                c = piece % quads * 4
                if r < used:
                    top = theirs[1, 0, r]
                    for w in grid(warps - 1, attrs='u'):
                        top = max(top, theirs[w + 2, 0, r])
                    total = 0.0
                    for u in grid(4, attrs='u'):
                        result[u] = 0.0
                    for w in grid(warps, attrs='u'):
                        fade = power(theirs[w + 1, 0, r], top)
                        total += theirs[w + 1, 1, r] * fade
                        four = cast(~warp_sums[w, r, c], ~f32x4)[0]
                        for u in meta.range(4):
                            result[u] += four[u] * fade
                    cast(~block_sums[r, c], ~f32x4)[0] = make_vector(result[0], result[1], result[2], result[3])
                    if c == 0:
                        theirs[0, 0, r] = top
                        theirs[0, 1, r] = total
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
                    top = theirs[0, 0, r]
                    for b in grid(cluster, attrs='u'):
                        top = max(top, this_cluster.map_shared_rank(~theirs[0, 0, r], b, f32)[0] if cluster > 1 else top)
                    total = 0.0
                    for u in grid(8, attrs='u'):
                        result[u] = 0.0
                    for b in grid(cluster, attrs='u'):
                        other = this_cluster.map_shared_rank(~theirs[0, 0, r], b, f32) if cluster > 1 else ~theirs[0, 0, r]
                        fade = power(other[0], top)
                        total += other[used] * fade
                        for half in grid(2, attrs='u'):
                            source = cast(~block_sums[r, c + half * 4], ~f32x4)
                            four = this_cluster.map_shared_rank(source, b, f32x4)[0] if cluster > 1 else source[0]
                            for u in meta.range(4):
                                result[half * 4 + u] += four[u] * fade
                    part = 1.0 / total
                    for u in grid(8, attrs='u'):
                        o[z, block_row + r, c + u] = cast(result[u] * part, dtype)
            if cluster > 1:
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends

        @hidet.script
        def launch(q: dtype[shape_q], k: dtype[shape_k], v: dtype[shape_v], o: dtype[shape_o]):
            attrs.func_kind = 'public'
            k_map: OpaqueType('CUtensorMap')
            v_map: OpaqueType('CUtensorMap')
            create_tensor_map(~k_map, dtype, 3, k, shape_k[::-1], strides, box, [1, 1, 1], 'NONE', '128B')
            create_tensor_map(~v_map, dtype, 3, v, shape_v[::-1], strides, box, [1, 1, 1], 'NONE', '128B')
            attention(q, k_map, v_map, o)

    return script_module


@hidet.template('Attn', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, warps=[4, 8], cluster=[2, 4, 8])
@tune.space(2, warps=[4, 8], stages=[2, 3, 4, 6, 8], cluster=[1, 2, 4, 8])
def attention(task, target, warps=None, stages=None, cluster=None):
    """`warps`: of a block; `stages`: of 16 keys, of a warp; `cluster`: blocks that share the keys of a row."""
    return attention_module(task, target, warps, stages, cluster)
