# SPDX-License-Identifier: Apache-2.0
"""Matrix products and convolutions of f32 by tensor cores, where that is permitted: factors rounded to tf32, sums in f32.

Tensor cores take f32 numbers whose fraction has 10 bits instead of 23, and would drop the others. So each number is rounded to
the nearest such number, by one instruction of Hopper, between shared memory and the product: copies to shared memory go past
the registers, and bring what is in memory.

A convolution with channels last is a product, too: a row for each pixel of the result, a column for each of its channels, and a
sum over the taps of the filter and the channels of the input. The rows are never written down. A thread brings neighbouring
channels of the pixel that a tap sees, or zeros from outside of the image; where a filter has one tap that sees each pixel once,
the pixels are the rows. Weights come as [features, taps, channels], which is done once, when the model is compiled.

A ring of stages has tiles of both factors, 32 steps of the sum each. In every turn a thread asks for its share of the tile that
is multiplied some turns later; one barrier a turn says that a tile is there, and that the one before has been multiplied. What
lies along the sum comes from shared memory as 8 rows of 16 bytes, by ldmatrix, which knows 16-bit numbers: two of them are one
of ours. So pieces of 16 bytes change places from row to row. A second factor whose columns lie in memory one after the other is
read by numbers, and its rows begin 8 banks later each: four of them and eight columns meet all banks.

Where tiles are few and the GPU has clusters, the blocks of a cluster share a tile and split the sum. The parts meet in shared
memory, and each block adds up its share of the tile, always in the same order.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang import attrs, cast, f32, f32x2, f32x4, grid, i32, meta, register_tensor, tensor_pointer, tf32, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    dynamic_shared_memory,
    ldmatrix,
    mma_sync,
    syncthreads,
    this_cluster,
    threadIdx,
)
from hidet.lang.layout import row_major
from hidet.templates import pair
from hidet.utils import cdiv, prod

block_k = 32  # floats of a stage: rows of 128 bytes
rows_of_group = 8  # of tiles that run at the same time and share their columns in the cache
config = MmaConfig.m16n8k8_tf32_f32()

# Rows and columns of a tile, and products of a cycle that a multiprocessor reaches with it.
choices = [(128, 256, 620), (128, 128, 560), (128, 64, 440), (64, 64, 320), (32, 64, 180), (32, 32, 100)]


def warps_of(block_m, block_n):
    """Below and beside each other. A warp has 64 x 64 elements of a large tile, 16 x 16 of the smallest."""
    return 2, 4 if block_n > 128 else 2


def shared_bytes_of(block_m, block_n, stages, along_n):
    """`along_n`: the second factor's columns are neighbours in memory."""
    tile_b = block_k * (block_n + 8) if along_n else block_n * block_k
    return max(stages * (block_m * block_k + tile_b) * 4, block_m * (block_n + 8) * 4)


def choose(batch, m, n, k, target):
    """What takes least time: of the choices one, and how many blocks share a tile."""
    best, least = None, 0.0
    for block_m, block_n, rate in choices:
        if (block_m > 32 and block_m >= 2 * m) or (block_n > 32 and block_n >= 2 * n):
            continue
        tiles, steps = batch * cdiv(m, block_m) * cdiv(n, block_n), cdiv(k, block_k)
        for split in [1, 2, 4, 8]:
            blocks = tiles * split * (4 if split > 2 else 3)
            if split > 1 and (target.capability < 90 or steps < split * 4 or blocks > target.multiprocessors * 3):
                continue
            # Cycles: products, and the way into and out of the ring.
            time = cdiv(tiles * split, target.multiprocessors) * block_m * block_n * cdiv(steps, split) * block_k / rate
            time += 2000 + (1500 + 500 * split if split > 1 else 0)
            if best is None or time < least:
                best, least = (block_m, block_n, split), time
    return best


