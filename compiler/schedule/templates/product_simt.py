# SPDX-License-Identifier: Apache-2.0
"""Matrix products and convolutions without tensor cores: any extents, any batches, sums in f32, for any GPU.

Three levels of tiles. A block has a tile of the result; a warp has pieces of it, mostly 16 rows high and 32 columns wide; a
thread has 4 x 4 elements of each piece, 8 x 16 in all where the result is large. For every step of the sum it loads 8 and 16
numbers from shared memory, 16 bytes at a time, and does 128 multiply-adds with them. That ratio decides: shared memory is as
long at work for one such load of a warp as the multiprocessor for 16 multiply-adds, so 8 x 8 elements of a thread would need
both all the time, and each would wait for the other.

Tiles of a and b come by fours of neighbours, so what is fused before the product is computed on the way. A thread asks for its
share of the next tile, multiplies the current one, and only then puts what arrived into the other buffer: one barrier a tile. A
tile of a is turned as it is stored, so that a step is a row of it. Every fourth row begins some banks later, because lanes that
have the same rows and other fours of the sum write at the same time.

Rows and columns behind an edge are read as the last ones and not stored, so edges cost nothing; only a sum that is no multiple
of the steps of a tile is filled with zeros.

Where tiles are few, each multiprocessor has one block of eight warps. They are more than the pieces of a small tile, so several
warps, the slices, have the same piece and each its share of the steps. And if the GPU has clusters, their blocks share a tile
and split the sum. All parts meet in shared memory, and each block adds up its share of the tile, always in the same order. Such
a block asks for half of the shared memory, or two would lie on one multiprocessor and none on another.

With few rows, a warp has them all and more columns: its lanes lie beside each other.

A convolution with channels last is such a product: a row for each pixel of the result, a column for each of its channels, and a
sum over the taps of the filter and the channels of the input. A thread asks for neighbouring channels of the pixel that a tap sees.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import make_vector
from hidet.lang import attrs, cast, f32, f32x4, grid, i32, meta, register_tensor, tensor_pointer
from hidet.lang.cuda import (
    blockIdx,
    cp_async,
    cp_async_wait_all,
    dynamic_shared_memory,
    syncthreads,
    this_cluster,
    threadIdx,
)
from hidet.templates import pair
from hidet.utils import cdiv, prod

rows_of_group = 8  # of tiles that run at the same time and share their columns of b in the cache


def extents_of(task):
    """m, n, k, and for each dimension of the batch: extent, and how far a and b move on with it, in matrices."""
    a, b = list(task.inputs[0].shape), list(task.inputs[1].shape)
    if len(a) == 1:
        a = [1] + a
    if len(b) == 1:
        b = b + [1]
        n, k = 1, b[-2]
    else:
        n, k = (b[-2], b[-1]) if task.attrs['transpose_b'] else (b[-1], b[-2])
    tune.check(isinstance(n * k, int), 'the columns and the length of the sums must be known')
    if tune.same(prod(b[:-2]), 1):
        return prod(a[:-1]), n, k, []  # leading dimensions of a are rows
    rank = max(len(a), len(b)) - 2
    of_a, of_b = [1] * (rank + 2 - len(a)) + a[:-2], [1] * (rank + 2 - len(b)) + b[:-2]
    dims = []
    for i in range(rank):
        step_a = 0 if tune.same(of_a[i], 1) else prod(of_a[i + 1 :])
        step_b = 0 if tune.same(of_b[i], 1) else prod(of_b[i + 1 :])
        is_of_b = tune.same(of_a[i], 1) or (isinstance(of_b[i], int) and of_b[i] > 1)  # a symbol that meets a number is it
        dims.append((of_b[i] if is_of_b else of_a[i], step_a, step_b))
    return a[-2], n, k, dims


most_terms = 32  # of a sum that a thread computes as fast alone

# Rows, columns and steps of a tile, columns of a thread, lanes beside each other, slices, and how much of the time is spent on
# multiplying. All have eight warps, but the first, of which a multiprocessor has two blocks.
choices = [
    (128, 128, 16, 16, 8, 1, 0.8),
    (128, 128, 16, 16, 8, 2, 0.74),
    (64, 128, 64, 16, 8, 4, 0.78),
    (64, 96, 32, 12, 8, 4, 0.72),
    (128, 64, 16, 8, 8, 2, 0.66),
    (64, 64, 32, 8, 8, 4, 0.66),
    (32, 64, 32, 4, 8, 4, 0.35),
    (16, 64, 64, 4, 8, 4, 0.3),
    (8, 64, 64, 4, 16, 8, 0.3),
    (8, 64, 256, 4, 16, 8, 0.5),
    (4, 128, 64, 4, 32, 8, 0.3),
]


def choose(batch, m, n, k, target):
    """Of the choices what takes least time, without its share of the time, and how many blocks share a tile."""
    best, least = None, 0.0
    for block_m, block_n, block_k, columns, lanes, slices, rate in choices:
        tiles, elements = batch * cdiv(m, block_m) * cdiv(n, block_n), block_m * block_n
        if slices == 1 and tiles <= target.multiprocessors:
            continue  # four warps do not keep a multiprocessor busy
        if block_m <= 16 and block_m < m:
            continue  # b would be read again and again
        floats = max(2 * block_k * (block_m + block_n + 4), slices * block_m * (block_n + 4) if slices > 1 else 0)
        if floats * 4 > target.shared_per_block_optin:
            continue  # the tiles or their sums do not fit into shared memory
        for split in range(1, 9):
            # Blocks of a cluster share a tile where each has a multiprocessor of its own then. Clusters lie in parts of the
            # GPU, which larger ones do not fill.
            blocks = tiles * split * (4 if split > 2 else 3)
            if split > 1 and (target.capability < 90 or k < split * 128 or blocks > target.multiprocessors * 3):
                continue
            # Cycles: products, of zeros behind the last one too, sums that meet in shared memory, and in that of other blocks.
            turns = cdiv(k, split * block_k) * block_k
            time = cdiv(tiles * split, target.multiprocessors) * elements * (turns / rate + slices * 8) / 128
            time += 1000 * split + elements * slices / 6 if split > 1 else 0
            if best is None or time < least:
                best, least = (block_m, block_n, block_k, columns, lanes, slices, split), time
    return best


def product(name, target, operands, m, n, k, dims, transposed, image, parameters):
    """`operands`: a, b and c, whose shapes are [batch, rows, columns] but for images. `dims` as extents_of() has them. `image`: of a
    convolution, how filters stand."""
    block_m, block_n, block_k, columns, lanes, slices, split = parameters
    type_a, type_b, type_c = operands
    batch = prod([extent for extent, step_a, step_b in dims])
    dtype, dtype_b, dtype_c = [each.dtype for each in operands]
    usual_m, usual_batch, rows = tune.typical(m), tune.typical(batch), tune.index(m)
    tune.check(usual_m * n * k * usual_batch > 0, 'there is nothing to multiply')

    defaults = choose(usual_batch, usual_m, n, k, target) if block_m is None else (block_m, 64, 8 * (slices or 2), 8, 8, 2, 1)
    block_m, block_n, block_k = block_m or defaults[0], block_n or defaults[1], block_k or defaults[2]
    columns, lanes = columns or defaults[3], lanes or defaults[4]
    slices, split = slices or defaults[5], split or defaults[6]
    across, steps = cdiv(n, block_n), cdiv(k, block_k)
    down, tiles = tune.index(cdiv(m, block_m)), tune.index(batch * cdiv(m, block_m) * across)
    usual_down = cdiv(usual_m, block_m)
    tune.check(split == 1 or target.capability >= 90, 'there are no clusters')
    tune.check(split <= steps, 'every block of a cluster needs a step')

    # Pieces that a warp has, and warps beside each other.
    piece_m, piece_n = 32 // lanes * 4, lanes * 4
    pieces_m, pieces_n = 2 if block_m > piece_m else 1, columns // 4
    warps_m, warps_n = block_m // (pieces_m * piece_m), block_n // (pieces_n * piece_n)
    threads = warps_m * warps_n * slices * 32
    fits = block_m % (pieces_m * piece_m) == 0 and block_n % (pieces_n * piece_n) == 0
    tune.check(fits and 64 <= threads <= 512, 'the warps do not fit the tile')
    steps_each = block_k // slices  # of a tile, for a warp
    tune.check(steps_each * slices == block_k and steps_each % 4 == 0, 'each slice needs four steps')
    fours = block_k // 4  # of a row of a tile of a
    # Fours of a thread; those behind the last of the tile are read and not stored.
    copies_a, copies_b = cdiv(block_m * fours, threads), cdiv(block_n * fours, threads)
    all_a, all_b = copies_a * threads == block_m * fours, copies_b * threads == block_n * fours
    apart = max(32 // fours, 4)  # so that lanes with the same rows and other fours of the sum write to other banks
    apart_b = apart if transposed else 0
    pitch_c = block_n + 4
    # Where turns are long, weights come without a detour through registers: nothing is computed on their way. In short turns
    # the wait for the copies takes longer than the detour.
    is_copied = type_b.is_constant and dtype_b == f32 and not transposed and n % 4 == 0 and target.capability >= 80
    is_copied = is_copied and block_n >= 128 and block_k >= 64
    tile_a, tile_b = block_k * block_m + fours * apart, block_k * block_n + fours * apart_b
    shared_bytes = max(2 * (tile_a + tile_b), slices * block_m * pitch_c if split * slices > 1 else 0) * 4
    tune.check(shared_bytes <= target.shared_per_block_optin, 'the tiles do not fit into shared memory')
    # Registers: sums, two sets of what is multiplied, what is on its way, and some more.
    registers = pieces_m * pieces_n * 16 + (pieces_m + pieces_n) * 8 + (copies_a + (0 if is_copied else copies_b)) * 4 + 16
    min_blocks = 65536 // (threads * max(registers, 128))
    tune.check(min_blocks >= 1, 'the sums do not fit into registers')
    if usual_batch * usual_down * across * split <= target.multiprocessors:  # two blocks on one, and nothing on another
        shared_bytes = max(shared_bytes, target.shared_bytes // 2)
    groups = block_m * block_n // 4  # of 4 columns
    shares = cdiv(groups, threads * split)  # that a thread adds up
    # Of tiles that several blocks need, memory gives each its share, one tile at a time. Parts of sums come from other blocks.
    step_bytes = (block_m / across + block_n / usual_down) * block_k * dtype.nbytes
    tune.metric('read_bytes', cdiv(steps, split) * step_bytes + (block_m * pitch_c * 4 if split > 1 else 0))
    tune.metric('in_flight_bytes', step_bytes)

    full_groups = down // rows_of_group * rows_of_group
    is_programmatic = target.capability >= 90
    batch_a, batch_b = [prod(each.shape[:-2]) if dims else 1 for each in (type_a, type_b)]
    shape_a = type_a.shape if image else [batch_a, m, k]
    shape_b = [batch_b, n, k] if transposed else [batch_b, k, n]
    shape_c = [batch, m, n]
    is_batched, cuts_rows = not tune.same(batch, 1), not (isinstance(m, int) and m % block_m == 0)
    counts = [[tune.index(number) for number in dim] for dim in dims[::-1]]

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: dtype[shape_a], b: dtype_b[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = name
            attrs.cuda.grid_dim = tiles * split
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = min_blocks
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            if is_programmatic:
                griddepcontrol_wait()
            smem_a = tensor_pointer(f32, shape=[2, tile_a], init=dynamic_shared_memory(0, f32))
            smem_b = tensor_pointer(f32, shape=[2, tile_b], init=dynamic_shared_memory(2 * tile_a * 4, f32))
            regs_a = register_tensor(f32, shape=[copies_a * 4])  # what is on its way
            regs_b = register_tensor(f32, shape=[1 if is_copied else copies_b * 4])
            left = register_tensor(f32, shape=[pieces_m * 4])
            right = register_tensor(f32, shape=[pieces_n * 4])
            sums = register_tensor(f32, shape=[pieces_m * 4, pieces_n * 4])

            # Which tile: by groups of rows of tiles, column by column.
            rank = blockIdx.x % split
            z = blockIdx.x // split // (down * across) if is_batched else 0
            tile = blockIdx.x // split % (down * across)
            in_group = tile % (rows_of_group * across)
            top = tile // (rows_of_group * across) * rows_of_group
            height = rows_of_group if top < full_groups else down - full_groups
            row = (top + in_group % height) * block_m
            column = in_group // height * block_n
            first = rank * steps // split
            count = (rank + 1) * steps // split - first
            z_a, z_b, rest = 0, 0, z
            for extent, step_a, step_b in meta.each(counts):
                z_a += rest % extent * step_a
                z_b += rest % extent * step_b
                rest = rest // extent

            thread = threadIdx.x
            lane = thread % 32
            slice = thread // 32 // (warps_m * warps_n) if slices > 1 else 0
            warp_row = thread // 32 // warps_n % warps_m * (pieces_m * piece_m) + lane // lanes * 4
            warp_column = thread // 32 % warps_n * (pieces_n * piece_n) + lane % lanes * 4
            first_a = slice * (steps_each * block_m + steps_each // 4 * apart) + warp_row
            first_b = slice * (steps_each * block_n + steps_each // 4 * apart_b) + warp_column
            for i, j in grid(pieces_m * 4, pieces_n * 4, attrs='u'):
                sums[i, j] = 0.0

            if image:  # the pixel in the corner of the filter that a row sees, and where it is
                corners = register_tensor(i32, shape=[copies_a, 3])
                for i in grid(copies_a, attrs='u'):
                    pixel = min(row + (i * threads + thread) // fours, rows - 1)
                    corners[i, 0] = pixel // image['columns'] % image['rows'] * image['stride_h'] - image['top']
                    corners[i, 1] = pixel % image['columns'] * image['stride_w'] - image['left']
                    corners[i, 2] = pixel // (image['rows'] * image['columns'])

            # A turn asks for a tile and multiplies the one before; in the last one, what it asks for is not used.
            for turn in range(count + 1):
                start = (first + min(turn, count - 1)) * block_k
                for i in grid(copies_a, attrs='u'):
                    r = row + (i * threads + thread) // fours
                    p = start + (i * threads + thread) % fours * 4
                    if cuts_rows or not all_a:
                        r = min(r, rows - 1)
                    if image:
                        tap = p // image['channels']
                        h = corners[i, 0] + tap // image['filter_w'] * image['dilation_h']
                        v = corners[i, 1] + tap % image['filter_w'] * image['dilation_w']
                        of_image, channel = corners[i, 2], p // 4 % (image['channels'] // 4) * 4
                        for e in grid(4, attrs='u'):
                            regs_a[i * 4 + e] = 0.0
                        if p < k and 0 <= h and h < image['height'] and 0 <= v and v < image['width']:
                            for e in grid(4, attrs='u'):
                                regs_a[i * 4 + e] = cast(a[of_image, h, v, channel + e], f32)
                    elif k % block_k == 0:
                        for e in grid(4, attrs='u'):
                            regs_a[i * 4 + e] = cast(a[z_a, r, p + e], f32)
                    elif k % 4 == 0:
                        for e in grid(4, attrs='u'):
                            regs_a[i * 4 + e] = 0.0
                        if p < k:
                            for e in grid(4, attrs='u'):
                                regs_a[i * 4 + e] = cast(a[z_a, r, p + e], f32)
                    else:
                        for e in grid(4, attrs='u'):
                            regs_a[i * 4 + e] = cast(a[z_a, r, p + e], f32) if p + e < k else f32(0.0)
                for i in grid(copies_b, attrs='u'):
                    if transposed:
                        r = column + (i * threads + thread) // fours
                        p = start + (i * threads + thread) % fours * 4
                        if n % block_n != 0 or not all_b:
                            r = min(r, n - 1)
                        if k % block_k == 0:
                            for e in grid(4, attrs='u'):
                                regs_b[i * 4 + e] = cast(b[z_b, r, p + e], f32)
                        elif k % 4 == 0:
                            for e in grid(4, attrs='u'):
                                regs_b[i * 4 + e] = 0.0
                            if p < k:
                                for e in grid(4, attrs='u'):
                                    regs_b[i * 4 + e] = cast(b[z_b, r, p + e], f32)
                        else:
                            for e in grid(4, attrs='u'):
                                regs_b[i * 4 + e] = cast(b[z_b, r, p + e], f32) if p + e < k else f32(0.0)
                    else:
                        r = column + (i * threads + thread) % (block_n // 4) * 4
                        p = start + (i * threads + thread) // (block_n // 4)
                        if n % block_n != 0 and n % 4 == 0:
                            r = min(r, n - 4)
                        if is_copied:
                            to = ~smem_b[turn % 2, (i * threads + thread) * 4]
                            if k % block_k == 0 and all_b:
                                cp_async(to, ~b[z_b, p, r], cp_size=16)
                            elif all_b or i * threads + thread < block_k * block_n // 4:
                                cp_async(to, ~b[z_b, min(p, k - 1), r], cp_size=16, src_size=16 if p < k else 0)
                        elif k % block_k == 0 and n % 4 == 0 and all_b:
                            for e in grid(4, attrs='u'):
                                regs_b[i * 4 + e] = cast(b[z_b, p, r + e], f32)
                        else:
                            for e in grid(4, attrs='u'):
                                regs_b[i * 4 + e] = 0.0
                            if p < k:
                                for e in grid(4, attrs='u'):
                                    regs_b[i * 4 + e] = cast(b[z_b, p, r + e if n % 4 == 0 else min(r + e, n - 1)], f32)

                if turn > 0:
                    ready = (turn + 1) % 2
                    for p in grid(steps_each, attrs='u'):
                        for x in grid(pieces_m, attrs='u'):
                            four = cast(~smem_a[ready, first_a + p * block_m + p // 4 * apart + x * piece_m], ~f32x4)[0]
                            for e in meta.range(4):
                                left[x * 4 + e] = four[e]
                        for y in grid(pieces_n, attrs='u'):
                            four = cast(~smem_b[ready, first_b + p * block_n + p // 4 * apart_b + y * piece_n], ~f32x4)[0]
                            for e in meta.range(4):
                                right[y * 4 + e] = four[e]
                        for i, j in grid(pieces_m * 4, pieces_n * 4, attrs='u'):
                            sums[i, j] += left[i] * right[j]

                for i in grid(copies_a, attrs='u'):
                    r = (i * threads + thread) // fours
                    p = (i * threads + thread) % fours
                    if all_a or r < block_m:
                        for e in grid(4, attrs='u'):
                            smem_a[turn % 2, (p * 4 + e) * block_m + p * apart + r] = regs_a[i * 4 + e]
                for i in grid(0 if is_copied else copies_b, attrs='u'):
                    if transposed:
                        r = (i * threads + thread) // fours
                        p = (i * threads + thread) % fours
                        if all_b or r < block_n:
                            for e in grid(4, attrs='u'):
                                smem_b[turn % 2, (p * 4 + e) * block_n + p * apart + r] = regs_b[i * 4 + e]
                    elif all_b or i * threads + thread < block_k * block_n // 4:
                        to = cast(~smem_b[turn % 2, (i * threads + thread) * 4], ~f32x4)
                        to[0] = make_vector(regs_b[i * 4], regs_b[i * 4 + 1], regs_b[i * 4 + 2], regs_b[i * 4 + 3])
                if is_copied:
                    cp_async_wait_all()
                syncthreads()

            if is_programmatic:  # sooner, blocks of kernels to come would take room from each other
                griddepcontrol_launch_dependents()
            if split * slices == 1:
                for i, y in grid(pieces_m * 4, pieces_n, attrs='u'):
                    r = row + warp_row + i // 4 * piece_m + i % 4
                    p = column + warp_column + y * piece_n
                    if n % 4 == 0:
                        if r < rows and p < n:
                            for e in grid(4, attrs='u'):
                                c[z, r, p + e] = cast(sums[i, y * 4 + e], dtype_c)
                    else:
                        for e in grid(4, attrs='u'):
                            if r < rows and p + e < n:
                                c[z, r, p + e] = cast(sums[i, y * 4 + e], dtype_c)
            else:
                part = tensor_pointer(f32, shape=[slices, block_m, pitch_c], init=dynamic_shared_memory(0, f32))
                totals = register_tensor(f32, shape=[shares, 4])
                for i, y in grid(pieces_m * 4, pieces_n, attrs='u'):
                    mine = cast(~part[slice, warp_row + i // 4 * piece_m + i % 4, warp_column + y * piece_n], ~f32x4)
                    mine[0] = make_vector(sums[i, y * 4], sums[i, y * 4 + 1], sums[i, y * 4 + 2], sums[i, y * 4 + 3])
                if split > 1:
                    this_cluster.sync()
                else:
                    syncthreads()
                # Each block adds up its share of the tile, and each thread has groups of 4 columns of them.
                for i in grid(shares, attrs='u'):
                    group = min((i * split + rank) * threads + thread, groups - 1)
                    for e in grid(4, attrs='u'):
                        totals[i, e] = 0.0
                    for other, each in grid(split, slices, attrs='u'):
                        at = ~part[each, group // (block_n // 4), group % (block_n // 4) * 4]
                        theirs = this_cluster.map_shared_rank(at, other, f32x4)[0] if split > 1 else cast(at, ~f32x4)[0]
                        for e in meta.range(4):
                            totals[i, e] += theirs[e]
                if split > 1:
                    this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
                for i in grid(shares, attrs='u'):
                    group = (i * split + rank) * threads + thread
                    r = row + group // (block_n // 4)
                    p = column + group % (block_n // 4) * 4
                    is_inside = group < groups and r < rows
                    if n % 4 == 0:
                        if is_inside and p < n:
                            for e in grid(4, attrs='u'):
                                c[z, r, p + e] = cast(totals[i, e], dtype_c)
                    else:
                        for e in grid(4, attrs='u'):
                            if is_inside and p + e < n:
                                c[z, r, p + e] = cast(totals[i, e], dtype_c)

        @hidet.script
        def launch(a: dtype[shape_a], b: dtype_b[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'public'
            kernel(a, b, c)

    return script_module


@hidet.template('Matmul', dtypes=['float32', 'float16', 'bfloat16'], capability=70, dynamic=True)
@tune.space(1, block_m=[32, 64, 128], block_n=[64, 128], columns=[8, 16], split=[1, 2, 4, 8])
@tune.space(
    2,
    block_m=[16, 32, 64, 128, 256],
    block_n=[32, 64, 128, 256],
    block_k=[8, 16, 32, 64],
    columns=[4, 8, 16],
    lanes=[4, 8],
    slices=[1, 2, 4, 8],
    split=[1, 2, 4, 8],
)
def matmul(task, target, block_m=None, block_n=None, block_k=None, columns=None, lanes=None, slices=None, split=None):
    """`block_k`: steps of a tile; `columns`: of a thread; `lanes`: beside each other; `slices`: warps, and `split`: blocks of a
    cluster, that split a sum."""
    m, n, k, dims = extents_of(task)
    tune.check(k > most_terms or not (tune.same(m, 1) or n == 1), 'a vector of sums of few terms would leave a tile empty')
    transposed = task.attrs['transpose_b'] and len(task.inputs[1].shape) > 1
    operands = task.inputs[0], task.inputs[1], task.outputs[0]
    parameters = block_m, block_n, block_k, columns, lanes, slices, split
    return product('matmul', target, operands, m, n, k, dims, transposed, None, parameters)


@hidet.template('Conv2dChannelLast', dtypes=['float32', 'float16', 'bfloat16'], capability=70, dynamic=True)
@tune.space(1, block_m=[32, 64, 128], block_n=[64, 128], columns=[8, 16], split=[1, 2, 4, 8])
def convolution(task, target, block_m=None, block_n=None, block_k=None, columns=None, lanes=None, slices=None, split=None):
    x_type, w_type = task.inputs
    images, height, width, channels = x_type.shape
    features, _, filter_h, filter_w = w_type.shape
    _, rows, columns_of_image, _ = task.outputs[0].shape
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)
    tune.check(task.attrs['groups'] == 1, 'every channel of the result must take all channels of the input')
    tune.check(isinstance(rows * columns_of_image * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(channels % 4 == 0, 'a thread takes four channels of a pixel')
    image = {
        'height': height,
        'width': width,
        'channels': channels,
        'rows': rows,
        'columns': columns_of_image,
        'filter_w': filter_w,
        'stride_h': stride_h,
        'stride_w': stride_w,
        'dilation_h': dilation_h,
        'dilation_w': dilation_w,
        'top': top,
        'left': left,
    }
    bottom, right = pair(task.attrs['padding'], 0, first=2)
    # A filter of one tap that sees each pixel once: the pixels are rows of a matrix.
    is_flat = filter_h == filter_w == stride_h == stride_w == 1 and top == left == bottom == right == 0
    m, k = images * rows * columns_of_image, filter_h * filter_w * channels
    w_type.permuted([2, 3, 1, 0])  # the features are columns
    parameters = block_m, block_n, block_k, columns, lanes, slices, split
    operands = x_type, w_type, task.outputs[0]
    return product('conv2d', target, operands, m, features, k, [], False, None if is_flat else image, parameters)
