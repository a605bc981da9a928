# SPDX-License-Identifier: Apache-2.0
"""Softmax of rows, and its logarithm: f16, bf16 or f32, exponentials and sums in f32.

All that counts is that memory is read once and written once, with enough accesses under way. So a row stays in the registers
of the threads that share it: lanes of a warp for a short row, the warps of a block for a longer one, the blocks of a cluster
for one that is longer still or where rows are too few for all multiprocessors. A thread has pieces of 16 bytes, or of what
divides a row, and reads all of them before it computes anything. Rows that do not fit into registers are read twice: the
second time most of them are still in the cache.

Exponentials overflow for large elements, so the largest one is taken out. A warp takes out the largest one of its own elements
and adds up. Then the warps tell each other both numbers, once, and what differs between their largest elements and that of the
row is one factor for all elements of a warp. The machine has powers of 2, so what is left is multiplied by what makes them those
of e.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.math import exp2, log
from hidet.lang import attrs, cast, f32, grid, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, syncthreads, this_cluster, threadIdx
from hidet.templates import power_of_two
from hidet.utils import cdiv, prod

least = -3.4028234663852886e38  # of f32: what is no element must not become the largest one
log2_e = 1.4426950408889634


def module_of(task, target, is_log, threads, cluster):
    """`threads`: of a block that share a row; `cluster`: blocks that share it."""
    dtype = task.inputs[0].dtype
    shape = task.inputs[0].shape
    axis = task.attrs['axis'] % len(shape)
    rows, columns = prod(shape[:axis]), shape[axis]
    usual_rows, row_count = tune.typical(rows), tune.index(rows)
    is_dependent = target.capability >= 90

    tune.check(task.outputs[0].dtype == dtype, 'the result must have the dtype of the input')
    tune.check(isinstance(columns, int), 'the length of a row must be known')
    tune.check(tune.same(prod(shape[axis + 1 :]), 1), 'elements of a row must lie together')
    tune.check(usual_rows * columns > 0, 'there must be elements')
    wide = 4 if dtype == f32 else 8  # columns of a piece
    while columns % wide:
        wide //= 2
    pieces = columns // wide
    if threads is None:
        # At most 16 elements a thread; 32 where that keeps a row within a warp, or a block from filling half a multiprocessor.
        # Fewer where multiprocessors would be idle.
        threads = min(power_of_two(pieces), 32)
        # Shuffles cost more than a few elements do, where a warp has several rows and there are enough warps.
        while threads > 4 and cdiv(pieces * 2, threads) * wide <= 8 and usual_rows * threads >= target.multiprocessors * 1024:
            threads //= 2
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
    is_held = each * wide <= (32 if threads == 1024 else 64)
    tune.check(is_held or threads >= 512, 'the threads of a long row must be many')
    together = each if is_held else 16 // wide  # pieces that are read before anything is computed
    turns = cdiv(each, together)
    rows_each = 1  # of a block
    if threads <= 32:
        rows_each = 32 // threads  # of a warp
        while rows_each * threads < 128 and usual_rows > rows_each * target.multiprocessors:
            rows_each *= 2
    tune.check(cdiv(usual_rows, rows_each) * cluster < 2**31, 'there are too many rows for a grid')
    warps = cdiv(threads, 32)
    parts = warps * cluster  # of a row, each what a warp has
    share = threads * cluster
    is_even = turns * together * share == pieces
    steps = [step for step in [16, 8, 4, 2, 1] if step < threads]  # between lanes that share a row
    part_steps = [step for step in [16, 8, 4, 2, 1] if step < parts]

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[rows, columns], y: dtype[rows, columns]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'log_softmax' if is_log else 'softmax'
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
            if is_dependent:
                griddepcontrol_wait()

            # What lies behind the row is read elsewhere, so that no read has to wait for a condition.
            values = register_tensor(f32, shape=[together, wide])
            largest = f32(least)
            total = f32(0.0)
            for turn in range(turns):
                before = largest
                for i in grid(together, attrs='u'):
                    piece = (turn * together + i) * share + thread
                    inside = piece if is_even else min(piece, pieces - 1)
                    for e in grid(wide, attrs='u'):
                        value = cast(x[row, inside * wide + e], f32)
                        values[i, e] = value if is_even or piece < pieces else f32(least)
                for i, e in grid(together, wide, attrs='u'):
                    largest = max(largest, values[i, e])
                if is_held:
                    for step in meta.each(steps):
                        largest = max(largest, shfl_xor_sync(0xFFFFFFFF, largest, step))
                else:
                    total = total * exp2((before - largest) * log2_e)
                for i in grid(together, attrs='u'):
                    piece = (turn * together + i) * share + thread
                    for e in grid(wide, attrs='u'):
                        power = exp2((values[i, e] - largest) * log2_e)
                        if not is_even:
                            power = power if piece < pieces else f32(0.0)
                        total += power
                        if is_held and not is_log:
                            values[i, e] = power
            own = largest
            if not is_held:
                for step in meta.each(steps):
                    largest = max(largest, shfl_xor_sync(0xFFFFFFFF, largest, step))
                total = total * exp2((own - largest) * log2_e)
                own = largest
            for step in meta.each(steps):
                total += shfl_xor_sync(0xFFFFFFFF, total, step)

            if parts > 1:
                warp = threadIdx.x // 32
                lane = threadIdx.x % 32
                shared = shared_tensor(f32, shape=[2, parts])  # largest elements and sums
                if lane < cluster:
                    part = rank * warps + warp
                    if cluster > 1:
                        this_cluster.map_shared_rank(~shared[0, part], lane, f32)[0] = largest
                        this_cluster.map_shared_rank(~shared[1, part], lane, f32)[0] = total
                    else:
                        shared[0, part] = largest
                        shared[1, part] = total
                if cluster > 1:
                    this_cluster.sync()
                else:
                    syncthreads()
                for i in grid(cdiv(parts, 32), attrs='u'):
                    largest = max(largest, shared[0, i * 32 + lane % min(parts, 32)])
                for step in meta.each(part_steps):
                    largest = max(largest, shfl_xor_sync(0xFFFFFFFF, largest, step))
                total = 0.0
                for i in grid(cdiv(parts, 32), attrs='u'):
                    part = i * 32 + lane % min(parts, 32)
                    total += shared[1, part] * exp2((shared[0, part] - largest) * log2_e)
                for step in meta.each(part_steps):
                    total += shfl_xor_sync(0xFFFFFFFF, total, step)

            # Of the logarithm this is subtracted, else multiplied.
            last = log(total) if is_log else f32(1.0) / total
            if is_held and not is_log and parts > 1:
                last = last * exp2((own - largest) * log2_e)
            if row_count % rows_each == 0 or wanted < row_count:
                for turn in range(turns):
                    for i in grid(together, attrs='u'):
                        piece = (turn * together + i) * share + thread
                        if is_even or piece < pieces:
                            for e in grid(wide, attrs='u'):
                                value = values[i, e] if is_held else cast(x[row, piece * wide + e], f32)
                                if is_log:
                                    y[row, piece * wide + e] = cast(value - largest - last, dtype)
                                elif is_held:
                                    y[row, piece * wide + e] = cast(value * last, dtype)
                                else:
                                    y[row, piece * wide + e] = cast(exp2((value - largest) * log2_e) * last, dtype)

        @hidet.script
        def launch(x: dtype[rows, columns], y: dtype[rows, columns]):
            attrs.func_kind = 'public'
            kernel(x, y)

    return script_module


@hidet.template('Softmax', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def softmax(task, target, threads=None, cluster=None):
    return module_of(task, target, False, threads, cluster)


@hidet.template('LogSoftmax', dtypes=['float16', 'bfloat16', 'float32'], dynamic=True)
@tune.space(1, threads=[32, 64, 128, 256, 512])
@tune.space(2, threads=[4, 8, 16, 32, 64, 128, 256, 512, 1024], cluster=[1, 2, 4, 8])
def log_softmax(task, target, threads=None, cluster=None):
    return module_of(task, target, True, threads, cluster)
