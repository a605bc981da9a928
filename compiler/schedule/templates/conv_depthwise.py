# SPDX-License-Identifier: Apache-2.0
"""Convolution of each channel for itself, channels last: f16, bf16 or f32, sums in f32.

There is one product for each tap and element, so tensor cores are no use. A small filter is limited by memory, a large one by
fused multiply-adds and by the conversions of what they read. A thread has some channels of a rectangle of pixels: it reads each
row of the image that they see once, and uses it for all of them. The threads of a block stand over a rectangle of such
rectangles, so that what they see in common comes from the first-level cache.

Lanes go along the channels, then along the pixels. Weights, [taps, channels], do not depend on the kernel before: those of small
filters are in registers before this one waits for it, those of larger ones in shared memory, where each row of the image finds
the rows of the filter that meet it.
"""
import hidet
from hidet import tune
from hidet.lang import attrs, cast, f32, f32x2, f32x4, grid, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.templates import pair
from hidet.utils import cdiv

most_registers = 200  # of sums, weights and pixels


def largest_divisor(number, most):
    return max(d for d in range(1, most + 1) if number % d == 0)


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, wide=[2, 4], mine=[1, 2, 4, 7])
@tune.space(2, wide=[2, 4, 8], mine=[1, 2, 4, 7, 8], down=[1, 2, 4], threads=[64, 128, 256])
def conv2d(task, target, wide=None, mine=None, down=None, threads=None):
    """`wide`: channels of a thread. `mine`, `down`: its pixels beside and below each other. `threads`: of a block, at most."""
    x_type, w_type = task.inputs
    y_type = task.outputs[0]
    dtype = x_type.dtype
    images, height, width, channels = x_type.shape
    features, per_group, filter_h, filter_w = w_type.shape
    _, rows, columns, _ = y_type.shape
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)
    taps = filter_h * filter_w

    tune.check(isinstance(rows * columns * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(task.attrs['groups'] == channels and features == channels and per_group == 1, 'each channel must be for itself')
    tune.check(w_type.dtype == dtype and y_type.dtype == dtype, 'input, weights and result must have one dtype')
    tune.check(min(tune.typical(images), rows, columns, channels) > 0, 'there must be results')

    each = 4 if dtype == f32 else 2  # bytes
    is_small = taps <= 9
    kept = filter_h if is_small else 1  # rows of the filter in registers
    kept_type = dtype if is_small else f32  # of a small one they are converted at each use: memory is the limit anyway

    def columns_seen(mine):
        """Of the image, by the pixels of a thread."""
        return (mine - 1) * stride_w + (filter_w - 1) * dilation_w + 1

    def registers(wide, mine, down):
        """Sums, weights, a row as f32, and the next one as it is in memory."""
        weight = each if kept_type == dtype else 4
        weights = kept * filter_w * wide * weight // 4
        return weights + (mine * down + columns_seen(mine)) * wide + columns_seen(mine) * wide * each // 4

    def thread_count(wide, mine, down):
        return tune.typical(images) * cdiv(rows, down) * cdiv(columns, mine) * cdiv(channels, wide)

    def is_possible(wide, mine, down):
        is_whole = channels % wide == 0 and wide * each <= 16
        return is_whole and (down == 1 or dilation_h == 1) and registers(wide, mine, down) <= most_registers

    def time_of(wide, mine, down):
        """In no unit, where all is in the second-level cache: on an H200 the choice takes 1.07 times the best one's time."""
        weights = taps if is_small else taps * down
        reads = (filter_h + (down - 1) * stride_h) * columns_seen(mine)
        instructions = 220 + taps * wide * mine * down + 2 * reads + 6 * weights + 6 * mine * down
        warps = max(1, thread_count(wide, mine, down) / (target.multiprocessors * 128))  # of a scheduler
        at_once = min(warps, 16, 512 // (registers(wide, mine, down) + 35))
        return instructions * warps * max(1, 7 / at_once)

    choices = [
        (w, m, d)
        for w in ([wide] if wide else [1, 2, 4, 8])
        for m in ([mine] if mine else [1, 2, 4, 7])
        for d in ([down] if down else [1, 2, 4])
        if is_possible(w, m, d)
    ]
    tune.check(len(choices) > 0, 'the channels and pixels of a thread must fit into registers')
    wide, mine, down = min(choices, key=lambda choice: time_of(*choice))
    usual_total = thread_count(wide, mine, down)
    threads = threads or (128 if usual_total >= target.multiprocessors * 128 else 64)
    tune.check(usual_total < 2**31 - threads, 'there are too many threads for a grid')

    pieces, across, below = channels // wide, cdiv(columns, mine), cdiv(rows, down)
    lines = tune.index(images * below)  # of rectangles, of all images
    lanes = largest_divisor(pieces, min(32, threads))
    spots = threads // lanes  # rectangles of a block
    spots_across = min(across, 1 << ((spots.bit_length()) // 2))
    spots_down = max(1, spots // spots_across)
    chunks, blocks_across = pieces // lanes, cdiv(across, spots_across)
    blocks_down = cdiv(lines, spots_down)
    block_dim = lanes * spots_across * spots_down
    seen, seen_rows = columns_seen(mine), filter_h + (down - 1) * stride_h
    shared_taps = taps if not is_small and taps * lanes * wide * 4 <= 48 * 1024 else 0
    vector = {16: f32x4, 8: f32x2, 4: f32}.get(wide * each)  # of the weights of a tap
    is_dependent = target.capability >= 90
    w_type.permuted([2, 3, 1, 0])

    with hidet.script_module() as script_module:

        @hidet.script
        def read_weights(w: ~dtype, tap: int, channel: int, weights: ~kept_type):
            raw = register_tensor(dtype, shape=[wide])
            if vector is None:
                for e in grid(wide, attrs='u'):
                    raw[e] = w[tap * channels + channel + e]
            else:
                cast(~raw[0], ~vector)[0] = cast(w + (tap * channels + channel), ~vector)[0]
            for e in grid(wide, attrs='u'):
                weights[e] = cast(raw[e], kept_type)

        @hidet.script
        def kernel(
            x: dtype[images, height, width, channels], w: dtype[taps, channels], y: dtype[images, rows, columns, channels]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'conv2d'
            attrs.cuda.grid_dim = blocks_down * blocks_across * chunks
            attrs.cuda.block_dim = block_dim
            attrs.cuda.min_blocks = max(1, (512 if registers(wide, mine, down) <= 96 else 256) // block_dim)

            if is_dependent:
                griddepcontrol_launch_dependents()
            if is_dependent and not w_type.is_constant:
                griddepcontrol_wait()
            spot = threadIdx.x // lanes
            channel = (blockIdx.x % chunks * lanes + threadIdx.x % lanes) * wide
            column = (blockIdx.x // chunks % blocks_across * spots_across + spot % spots_across) * mine
            line = blockIdx.x // (chunks * blocks_across) * spots_down + spot // spots_across
            row = line % below * down
            image = line // below
            weights = register_tensor(kept_type, shape=[kept * filter_w, wide])
            shared = shared_tensor(f32, shape=[max(shared_taps, 1), lanes, wide])
            if is_small:
                for t in grid(taps, attrs='u'):
                    read_weights(w, t, channel, ~weights[t, 0])
            for step in range(cdiv(shared_taps * lanes, block_dim)):
                t = (step * block_dim + threadIdx.x) // lanes
                if t < taps:
                    read_weights(w, t, channel, ~weights[0, 0])
                    for e in grid(wide, attrs='u'):
                        shared[t, threadIdx.x % lanes, e] = weights[0, e]
            if shared_taps > 0:
                syncthreads()
            if is_dependent:
                griddepcontrol_wait()

            if column < columns and line < lines:
                pixels = register_tensor(f32, shape=[seen, wide])
                sums = register_tensor(f32, shape=[down, mine, wide])
                for j, i, e in grid(down, mine, wide, attrs='u'):
                    sums[j, i, e] = 0.0
                for r in grid(seen_rows, attrs='u' if is_small else '.'):
                    h = row * stride_h - top + r * dilation_h
                    for s in grid(seen, attrs='u'):
                        v = column * stride_w - left + s
                        for e in grid(wide, attrs='u'):
                            pixels[s, e] = 0.0
                        if 0 <= h and h < height and 0 <= v and v < width:
                            for e in grid(wide, attrs='u'):
                                pixels[s, e] = cast(x[image, h, v, channel + e], f32)
                    for j in grid(down, attrs='u'):
                        if j * stride_h <= r and r < j * stride_h + filter_h:
                            tap = (r - j * stride_h) * filter_w
                            if not is_small:
                                for s in grid(filter_w, attrs='u'):
                                    if shared_taps > 0:
                                        for e in grid(wide, attrs='u'):
                                            weights[s, e] = shared[tap + s, threadIdx.x % lanes, e]
                                    else:
                                        read_weights(w, tap + s, channel, ~weights[s, 0])
                            for s, i, e in grid(filter_w, mine, wide, attrs='u'):
                                pixel = pixels[i * stride_w + s * dilation_w, e]
                                sums[j, i, e] = sums[j, i, e] + pixel * cast(weights[(tap if is_small else 0) + s, e], f32)
                for j, i in grid(down, mine, attrs='u'):
                    if row + j < rows and column + i < columns:
                        for e in grid(wide, attrs='u'):
                            y[image, row + j, column + i, channel + e] = cast(sums[j, i, e], dtype)

        @hidet.script
        def launch(
            x: dtype[images, height, width, channels], w: dtype[taps, channels], y: dtype[images, rows, columns, channels]
        ):
            attrs.func_kind = 'public'
            kernel(x, w, y)

    return script_module
