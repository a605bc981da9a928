# SPDX-License-Identifier: Apache-2.0
"""Normalisation of rows, with or without their mean: f16, bf16 or f32, sums in f32.

All that counts is that memory is read once and written once, with enough accesses under way. So a row stays in the registers
of the threads that share it: lanes of a warp for a short row, the warps of a block for a longer one, the blocks of a cluster
for one that is longer still or where rows are too few for all multiprocessors. A thread has pieces of 16 bytes, or of what
divides a row, and reads all of them before it computes anything.

The mean of the squares minus the square of the mean is a small difference of large numbers where the mean is large. Each warp
takes the squares around a number of its own instead, while its elements are in registers: of 16-bit floats around one of its
elements, so that sums and squares go along with each other as elements arrive (what is lost is at most a bit for each doubling
of their number); of others around their mean, which takes a second pass, of elements less the row's first one: a large mean,
rounded, would hide what they are apart. Then the warps tell each other their means and squares, once, and the squares around the mean of the
row are those, plus what the means are apart.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import rsqrt
from hidet.lang import attrs, cast, f32, grid, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_sync, shfl_xor_sync, syncthreads, this_cluster, threadIdx
from hidet.templates import power_of_two
from hidet.utils import cdiv, prod


def rows_and_columns(shape, dims):
    """Extents of the matrix whose rows are reduced; columns are 0 where what is reduced does not lie together."""
    reduced = [axis % len(shape) for axis in dims] or list(range(len(shape)))
    kept = [axis for axis in range(len(shape)) if axis not in reduced and not tune.same(shape[axis], 1)]
    first = kept[-1] + 1 if kept else 0
    if any(not tune.same(shape[axis], 1) for axis in reduced if axis < first):
        return 0, 0
    return prod(shape[:first]), prod(shape[first:])


def module_of(task, target, has_mean, threads, cluster):
    """`threads`: of a block that share a row; `cluster`: blocks that share it."""
    dtype = task.inputs[0].dtype
    rows, columns = rows_and_columns(task.inputs[0].shape, task.attrs['dims'])
    usual_rows, row_count = tune.typical(rows), tune.index(rows)
    epsilon = task.attrs['epsilon']
    is_dependent = target.capability >= 90

    tune.check(task.outputs[0].dtype == dtype, 'the result must have the dtype of the input')
    tune.check(task.attrs.get('accumulate_dtype', f32) == f32, 'sums are in f32')
    tune.check(isinstance(columns, int), 'the length of a row must be known')
    tune.check(usual_rows * columns > 0, 'what is normalised must be rows, and not empty')
    wide = 4 if dtype == f32 else 8  # columns of a piece
    while columns % wide:
        wide //= 2
    pieces = columns // wide
    if threads is None:
        # At most 16 elements a thread; 32 where that keeps a row within a warp, or a block from filling half a multiprocessor.
        # Fewer where multiprocessors would be idle.
        threads = min(power_of_two(pieces), 32)
        most = 32 if columns <= 1024 else 16
        largest = 512 if is_dependent else 1024  # two blocks of a cluster are faster than a block of as many threads
        while threads < min(pieces, largest) and threads * (most if threads < 512 else 32) < columns:
            threads *= 2
        while 32 <= threads < min(pieces, largest) and usual_rows * threads < target.multiprocessors * 512:
            threads *= 2
    if cluster is None:
        cluster = 1
        while is_dependent and threads >= 512 and cluster < target.cluster_blocks:
            is_spread = usual_rows * cluster * 2 > target.multiprocessors or threads * cluster >= pieces
            if is_spread and threads * cluster * 32 >= columns:
                break
            cluster *= 2
    tune.check(threads == power_of_two(threads) and threads <= 1024, 'the threads of a row must be a power of two')
    tune.check(cluster == 1 or (is_dependent and threads > 32), 'only blocks with one row make clusters')
    each = cdiv(pieces, threads * cluster)  # pieces of a thread
    tune.check(each * wide <= (32 if threads == 1024 else 64), 'a row must fit into registers')
    rows_each = 1  # of a block
    if threads <= 32:
        rows_each = 32 // threads  # of a warp
        while rows_each * threads < 128 and usual_rows > rows_each * target.multiprocessors:
            rows_each *= 2
    tune.check(cdiv(usual_rows, rows_each) * cluster < 2**31, 'there are too many rows for a grid')
    warps = cdiv(threads, 32)
    parts = warps * cluster  # of a row, each what a warp has
    share = threads * cluster
    is_even = each * share == pieces
    is_shifted = has_mean and dtype != f32  # squares around an element
    is_from_first = has_mean and dtype == f32
    kept = dtype if is_shifted else f32  # of registers: those of two elements are one
    lanes = min(threads, 32)  # of a warp that share a row
    steps = [step for step in [16, 8, 4, 2, 1] if step < threads]  # between lanes that share a row
    part_steps = [step for step in [16, 8, 4, 2, 1] if step < parts]

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[rows, columns], y: dtype[rows, columns]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'normalize' if has_mean else 'rms_normalize'
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
            thread = rank * threads + threadIdx.x % threads
            count = f32(columns)  # of the elements that these threads have
            part_of_each = f32(1.0 / columns)
            if parts > 1:
                count = f32(each * 32 * wide)
                if not is_even:
                    behind = (each - 1) * share + rank * threads + threadIdx.x // 32 * 32
                    count = cast((each - 1) * 32 * wide + min(max(pieces - behind, 0), 32) * wide, f32)
                part_of_each = 1.0 / max(count, 1.0)  # a division takes long: it is over when memory answers
            if is_dependent:
                griddepcontrol_wait()

            # Only the last piece of a thread may lie behind the row. It is read elsewhere then, so that no read has to wait for
            # a condition.
            values = register_tensor(kept, shape=[each, wide])
            if is_from_first:
                first = x[row, 0]
            for i in meta.range(each):
                if is_even or i < each - 1:
                    for e in grid(wide, attrs='u'):
                        values[i, e] = cast(x[row, (i * share + thread) * wide + e], kept)
                        if is_from_first:
                            values[i, e] -= first
                else:
                    inside = min(i * share + thread, pieces - 1)
                    for e in grid(wide, attrs='u'):
                        value = cast(x[row, inside * wide + e], kept)
                        if is_from_first:
                            value -= first
                        values[i, e] = value if i * share + thread < pieces else kept(0.0)

            mean = f32(0.0)
            squares = f32(0.0)
            if is_shifted:
                origin = shfl_sync(0xFFFFFFFF, cast(values[0, 0], f32), threadIdx.x % 32 // lanes * lanes)
                total = f32(0.0)
                for i in meta.range(each):
                    for e in grid(wide, attrs='u'):
                        distance = cast(values[i, e], f32) - origin
                        if not is_even and i == each - 1:
                            distance = distance if i * share + thread < pieces else f32(0.0)
                        total += distance
                        squares += distance * distance
                for step in meta.each(steps):
                    total += shfl_xor_sync(0xFFFFFFFF, total, step)
                    squares += shfl_xor_sync(0xFFFFFFFF, squares, step)
                mean = origin + total * part_of_each
                squares = squares - total * total * part_of_each
            else:
                if has_mean:
                    for i, e in grid(each, wide, attrs='u'):
                        mean += values[i, e]
                    for step in meta.each(steps):
                        mean += shfl_xor_sync(0xFFFFFFFF, mean, step)
                    mean = mean * part_of_each
                for i in meta.range(each):
                    for e in grid(wide, attrs='u'):
                        distance = values[i, e] - mean
                        if has_mean and not is_even and i == each - 1:
                            distance = distance if i * share + thread < pieces else f32(0.0)
                        squares += distance * distance
                for step in meta.each(steps):
                    squares += shfl_xor_sync(0xFFFFFFFF, squares, step)

            if parts > 1:
                warp = threadIdx.x // 32
                lane = threadIdx.x % 32
                shared = shared_tensor(f32, shape=[3, parts])  # counts, means, squares
                if lane < cluster:
                    part = rank * warps + warp
                    if cluster > 1:
                        this_cluster.map_shared_rank(~shared[0, part], lane, f32)[0] = count
                        this_cluster.map_shared_rank(~shared[1, part], lane, f32)[0] = mean
                        this_cluster.map_shared_rank(~shared[2, part], lane, f32)[0] = squares
                    else:
                        shared[0, part] = count
                        shared[1, part] = mean
                        shared[2, part] = squares
                if cluster > 1:
                    this_cluster.sync()
                else:
                    syncthreads()
                if has_mean:
                    sum_of_all = f32(0.0)
                    for i in grid(cdiv(parts, 32), attrs='u'):
                        part = i * 32 + lane % min(parts, 32)
                        sum_of_all += shared[0, part] * shared[1, part]
                    for step in meta.each(part_steps):
                        sum_of_all += shfl_xor_sync(0xFFFFFFFF, sum_of_all, step)
                    mean = sum_of_all * (1.0 / columns)
                squares = 0.0
                for i in grid(cdiv(parts, 32), attrs='u'):
                    part = i * 32 + lane % min(parts, 32)
                    if has_mean:
                        apart = shared[1, part] - mean
                        squares += shared[0, part] * apart * apart
                    squares += shared[2, part]
                for step in meta.each(part_steps):
                    squares += shfl_xor_sync(0xFFFFFFFF, squares, step)

            scale = rsqrt(squares * (1.0 / columns) + epsilon)
            if row_count % rows_each == 0 or wanted < row_count:
                for k in meta.range(each):
                    if is_even or k < each - 1 or k * share + thread < pieces:
                        for e in grid(wide, attrs='u'):
                            y[row, (k * share + thread) * wide + e] = cast((cast(values[k, e], f32) - mean) * scale, dtype)

        @hidet.script
        def launch(x: dtype[rows, columns], y: dtype[rows, columns]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


@hidet.template('Normalize', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def normalize(task, target, threads=None, cluster=None):
    return module_of(task, target, True, threads, cluster)


@hidet.template('RmsNormalize', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def rms_normalize(task, target, threads=None, cluster=None):
    return module_of(task, target, False, threads, cluster)
