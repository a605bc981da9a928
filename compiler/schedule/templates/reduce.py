# SPDX-License-Identifier: Apache-2.0
"""Reductions over one or two runs of dimensions, and means of whole images: f16, bf16 or f32, in f32.

The tensor is [outer, length, inner], and what is reduced is the length. All that counts is that memory is read with enough
accesses under way, so a thread reads pieces of 16 bytes, four of them before it adds up the first.

* Where inner is 1, the length is a row. Lanes of a warp share it, or the warps of a block, or the blocks of a cluster. A row may
  be of several groups, each in another place, as the elements of a channel are in each image.
* Otherwise a thread has neighbouring columns. The threads beside it have the next ones, so that a warp reads whole lines of
  memory; the threads below have other parts of the length, and so do the blocks of a cluster. They meet in shared memory, and
  add up in the same order every time.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import sqrt
from hidet.lang import attrs, cast, f32, grid, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, syncthreads, this_cluster, threadIdx
from hidet.templates import power_of_two
from hidet.utils import cdiv, prod

neutral = {'product': 1.0, 'max': float('-inf'), 'min': float('inf')}  # 0 of all others
together = 4  # pieces that a thread reads before it adds them up


def three_dims(shape, dims):
    """[outer, length, inner], where length is what is reduced; nothing if that does not lie together."""
    axes = [axis % len(shape) for axis in dims] or list(range(len(shape)))
    reduced = [axis for axis in axes if not tune.same(shape[axis], 1)]
    if not reduced:
        return None
    first, last = min(reduced), max(reduced)
    if any([not tune.same(shape[axis], 1) and axis not in reduced for axis in range(first, last)]):
        return None
    return prod(shape[:first]), prod(shape[first : last + 1]), prod(shape[last + 1 :])


def grouped_dims(shape, dims):
    """[outer, groups, inner, columns], where groups and columns are reduced; nothing if that is not so."""
    axes = [axis % len(shape) for axis in dims]
    runs = []  # of neighbours, all reduced or all not
    for axis in range(len(shape)):
        if tune.same(shape[axis], 1):
            continue
        if runs and runs[-1][0] == (axis in axes):
            runs[-1][1] *= shape[axis]
        else:
            runs.append([axis in axes, shape[axis]])
    if runs and runs[0][0]:
        runs.insert(0, [False, 1])
    if [run[0] for run in runs] != [False, True, False, True]:
        return None
    return [run[1] for run in runs]


def define_functions(kind, length):
    """Functions of the module that is being made: what an element counts, what two become, and what is made of the end."""

    @hidet.script
    def term(value: f32) -> f32:
        if kind == 'l1':
            return abs(value)
        elif kind in ['l2', 'squares']:
            return value * value
        else:
            return value

    @hidet.script
    def join(a: f32, b: f32) -> f32:
        # A NaN is larger and smaller than all.
        if kind == 'max':
            return b if b > a or b != b else a
        elif kind == 'min':
            return b if b < a or b != b else a
        elif kind == 'product':
            return a * b
        else:
            return a + b

    @hidet.script
    def finish(value: f32) -> f32:
        if kind == 'mean':
            return value * (1.0 / length)
        elif kind == 'l2':
            return sqrt(value)
        else:
            return value

    return term, join, finish


def rows_module(task, target, kind, form, threads, cluster):
    """`form`: grouped_dims(); `threads`: of a block that share a row; `cluster`: blocks that share it."""
    outer, groups, inner, columns = form
    rows = outer * inner
    usual_rows, row_count = tune.typical(rows), tune.index(rows)
    dtype = task.inputs[0].dtype
    is_dependent = target.capability >= 90
    start = neutral.get(kind, 0.0)
    wide = 4 if dtype == f32 else 8  # columns of a piece
    while columns % wide:
        wide //= 2
    is_single = tune.same(outer, 1)
    in_group = columns // wide
    pieces = groups * in_group
    if threads is None:
        # A warp for a row that is four pieces a thread then, and two pieces a thread for a longer one, if there are rows enough
        # for all multiprocessors; else one, up to that.
        threads = min(power_of_two(pieces), 32)
        while pieces > 128 and threads < 512 and threads * 2 < pieces:
            threads *= 2
        while 32 <= threads < min(pieces, 1024) and usual_rows * threads < target.multiprocessors * 128:
            threads *= 2
    if cluster is None:
        cluster = 1
        most = target.cluster_blocks if is_dependent and threads >= 512 else 1
        while cluster < most and usual_rows * cluster * 2 <= target.multiprocessors and threads * cluster * together < pieces:
            cluster *= 2
    tune.check(threads == power_of_two(threads) and threads <= 1024, 'the threads of a row must be a power of two')
    tune.check(cluster == 1 or (is_dependent and threads > 32), 'only blocks with one row make clusters')
    rows_each = 1  # of a block
    if threads <= 32:
        rows_each = 32 // threads  # of a warp
        while rows_each * threads < 128 and usual_rows > rows_each * target.multiprocessors:
            rows_each *= 2
    tune.check(cdiv(usual_rows, rows_each) * cluster < 2**31, 'there are too many rows for a grid')
    warps = cdiv(threads, 32)
    parts = warps * cluster  # of a row, each what a warp has
    share = threads * cluster
    at_once = min(together, cdiv(pieces, share))
    turns = cdiv(pieces, share * at_once)
    is_even = turns * at_once * share == pieces
    steps = [step for step in [16, 8, 4, 2, 1] if step < threads]  # between lanes that share a row
    part_steps = [step for step in [16, 8, 4, 2, 1] if step < parts]

    with hidet.script_module() as script_module:
        term, join, finish = define_functions(kind, groups * columns)

        @hidet.script
        def kernel(x: dtype[outer, groups, inner, columns], y: dtype[rows]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'reduce_' + kind
            attrs.cuda.grid_dim = cdiv(rows, rows_each) * cluster
            attrs.cuda.block_dim = threads * rows_each
            if cluster > 1:
                attrs.cuda.cluster_dim = cluster

            if is_dependent:
                griddepcontrol_launch_dependents()
            rank = 0
            if cluster > 1:
                rank = this_cluster.block_rank
                this_cluster.sync()  # nobody's shared memory is written before he is there
            wanted = blockIdx.x // cluster * rows_each + threadIdx.x // threads
            row = min(wanted, max(row_count, 1) - 1)  # lanes without a row take part in shuffles
            image = 0 if is_single else row // inner
            channel = row if is_single else row % inner
            thread = rank * threads + threadIdx.x % threads
            if is_dependent:
                griddepcontrol_wait()

            # What lies behind the row is read elsewhere, so that no read has to wait for a condition.
            results = register_tensor(f32, shape=[wide])
            values = register_tensor(f32, shape=[at_once, wide])
            for e in grid(wide, attrs='u'):
                results[e] = start
            for turn in range(turns):
                for i in grid(at_once, attrs='u'):
                    piece = (turn * at_once + i) * share + thread
                    inside = piece if is_even else min(piece, pieces - 1)
                    group = 0 if groups == 1 else inside // in_group
                    column = (inside if groups == 1 else inside % in_group) * wide
                    for e in grid(wide, attrs='u'):
                        value = term(cast(x[image, group, channel, column + e], f32))
                        values[i, e] = value if is_even or piece < pieces else f32(start)
                for i, e in grid(at_once, wide, attrs='u'):
                    results[e] = join(results[e], values[i, e])
            result = results[0]
            for e in meta.range(wide - 1):
                result = join(result, results[e + 1])
            for step in meta.each(steps):
                result = join(result, shfl_xor_sync(0xFFFFFFFF, result, step))

            if parts > 1:
                lane = threadIdx.x % 32
                shared = shared_tensor(f32, shape=[parts])
                if lane == 0:
                    at = ~shared[rank * warps + threadIdx.x // 32]
                    if cluster > 1:
                        at = this_cluster.map_shared_rank(at, 0, f32)
                    at[0] = result
                if cluster > 1:
                    this_cluster.sync()
                else:
                    syncthreads()
                result = start
                for i in grid(cdiv(parts, 32), attrs='u'):
                    result = join(result, shared[i * 32 + lane % min(parts, 32)])
                for step in meta.each(part_steps):
                    result = join(result, shfl_xor_sync(0xFFFFFFFF, result, step))

            if thread == 0 and (row_count % rows_each == 0 or wanted < row_count):
                y[row] = cast(finish(result), dtype)

        @hidet.script
        def launch(x: dtype[outer, groups, inner, columns], y: dtype[rows]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


def columns_module(task, target, kind, outer, length, inner, threads, cluster):
    """`threads`: of a block; `cluster`: blocks that share columns."""
    dtype = task.inputs[0].dtype
    size = 4 if dtype == f32 else 2
    is_dependent = target.capability >= 90
    start = neutral.get(kind, 0.0)
    wide = 16 // size  # columns of a piece
    while inner % wide:
        wide //= 2
    pieces = inner // wide
    most = 1  # blocks that can share columns: each with enough of the length
    while is_dependent and most < target.cluster_blocks and most * 256 <= length:
        most *= 2
    # As many threads beside each other as leave work for all multiprocessors, but enough for rows of 64 bytes.
    lanes = min(128, power_of_two(pieces))
    usual_outer = tune.typical(outer)
    while lanes * wide * size > 64 and usual_outer * cdiv(pieces, lanes) * most < target.multiprocessors * 2:
        lanes //= 2
    blocks, usual_blocks = outer * cdiv(pieces, lanes), usual_outer * cdiv(pieces, lanes)
    if threads is None:
        threads = max(lanes, 32)
        while threads < 512 and threads < lanes * length and usual_blocks * threads < target.multiprocessors * 1024:
            threads *= 2
    deep = threads // lanes  # threads that share columns
    tune.check(deep > 0 and threads >= 32 and threads == power_of_two(threads), 'whole warps must have all columns of a block')
    if cluster is None:
        cluster = 1
        while cluster < most and usual_blocks * cluster * threads < target.multiprocessors * 1024:
            cluster *= 2
    tune.check(cluster == 1 or is_dependent, 'clusters are of newer machines')
    tune.check(usual_blocks * cluster < 2**31, 'there are too many blocks for a grid')
    columns = lanes * wide  # of a block
    parts = min(deep, threads // 32)  # of a column, each what a warp has
    steps = [step for step in [16, 8, 4, 2, 1] if step >= lanes]  # between lanes that share columns
    tune.check((parts + cluster) * columns <= 8192, 'what warps have must fit into shared memory')
    share = deep * cluster
    at_once = min(together, cdiv(length, share))
    turns = cdiv(length, share * at_once)
    is_even = turns * at_once * share == length
    across = cdiv(pieces, lanes)

    with hidet.script_module() as script_module:
        term, join, finish = define_functions(kind, length)

        @hidet.script
        def kernel(x: dtype[outer, length, inner], y: dtype[outer, inner]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'reduce_' + kind
            attrs.cuda.grid_dim = blocks * cluster
            attrs.cuda.block_dim = threads
            if cluster > 1:
                attrs.cuda.cluster_dim = cluster

            if is_dependent:
                griddepcontrol_launch_dependents()
            rank = 0
            if cluster > 1:
                rank = this_cluster.block_rank
                this_cluster.sync()  # nobody's shared memory is written before he is there
            image = blockIdx.x // cluster // across
            first = blockIdx.x // cluster % across * lanes  # piece of the block
            lane = threadIdx.x % lanes
            depth = threadIdx.x // lanes
            column = min(first + lane, pieces - 1) * wide
            if is_dependent:
                griddepcontrol_wait()

            # What lies behind an edge is read elsewhere, so that no read has to wait for a condition.
            results = register_tensor(f32, shape=[wide])
            values = register_tensor(f32, shape=[at_once, wide])
            for e in grid(wide, attrs='u'):
                results[e] = start
            for turn in range(turns):
                for i in grid(at_once, attrs='u'):
                    row = (turn * at_once + i) * share + rank * deep + depth
                    inside = row if is_even else min(row, length - 1)
                    for e in grid(wide, attrs='u'):
                        value = term(cast(x[image, inside, column + e], f32))
                        values[i, e] = value if is_even or row < length else f32(start)
                for i, e in grid(at_once, wide, attrs='u'):
                    results[e] = join(results[e], values[i, e])

            if share == 1:
                if first + lane < pieces:
                    for e in grid(wide, attrs='u'):
                        y[image, column + e] = cast(finish(results[e]), dtype)
            else:
                for step in meta.each(steps):
                    for e in grid(wide, attrs='u'):
                        results[e] = join(results[e], shfl_xor_sync(0xFFFFFFFF, results[e], step))
                shared = shared_tensor(f32, shape=[parts, columns])
                if threadIdx.x % 32 < lanes:
                    for e in grid(wide, attrs='u'):
                        shared[threadIdx.x // max(lanes, 32), lane * wide + e] = results[e]
                syncthreads()
                of_blocks = shared_tensor(f32, shape=[cluster, columns])
                for i in range(cdiv(columns, threads)):
                    mine = i * threads + threadIdx.x
                    if mine < columns:
                        result = f32(start)
                        for k in grid(parts, attrs='u'):
                            result = join(result, shared[k, mine])
                        if cluster > 1:
                            this_cluster.map_shared_rank(~of_blocks[rank, mine], 0, f32)[0] = result
                        elif first * wide + mine < inner:
                            y[image, first * wide + mine] = cast(finish(result), dtype)
                if cluster > 1:
                    this_cluster.sync()
                    for i in range(cdiv(columns, threads)):
                        own = i * threads + threadIdx.x
                        if rank == 0 and own < columns and first * wide + own < inner:
                            total = f32(start)
                            for k in grid(cluster, attrs='u'):
                                total = join(total, of_blocks[k, own])
                            y[image, first * wide + own] = cast(finish(total), dtype)

        @hidet.script
        def launch(x: dtype[outer, length, inner], y: dtype[outer, inner]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


def module_of(task, target, kind, dims, threads, cluster):
    shape = task.inputs[0].shape
    form = three_dims(shape, dims)
    grouped = grouped_dims(shape, dims) if form is None else None
    tune.check(form is not None or grouped is not None, 'the dimensions must lie together, or some of them last and others together')
    tune.check(task.outputs[0].dtype == task.inputs[0].dtype, 'the result must have the dtype of the input')
    tune.check(tune.typical(prod(shape)) > 0, 'there must be elements')
    length = prod([shape[axis] for axis in dims]) if dims else prod(shape)
    tune.check(isinstance(length, int), 'what is reduced must have known extents')
    if grouped is not None:
        return rows_module(task, target, kind, grouped, threads, cluster)
    outer, length, inner = form
    if tune.same(inner, 1):
        return rows_module(task, target, kind, [1, 1, outer, length], threads, cluster)
    tune.check(isinstance(inner, int), 'the columns must have known extents')
    return columns_module(task, target, kind, outer, length, inner, threads, cluster)


def numbers(value):
    """An attribute with numbers, or with one for all dimensions."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def mean_of_image(task, target, is_last, threads, cluster):
    """A pool with one result an image and channel: of all of its elements."""
    shape = task.inputs[0].shape
    spatial = list(range(1, len(shape) - 1)) if is_last else list(range(2, len(shape)))
    results = [task.outputs[0].shape[axis] for axis in spatial]
    tune.check(prod(results) == 1, 'there must be one result for an image')
    if 'kernel' in task.attrs:
        kernel = numbers(task.attrs['kernel'])
        extents = [shape[axis] for axis in spatial]
        is_whole = kernel == [] or kernel == extents or kernel * len(spatial) == extents
        tune.check(is_whole and not any(numbers(task.attrs['padding'])), 'the window must be the image')
        tune.check(task.attrs['divisor_override'] == 0, 'means are of all elements')
    return module_of(task, target, 'mean', spatial, threads, cluster)


