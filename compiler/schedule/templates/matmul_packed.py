# SPDX-License-Identifier: Apache-2.0
"""Product with a matrix of few bits, which are widened in registers: what counts for few rows is how few bytes memory has to give.

The numbers stay as the operator has them: rows of the transposed matrix, lowest bits first. That suits mma_sync, since the order
of what is summed up is free if both factors have the same:

* the matrix is the first factor, of 16 rows, and the rows of a are the columns of the second one: of 8, none or few are wasted;
* a thread reads 16 bytes beside each other of a row, 32 numbers of four bits or 16 of eight, and the fragments that it has in the
  products to come are those numbers in their order, of a likewise. Nothing is exchanged between threads;
* four bits become a float by two operations for two of them: behind the digits of 1024 (of 128 as bfloat16) they are its last
  digits. The numbers 0 and 4 of a word are one pair, 1 and 5 the next, so the pairs of a are put together in the same way;
* floats of eight bits are those of sixteen with other exponents: the factor is part of the scale. A NaN, which no pass stores so,
  would be a number.

A scale is applied to the sum of its group, in f32, where the products of one step have one group, else to the numbers. It is
read two steps before that, the first ones before the kernel before has ended. Steps of
the sum are split between the warps of a block and the blocks of a cluster, and come through stages in shared memory, for which a
kernel need not have waited: weights are under way before the kernel before it has ended. Of far more columns than the
multiprocessors have room for, such as a vocabulary, a block has several tiles, and the stages of the next one come while it ends
one. Many rows are tiles of 64 of them. Few rows that are to be normalised first are so in each block: a kernel that did it once
would have to end before any block could begin. Half of a block's columns are a gate's where one decides what the product lets through.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import rsqrt
from hidet.lang import attrs, cast, f32, grid, i32, meta, register_tensor, shared_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    dynamic_shared_memory,
    fma_bf16x2,
    fma_f16x2,
    lds128,
    lop3,
    mma_sync,
    prmt,
    shfl_xor_sync,
    sub_f16x2,
    syncthreads,
    this_cluster,
    threadIdx,
)
from hidet.templates import gated
from hidet.utils import cdiv, prod

spare_bytes = 2 * 1024  # of shared memory, for what the system takes
most_groups = 9  # of copies that are still under way after a wait
and_or = 0xEA  # of lop3: (a and b) or c


def module_of(task, target, tiles, row_warps, slices, split, most_stages, is_normal):
    """`tiles`: of 16 columns of the result that a warp has; `row_warps`: beside each other; `slices`: warps, and `split`: blocks of
    a cluster, that split a sum."""
    a, w, scale = task.inputs[:3]
    gain = task.inputs[3] if is_normal else scale  # what is not there is not read, and the scales stand for it
    others = task.inputs[4:] if is_normal else task.inputs[3:]
    is_gated = len(others) > 1  # then the matrix that a gate lets through is behind: it, its scales, its zero points
    has_zero = len(others) in (1, 4)
    zero = others[0] if has_zero else scale
    dtype, dtype_w, dtype_s, dtype_z, dtype_c = a.dtype, w.dtype, scale.dtype, zero.dtype, task.outputs[0].dtype
    is_half, is_float8 = dtype.name == 'float16', dtype_w.name != 'uint8'
    bits = task.attrs['bits']
    n, pitch = w.shape
    m, k = prod(a.shape[:-1]), a.shape[-1]
    groups = scale.shape[1]
    group = task.attrs['group_size'] or k
    usual_m = tune.typical(m)
    tune.check(bits in (4, 8), 'numbers have four or eight bits')
    tune.check(not is_float8 or not has_zero, 'floats have no zero point')
    tune.check(n * k * usual_m > 0, 'there is nothing to multiply')
    tune.check(pitch % 16 == 0 and k % 8 == 0, 'rows must be multiples of 16 bytes')
    tune.check(not is_normal or (isinstance(m, int) and m <= 8), 'only few rows are normalised in each block')
    run = 128 // bits  # numbers of a thread that lie beside each other
    chunk = run * 4  # of a warp
    is_row = groups == 1
    is_after = is_row or group % chunk == 0  # the sums of a step have one scale
    tune.check(is_after or group % run == 0, 'the numbers of a thread must have one scale')

    narrow = 8 if usual_m <= 8 else 16 if usual_m <= 16 else 32 if usual_m <= 32 else 64
    is_few = isinstance(m, int) and m <= narrow
    used = m if is_few else narrow  # rows of a that are in shared memory
    chunks = cdiv(k, chunk)
    if tiles is None:
        # A block of few columns for each multiprocessor, unless the sum is so long that blocks had better share it.
        is_small = cdiv(n, 16) <= target.multiprocessors and chunks < 64
        tiles = 1 if narrow == 8 and not is_gated and is_small else 2
    row_warps = row_warps or (1 if narrow == 8 else 2 if narrow <= 32 else 4)
    slices = slices or 8 // row_warps
    while slices > 1 and slices > chunks:
        slices //= 2
    columns = row_warps * tiles * 16
    tune.check(not is_gated or columns % 32 == 0, 'a gate and what it lets through are halves of a tile')
    wide = columns // 2 if is_gated else columns  # of the result
    parts_c = columns // wide
    across, down = cdiv(n, wide), cdiv(m, narrow)
    turns = cdiv(chunks, slices)
    blocks = across * cdiv(usual_m, narrow)
    has_clusters = target.capability >= 90
    if split is None:
        split = 1
        most = target.multiprocessors * (2 if narrow == 8 and turns >= 12 else 1)  # a long sum is worth two blocks
        while has_clusters and split < 8 and blocks * split * 2 <= most and turns >= split * 4:
            split *= 2
    tune.check(tiles in (1, 2) and row_warps in (1, 2, 4) and slices in (1, 2, 4, 8), 'a block has a few warps')
    tune.check(split == 1 or (has_clusters and split <= 8 and split <= turns), 'every block of a cluster needs a step')
    threads = row_warps * slices * 32
    tune.check(threads <= 512, 'a block has up to 16 warps')

    pieces_w = slices * 4  # of 16 bytes in a row of a stage
    pieces_a = slices * chunk // 8
    bytes_w, bytes_a = columns * pieces_w * 16, used * pieces_a * 16
    turns_here = cdiv(turns, split)
    # Where all of a that a block needs is there from the beginning, it lies as it is read: pieces of 16 bytes that the lanes read
    # at once beside each other, rows in other banks.
    pitch_a = pieces_a + 4 if is_normal and used > 1 else pieces_a
    all_a = turns_here * used * pitch_a * 16 if is_normal else 0
    stage_bytes = bytes_w if is_normal else bytes_w + bytes_a
    pitch_c = columns + 4  # of a row of the sums, so that columns of it lie in different banks
    part_bytes = slices * narrow * pitch_c * 4
    limit = target.shared_per_block_optin - spare_bytes - all_a
    if most_stages is None and narrow == 8 and blocks * split <= target.multiprocessors:
        most_stages = max(limit // 2 // stage_bytes, 4)  # that a second block fits, which fetches weights while this one ends
    elif most_stages is None:
        # All blocks at once, if three stages will do: of a few blocks more, memory would not be busy. Of few rows, four blocks
        # of two stages on a multiprocessor have enough under way, and leave the next kernel room to begin.
        at_once = cdiv(blocks * split, target.multiprocessors)
        most_stages = 3 if at_once * 3 * stage_bytes <= target.shared_per_block_optin < at_once * 4 * stage_bytes else 4
        if narrow == 8:
            most_stages = 2 if at_once >= 4 else 3
    stages = min(most_stages, limit // stage_bytes, most_groups + 2)
    # Of far more columns than all multiprocessors have room for, a block has several tiles, whose stages follow each other.
    resident = min(target.shared_per_block_optin // (stages * stage_bytes + all_a + part_bytes + spare_bytes), 768 // threads)
    places = target.multiprocessors * max(resident, 1)
    is_queue = split == 1 and is_few and not (is_row and has_zero) and blocks >= 2 * places
    across_grid = min(across, places) if is_queue else across
    if not is_queue:
        stages = min(stages, turns_here + 1)
    tune.check(stages >= 2 and part_bytes <= limit + all_a, 'two stages fit into shared memory')
    ring_bytes = stages * stage_bytes + all_a
    part_start = ring_bytes if is_queue else 0  # else nobody reads the stages any more
    ahead = 2  # turns before a scale is used it is asked for
    copies_w, copies_a = cdiv(columns * pieces_w, threads), cdiv(used * pieces_a, threads)
    is_whole_w, is_whole_a = columns * pieces_w % threads == 0, used * pieces_a % threads == 0
    most_rows = used if is_few else narrow
    shares = cdiv(most_rows * wide, split * threads)  # elements of the result that a thread adds up
    tiles_m = narrow // 8
    units, pieces_slice = run // 8, chunk // 8  # of the numbers that a thread has beside each other, and of a warp
    is_unrolled = split == 1 and not is_queue and turns + stages <= 6
    has_weight = w.is_constant
    has_scales = scale.is_constant and zero.is_constant
    rows, tiles_down = tune.index(m), 1 if is_few else tune.index(down)
    pieces, pieces_here, warps = k // 8, turns_here * pieces_a, threads // 32  # of 16 bytes: in a row, and of it in a block
    dtype_gain, gains_of = gain.dtype, [k] if is_normal else [n, groups]
    has_wide_gain, has_gain = gain.dtype != dtype, is_normal and gain.is_constant  # a constant need not be waited for
    epsilon = task.attrs['epsilon'] if is_normal else 0.0
    tune.metric('read_bytes', turns_here * stage_bytes + all_a)
    tune.metric('in_flight_bytes', (stages - 1) * stage_bytes)

    config = MmaConfig.m16n8k16_f16_f32() if is_half else MmaConfig.m16n8k16_bf16_f32()
    half_range = 0 if is_float8 else 2 ** (bits - 1)  # the zero point that is not given
    # Behind whose last digits the numbers stand, in both halves of a word.
    base = 0x64006400 if is_half else 0x43004300
    center = 0 if has_zero else half_range
    # 1024 and 64 plus the zero point, as float16; 128 plus it, negative, as bfloat16.
    base_zero = base + center * 0x00010001
    minus_high = 0xD400D400 + center * 0x00100010  # -(64 + z) in units of 1 / 16
    minus_base = 0xC300C300 + center * 0x00010001
    sixteenth, minus_nothing = 0x2C002C00, 0x80008000
    one = 0x3C003C00 if is_half else 0x3F803F80
    fma_x2 = fma_f16x2 if is_half else fma_bf16x2
    factor8 = 256.0 if is_float8 and is_half else 1.0  # of exponents that are taken as they are
    up120 = 0x7B807B80  # the same as bfloat16, too large for a scale
    rows_a, matrix, result = dtype[m, k], dtype_w[n, pitch], dtype_c[m, n]
    factors, zero_points, gains_k = dtype_s[n, groups], dtype_z[n, groups], dtype_gain[k]

    with hidet.script_module() as script_module:

        @hidet.script
        def fetch_weights(to: ~u32, w: matrix, up: matrix, start: i32, first: i32, step: i32, thread: i32):
            """What a step of the block, whose first tile begins at a column, needs of the matrix, to a stage."""
            attrs.func_kind = 'cuda_internal'
            column = start + step // turns * across_grid * wide if is_queue else start
            turn = step % turns if is_queue else first + step
            stage = tensor_pointer(u32, shape=[columns, pieces_w, 4], init=to)
            for i in grid(copies_w, attrs='u'):
                r = (i * threads + thread) // pieces_w
                p = (i * threads + thread) % pieces_w
                at = (turn * pieces_w + p) * 16
                if is_whole_w or r < columns:
                    source = ~w[min(column + r % wide, n - 1), min(at, pitch - 16)]
                    if is_gated:
                        if r >= wide:
                            source = ~up[min(column + r % wide, n - 1), min(at, pitch - 16)]
                    cp_async(
                        ~stage[r, p ^ (r % 2 * 4 if slices > 1 else 0), 0],
                        source,
                        cp_size=16,
                        src_size=16 if at < pitch else 0,
                    )

        @hidet.script
        def read_scales(
            scales: ~f32,
            zeros: ~f32,
            scale: factors,
            zero: zero_points,
            up_scale: factors,
            up_zero: zero_points,
            start: i32,
            first: i32,
            step: i32,
            thread: i32,
        ):
            """Those of a step, for the numbers that the thread has in it."""
            attrs.func_kind = 'cuda_internal'
            lane = thread % 32
            column = start + step // turns * across_grid * wide if is_queue else start
            turn = step % turns if is_queue else first + step
            first_row = thread // 32 // slices * (tiles * 16) + lane // 4
            number = (turn * slices + thread // 32 % slices) * chunk + lane % 4 * run
            at = min(number // group, groups - 1)
            for i, h in grid(tiles, 2, attrs='u'):
                here = first_row + i * 16 + h * 8
                r = min(column + here % wide, n - 1)
                from_scale, from_zero = ~scale[r, at], ~zero[r, at]
                if is_gated:
                    if here >= wide:
                        from_scale, from_zero = ~up_scale[r, at], ~up_zero[r, at]
                scales[i * 2 + h] = cast(from_scale[0], f32) * factor8
                if has_zero:
                    zeros[i * 2 + h] = cast(from_zero[0], f32)

        @hidet.script
        def finish(
            c: result, scale: factors, up_scale: factors, sums: ~f32, row: i32, column: i32, thread: i32
        ):
            """Adds up what the warps, and the blocks of a cluster, have of a tile, and stores it."""
            attrs.func_kind = 'cuda_internal'
            part = tensor_pointer(f32, shape=[slices, narrow, pitch_c], init=dynamic_shared_memory(part_start, f32))
            lane = thread % 32
            warp_column = thread // 32 // slices * (tiles * 16)
            rank = blockIdx.x % split
            for i, j, h, e in grid(tiles, tiles_m, 2, 2, attrs='u'):
                p = warp_column + i * 16 + h * 8 + lane // 4
                part[thread // 32 % slices, j * 8 + lane % 4 * 2 + e, p] = sums[(i * tiles_m + j) * 4 + h * 2 + e]
            if split > 1:
                this_cluster.sync()
            else:
                syncthreads()
            # Each block adds up its share of the elements. All loads of a thread are under way at once.
            totals = register_tensor(f32, shape=[shares, parts_c])
            for i, half in grid(shares, parts_c, attrs='u'):
                element = min((i * split + rank) * threads + thread, most_rows * wide - 1)
                totals[i, half] = 0.0
                for other, each in grid(split, slices, attrs='u'):
                    at = ~part[each, element // wide, half * wide + element % wide]
                    totals[i, half] += this_cluster.map_shared_rank(at, other, f32)[0] if split > 1 else at[0]
            if split > 1:
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
            for i in grid(shares, attrs='u'):
                element = (i * split + rank) * threads + thread
                r = row + element // wide
                p = column + element % wide
                if element < most_rows * wide and r < rows and p < n:
                    if is_row:
                        totals[i, 0] = totals[i, 0] * (cast(scale[p, 0], f32) * factor8)
                        if is_gated:
                            totals[i, 1] = totals[i, 1] * (cast(up_scale[p, 0], f32) * factor8)
                    total = gated(task.attrs['gate'], totals[i, 0], totals[i, 1]) if is_gated else totals[i, 0]
                    c[r, p] = cast(total, dtype_c)

        @hidet.script
        def kernel(
            a: rows_a,
            w: matrix,
            scale: factors,
            gain: dtype_gain[gains_of],
            zero: zero_points,
            up: matrix,
            up_scale: factors,
            up_zero: zero_points,
            c: result,
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'packed_matmul'
            attrs.cuda.grid_dim = split * across_grid * tiles_down
            if split > 1:
                attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1024 // threads if narrow == 8 else 1  # that blocks of the next kernel fit beside these
            attrs.cuda.dynamic_smem_bytes = max(ring_bytes, part_start + part_bytes)

            if has_clusters:
                griddepcontrol_launch_dependents()
            smem_w = tensor_pointer(u32, shape=[stages, columns, pieces_w, 4], init=dynamic_shared_memory(0, u32))
            shape_smem_a = [turns_here if is_normal else stages, used, pitch_a, 4]
            smem_a = tensor_pointer(u32, shape=shape_smem_a, init=dynamic_shared_memory(stages * bytes_w, u32))
            thread = threadIdx.x
            lane = thread % 32
            g = lane // 4
            t = lane % 4
            slice = thread // 32 % slices
            warp_column = thread // 32 // slices * (tiles * 16)
            rank = blockIdx.x % split
            # Tiles of one column beside each other: the cache gives the weights to all but the first of them.
            place = blockIdx.x // (split * tiles_down)
            column = place * wide
            row = blockIdx.x // split % tiles_down * narrow if not is_few else 0
            first = rank * turns // split
            count = (rank + 1) * turns // split - first
            # Turns of all tiles of the block.
            all_turns = (across - place + across_grid - 1) // across_grid * turns if is_queue else count

            stored = register_tensor(u32, shape=[tiles, 2, 4])
            pair = register_tensor(u32, shape=[2])
            left = register_tensor(dtype, shape=[tiles, 2, 8])
            right = register_tensor(dtype, shape=[8])
            loaded = register_tensor(u32, shape=[4])
            scales = register_tensor(f32, shape=[ahead + 1, tiles, 2])  # of this turn and of those to come
            zeros = register_tensor(f32, shape=[ahead + 1, tiles, 2])
            sums = register_tensor(f32, shape=[tiles, tiles_m, 4])
            parts = register_tensor(f32, shape=[tiles, tiles_m, 4])
            for i, j, e in grid(tiles, tiles_m, 4, attrs='u'):
                sums[i, j, e] = 0.0
                parts[i, j, e] = 0.0
            if is_row and has_zero:
                for i, h in grid(tiles, 2, attrs='u'):
                    here = warp_column + i * 16 + h * 8 + g
                    from_zero = ~zero[min(column + here % wide, n - 1), 0]
                    if is_gated:
                        if here >= wide:
                            from_zero = ~up_zero[min(column + here % wide, n - 1), 0]
                    zeros[0, i, h] = cast(from_zero[0], f32)

            if has_weight:
                for s in range(min(stages - 1, all_turns)):
                    fetch_weights(~smem_w[s, 0, 0, 0], w, up, column, first, s, thread)
            if has_scales and not is_row:
                for s in grid(ahead, attrs='u'):
                    step = min(s, all_turns - 1)
                    read_scales(
                        ~scales[s + 1, 0, 0], ~zeros[s + 1, 0, 0], scale, zero, up_scale, up_zero, column, first, step, thread
                    )
            if has_clusters and not has_gain:
                griddepcontrol_wait()
            if is_normal:
                row_parts = shared_tensor(f32, shape=[warps, m])
                squares = register_tensor(f32, shape=[m])
                gains = register_tensor(dtype_gain, shape=[cdiv(pieces_here, threads), 8])
                for i in grid(cdiv(pieces_here, threads), attrs='u'):
                    at = min((first * pieces_a + i * threads + thread) * 8, k - 8)
                    for e in grid(8, attrs='u'):
                        gains[i, e] = gain[at + e]
                if has_clusters and has_gain:
                    griddepcontrol_wait()
                for r in grid(m, attrs='u'):
                    squares[r] = 0.0
                for i in grid(cdiv(pieces, threads), attrs='u'):
                    p = i * threads + thread
                    if pieces % threads == 0 or p < pieces:
                        for r, e in grid(m, 8, attrs='u'):
                            value = cast(a[r, p * 8 + e], f32)
                            squares[r] += value * value
                for r in grid(m, attrs='u'):
                    for step in meta.each([16, 8, 4, 2, 1]):
                        squares[r] += shfl_xor_sync(0xFFFFFFFF, squares[r], step)
                    if lane == 0:
                        row_parts[thread // 32, r] = squares[r]
                syncthreads()
                for r in grid(m, attrs='u'):
                    total = f32(0.0)
                    for each in grid(warps, attrs='u'):
                        total += row_parts[each, r]
                    squares[r] = rsqrt(total * (1.0 / k) + epsilon)
                for i in grid(cdiv(pieces_here, threads), attrs='u'):
                    place = i * threads + thread
                    at = (first * pieces_a + place) * 8
                    p = place % pieces_a
                    if pieces_here % threads == 0 or place < pieces_here:
                        for r in grid(m, attrs='u'):
                            if at < k:
                                for e in grid(8, attrs='u'):
                                    to_e = e % 4 * 2 + e // 4 if bits == 4 else e  # as pairs are put together, above
                                    scaled = cast(a[r, at + e], f32) * squares[r]
                                    if has_wide_gain:
                                        right[to_e] = cast(scaled * cast(gains[i, e], f32), dtype)
                                    else:
                                        right[to_e] = cast(scaled, dtype) * gains[i, e]
                            else:
                                for e in grid(8, attrs='u'):
                                    right[e] = dtype(0.0)
                            where = p // pieces_slice * pieces_slice + p % units * 4 + p % pieces_slice // units
                            to = view(~smem_a[place // pieces_a, r, where, 0], dtype[8])
                            for e in grid(8, attrs='u'):
                                to[e] = right[e]

            if not has_scales and not is_row:
                for s in grid(ahead, attrs='u'):
                    step = min(s, all_turns - 1)
                    read_scales(
                        ~scales[s + 1, 0, 0], ~zeros[s + 1, 0, 0], scale, zero, up_scale, up_zero, column, first, step, thread
                    )
            for turn in grid(turns + stages - 1 if is_unrolled else all_turns + stages - 1, attrs='u' if is_unrolled else '.'):
                # What is asked for comes `stages` - 1 turns later.
                if turn >= stages - 1:
                    cp_async_wait_group(stages - 2)
                syncthreads()
                if turn < all_turns:
                    into = turn % stages
                    turn_here = turn % turns if is_queue else first + turn  # of its tile
                    if not has_weight or turn >= stages - 1:
                        fetch_weights(~smem_w[into, 0, 0, 0], w, up, column, first, turn, thread)
                    if not is_normal:
                        for i in grid(copies_a, attrs='u'):
                            r = (i * threads + thread) // pieces_a
                            p = (i * threads + thread) % pieces_a
                            at = (turn_here * pieces_a + p) * 8
                            turned = p ^ (p // 8 % 2) ^ (r % 2 * 2) if bits == 4 else p ^ (r % 2)
                            if is_whole_a or r < used:
                                cp_async(
                                    ~smem_a[into, r, turned, 0],
                                    ~a[min(row + r, rows - 1), min(at, k - 8)],
                                    cp_size=16,
                                    src_size=16 if at < k and row + r < rows else 0,
                                )
                cp_async_commit_group()

                if turn >= stages - 1:
                    ready = (turn + 1) % stages
                    now = turn - stages + 1
                    ready_a = (now % turns if is_queue else now) if is_normal else ready
                    if not is_row:
                        for s, i, h in grid(ahead, tiles, 2, attrs='u'):
                            scales[s, i, h] = scales[s + 1, i, h]
                            if has_zero:
                                zeros[s, i, h] = zeros[s + 1, i, h]
                        next = min(now + ahead, all_turns - 1)
                        read_scales(
                            ~scales[ahead, 0, 0], ~zeros[ahead, 0, 0], scale, zero, up_scale, up_zero, column, first, next, thread
                        )
                    for i, h in grid(tiles, 2, attrs='u'):
                        r = warp_column + i * 16 + h * 8 + g
                        source = ~smem_w[ready, r, (slice * 4 + t) ^ (r % 2 * 4 if slices > 1 else 0), 0]
                        lds128(~stored[i, h, 0], ~stored[i, h, 1], ~stored[i, h, 2], ~stored[i, h, 3], source)
                    for u in grid(units, attrs='u'):
                        for i, h in grid(tiles, 2, attrs='u'):
                            made = view(~left[i, 0, 0], u32[8])
                            # Pairs 0 and 1 are of the first product, 2 and 3 of the second one.
                            if bits == 4 and is_half:
                                for v in grid(2, attrs='u'):
                                    word = stored[i, h, u] >> u32(v * 8)
                                    lop3(~pair[0], word, u32(0x000F000F), u32(base), imm_lut=and_or)
                                    sub_f16x2(~made[v * 4 + h], pair[0], u32(base_zero))
                                    lop3(~pair[0], word, u32(0x00F000F0), u32(base), imm_lut=and_or)
                                    fma_f16x2(~made[v * 4 + 2 + h], pair[0], u32(sixteenth), u32(minus_high))
                            elif bits == 4:
                                for v in grid(4, attrs='u'):
                                    word = stored[i, h, u] >> u32(v * 4)
                                    lop3(~pair[0], word, u32(0x000F000F), u32(base), imm_lut=and_or)
                                    fma_bf16x2(~made[v // 2 * 4 + v % 2 * 2 + h], pair[0], u32(one), u32(minus_base))
                            else:
                                for v in grid(4, attrs='u'):
                                    word = stored[i, h, u * 2 + v // 2]
                                    at = v // 2 * 4 + v % 2 * 2 + h
                                    if is_float8:
                                        prmt(~pair[0], word, u32(0), u32(0x1404 + v % 2 * 0x2020))
                                        sign = pair[0] & u32(0x80008000)
                                        if is_half:
                                            lop3(~made[at], pair[0] >> u32(1), u32(0x3F803F80), sign, imm_lut=and_or)
                                        else:
                                            lop3(~pair[0], pair[0] >> u32(4), u32(0x07F007F0), sign, imm_lut=and_or)
                                            fma_bf16x2(~made[at], pair[0], u32(up120), u32(minus_nothing))
                                    elif is_half:
                                        prmt(~pair[0], word, u32(0x64646464), u32(0x4140 + v % 2 * 0x0202))
                                        sub_f16x2(~made[at], pair[0], u32(base_zero))
                                    else:
                                        # The numbers are exact in the upper halves of f32.
                                        reals = view(~pair[0], f32[2])
                                        for e in grid(2, attrs='u'):
                                            prmt(~pair[e], word, u32(0x4B000000), u32(0x7540 + v % 2 * 2 + e))
                                            reals[e] = reals[e] - f32(8388608.0 + center)
                                        prmt(~made[at], pair[0], pair[1], u32(0x7632))
                            if has_zero or not is_after:
                                halves = view(~pair[0], dtype[4])
                                for e in grid(2, attrs='u'):
                                    halves[e] = cast(-zeros[0, i, h], dtype)
                                    halves[2 + e] = cast(scales[0, i, h], dtype)
                                for e in grid(4, attrs='u'):
                                    at = e * 2 + h
                                    if has_zero:
                                        fma_x2(~made[at], made[at], u32(one), pair[0])
                                    if not is_after:
                                        fma_x2(~made[at], made[at], pair[1], u32(minus_nothing))
                        for j in grid(tiles_m, attrs='u'):
                            r = min(j * 8 + g, used - 1)
                            p = slice * pieces_slice + t * units + u
                            turned = p ^ (p // 8 % 2) ^ (r % 2 * 2) if bits == 4 else p ^ (r % 2)
                            words = view(~right[0], u32[4])
                            if is_normal:
                                source = ~smem_a[ready_a, r, slice * pieces_slice + u * 4 + t, 0]
                                lds128(~words[0], ~words[1], ~words[2], ~words[3], source)
                            elif bits == 4:
                                lds128(~loaded[0], ~loaded[1], ~loaded[2], ~loaded[3], ~smem_a[ready_a, r, turned, 0])
                                for e in grid(2, attrs='u'):
                                    prmt(~words[e * 2], loaded[e], loaded[e + 2], u32(0x5410))
                                    prmt(~words[e * 2 + 1], loaded[e], loaded[e + 2], u32(0x7632))
                            else:
                                lds128(~words[0], ~words[1], ~words[2], ~words[3], ~smem_a[ready_a, r, turned, 0])
                            for i, v in grid(tiles, 2, attrs='u'):
                                if is_row or not is_after:
                                    mma_sync(config, ~left[i, v, 0], ~right[v * 4], ~sums[i, j, 0])
                                else:
                                    mma_sync(config, ~left[i, v, 0], ~right[v * 4], ~parts[i, j, 0])
                    if is_after and not is_row:
                        for i, j, e in grid(tiles, tiles_m, 4, attrs='u'):
                            sums[i, j, e] += parts[i, j, e] * scales[0, i, e // 2]
                            parts[i, j, e] = 0.0

                    if is_queue and now % turns == turns - 1:
                        there = column + now // turns * across_grid * wide
                        finish(c, scale, up_scale, ~sums[0, 0, 0], row, there, thread)
                        for i, j, e in grid(tiles, tiles_m, 4, attrs='u'):
                            sums[i, j, e] = 0.0

            if not is_queue:
                cp_async_wait_group(0)
                syncthreads()  # nobody reads the stages any more
                finish(c, scale, up_scale, ~sums[0, 0, 0], row, column, thread)

        if is_gated and has_zero:

            @hidet.script
            def launch(
                a: rows_a, w: matrix, scale: factors, gain: gains_k, zero: zero_points, up: matrix, up_scale: factors, up_zero: zero_points, c: result
            ):
                attrs.func_kind = 'public'
                kernel(a, w, scale, gain, zero, up, up_scale, up_zero, c)

        elif is_gated:

            @hidet.script
            def launch(a: rows_a, w: matrix, scale: factors, gain: gains_k, up: matrix, up_scale: factors, c: result):
                attrs.func_kind = 'public'
                kernel(a, w, scale, gain, scale, up, up_scale, up_scale, c)

        elif is_normal and has_zero:

            @hidet.script
            def launch(a: rows_a, w: matrix, scale: factors, gain: gains_k, zero: zero_points, c: result):
                attrs.func_kind = 'public'
                kernel(a, w, scale, gain, zero, w, scale, zero, c)

        elif is_normal:

            @hidet.script
            def launch(a: rows_a, w: matrix, scale: factors, gain: gains_k, c: result):
                attrs.func_kind = 'public'
                kernel(a, w, scale, gain, scale, w, scale, scale, c)

        elif has_zero:

            @hidet.script
            def launch(a: rows_a, w: matrix, scale: factors, zero: zero_points, c: result):
                attrs.func_kind = 'public'
                kernel(a, w, scale, scale, zero, w, scale, zero, c)

        else:

            @hidet.script
            def launch(a: rows_a, w: matrix, scale: factors, c: result):
                attrs.func_kind = 'public'
                kernel(a, w, scale, scale, scale, w, scale, scale, c)

    return script_module


@hidet.template('PackedMatmul', dtypes=['float16', 'bfloat16'], capability=80, dynamic=True)
@tune.space(1, tiles=[1, 2], slices=[2, 4, 8], split=[1, 2, 4])
@tune.space(2, tiles=[1, 2], row_warps=[1, 2, 4], slices=[1, 2, 4, 8], split=[1, 2, 4, 8], most_stages=[3, 4, 6])
def matmul(task, target, tiles=None, row_warps=None, slices=None, split=None, most_stages=None):
    return module_of(task, target, tiles, row_warps, slices, split, most_stages, is_normal=False)


@hidet.template('RmsPackedMatmul', dtypes=['float16', 'bfloat16'], capability=80)
@tune.space(1, tiles=[1, 2], slices=[2, 4, 8], split=[1, 2, 4])
@tune.space(2, tiles=[1, 2], row_warps=[1, 2, 4], slices=[1, 2, 4, 8], split=[1, 2, 4, 8], most_stages=[3, 4, 6])
def rms_matmul(task, target, tiles=None, row_warps=None, slices=None, split=None, most_stages=None):
    return module_of(task, target, tiles, row_warps, slices, split, most_stages, is_normal=True)
