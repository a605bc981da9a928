# SPDX-License-Identifier: Apache-2.0
"""Permutations of dimensions that stay kernels of their own: any dtype of 2 or 4 bytes.

Dimensions that stay beside each other count as one. What is left brings another dimension (`rows`) to the place of the last one
of the input (`columns`), and the others may change places too. Memory would be read along the columns and written with large
steps, or the other way round; so tiles of 128 bytes in both directions go through shared memory, and a thread reads and writes
16 bytes at a time. All of its reads are under way before it writes the first into shared memory.

A row of a tile has all banks. Eight threads that write 128 bytes of the result read the same columns of eight groups of rows, so
the pieces of a row change places with the number of its group (exclusive or): then they lie in different banks.

Where the last dimension stays, its rows are copied as they are, 16 bytes a thread.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang import attrs, cast, f32, f32x2, f32x4, grid, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.utils import cdiv, prod

threads = 256


def joined(shape, axes):
    """The same permutation of as few dimensions as it has: the extents of the input, and which comes at which place."""
    kept = [axis for axis in range(len(shape)) if not tune.same(shape[axis], 1)]
    runs = []
    for axis in axes:
        if tune.same(shape[axis], 1):
            continue
        place = kept.index(axis)
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    firsts = sorted([run[0] for run in runs])
    places = [firsts.index(run[0]) for run in runs]
    extents = [0] * len(runs)
    for run, place in zip(runs, places):
        extents[place] = prod([shape[kept[each]] for each in run])
    return extents, places


def wide_of(extent, size):
    """Elements of a piece: 16 bytes, or of what divides the extent."""
    wide = 16 // size
    while extent % wide:
        wide //= 2
    return wide


def rows_module(task, target, extents, places, wide):
    """The last dimension stays."""
    dtype = task.inputs[0].dtype
    is_dependent = target.capability >= 90
    total = prod(extents)
    piece_count = tune.index(total // wide)
    pieces = extents[-1] // wide  # of a row
    # From the last dimension but one on: how many there are in the result, and how many pieces apart in the input.
    others = [(tune.index(extents[place]), tune.index(prod(extents[place + 1 :]) // wide)) for place in places[:-1]][::-1]

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[total], y: dtype[total]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'permute'
            attrs.cuda.grid_dim = cdiv(piece_count, threads)
            attrs.cuda.block_dim = threads

            if is_dependent:
                griddepcontrol_launch_dependents()
            index = blockIdx.x * threads + threadIdx.x
            source = index % pieces
            rest = index // pieces
            for extent, step in meta.each(others):
                source += rest % extent * step
                rest = rest // extent
            if is_dependent:
                griddepcontrol_wait()
            first = source
            if index < piece_count:
                for e in grid(wide, attrs='u'):
                    y[index * wide + e] = x[first * wide + e]

        @hidet.script
        def launch(x: dtype[total], y: dtype[total]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


def tiles_module(task, target, extents, places, size):
    dtype = task.inputs[0].dtype
    is_dependent = target.capability >= 90
    total = prod(extents)
    results = [extents[place] for place in places]
    index = tune.index
    rows, columns = results[-1], extents[-1]
    tile = 128 // size  # rows and columns
    piece = 16 // size
    read, written = wide_of(columns, size), wide_of(rows, size)  # elements of an access
    reads, writes = tile * tile // (read * threads), tile * tile // (written * threads)  # of a thread
    # How many accesses apart rows lie in the input, columns in the result, and the other dimensions in both.
    row_step = index(prod(extents[places[-1] + 1 :]) // read)
    column_step = index(prod(results[places.index(len(extents) - 1) + 1 :]) // written)
    others = []
    for at, place in enumerate(places):
        if place not in [places[-1], len(extents) - 1]:
            steps = index(prod(extents[place + 1 :]) // read), index(prod(results[at + 1 :]) // written)
            others.insert(0, (index(extents[place]), steps[0], steps[1]))
    vector = {16: f32x4, 8: f32x2, 4: f32}.get(read * size, dtype)  # an access, whatever its elements are
    read_row, written_column = tile // read, tile // written  # accesses
    down, across = cdiv(rows, tile), cdiv(columns, tile)
    blocks = index(total // (rows * columns) * down * across)
    tune.check(tune.typical(blocks) < 2**31, 'there are too many tiles for a grid')

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[total], y: dtype[total]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'transpose'
            attrs.cuda.grid_dim = blocks
            attrs.cuda.block_dim = threads

            if is_dependent:
                griddepcontrol_launch_dependents()
            # Tiles beside each other in the result go to blocks that run at the same time.
            first_row = blockIdx.x % down * tile
            first_column = blockIdx.x // down % across * tile
            rest = blockIdx.x // (down * across)
            source = 0
            place = 0
            for extent, step, result_step in meta.each(others):
                source += rest % extent * step
                place += rest % extent * result_step
                rest = rest // extent
            from_first, to_first = source, place
            shared = shared_tensor(dtype, shape=[tile, 8, piece])
            values = register_tensor(dtype, shape=[reads, read])
            if is_dependent:
                griddepcontrol_wait()

            # What lies behind an edge is read elsewhere, so that no read has to wait for a condition.
            for i in grid(reads, attrs='u'):
                at = i * threads + threadIdx.x
                from_row = min(first_row + at // read_row, rows - 1)
                from_column = min(first_column // read + at % read_row, columns // read - 1)
                for e in grid(read, attrs='u'):
                    values[i, e] = x[(from_first + from_row * row_step + from_column) * read + e]
            for i in grid(reads, attrs='u'):
                to = i * threads + threadIdx.x
                r = to // read_row
                c = to % read_row  # accesses
                to_piece = ~shared[r, (c * read // piece) ^ (r // piece), c % (piece // read) * read]
                cast(to_piece, ~vector)[0] = cast(~values[i, 0], ~vector)[0]
            syncthreads()
            for i in grid(writes, attrs='u'):
                which = i * threads + threadIdx.x
                column = which // written_column
                row = which % written_column * written
                if first_row + row < rows and first_column + column < columns:
                    to_row = first_row // written + which % written_column
                    for e in grid(written, attrs='u'):
                        value = shared[row + e, (column // piece) ^ (row // piece), column % piece]
                        y[(to_first + (first_column + column) * column_step + to_row) * written + e] = value

        @hidet.script
        def launch(x: dtype[total], y: dtype[total]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


def module_of(task, target, axes):
    shape = task.inputs[0].shape
    size = task.inputs[0].dtype.nbytes
    tune.check(task.outputs[0].dtype == task.inputs[0].dtype, 'the result must have the dtype of the input')
    tune.check(0 < tune.typical(prod(shape)) < 2**31, 'indices must have 32 bits, and there must be elements')
    extents, places = joined(shape, [axis % len(shape) for axis in axes])
    tune.check(len(extents) > 1, 'something must move')
    if places[-1] == len(extents) - 1:
        tune.check(isinstance(extents[-1], int), 'the length of a row must be known')
        wide = wide_of(extents[-1], size)
        tune.check(wide > 1, 'rows must be pieces of several elements')
        return rows_module(task, target, extents, places, wide)
    tune.check(isinstance(extents[places[-1]] * extents[-1], int), 'rows and columns must be known in number')
    tune.check(min(extents[places[-1]], extents[-1]) * size >= 32, 'a few rows or columns need no tiles')
    return tiles_module(task, target, extents, places, size)


@hidet.template('PermuteDims', dtypes=['float16', 'bfloat16', 'float32', 'int32', 'uint32', 'int16', 'uint16'], dynamic=True)
def permute_dims(task, target):
    return module_of(task, target, task.attrs['axes'])


@hidet.template('TransposeOp2D', dtypes=['float16', 'bfloat16', 'float32', 'int32', 'uint32', 'int16', 'uint16'], dynamic=True)
def transpose2d(task, target):
    return module_of(task, target, [1, 0])
