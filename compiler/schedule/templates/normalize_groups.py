# SPDX-License-Identifier: Apache-2.0
"""Normalisation of groups of channels over all pixels of an image, channels last: f16, bf16 or f32, sums in f32.

All that counts is that memory is read once and written once, in runs that are longer than a group's few channels. So the blocks of
a cluster share the pixels of several groups that lie beside each other; a thread has 16 bytes of channels, or of what fits to the
groups, of pixels that it keeps in its registers. Images that are too large for that are read a second time.

Each thread takes the squares of its elements around one of them, and means are told as what they are apart from the group's first
element, so that a large one hides nothing. Then warps add up what the threads of a group have, around their common mean, and the
blocks tell each other.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import rsqrt
from hidet.lang import attrs, cast, f32, grid, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, syncthreads, this_cluster, threadIdx
from hidet.utils import cdiv, prod

at_once = 64  # elements that a thread keeps


@hidet.template('NormalizeChannelLast', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, threads=[128, 256, 512])
@tune.space(2, units=[1, 2, 4, 8], threads=[128, 256, 512], cluster=[1, 2, 4, 8])
def normalize_groups(task, target, units=None, threads=None, cluster=None):
    """`units`: groups, or pieces of several, beside each other; `threads`: of a block; `cluster`: blocks that share the pixels."""
    dtype = task.inputs[0].dtype
    shape = task.inputs[0].shape
    rows, pixels, channels, groups = shape[0], prod(shape[1:-1]), shape[-1], task.attrs['groups']
    columns = channels // groups  # of a group
    usual_rows = tune.typical(rows)
    epsilon = task.attrs['epsilon']
    is_dependent = target.capability >= 90

    tune.check(task.outputs[0].dtype == dtype, 'the result must have the dtype of the input')
    tune.check(task.attrs.get('accumulate_dtype', f32) == f32, 'sums are in f32')
    tune.check(isinstance(pixels * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(usual_rows * pixels * channels > 0, 'there must be elements')
    wide = 8  # channels of a piece, all of one group or of whole groups
    while channels % wide or (columns % wide and wide % columns):
        wide //= 2
    unit = max(columns, wide)
    pieces = unit // wide  # of a unit
    several = unit // columns  # groups of a unit
    own = wide // several  # channels that a piece has of each
    count = channels // unit
    tune.check(pieces <= 512, 'a block must have a thread for each piece of a group')
    most = target.cluster_blocks if is_dependent else 1
    if units is None:
        # A sector of memory, or two if that leaves no multiprocessor idle.
        choices = [n for n in range(1, min(count, 512 // pieces) + 1) if count % n == 0]
        units = ([n for n in choices if n * unit >= 16] or [choices[-1]])[0]
        longer = ([n for n in choices if n * unit >= 32] or [units])[0]
        if usual_rows * (count // longer) * most >= target.multiprocessors:
            units = longer
    tune.check(count % units == 0, 'units must divide the channels')
    across = units * pieces  # threads beside each other
    total = pixels * across * wide
    if threads is None:
        threads = 128
        while threads < 512 and (total > threads * 32 or threads < across):
            threads *= 2
    tune.check(threads % 32 == 0 and across <= threads <= 1024, 'a block must have whole warps, and a thread for each piece')
    slabs = count // units
    if cluster is None:
        cluster = 1
        while cluster < most and (
            total > threads * cluster * 32
            or (usual_rows * slabs * cluster * 2 <= target.multiprocessors and total > threads * cluster * 8)
        ):
            cluster *= 2
    tune.check(cluster == 1 or is_dependent, 'there are no clusters')
    tune.check(usual_rows * slabs * cluster < 2**31, 'there are too many blocks for a grid')
    down = threads // across  # pixels beside each other
    each = cdiv(pixels, down * cluster)  # pixels of a thread
    is_kept = each * wide <= at_once
    together = each if is_kept else max(at_once // 2 // wide, 1)
    turns = cdiv(each, together)
    is_even = turns * together * down * cluster == pixels and down * across == threads
    kept = dtype if is_kept else f32
    warps = threads // 32
    of_block = units * several  # groups
    steps = [16, 8, 4, 2, 1]

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[rows, pixels, channels], y: dtype[rows, pixels, channels]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'normalize_groups'
            attrs.cuda.grid_dim = rows * slabs * cluster
            attrs.cuda.block_dim = threads
            if cluster > 1:
                attrs.cuda.cluster_dim = cluster

            if is_dependent:
                griddepcontrol_launch_dependents()
            rank = 0
            if cluster > 1:
                rank = this_cluster.block_rank
                this_cluster.sync()  # nobody's shared memory is written before he is there
            row = blockIdx.x // (slabs * cluster)
            piece = threadIdx.x % across
            channel = (blockIdx.x // cluster % slabs * across + piece) * wide
            start = rank * (each * down)  # of the block's pixels
            first = start + threadIdx.x // across
            mine = each  # pixels of this thread; those behind the last one are read elsewhere, and do not count
            if not is_even:
                mine = min(max((pixels - first + down - 1) // down, 0), each) if threadIdx.x < down * across else 0
            part_of_mine = 1.0 / max(cast(mine * own, f32), 1.0)  # a division takes long: it is over when memory answers
            if is_dependent:
                griddepcontrol_wait()

            values = register_tensor(kept, shape=[together, wide])
            firsts = register_tensor(f32, shape=[several])  # of the groups: means are apart from them
            origins = register_tensor(f32, shape=[several])
            sums = register_tensor(f32, shape=[several])
            squares = register_tensor(f32, shape=[several])
            for s in grid(several, attrs='u'):
                sums[s] = 0.0
                squares[s] = 0.0
                firsts[s] = cast(x[row, 0, (channel + s * own) // columns * columns], f32)
                if not is_kept:
                    origins[s] = cast(x[row, min(first, pixels - 1), channel + s * own], f32)
            for turn in range(turns):
                for i in meta.range(together):
                    pixel = first + (turn * together + i) * down
                    if not is_even:
                        pixel = min(pixel, pixels - 1)
                    for e in grid(wide, attrs='u'):
                        values[i, e] = cast(x[row, pixel, channel + e], kept)
                if is_kept:
                    for s in grid(several, attrs='u'):
                        origins[s] = cast(values[0, s * own], f32)
                for i in meta.range(together):
                    for e in grid(wide, attrs='u'):
                        distance = cast(values[i, e], f32) - origins[e // own]
                        if not is_even:
                            distance = distance if turn * together + i < mine else f32(0.0)
                        sums[e // own] += distance
                        squares[e // own] += distance * distance

            # What each thread has, then what the block has of each of its groups.
            of_threads = shared_tensor(f32, shape=[2, several, threads])  # means, squares
            of_blocks = shared_tensor(f32, shape=[2, cluster, of_block])
            for s in grid(several, attrs='u'):
                of_threads[0, s, threadIdx.x] = origins[s] - firsts[s] + sums[s] * part_of_mine
                of_threads[1, s, threadIdx.x] = squares[s] - sums[s] * sums[s] * part_of_mine
            syncthreads()
            warp = threadIdx.x // 32
            lane = threadIdx.x % 32
            block_pixels = min(max(pixels - start, 0), each * down)
            for turn in range(cdiv(of_block, warps)):
                group = turn * warps + warp
                if group < of_block:
                    mean = f32(0.0)
                    for i in grid(cdiv(down * pieces, 32), attrs='u'):
                        place = i * 32 + lane
                        if place < down * pieces:
                            thread = place // pieces * across + group // several * pieces + place % pieces
                            theirs = min(max((pixels - start - place // pieces + down - 1) // down, 0), each)
                            mean += cast(theirs * own, f32) * of_threads[0, group % several, thread]
                    for step in meta.each(steps):
                        mean += shfl_xor_sync(0xFFFFFFFF, mean, step)
                    mean = mean / max(cast(block_pixels * columns, f32), 1.0)
                    around = f32(0.0)
                    for i in grid(cdiv(down * pieces, 32), attrs='u'):
                        place = i * 32 + lane
                        if place < down * pieces:
                            thread = place // pieces * across + group // several * pieces + place % pieces
                            theirs = min(max((pixels - start - place // pieces + down - 1) // down, 0), each)
                            apart = of_threads[0, group % several, thread] - mean
                            around += of_threads[1, group % several, thread] + cast(theirs * own, f32) * apart * apart
                    for step in meta.each(steps):
                        around += shfl_xor_sync(0xFFFFFFFF, around, step)
                    if lane < cluster:
                        if cluster > 1:
                            this_cluster.map_shared_rank(~of_blocks[0, rank, group], lane, f32)[0] = mean
                            this_cluster.map_shared_rank(~of_blocks[1, rank, group], lane, f32)[0] = around
                        else:
                            of_blocks[0, 0, group] = mean
                            of_blocks[1, 0, group] = around
            if cluster > 1:
                this_cluster.sync()
            else:
                syncthreads()

            means = register_tensor(f32, shape=[several])
            scales = register_tensor(f32, shape=[several])
            for s in grid(several, attrs='u'):
                group = piece // pieces * several + s
                means[s] = of_blocks[0, 0, group]
                around = of_blocks[1, 0, group]
                if cluster > 1:
                    means[s] = 0.0
                    for i in grid(cluster, attrs='u'):
                        theirs = min(max(pixels - i * (each * down), 0), each * down)
                        means[s] += cast(theirs, f32) * (1.0 / pixels) * of_blocks[0, i, group]
                    around = 0.0
                    for i in grid(cluster, attrs='u'):
                        theirs = min(max(pixels - i * (each * down), 0), each * down)
                        apart = of_blocks[0, i, group] - means[s]
                        around += of_blocks[1, i, group] + cast(theirs * columns, f32) * apart * apart
                scales[s] = rsqrt(around * (1.0 / (pixels * columns)) + epsilon)
            for turn in range(turns):
                if not is_kept:
                    for i in meta.range(together):
                        pixel = min(first + (turn * together + i) * down, pixels - 1)
                        for e in grid(wide, attrs='u'):
                            values[i, e] = cast(x[row, pixel, channel + e], kept)
                for i in meta.range(together):
                    if is_even or turn * together + i < mine:
                        for e in grid(wide, attrs='u'):
                            value = (cast(values[i, e], f32) - firsts[e // own] - means[e // own]) * scales[e // own]
                            y[row, first + (turn * together + i) * down, channel + e] = cast(value, dtype)

        @hidet.script
        def launch(x: dtype[rows, pixels, channels], y: dtype[rows, pixels, channels]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module
