# SPDX-License-Identifier: Apache-2.0
"""Largest elements and means of windows over images, channels last: f16, bf16 or f32, sums in f32.

A result is a few comparisons or additions, so memory and its latency are all that counts. A thread has 16 bytes of channels of
one or two pixels beside each other. It asks for all pixels of a window, or of a row of a large one, before it looks at the
first; what windows share comes from the first-level cache. Lanes go along the channels, then along the pixels.

What lies outside of the image is read at its edge instead, so that no read has to wait for a condition, and does not count.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang import attrs, cast, f32, grid, register_tensor
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.utils import cdiv

lowest = {'float16': -65504.0, 'bfloat16': -3.3895313892515355e38, 'float32': -3.4028234663852886e38}


def numbers(value, count):
    """An attribute with one number for all dimensions, or one for each."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * count if len(values) == 1 else values


def module_of(task, target, is_max, mine, threads):
    """`mine`: pixels of a thread, beside each other."""
    dtype = task.inputs[0].dtype
    images, height, width, channels = task.inputs[0].shape
    _, rows, columns, _ = task.outputs[0].shape
    filter_h, filter_w = numbers(task.attrs['kernel'], 2) if task.attrs['kernel'] else (height, width)
    stride_h, stride_w = numbers(task.attrs['stride'], 2)
    dilation_h, dilation_w = numbers(task.attrs['dilations'], 2)
    pads = numbers(task.attrs['padding'], 2)
    pads = pads if len(pads) == 4 else pads * 2  # top, left, bottom, right
    top, left = pads[:2]
    is_padded = task.attrs['ceil_mode'] or any(pads)
    divisor = 0 if is_max else task.attrs['divisor_override']
    counts_pads = not is_max and task.attrs['count_include_pad']

    tune.check(task.outputs[0].dtype == dtype, 'the result must have the dtype of the input')
    tune.check(isinstance(height * width * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(min(tune.typical(images), rows, columns, channels, height, width) > 0, 'there must be results')
    tune.check(not (counts_pads and task.attrs['ceil_mode']), 'windows must lie within the padding')
    is_whole = rows * columns == 1 and filter_h == height and filter_w == width and not is_padded
    tune.check(is_max or divisor > 0 or not is_whole, 'the mean of an image is a reduction')
    wide = 4 if dtype == f32 else 8  # channels of a thread
    while channels % wide:
        wide //= 2
    pieces = channels // wide
    if mine is None:
        # Neighbours share what they read, but first of all there must be threads for all of the GPU.
        mine = 2 if tune.typical(images) * rows * cdiv(columns, 2) * pieces >= target.multiprocessors * 512 else 1
    threads = threads or 128
    across = cdiv(columns, mine)
    total = tune.index(images * rows * across * pieces)
    seen = (mine - 1) * stride_w + (filter_w - 1) * dilation_w + 1  # columns of the image
    together = filter_h if filter_h * seen <= 16 else 1
    tune.check((together * seen + 2 * mine) * wide <= 320, 'the pixels of a thread must fit into registers')
    tune.check(tune.typical(images) * rows * across * pieces < 2**31 - threads, 'there are too many threads for a grid')
    is_dependent = target.capability >= 90
    nothing = lowest[dtype.name] if is_max else 0.0

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[images, height, width, channels], y: dtype[images, rows, columns, channels]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'max_pool' if is_max else 'avg_pool'
            attrs.cuda.grid_dim = cdiv(total, threads)
            attrs.cuda.block_dim = threads

            if is_dependent:
                griddepcontrol_launch_dependents()
            index = blockIdx.x * threads + threadIdx.x
            channel = index % pieces * wide
            column = index // pieces % across * mine
            row = index // (pieces * across) % rows
            image = index // (pieces * across * rows)
            h0 = row * stride_h - top
            v0 = column * stride_w - left
            if is_dependent:
                griddepcontrol_wait()

            if index < total:
                pixels = register_tensor(dtype, shape=[together, seen, wide])
                results = register_tensor(f32, shape=[mine, wide])
                for i, e in grid(mine, wide, attrs='u'):
                    results[i, e] = float('-inf') if is_max else 0.0
                for start in grid(filter_h // together, attrs='u' if filter_h * filter_w <= 49 else '.'):
                    for r, s in grid(together, seen, attrs='u'):
                        h = h0 + (start + r) * dilation_h
                        v = v0 + s
                        inside_h = min(max(h, 0), height - 1)
                        inside_v = min(max(v, 0), width - 1)
                        is_inside = not is_padded and v < width or 0 <= h and h < height and 0 <= v and v < width
                        for e in grid(wide, attrs='u'):
                            value = x[image, inside_h, inside_v, channel + e]
                            pixels[r, s, e] = value if is_inside else dtype(nothing)
                    for r, s, i, e in grid(together, filter_w, mine, wide, attrs='u'):
                        value = cast(pixels[r, i * stride_w + s * dilation_w, e], f32)
                        if is_max:
                            # A NaN is larger than all.
                            so_far = results[i, e]
                            results[i, e] = value if value > so_far or value != value else so_far
                        else:
                            results[i, e] = results[i, e] + value
                for i in grid(mine, attrs='u'):
                    count = f32(divisor or filter_h * filter_w)
                    if not is_max and is_padded and not counts_pads and divisor == 0:
                        first_h = h0
                        first_v = v0 + i * stride_w
                        high = min(filter_h, (height - first_h + dilation_h - 1) // dilation_h)
                        high = high - max(0, (dilation_h - 1 - first_h) // dilation_h)
                        long = min(filter_w, (width - first_v + dilation_w - 1) // dilation_w)
                        long = long - max(0, (dilation_w - 1 - first_v) // dilation_w)
                        count = cast(high * long, f32)
                    if column + i < columns:
                        for e in grid(wide, attrs='u'):
                            if is_max:
                                y[image, row, column + i, channel + e] = cast(results[i, e], dtype)
                            else:
                                y[image, row, column + i, channel + e] = cast(results[i, e] * (1.0 / count), dtype)

        @hidet.script
        def launch(x: dtype[images, height, width, channels], y: dtype[images, rows, columns, channels]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


@hidet.template('MaxPool2dChannelLast', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, mine=[1, 2], threads=[64, 128])
@tune.space(2, mine=[1, 2, 4], threads=[32, 64, 128, 256])
def max_pool2d(task, target, mine=None, threads=None):
    return module_of(task, target, True, mine, threads)


@hidet.template('AvgPool2dChannelLast', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, mine=[1, 2], threads=[64, 128])
@tune.space(2, mine=[1, 2, 4], threads=[32, 64, 128, 256])
def avg_pool2d_of_windows(task, target, mine=None, threads=None):
    return module_of(task, target, False, mine, threads)