def wide_copy(*extents):
    """As many floats as a copy may have where rows of so many begin one behind the other."""
    return 4 if all([e % 4 == 0 for e in extents]) else 2 if all([e % 2 == 0 for e in extents]) else 1


def product(name, target, m, n, k, batch, shapes, along_n, image, parameters):
    """`shapes`: of the tensors, [batch, rows, columns] but for images. `batch`: for each of its dimensions, extent, and how far
    both factors move on with it, in matrices. `image`: of a convolution that is no plain product, how filters stand."""
    block_m, block_n, stages, split = parameters
    tiles_all = prod([extent for extent, step_a, step_b in batch])
    usual_m, usual_all, rows = tune.typical(m), tune.typical(tiles_all), tune.index(m)
    tune.check(min(usual_m, n, k, usual_all) > 0, 'there is nothing to multiply')
    tune.check(min(usual_m, n) >= 8, 'what has few rows or columns is no work for tensor cores')
    defaults = choose(usual_all, usual_m, n, k, target) if block_m is None or block_n is None or split is None else None
    block_m, block_n, split = block_m or defaults[0], block_n or defaults[1], split or defaults[2]
    warps_m, warps_n = warps_of(block_m, block_n)
    threads = warps_m * warps_n * 32
    warp_m, warp_n = block_m // warps_m, block_n // warps_n
    tiles_m, tiles_n = warp_m // 16, warp_n // 8
    down, across, steps = tune.index(cdiv(m, block_m)), cdiv(n, block_n), cdiv(k, block_k)
    tiles = tune.index(tiles_all * cdiv(m, block_m) * across)
    counts = [[tune.index(number) for number in dim] for dim in batch[::-1]]
    tune.check(split == 1 or target.capability >= 90, 'there are no clusters')
    tune.check(split <= steps, 'every block of a cluster needs a step')
    # Two blocks on a multiprocessor, where both fit.
    room = target.shared_per_block_optin if block_n > 128 else target.shared_per_block_optin // 2
    if stages is None:
        stages = 4 if shared_bytes_of(block_m, block_n, 4, along_n) <= room else 3
    shared_bytes = shared_bytes_of(block_m, block_n, stages, along_n)
    tune.check(shared_bytes <= target.shared_per_block_optin, 'the stages must fit into shared memory')
    full_groups = down // rows_of_group * rows_of_group
    tune.metric('read_bytes', cdiv(steps, split) * block_k * (block_m / across + block_n / cdiv(usual_m, block_m)) * 4)
    tune.metric('in_flight_bytes', (stages - 1) * block_k * (block_m + block_n) * 4)

    # Copies: floats of one, of them in a row of a tile, and rows that all threads bring at once.
    shape_a, shape_b, shape_c = shapes
    piece_a = wide_copy(image['channels'] if image else k)
    piece_b = wide_copy(n) if along_n else wide_copy(k)
    row_a, row_b = block_k // piece_a, (block_n if along_n else block_k) // piece_b
    turns_a = cdiv(block_m * row_a, threads)
    rows_b = block_k if along_n else block_n
    turns_b = cdiv(rows_b * row_b, threads)
    pitch_b = block_n + 8
    pitch_c = block_n + 8
    wide = 4 if n % 4 == 0 else 2 if n % 2 == 0 else 1  # columns that a thread stores side by side
    vector = {4: f32x4, 2: f32x2, 1: f32}[wide]
    shares = cdiv(block_m * block_n // wide, threads * split)
    is_programmatic = target.capability >= 90
    # Pieces of 16 bytes change places from row to row, so that 8 rows of a matrix lie in different banks.
    pieces = row_major(stages * block_m, block_k // 4).swizzle(dim=1) + row_major(4)
    pieces_b = row_major(stages * block_n, block_k // 4).swizzle(dim=1) + row_major(4)
    tile_b = block_k * pitch_b if along_n else block_n * block_k

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f32[shape_a], b: f32[shape_b], c: f32[shape_c]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = name
            attrs.cuda.grid_dim = tiles * split
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            if is_programmatic:
                griddepcontrol_wait()
            start_b = stages * block_m * block_k * 4
            smem_a = tensor_pointer(f32, layout=pieces, init=dynamic_shared_memory(0, f32))
            if along_n:
                smem_b = tensor_pointer(f32, shape=[stages * block_k, pitch_b], init=dynamic_shared_memory(start_b, f32))
            else:
                smem_b = tensor_pointer(f32, layout=pieces_b, init=dynamic_shared_memory(start_b, f32))

            # Which tile: by groups of rows of tiles, column by column.
            rank = blockIdx.x % split
            z = blockIdx.x // split // (down * across) if not tune.same(tiles_all, 1) else 0
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
            warp_row = thread // 32 // warps_n * warp_m
            warp_column = thread // 32 % warps_n * warp_n
            if image:  # the pixel in the corner of the filter that a row sees, and where it is
                corners = register_tensor(i32, shape=[turns_a, 3])
                for i in grid(turns_a, attrs='u'):
                    pixel = min(row + (i * threads + thread) // row_a, rows - 1)
                    of_image = pixel // (image['rows'] * image['columns'])
                    corners[i, 0] = pixel // image['columns'] % image['rows'] * image['stride_h'] - image['top']
                    corners[i, 1] = pixel % image['columns'] * image['stride_w'] - image['left']
                    corners[i, 2] = of_image

            factor = register_tensor(f32, shape=[4])
            left = register_tensor(tf32, shape=[tiles_m, 4])
            right = register_tensor(tf32, shape=[tiles_n, 2])
            sums = register_tensor(f32, shape=[tiles_m, tiles_n, 4])
            for i, j, e in grid(tiles_m, tiles_n, 4, attrs='u'):
                sums[i, j, e] = 0.0

            for turn in range(count + stages - 1):
                cp_async_wait_group(stages - 2)
                syncthreads()
                if turn < count:
                    into = turn % stages
                    start = (first + turn) * block_k
                    for i in grid(turns_a, attrs='u'):
                        r = (i * threads + thread) // row_a
                        p = (i * threads + thread) % row_a * piece_a
                        at = min(start + p, k - piece_a)
                        to = ~smem_a[into * block_m + r, p // 4, p % 4]
                        is_there = start + p < k and row + r < rows
                        if image:
                            tap = at // image['channels']
                            h = corners[i, 0] + tap // image['filter_w'] * image['dilation_h']
                            v = corners[i, 1] + tap % image['filter_w'] * image['dilation_w']
                            is_there = is_there and 0 <= h and h < image['height'] and 0 <= v and v < image['width']
                            h = min(max(h, 0), image['height'] - 1)
                            v = min(max(v, 0), image['width'] - 1)
                            if turns_a * threads == block_m * row_a or r < block_m:
                                cp_async(
                                    to,
                                    ~a[corners[i, 2], h, v, at % image['channels']],
                                    cp_size=piece_a * 4,
                                    src_size=piece_a * 4 if is_there else 0,
                                )
                        elif turns_a * threads == block_m * row_a or r < block_m:
                            cp_async(
                                to,
                                ~a[z_a, min(row + r, rows - 1), at],
                                cp_size=piece_a * 4,
                                src_size=piece_a * 4 if is_there else 0,
                            )
                    for i in grid(turns_b, attrs='u'):
                        r = (i * threads + thread) // row_b
                        p = (i * threads + thread) % row_b * piece_b
                        if turns_b * threads == rows_b * row_b or r < rows_b:
                            if along_n:
                                cp_async(
                                    ~smem_b[into * block_k + r, p],
                                    ~b[z_b, min(start + r, k - 1), min(column + p, n - piece_b)],
                                    cp_size=piece_b * 4,
                                    src_size=piece_b * 4 if start + r < k and column + p < n else 0,
                                )
                            else:
                                cp_async(
                                    ~smem_b[into * block_n + r, p // 4, p % 4],
                                    ~b[z_b, min(column + r, n - 1), min(start + p, k - piece_b)],
                                    cp_size=piece_b * 4,
                                    src_size=piece_b * 4 if start + p < k and column + r < n else 0,
                                )
                cp_async_commit_group()
                if turn >= stages - 1:
                    ready = (turn + 1) % stages
                    for step in grid(block_k // 8, attrs='u'):
                        words = view(~factor[0], u32[4])
                        for i in grid(tiles_m, attrs='u'):
                            r = ready * block_m + warp_row + i * 16 + lane % 16
                            ldmatrix([words[e] for e in range(4)], ~smem_a[r, step * 2 + lane // 16, 0])
                            for e in grid(4, attrs='u'):
                                left[i, e] = cast(factor[e], tf32)
                        if along_n:
                            for j, h in grid(tiles_n, 2, attrs='u'):
                                r = ready * block_k + step * 8 + h * 4 + lane % 4
                                right[j, h] = cast(smem_b[r, warp_column + j * 8 + lane // 4], tf32)
                        else:
                            for j in grid(tiles_n // 2, attrs='u'):
                                r = ready * block_n + warp_column + j * 16 + lane // 16 * 8 + lane % 8
                                ldmatrix([words[e] for e in range(4)], ~smem_b[r, step * 2 + lane // 8 % 2, 0])
                                for e in grid(4, attrs='u'):
                                    right[j * 2 + e // 2, e % 2] = cast(factor[e], tf32)
                        for i, j in grid(tiles_m, tiles_n, attrs='u'):
                            mma_sync(config, ~left[i, 0], ~right[j, 0], ~sums[i, j, 0])

            if is_programmatic:  # sooner, blocks of kernels to come would take room from each other
                griddepcontrol_launch_dependents()
            if split == 1:
                for i, j, h in grid(tiles_m, tiles_n, 2, attrs='u'):
                    r = row + warp_row + i * 16 + h * 8 + lane // 4
                    p = column + warp_column + j * 8 + lane % 4 * 2
                    if n % 2 == 0:
                        if r < rows and p < n:
                            for e in grid(2, attrs='u'):
                                c[z, r, p + e] = sums[i, j, h * 2 + e]
                    else:
                        for e in grid(2, attrs='u'):
                            if r < rows and p + e < n:
                                c[z, r, p + e] = sums[i, j, h * 2 + e]
            else:
                part = tensor_pointer(f32, shape=[block_m, pitch_c], init=dynamic_shared_memory(0, f32))
                totals = register_tensor(f32, shape=[shares, wide])
                cp_async_wait_group(0)
                syncthreads()  # nobody reads the stages any more
                for i, j, h, e in grid(tiles_m, tiles_n, 2, 2, attrs='u'):
                    r = warp_row + i * 16 + h * 8 + lane // 4
                    part[r, warp_column + j * 8 + lane % 4 * 2 + e] = sums[i, j, h * 2 + e]
                this_cluster.sync()
                # Each block adds up its share of the tile, and each thread has groups of neighbouring columns of it.
                for i in grid(shares, attrs='u'):
                    group = min((i * split + rank) * threads + thread, block_m * block_n // wide - 1)
                    at = ~part[group // (block_n // wide), group % (block_n // wide) * wide]
                    total = cast(~totals[i, 0], ~vector)
                    total[0] = this_cluster.map_shared_rank(at, 0, vector)[0]
                    for other in grid(split - 1, attrs='u'):
                        total[0] = total[0] + this_cluster.map_shared_rank(at, other + 1, vector)[0]
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
                for i in grid(shares, attrs='u'):
                    group = (i * split + rank) * threads + thread
                    r = row + group // (block_n // wide)
                    p = column + group % (block_n // wide) * wide
                    if group < block_m * block_n // wide and r < rows and p < n:
                        for e in grid(wide, attrs='u'):
                            c[z, r, p + e] = totals[i, e]

        @hidet.script
        def launch(a: f32[shape_a], b: f32[shape_b], c: f32[shape_c]):
            attrs.func_kind = 'public'
            kernel(a, b, c)

    return script_module


@hidet.template('Matmul', dtypes=['tf32'], capability=80, dynamic=True)
@tune.space(1, block_m=[64, 128], block_n=[64, 128, 256], split=[1, 2, 4])
@tune.space(2, block_m=[32, 64, 128], block_n=[32, 64, 128, 256], stages=[2, 3, 4, 5], split=[1, 2, 4, 8])
def matmul(task, target, block_m=None, block_n=None, stages=None, split=None):
    a, b = list(task.inputs[0].shape), list(task.inputs[1].shape)
    tune.check(len(a) > 1 and len(b) > 1, 'a product with a vector is no work for tensor cores')
    transposed = task.attrs['transpose_b']
    m, (n, k) = a[-2], (b[-2], b[-1]) if transposed else (b[-1], b[-2])
    tune.check(isinstance(n * k, int), 'the columns and the length of the sums must be known')
    batch = []
    if tune.same(prod(b[:-2]), 1):
        m = prod(a[:-1])  # leading dimensions of a are rows
    else:
        rank = max(len(a), len(b)) - 2
        of_a, of_b = [1] * (rank + 2 - len(a)) + a[:-2], [1] * (rank + 2 - len(b)) + b[:-2]
        for i in range(rank):
            step_a = 0 if tune.same(of_a[i], 1) else prod(of_a[i + 1 :])
            step_b = 0 if tune.same(of_b[i], 1) else prod(of_b[i + 1 :])
            batch.append((of_b[i] if tune.same(of_a[i], 1) else of_a[i], step_a, step_b))
    all_a, all_b = prod(a[:-2]) if batch else 1, prod(b[:-2])
    shapes = [all_a, m, k], [all_b, n, k] if transposed else [all_b, k, n], [prod([each[0] for each in batch]), m, n]
    return product('matmul', target, m, n, k, batch, shapes, not transposed, None, (block_m, block_n, stages, split))


@hidet.template('Conv2dChannelLast', dtypes=['tf32'], capability=80, dynamic=True)
@tune.space(1, block_m=[64, 128], block_n=[32, 64, 128], split=[1, 2, 4, 8])
@tune.space(2, block_m=[32, 64, 128], block_n=[32, 64, 128, 256], stages=[2, 3, 4, 5], split=[1, 2, 4, 8])
def convolution(task, target, block_m=None, block_n=None, stages=None, split=None):
    x_type, w_type = task.inputs
    images, height, width, channels = x_type.shape
    features, _, filter_h, filter_w = w_type.shape
    _, rows, columns, _ = task.outputs[0].shape
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)
    bottom, right = pair(task.attrs['padding'], 0, first=2)
    tune.check(isinstance(rows * columns * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(channels >= 8, 'what has few channels is no work for tensor cores')
    m, n, k = images * rows * columns, features, filter_h * filter_w * channels
    # A filter of one tap that sees each pixel once: the pixels are rows of a matrix.
    is_flat = filter_h == filter_w == stride_h == stride_w == 1 and top == left == bottom == right == 0
    image = {
        'height': height,
        'width': width,
        'channels': channels,
        'rows': rows,
        'columns': columns,
        'filter_w': filter_w,
        'stride_h': stride_h,
        'stride_w': stride_w,
        'dilation_h': dilation_h,
        'dilation_w': dilation_w,
        'top': top,
        'left': left,
    }
    w_type.permuted([0, 2, 3, 1])
    shapes = [1, m, k] if is_flat else [images, height, width, channels], [1, n, k], [1, m, n]
    parameters = block_m, block_n, stages, split
    return product('conv2d', target, m, n, k, [], shapes, False, None if is_flat else image, parameters)
