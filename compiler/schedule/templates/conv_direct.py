# SPDX-License-Identifier: Apache-2.0
"""Convolution of images with few channels, channels last, as at the beginning of a network: f16 or bf16 by mma_sync, f32 by
multiplications and additions; sums in f32.

Pixels of 3 channels are no rows that a copy unit takes, and a filter of 7 x 7 taps sees each of them many times. So a block
brings the part of an image that its pixels see to shared memory once, element by element (what is fused before the convolution
is computed there), and all weights of its features; then it needs nothing else.

The sum runs over taps and channels as in a product of matrices. The tensor cores want pairs of neighbouring terms in a
register: pixels get an even number of channels, zeros among them, so that a pair never leaves its pixel. A table has where
each pair of a filter lies behind the pixel in its corner; eight pixels beside each other and four pairs are what a warp reads
at once.

A tile is 8 pixels wide. What the tensor cores add up goes through shared memory, so that a thread has up to 8 neighbouring
channels of a pixel in the end; a thread that adds up itself has twice 4.

Weights do not depend on the kernel before: they are under way before this one waits for it.
"""
import hidet
from hidet import tune
from hidet.lang import attrs, cast, f32, f32x2, f32x4, grid, i32, register_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_wait_all,
    dynamic_shared_memory,
    ldmatrix,
    mma_sync,
    syncthreads,
    threadIdx,
)
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang.layout import row_major
from hidet.templates import pair

