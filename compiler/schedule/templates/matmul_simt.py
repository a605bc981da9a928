# SPDX-License-Identifier: Apache-2.0
"""Matrix product without tensor cores: any extents, any batches, sums in f32, for any GPU.

Three levels of tiles. A block has a tile of the result, 128 x 128 where there are enough of them; a warp has pieces of it that
are 16 rows high and 32 columns wide; a thread has 4 x 4 elements of each piece, 8 x 8 in all. For every step of the sum it
loads 8 and 8 numbers from shared memory, 16 bytes at a time, and does 64 multiply-adds with them. Lanes that read different
columns read 128 bytes in a row, and lanes that read the same ones share the access, so no access waits for another.

Tiles of a and b come element by element, neighbouring lanes reading neighbours, so what is fused before the product is
computed on the way. A thread asks for its share of the next tile, multiplies the current one, and only then puts what arrived
into the other buffer: one barrier a tile. A tile of a is turned as it is stored, so that a step is a row of it. Its rows are
longer by 4, because lanes that have 8 steps of 4 rows of a then write to 32 banks.

Rows and columns behind an edge are read as the last one and not stored, so edges cost nothing; only a sum that is no multiple
of the steps of a tile is filled with zeros.

Where tiles are too few, the blocks of a cluster share one and split the sum, if the GPU has clusters. Their parts meet in
shared memory, and each block adds up its share of the rows from all blocks, always in the same order.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import make_vector
from hidet.lang import attrs, cast, f32, f32x4, grid, meta, register_tensor, tensor_pointer
from hidet.lang.cuda import blockIdx, dynamic_shared_memory, syncthreads, this_cluster, threadIdx
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
    if prod(b[:-2]) == 1:
        return prod(a[:-1]), n, k, []  # leading dimensions of a are rows
    rank = max(len(a), len(b)) - 2
    of_a, of_b = [1] * (rank + 2 - len(a)) + a[:-2], [1] * (rank + 2 - len(b)) + b[:-2]
    dims = []
    for i in range(rank):
        step_a = prod(of_a[i + 1 :]) if of_a[i] > 1 else 0
        step_b = prod(of_b[i + 1 :]) if of_b[i] > 1 else 0
        dims.append((max(of_a[i], of_b[i]), step_a, step_b))
    return a[-2], n, k, dims


def tile_for(batch, m, n, multiprocessors):
    """Rows, columns and steps of a tile: large ones where there are enough for all multiprocessors."""
    if m <= 16:
        return 16, 64, 32  # memory is the limit: many bytes on their way
    if batch * cdiv(m, 128) * cdiv(n, 128) >= multiprocessors:
        return 128, 128, 16
    return (64, 64, 8) if batch * cdiv(m, 64) * cdiv(n, 64) * 4 >= multiprocessors else (32, 64, 8)


def split_for(tiles, k, target):
    """Blocks that share a tile: enough for all multiprocessors, each with enough of the sum."""
    split = 1
    while target.capability >= 90 and split < 8 and tiles * split < target.multiprocessors and k >= split * 128:
        split *= 2
    return split


@hidet.template('Matmul', dtypes=['float32', 'float16', 'bfloat16'], capability=70)
@tune.space(1, block_m=[32, 64, 128], block_n=[64, 128], split=[1, 4])
@tune.space(
    2,
    block_m=[16, 32, 64, 128, 256],
    block_n=[32, 64, 128, 256],
    block_k=[8, 16, 32],
    columns=[4, 8, 16],
    split=[1, 2, 4, 8],
)
def matmul(task, target, block_m=None, block_n=None, block_k=None, columns=None, split=None):
    """`block_k`: steps of a tile; `columns`: of a thread; `split`: blocks of a cluster that share a tile and split its sum."""
    m, n, k, dims = extents_of(task)
    batch = prod([extent for extent, step_a, step_b in dims])
    dtype, dtype_b, dtype_c = task.inputs[0].dtype, task.inputs[1].dtype, task.outputs[0].dtype
    transposed = task.attrs['transpose_b'] and len(task.inputs[1].shape) > 1
    tune.check(m * n * k * batch > 0, 'there is nothing to multiply')

    defaults = tile_for(batch, m, n, target.multiprocessors)
    block_m, block_n, block_k = block_m or defaults[0], block_n or defaults[1], block_k or defaults[2]
    down, across = cdiv(m, block_m), cdiv(n, block_n)
    tiles, steps = batch * down * across, cdiv(k, block_k)
    split = split or split_for(tiles, k, target)
    tune.check(split == 1 or target.capability >= 90, 'there are no clusters')
    tune.check(split <= steps and block_m % split == 0, 'every block of a cluster needs a step and a row')

    # Pieces of 16 x 32 that a warp has, and warps beside each other.
    pieces_m = 2 if block_m >= 32 else 1
    pieces_n = columns // 4 if columns else 2 if block_n >= 128 else 1
    warps_m, warps_n = block_m // (pieces_m * 16), block_n // (pieces_n * 32)
    threads = warps_m * warps_n * 32
    tune.check(block_n % (pieces_n * 32) == 0 and 64 <= threads <= 512, 'the warps do not fit the tile')
    tune.check(block_m * 8 % threads == 0 and block_n * 8 % threads == 0, 'the threads do not fit the tile')
    copies_a, copies_b = block_m * block_k // threads, block_n * block_k // threads  # elements of a thread
    below_b, beside_b = max(threads // block_n, 1), max(block_n // threads, 1)  # rows, parts of a row that all threads copy
    pitch_a, pitch_b = block_m + 4, block_n + 4 if transposed else block_n
    pitch_c = block_n + 4
    tile_a, tile_b = block_k * pitch_a, block_k * pitch_b
    shared_bytes = max(2 * (tile_a + tile_b), block_m * pitch_c if split > 1 else 0) * 4
    tune.check(shared_bytes <= target.shared_per_block_optin, 'the tiles do not fit into shared memory')
    # Registers: sums, two sets of what is multiplied, what is on its way, and some more.
    registers = pieces_m * pieces_n * 16 + (pieces_m + pieces_n) * 8 + copies_a + copies_b + 16
    min_blocks = 65536 // (threads * max(registers, 128))
    tune.check(min_blocks >= 1, 'the sums do not fit into registers')
    shares = cdiv(block_m // split * block_n // 4, threads)  # groups of 4 columns that a thread adds up

    full_groups = down // rows_of_group * rows_of_group
    is_programmatic = target.capability >= 90
    batch_a = 1 + sum((extent - 1) * step_a for extent, step_a, step_b in dims)
    batch_b = 1 + sum((extent - 1) * step_b for extent, step_a, step_b in dims)
    shape_b = [batch_b, n, k] if transposed else [batch_b, k, n]
    shape_c = [batch, m, n]

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a: dtype[batch_a, m, k], b: dtype_b[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = tiles * split
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = min_blocks
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            if is_programmatic:  # the launch is over before the kernel before is
                griddepcontrol_launch_dependents()
                griddepcontrol_wait()
            smem_a = tensor_pointer(f32, shape=[2, block_k, pitch_a], init=dynamic_shared_memory(0, f32))
            smem_b = tensor_pointer(f32, shape=[2, block_k, pitch_b], init=dynamic_shared_memory(2 * tile_a * 4, f32))
            regs_a = register_tensor(f32, shape=[copies_a])  # what is on its way
            regs_b = register_tensor(f32, shape=[copies_b])
            left = register_tensor(f32, shape=[pieces_m * 4])
            right = register_tensor(f32, shape=[pieces_n * 4])
            sums = register_tensor(f32, shape=[pieces_m * 4, pieces_n * 4])

            # Which tile: by groups of rows of tiles, column by column.
            rank = blockIdx.x % split
            z = blockIdx.x // split // (down * across) if batch > 1 else 0
            tile = blockIdx.x // split % (down * across)
            in_group = tile % (rows_of_group * across)
            top = tile // (rows_of_group * across) * rows_of_group
            height = rows_of_group if top < full_groups else down - full_groups
            row = (top + in_group % height) * block_m
            column = in_group // height * block_n
            first = rank * steps // split
            count = (rank + 1) * steps // split - first
            z_a, z_b, rest = 0, 0, z
            for extent, step_a, step_b in meta.each(dims[::-1]):
                z_a += rest % extent * step_a
                z_b += rest % extent * step_b
                rest = rest // extent

            thread = threadIdx.x
            lane = thread % 32
            warp_row = thread // 32 // warps_n * (pieces_m * 16) + lane // 8 * 4
            warp_column = thread // 32 % warps_n * (pieces_n * 32) + lane % 8 * 4
            for i, j in grid(pieces_m * 4, pieces_n * 4, attrs='u'):
                sums[i, j] = 0.0

            # A turn asks for a tile and multiplies the one before; in the last one, what it asks for is not used.
            for turn in range(count + 1):
                start = (first + min(turn, count - 1)) * block_k
                for i in grid(copies_a, attrs='u'):
                    r = row + i // (block_k // 8) * (threads // 8) + thread // 8
                    p = start + i % (block_k // 8) * 8 + thread % 8
                    if m % block_m != 0:
                        r = min(r, m - 1)
                    if k % block_k != 0:
                        regs_a[i] = cast(a[z_a, r, p], f32) if p < k else f32(0.0)
                    else:
                        regs_a[i] = cast(a[z_a, r, p], f32)
                for i in grid(copies_b, attrs='u'):
                    if transposed:
                        r = i // (block_k // 8) * (threads // 8) + thread // 8
                        p = start + i % (block_k // 8) * 8 + thread % 8
                    else:
                        r = i % beside_b * threads + thread % block_n
                        p = start + i // beside_b * below_b + thread // block_n
                    r += column
                    if n % block_n != 0:
                        r = min(r, n - 1)
                    if k % block_k != 0:
                        regs_b[i] = cast(b[z_b, r if transposed else p, p if transposed else r], f32) if p < k else f32(0.0)
                    else:
                        regs_b[i] = cast(b[z_b, r if transposed else p, p if transposed else r], f32)

                if turn > 0:
                    ready = (turn + 1) % 2
                    for p in grid(block_k, attrs='u'):
                        for x in grid(pieces_m, attrs='u'):
                            four = cast(~smem_a[ready, p, warp_row + x * 16], ~f32x4)[0]
                            for e in meta.range(4):
                                left[x * 4 + e] = four[e]
                        for y in grid(pieces_n, attrs='u'):
                            four = cast(~smem_b[ready, p, warp_column + y * 32], ~f32x4)[0]
                            for e in meta.range(4):
                                right[y * 4 + e] = four[e]
                        for i, j in grid(pieces_m * 4, pieces_n * 4, attrs='u'):
                            sums[i, j] += left[i] * right[j]

                for i in grid(copies_a, attrs='u'):
                    p = i % (block_k // 8) * 8 + thread % 8
                    smem_a[turn % 2, p, i // (block_k // 8) * (threads // 8) + thread // 8] = regs_a[i]
                for i in grid(copies_b, attrs='u'):
                    if transposed:
                        p = i % (block_k // 8) * 8 + thread % 8
                        smem_b[turn % 2, p, i // (block_k // 8) * (threads // 8) + thread // 8] = regs_b[i]
                    else:
                        p = i // beside_b * below_b + thread // block_n
                        smem_b[turn % 2, p, i % beside_b * threads + thread % block_n] = regs_b[i]
                syncthreads()

            if split == 1:
                for i, y in grid(pieces_m * 4, pieces_n, attrs='u'):
                    r = row + warp_row + i // 4 * 16 + i % 4
                    p = column + warp_column + y * 32
                    if n % 4 == 0:
                        if r < m and p < n:
                            for e in grid(4, attrs='u'):
                                c[z, r, p + e] = cast(sums[i, y * 4 + e], dtype_c)
                    else:
                        for e in grid(4, attrs='u'):
                            if r < m and p + e < n:
                                c[z, r, p + e] = cast(sums[i, y * 4 + e], dtype_c)
            else:
                part = tensor_pointer(f32, shape=[block_m, pitch_c], init=dynamic_shared_memory(0, f32))
                totals = register_tensor(f32, shape=[shares, 4])
                for i, y in grid(pieces_m * 4, pieces_n, attrs='u'):
                    mine = cast(~part[warp_row + i // 4 * 16 + i % 4, warp_column + y * 32], ~f32x4)
                    mine[0] = make_vector(sums[i, y * 4], sums[i, y * 4 + 1], sums[i, y * 4 + 2], sums[i, y * 4 + 3])
                this_cluster.sync()
                # Each block adds up its share of the rows, and each thread has groups of 4 columns of them.
                for i in grid(shares, attrs='u'):
                    group = min(i * threads + thread, block_m // split * block_n // 4 - 1)
                    at = ~part[rank * (block_m // split) + group // (block_n // 4), group % (block_n // 4) * 4]
                    for e in grid(4, attrs='u'):
                        totals[i, e] = 0.0
                    for other in grid(split, attrs='u'):
                        theirs = this_cluster.map_shared_rank(at, other, f32x4)[0]
                        for e in meta.range(4):
                            totals[i, e] += theirs[e]
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
                for i in grid(shares, attrs='u'):
                    group = i * threads + thread
                    r = row + rank * (block_m // split) + group // (block_n // 4)
                    p = column + group % (block_n // 4) * 4
                    is_inside = group < block_m // split * block_n // 4 and r < m
                    if n % 4 == 0:
                        if is_inside and p < n:
                            for e in grid(4, attrs='u'):
                                c[z, r, p + e] = cast(totals[i, e], dtype_c)
                    else:
                        for e in grid(4, attrs='u'):
                            if is_inside and p + e < n:
                                c[z, r, p + e] = cast(totals[i, e], dtype_c)

        @hidet.script
        def launch(a: dtype[batch_a, m, k], b: dtype_b[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'public'
            matmul(a, b, c)

    return script_module