dtypes = ['float16', 'bfloat16', 'float32']


@hidet.template('ReduceSum', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_sum(task, target, threads=None, cluster=None):
    return module_of(task, target, 'sum', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceMean', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_mean(task, target, threads=None, cluster=None):
    return module_of(task, target, 'mean', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceMax', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_max(task, target, threads=None, cluster=None):
    return module_of(task, target, 'max', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceMin', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_min(task, target, threads=None, cluster=None):
    return module_of(task, target, 'min', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceProd', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_product(task, target, threads=None, cluster=None):
    return module_of(task, target, 'product', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceL1', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_l1(task, target, threads=None, cluster=None):
    return module_of(task, target, 'l1', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceL2', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_l2(task, target, threads=None, cluster=None):
    return module_of(task, target, 'l2', task.attrs['dims'], threads, cluster)


@hidet.template('ReduceSumSquare', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def reduce_squares(task, target, threads=None, cluster=None):
    return module_of(task, target, 'squares', task.attrs['dims'], threads, cluster)


@hidet.template('AdaptiveAvgPool2d', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def adaptive_avg_pool2d(task, target, threads=None, cluster=None):
    return mean_of_image(task, target, False, threads, cluster)


@hidet.template('AdaptiveAvgPool2dChannelLast', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def adaptive_avg_pool2d_channel_last(task, target, threads=None, cluster=None):
    return mean_of_image(task, target, True, threads, cluster)


@hidet.template('AvgPool2d', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def avg_pool2d(task, target, threads=None, cluster=None):
    return mean_of_image(task, target, False, threads, cluster)


@hidet.template('AvgPool2dChannelLast', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def avg_pool2d_channel_last(task, target, threads=None, cluster=None):
    return mean_of_image(task, target, True, threads, cluster)


@hidet.template('AvgPoolNd', dtypes=dtypes, dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def avg_pool_nd(task, target, threads=None, cluster=None):
    return mean_of_image(task, target, False, threads, cluster)