threads = 128
tile_w = 8  # pixels
ahead = 8  # elements that a thread loads at once


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16', 'float32'], capability=80, dynamic=True)
@tune.space(1, tile_h=[8, 16], block_n=[32, 64])
@tune.space(2, tile_h=[4, 8, 16], block_n=[32, 64])
def conv2d(task, target, tile_h=None, block_n=None):
    x_type, w_type = task.inputs
    y_type = task.outputs[0]
    dtype = x_type.dtype
    images, height, width, channels = x_type.shape
    features, _, filter_h, filter_w = w_type.shape
    taps, terms = filter_h * filter_w, filter_h * filter_w * channels
    _, rows, columns, _ = y_type.shape
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)

    tune.check(task.attrs['groups'] == 1, 'every channel of the result must take all channels of the input')
    tune.check(w_type.dtype == dtype and y_type.dtype == dtype, 'input, weights and result must have one dtype')
    usual_images = tune.typical(images)
    tune.check(isinstance(rows * columns * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(min(usual_images, rows, columns, features) > 0, 'there must be results')
    by_mma = dtype != f32
    tune.check(by_mma or channels < 16 or channels % 4 != 0, 'of many channels a product is faster (product_simt)')
    each = 2 if by_mma else 4  # bytes
    piece = 16 // each  # elements of a copy
    pixel = (channels + 1) // 2 * 2 if by_mma else channels  # elements of a pixel in shared memory
    pairs = taps * pixel // 2
    steps = (pairs + 7) // 8  # of 16 terms
    weight_rows = steps * 16 if by_mma else terms
    patch_w = (tile_w - 1) * stride_w + (filter_w - 1) * dilation_w + 1

    def sizes(tile_h, block_n):
        """Elements of the part of an image that a tile sees, where it begins and ends, and bytes of shared memory in all."""
        patch = ((tile_h - 1) * stride_h + (filter_h - 1) * dilation_h + 1) * patch_w * pixel
        start = weight_rows * block_n * each
        end = start + (patch * each + 15) // 16 * 16
        return patch, start, end, max(end + steps * 8 * 4, tile_h * tile_w * (block_n + 8) * 4)

    across = (columns + tile_w - 1) // tile_w
    most_bytes = target.shared_per_block_optin
    block_n = block_n or (64 if features > 32 and sizes(tile_h or 4, 64)[3] <= most_bytes else 32)
    if tile_h is None:
        tiles = usual_images * ((rows + 15) // 16) * across * ((features + block_n - 1) // block_n)
        # Without tensor cores 8 pixels of a thread are worth more than blocks for all multiprocessors.
        tile_h = 16 if tiles > 2 * target.multiprocessors or not by_mma else 8
        while tile_h > 4 and sizes(tile_h, block_n)[3] > most_bytes:
            tile_h //= 2
    patch, patch_start, patch_end, shared_bytes = sizes(tile_h, block_n)
    down, feature_tiles = (rows + tile_h - 1) // tile_h, (features + block_n - 1) // block_n
    pixels = tile_h * tile_w
    warps_down = pixels // 32  # a warp has 32 pixels
    warp_n = block_n // (4 // warps_down)
    tiles_n = warp_n // 8
    pitch = block_n + 8  # of a row of the sums, so that rows begin in different banks
    tune.check(shared_bytes <= most_bytes, 'weights and pixels must fit into shared memory')
    tune.check(not by_mma or warp_n >= 16, 'a warp must have 16 features')
    tune.check(max(feature_tiles, usual_images) <= 65535, 'there are too many tiles for a grid')

    is_wide = features % piece == 0  # rows of weights are whole pieces
    row_pieces = block_n // piece
    weight_turns = (weight_rows * row_pieces + threads - 1) // threads
    patch_turns = (patch + threads * ahead - 1) // (threads * ahead)
    # Elements that a thread writes side by side: as many as whole pieces fill a row of the result with.
    wide = 8 if by_mma else 4
    while features % wide:
        wide //= 2
    w_type.permuted([2, 3, 1, 0])

    config = MmaConfig.m16n8k16_f16_f32() if dtype.name == 'float16' else MmaConfig.m16n8k16_bf16_f32()
    # Pieces of a row change places from row to row, so that 8 rows of a matrix lie in different banks.
    rows_of_pieces = row_major(weight_rows, row_pieces)
    if by_mma:
        rows_of_pieces = rows_of_pieces.swizzle(dim=1, log_step=0 if row_pieces == 8 else 1)
    lanes = min(wide, 4)  # of a load from shared memory
    vector = {4: f32x4, 2: f32x2, 1: f32}[lanes]
    out_pieces = block_n // wide
    out_turns = pixels * out_pieces // threads
    # Without tensor cores a thread has twice 4 features of neighbouring pixels.
    across_n = block_n // 8
    mine = pixels * across_n // threads
    # A row of the image that they see is read once for a row of the filter, if it fits into registers.
    held = ((mine - 1) * stride_w + (filter_w - 1) * dilation_w + 1) * channels
    is_held = held <= 80
    unrolled = 'u' if steps <= 16 else '.'

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(
            x: dtype[images, height, width, channels], w: dtype[terms, features], y: dtype[images, rows, columns, features]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'conv2d'
            attrs.cuda.grid_dim = down * across, feature_tiles, images
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            if target.capability >= 90:
                griddepcontrol_launch_dependents()
            if target.capability >= 90 and not w_type.is_constant:
                griddepcontrol_wait()
            smem_w = tensor_pointer(dtype, layout=rows_of_pieces + row_major(piece), init=dynamic_shared_memory(0, dtype))
            smem_x = tensor_pointer(dtype, shape=[patch], init=dynamic_shared_memory(patch_start, dtype))
            image = blockIdx.z
            row = blockIdx.x // across * tile_h
            column = blockIdx.x % across * tile_w
            feature = blockIdx.y * block_n
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32

            for i in grid(weight_turns, attrs='u4'):
                at = i * threads + threadIdx.x
                if at < weight_rows * row_pieces:
                    k = at // row_pieces
                    p = at % row_pieces
                    f = feature + p * piece
                    term = k // pixel * channels + k % pixel
                    is_term = k % pixel < channels and term < terms
                    if is_wide:
                        size = 16 if is_term and f < features else 0
                        source = ~w[min(term, terms - 1), min(f, features - piece)]
                        cp_async(~smem_w[k, p, 0], source, cp_size=16, src_size=size)
                    else:
                        for e in grid(piece, attrs='u'):
                            smem_w[k, p, e] = dtype(0.0)
                            if is_term and f + e < features:
                                smem_w[k, p, e] = w[term, f + e]
            if by_mma:
                table = tensor_pointer(i32, shape=[steps * 8], init=dynamic_shared_memory(patch_end, i32))
                for i in grid((steps * 8 + threads - 1) // threads, attrs='u'):
                    at = i * threads + threadIdx.x
                    if at < steps * 8:
                        tap = at * 2 // pixel
                        offset = (tap // filter_w * dilation_h * patch_w + tap % filter_w * dilation_w) * pixel + at * 2 % pixel
                        table[at] = offset // 2 if at < pairs else -1
            if target.capability >= 90:
                griddepcontrol_wait()

            loaded = register_tensor(dtype, shape=[ahead])
            for turn in grid(patch_turns, attrs='u' if patch_turns <= 4 else '.'):
                for i in grid(ahead, attrs='u'):
                    at = (turn * ahead + i) * threads + threadIdx.x
                    h = row * stride_h - top + at // (patch_w * pixel)
                    v = column * stride_w - left + at // pixel % patch_w
                    c = at % pixel
                    loaded[i] = dtype(0.0)
                    if at < patch and 0 <= h and h < height and 0 <= v and v < width and c < channels:
                        loaded[i] = x[image, h, v, c]
                for i in grid(ahead, attrs='u'):
                    at = (turn * ahead + i) * threads + threadIdx.x
                    if at < patch:
                        smem_x[at] = loaded[i]
            cp_async_wait_all()
            syncthreads()

            if by_mma:
                words_x = tensor_pointer(u32, shape=[patch // 2], init=dynamic_shared_memory(patch_start, u32))
                part = tensor_pointer(f32, shape=[pixels, pitch], init=dynamic_shared_memory(0, f32))
                regs_a = register_tensor(dtype, shape=[2, config.a_elements])
                regs_b = register_tensor(dtype, shape=[tiles_n, config.b_elements])
                sums = register_tensor(f32, shape=[2, tiles_n, config.c_elements])
                for x_tile, y_tile, i in grid(2, tiles_n, config.c_elements, attrs='u'):
                    sums[x_tile, y_tile, i] = 0.0
                warp_row = warp % warps_down * 4  # of 8 pixels
                warp_n_start = warp // warps_down * warp_n
                corner = (warp_row * stride_h * patch_w + lane // 4 * stride_w) * (pixel // 2)
                for step in grid(steps, attrs=unrolled):
                    for half in grid(2, attrs='u'):
                        offset = table[step * 8 + half * 4 + lane % 4]
                        for i in grid(4, attrs='u'):  # rows of 8 pixels
                            words_a = view(~regs_a[i // 2, 0], u32[4])
                            word = words_x[corner + i * (stride_h * patch_w * (pixel // 2)) + max(offset, 0)]
                            words_a[half * 2 + i % 2] = word if offset >= 0 else u32(0)
                    for t in grid(tiles_n // 2, attrs='u'):
                        words = view(~regs_b[t * 2, 0], u32[4])
                        source = ~smem_w[step * 16 + lane % 16, warp_n_start // 8 + t * 2 + lane // 16, 0]
                        ldmatrix([words[i] for i in range(4)], source, trans=True)
                    for x_tile, y_tile in grid(2, tiles_n, attrs='u'):
                        mma_sync(config, ~regs_a[x_tile, 0], ~regs_b[y_tile, 0], ~sums[x_tile, y_tile, 0])
                syncthreads()  # nobody reads weights and pixels any more
                # Of every other 32 features the halves of 8 change places, so that threads that read 8 of them meet all banks.
                for x_tile, t, h, e in grid(2, tiles_n, 2, 2, attrs='u'):
                    at = (warp_row + x_tile * 2 + h) * tile_w + lane // 4
                    n = warp_n_start + t * 8
                    part[at, n + ((lane % 4 * 2) ^ (n // 32 % 2 * 4)) + e] = sums[x_tile, t, h * 2 + e]
                syncthreads()
                totals = register_tensor(f32, shape=[wide])
                for i in grid(out_turns, attrs='u'):
                    at = i * threads + threadIdx.x
                    p = at // out_pieces
                    for j in grid(wide // lanes, attrs='u'):
                        n = at % out_pieces * wide + j * lanes
                        total = cast(~totals[j * lanes], ~vector)
                        total[0] = cast(~part[p, n ^ (n // 32 % 2 * 4)], ~vector)[0]
                    h = row + p // tile_w
                    v = column + p % tile_w
                    f = feature + at % out_pieces * wide
                    if h < rows and v < columns and f < features:
                        for e in grid(wide, attrs='u'):
                            y[image, h, v, f + e] = cast(totals[e], dtype)
            else:
                sums = register_tensor(f32, shape=[mine, 2, 4])
                factors = register_tensor(f32, shape=[2, 4])
                kept = register_tensor(f32, shape=[held if is_held else 1])
                for i, j, e in grid(mine, 2, 4, attrs='u'):
                    sums[i, j, e] = 0.0
                first = threadIdx.x // across_n * mine  # pixel
                f = threadIdx.x % across_n * 4
                corner = (first // tile_w * stride_h * patch_w + first % tile_w * stride_w) * pixel
                for r in range(filter_h):
                    start = corner + r * (dilation_h * patch_w * pixel)
                    if is_held:
                        for i in grid(held, attrs='u'):
                            kept[i] = smem_x[start + i]
                    for s, c in grid(filter_w, channels, attrs='u' if is_held else '.'):
                        for j in grid(2, attrs='u'):
                            factor = cast(~factors[j, 0], ~f32x4)
                            source = ~smem_w[(r * filter_w + s) * channels + c, (j * (block_n // 2) + f) // 4, 0]
                            factor[0] = cast(source, ~f32x4)[0]
                        for i in grid(mine, attrs='u'):
                            at = (i * stride_w + s * dilation_w) * pixel + c
                            element = kept[at] if is_held else smem_x[start + at]
                            for j, e in grid(2, 4, attrs='u'):
                                sums[i, j, e] = sums[i, j, e] + element * factors[j, e]
                for i, j, q in grid(mine, 2, 4 // wide, attrs='u'):
                    h = row + first // tile_w
                    v = column + first % tile_w + i
                    out = feature + j * (block_n // 2) + f + q * wide
                    if h < rows and v < columns and out < features:
                        for e in grid(wide, attrs='u'):
                            y[image, h, v, out + e] = sums[i, j, q * wide + e]

        @hidet.script
        def launch(
            x: dtype[images, height, width, channels], w: dtype[terms, features], y: dtype[images, rows, columns, features]
        ):
            attrs.func_kind = 'public'
            kernel(x, w, y)

    return script_module
