# SPDX-License-Identifier: Apache-2.0
"""Convolution of each channel for itself, channels last: f16, bf16 or f32, sums in f32.

There is one product for each tap and element, so memory and its latency are all that counts, and tensor cores are no use. A
thread has 16 bytes of channels of several pixels beside each other: it reads each row of the image that they see once for each
row of the filter, and all of these reads are under way together. What rows below each other share, the first-level cache has.

Lanes go along the channels, then along the pixels. Weights, [taps, channels], do not depend on the kernel before; those of
small filters are in registers before this one waits for it.
"""
import hidet
from hidet import tune
from hidet.lang import attrs, cast, f32, f32x2, f32x4, grid, register_tensor
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait


def pair(value, otherwise, first=0):
    """Two numbers of an attribute, which has one for all dimensions, one for each, or none."""
    values = [value] if isinstance(value, int) else value or [otherwise]
    return values[first % len(values)], values[(first + 1) % len(values)]


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, mine=[1, 2, 4], threads=[64, 128])
@tune.space(2, mine=[1, 2, 4, 7, 8], threads=[32, 64, 128, 256])
def conv2d(task, target, mine=None, threads=None):
    """`mine`: pixels of a thread, beside each other."""
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
    tune.check(w_type.is_constant, 'the weights must be constant, because they get another order of axes')
    tune.check(min(tune.typical(images), rows, columns, channels) > 0, 'there must be results')
    wide = 4 if dtype == f32 else 8  # channels of a thread
    while channels % wide:
        wide //= 2
    pieces = channels // wide

    each = 4 if dtype == f32 else 2  # bytes
    # All rows of a small filter are read at once, and its weights before the kernel waits; of a large one a row at a time.
    is_small = taps <= 9
    together = filter_h if is_small else 1

    def columns_seen(mine):
        """Of the image, by the pixels of a thread."""
        return (mine - 1) * stride_w + (filter_w - 1) * dilation_w + 1

    def registers(mine):
        """Sums and elements of a row as f32, and what is read together as it is in memory."""
        seen = columns_seen(mine)
        return (seen + mine) * wide + together * (seen + filter_w) * wide * each // 4

    def thread_count(mine):
        return tune.typical(images) * rows * ((columns + mine - 1) // mine) * pieces

    if mine is None:
        # Neighbours share what they read, but first of all there must be threads for all of the GPU.
        mine = 4
        while mine > 1 and (thread_count(mine) < target.multiprocessors * 128 or registers(mine) > 256):
            mine //= 2
    across = (columns + mine - 1) // mine
    total, usual_total = tune.index(images * rows * across * pieces), thread_count(mine)
    threads = threads or (128 if usual_total >= target.multiprocessors * 128 else 64)
    seen = columns_seen(mine)
    tune.check(registers(mine) <= 256, 'the pixels of a thread must fit into registers')
    tune.check(usual_total < 2**31 - threads, 'there are too many threads for a grid')
    vector = {16: f32x4, 8: f32x2, 4: f32}.get(wide * each)  # of the weights of a tap
    is_dependent = target.capability >= 90
    w_type.permuted([2, 3, 1, 0])

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(
            x: dtype[images, height, width, channels], w: dtype[taps, channels], y: dtype[images, rows, columns, channels]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'conv2d'
            attrs.cuda.grid_dim = (total + threads - 1) // threads
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = max(1, (512 if is_small else 256) // threads)  # 128 registers a thread, or twice as many

            if is_dependent:
                griddepcontrol_launch_dependents()
            index = blockIdx.x * threads + threadIdx.x
            channel = index % pieces * wide
            weights = register_tensor(dtype, shape=[together * filter_w, wide])
            if is_small:
                for t in grid(taps, attrs='u'):
                    if vector is None:
                        for e in grid(wide, attrs='u'):
                            weights[t, e] = w[t, channel + e]
                    else:
                        cast(~weights[t, 0], ~vector)[0] = cast(~w[t, channel], ~vector)[0]
            if is_dependent:
                griddepcontrol_wait()

            if index < total:
                column = index // pieces % across * mine
                row = index // (pieces * across) % rows
                image = index // (pieces * across * rows)
                pixels = register_tensor(dtype, shape=[together, seen, wide])
                sums = register_tensor(f32, shape=[mine, wide])
                for i, e in grid(mine, wide, attrs='u'):
                    sums[i, e] = 0.0
                for start in grid(filter_h // together, attrs='u' if taps <= 49 else '.'):
                    for r, s in grid(together, seen, attrs='u'):
                        h = row * stride_h - top + (start + r) * dilation_h
                        v = column * stride_w - left + s
                        for e in grid(wide, attrs='u'):
                            pixels[r, s, e] = dtype(0.0)
                        if 0 <= h and h < height and 0 <= v and v < width:
                            for e in grid(wide, attrs='u'):
                                pixels[r, s, e] = x[image, h, v, channel + e]
                    if not is_small:
                        for s in grid(filter_w, attrs='u'):
                            if vector is None:
                                for e in grid(wide, attrs='u'):
                                    weights[s, e] = w[start * filter_w + s, channel + e]
                            else:
                                source = ~w[start * filter_w + s, channel]
                                cast(~weights[s, 0], ~vector)[0] = cast(source, ~vector)[0]
                    for r, s, i, e in grid(together, filter_w, mine, wide, attrs='u'):
                        element = cast(pixels[r, i * stride_w + s * dilation_w, e], f32)
                        sums[i, e] = sums[i, e] + element * cast(weights[r * filter_w + s, e], f32)
                for i in grid(mine, attrs='u'):
                    if column + i < columns:
                        for e in grid(wide, attrs='u'):
                            y[image, row, column + i, channel + e] = cast(sums[i, e], dtype)

        @hidet.script
        def launch(
            x: dtype[images, height, width, channels], w: dtype[taps, channels], y: dtype[images, rows, columns, channels]
        ):
            attrs.func_kind = 'public'
            kernel(x, w, y)

    return script_module
