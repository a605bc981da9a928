# SPDX-License-Identifier: Apache-2.0
"""Rows of a table by their numbers, as embeddings are: any dtype of 2 or 4 bytes.

What lies behind the chosen dimension is a row that is copied as it is, 16 bytes a thread or what divides it; threads beside each
other have pieces of the same row. A number counts from the end when it is negative. One that is outside finds NaN, or 0 where
the dtype has none: the thread reads a row that is there, so that no read has to wait for a condition, and does not take it.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.lang import attrs, cast, grid, i32
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.utils import cdiv, prod

threads = 256


@hidet.template('Take', dtypes=['float16', 'bfloat16', 'float32', 'int32', 'uint32', 'int16', 'uint16'], dynamic=True)
def take(task, target):
    x_type, chosen_type = task.inputs
    dtype = x_type.dtype
    index_type = chosen_type.dtype
    axis = task.attrs['axis'] % len(x_type.shape)
    outer, extent, columns = prod(x_type.shape[:axis]), x_type.shape[axis], prod(x_type.shape[axis + 1 :])
    count = prod(chosen_type.shape)
    is_dependent = target.capability >= 90

    tune.check(task.outputs[0].dtype == dtype, 'the result must have the dtype of the table')
    tune.check(isinstance(outer * extent * columns, int), 'the table must have known extents')
    usual_count = tune.typical(count)
    tune.check(outer * extent * columns * usual_count > 0, 'there must be rows')
    tune.check(outer * extent * columns < 2**31, 'places in the table must have 32 bits')
    wide = 16 // dtype.nbytes
    while columns % wide:
        wide //= 2
    tune.check(wide > 1, 'rows must be pieces of several elements')
    pieces = columns // wide
    total = tune.index(outer * count * pieces)
    tune.check(outer * usual_count * pieces < 2**31 - threads, 'there are too many pieces for a grid')
    counted = tune.index(count)
    nothing = float('nan') if dtype.is_float() else 0

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[outer, extent, columns], chosen: index_type[count], y: dtype[outer, count, columns]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'take'
            attrs.cuda.grid_dim = cdiv(total, threads)
            attrs.cuda.block_dim = threads

            if is_dependent:
                griddepcontrol_launch_dependents()
            thread = blockIdx.x * threads + threadIdx.x
            piece = thread % pieces
            place = thread // pieces % counted
            image = thread // (pieces * counted)
            if is_dependent:
                griddepcontrol_wait()

            if thread < total:
                number = chosen[place]
                found = number
                if task.attrs['from_end']:
                    found = number + extent if number < 0 else number
                is_inside = 0 <= found and found < extent
                row = cast(found, i32) if is_inside else 0
                for e in grid(wide, attrs='u'):
                    value = x[image, row, piece * wide + e]
                    y[image, place, piece * wide + e] = value if is_inside else dtype(nothing)

        @hidet.script
        def launch(x: dtype[outer, extent, columns], chosen: index_type[count], y: dtype[outer, count, columns]):
            attrs.func_kind = 'public'
            kernel(x, chosen, y)

    return script_module
