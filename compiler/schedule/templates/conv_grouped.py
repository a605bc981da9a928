# SPDX-License-Identifier: Apache-2.0
"""Convolution of groups of channels, channels last: f16 or bf16 by mma_sync, sums in f32.

A group is a small product: a row for each pixel, a column for each of the group's features, a sum over taps and a few channels.
What a warp reads of an image is used for all features of the group at once, and what its neighbours read again comes from the
first-level cache. So nothing goes through shared memory, and no thread waits for another one.

A sum may run in any order, as long as both factors have the same one. So a lane does not read the pairs of channels that stand in
the layout of mma_sync, but 8 channels beside each other, 16 bytes, and says they were those; the weights, [features, taps,
channels], are read the same way. Groups of 32 channels are read like this, what is left by 4 and by 2 channels a lane. Columns
change places as well: a lane ends with neighbouring features of a pixel, which it writes at once.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang import attrs, cast, f32, grid, meta, register_tensor
from hidet.lang.cuda import MmaConfig, blockIdx, mma_sync, threadIdx
from hidet.templates import pair
from hidet.utils import cdiv

warps = 4


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16'], capability=80, dynamic=True)
@tune.space(1, tiles_m=[1, 2])
@tune.space(2, tiles_m=[1, 2, 4], tiles_n=[1, 2, 3, 4])
def conv2d(task, target, tiles_m=None, tiles_n=None):
    """`tiles_m`, `tiles_n`: of a warp, 16 pixels and 8 features each."""
    x_type, w_type = task.inputs
    y_type = task.outputs[0]
    dtype = x_type.dtype
    images, height, width, channels = x_type.shape
    features, per_group, filter_h, filter_w = w_type.shape
    _, rows, columns, _ = y_type.shape
    groups = task.attrs['groups']
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)
    taps, pixels = filter_h * filter_w, images * rows * columns
    usual_pixels, pixel_count = tune.typical(pixels), tune.index(pixels)

    tune.check(isinstance(rows * columns * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(groups > 1, 'there must be groups')
    tune.check(w_type.dtype == dtype and y_type.dtype == dtype, 'input, weights and result must have one dtype')
    tune.check(usual_pixels * features > 0, 'there must be results')
    made = features // groups  # of a group
    tune.check(per_group % 8 == 0 and made % 8 == 0, 'a group must have multiples of 8 channels and features')
    if tiles_n is None:
        tiles_n = 4
        while made % (tiles_n * 8):
            tiles_n -= 1
    tune.check(made % (tiles_n * 8) == 0, 'the tiles of a warp must divide a group')
    if tiles_m is None:
        # Weights are read once for two tiles, where there is work for all multiprocessors all the same.
        tiles_m = 2 if usual_pixels * features >= target.multiprocessors * 16 * 1024 else 1
    warp_m, warp_n = tiles_m * 16, tiles_n * 8
    down, across = tune.index(cdiv(pixels, warp_m * warps)), features // warp_n
    tune.check(across <= 65535 and usual_pixels < 2**31, 'there are too many tiles for a grid')

    # Where channels that are read at once begin, and how many of them a lane reads.
    runs = [(start, 8) for start in range(0, per_group - 31, 32)]
    left_over = per_group % 32
    if left_over >= 16:
        runs.append((per_group - left_over, 4))
    if left_over % 16:
        runs.append((per_group - 8, 2))
    is_half = dtype.name == 'float16'
    wide_config = MmaConfig.m16n8k16_f16_f32() if is_half else MmaConfig.m16n8k16_bf16_f32()
    narrow_config = MmaConfig.m16n8k8_f16_f32() if is_half else MmaConfig.m16n8k8_bf16_f32()
    unrolled = 'u' if taps * len(runs) <= 18 else '.'
    w_shape = w_type.permuted([0, 2, 3, 1]).shape
    is_dependent = target.capability >= 90

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(
            x: dtype[images, height, width, channels], w: dtype[features, taps, per_group], y: dtype[pixels, features]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'conv2d'
            attrs.cuda.grid_dim = down, across
            attrs.cuda.block_dim = warps * 32

            if is_dependent:
                griddepcontrol_launch_dependents()
            lane = threadIdx.x % 32
            quarter = lane % 4
            first = (blockIdx.x * warps + threadIdx.x // 32) * warp_m
            feature = blockIdx.y * warp_n
            channel = feature // made * per_group
            regs_a = register_tensor(dtype, shape=[tiles_m, 2, 8])
            regs_b = register_tensor(dtype, shape=[tiles_n, 2, 4])
            sums = register_tensor(f32, shape=[tiles_m, tiles_n, 4])
            for m, n, i in grid(tiles_m, tiles_n, 4, attrs='u'):
                sums[m, n, i] = 0.0
            if is_dependent:
                griddepcontrol_wait()

            for tap in grid(taps, attrs=unrolled):
                for start, run in meta.each(runs):
                    for m, half in grid(tiles_m, 2, attrs='u'):
                        # What lies outside of the image is read at its edge instead, and is zero.
                        p = min(first + m * 16 + half * 8 + lane // 4, max(pixel_count, 1) - 1)
                        h = p // columns % rows * stride_h + tap // filter_w * dilation_h - top
                        v = p % columns * stride_w + tap % filter_w * dilation_w - left
                        is_inside = 0 <= h and h < height and 0 <= v and v < width
                        inside_h = min(max(h, 0), height - 1)
                        inside_v = min(max(v, 0), width - 1)
                        image = p // (rows * columns)
                        for e in grid(run, attrs='u'):
                            value = x[image, inside_h, inside_v, channel + start + quarter * run + e]
                            regs_a[m, e // 4, e % 4 // 2 * 4 + half * 2 + e % 2] = value if is_inside else dtype(0.0)
                    for n in grid(tiles_n, attrs='u'):
                        # A lane ends with neighbours: of 8 columns it has two, and the next two are those of the next tile.
                        f = feature + lane // 8 * (tiles_n * 2) + n * 2 + lane // 4 % 2
                        for e in grid(run, attrs='u'):
                            regs_b[n, e // 4, e % 4] = w[f, tap, start + quarter * run + e]
                    for m, n in grid(tiles_m, tiles_n, attrs='u'):
                        if run == 2:
                            mma_sync(narrow_config, ~regs_a[m, 0, 0], ~regs_b[n, 0, 0], ~sums[m, n, 0])
                        else:
                            for k in grid(run // 4, attrs='u'):
                                mma_sync(wide_config, ~regs_a[m, k, 0], ~regs_b[n, k, 0], ~sums[m, n, 0])

            for m, half in grid(tiles_m, 2, attrs='u'):
                to = first + m * 16 + half * 8 + lane // 4
                if to < pixel_count:
                    for i in grid(tiles_n * 2, attrs='u'):
                        value = sums[m, i // 2, half * 2 + i % 2]
                        y[to, feature + quarter * (tiles_n * 2) + i] = cast(value, dtype)

        @hidet.script
        def launch(x: dtype[images, height, width, channels], w: dtype[w_shape], y: dtype[pixels, features]):
            attrs.func_kind = 'public'
            kernel(x, w, y)

    return script_module
