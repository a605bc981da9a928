# SPDX-License-Identifier: Apache-2.0
"""Product of a few rows with a large matrix: what a language model does for each token, as fast as memory gives the weights.

With 64 rows of a or fewer nothing is multiplied often enough to wait for the tensor cores: what counts is that every
multiprocessor has as many bytes of b on their way as its shared memory holds. So

* the roles are swapped: wgmma wants 64 rows of its first factor, so that is b, transposed as it is read unless it is so, and
  the few rows of a are the narrow second factor of 8, 16, 32 or 64 columns. No row is wasted, and the tile of c is transposed;
* stages are small and many: 8 KB of b and some of a, up to 24 of them;
* there are about as many blocks as multiprocessors, whatever the shape: where too few columns exist, the blocks of a cluster
  share a tile and split the sum. Their parts meet in shared memory, so there is no second kernel and no memory for it, and
  the order of additions is always the same: up to 8 rows are written to the block that adds them up, which has room for that
  beside its stages; of more, each block reads the others' parts, where the stages were;
* a model runs many such products after each other, and weights do not depend on the one before: the kernel is launched before
  that has ended (griddepcontrol), fills its stages with weights, and only then waits for its predecessor's results;
* rows that are to be normalised first are so in each block, which has no need of more than their elements: a kernel that did it
  once would have to end before any block could begin;
* of a gate and what it lets through, which read the same rows, a block has 64 columns each, and multiplies them in the end.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import (
    barrier_sync,
    copy_tensor_g2s,
    create_tensor_map,
    fence_barrier_init,
    fence_view_async_shared,
    griddepcontrol_launch_dependents,
    griddepcontrol_wait,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    prefetch_tensor_map,
    wgmma_fence_operand,
)
from hidet.ir.primitives.math import rsqrt
from hidet.lang import OpaqueType, attrs, cast, f32, grid, meta, register_tensor, shared_tensor, tensor_pointer, u32, u64
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    shfl_xor_sync,
    syncthreads,
    this_cluster,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.templates import gated, product_extents
from hidet.utils import cdiv

spare_bytes = 6 * 1024  # of shared memory, for barriers and what the system takes
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def module_of(task, target, groups, split, block_k, most_stages, is_normal):
    """`groups`: of four warps with 64 columns each; `split`: blocks that share a tile, each with a part of k."""
    batch, batch_a, m, n, k = product_extents(task)
    dtype_gain = task.inputs[2].dtype if is_normal else task.inputs[0].dtype
    epsilon = task.attrs['epsilon'] if is_normal else 0.0
    has_wide_gain = dtype_gain != task.inputs[0].dtype
    has_gain = is_normal and task.inputs[2].is_constant  # need not be waited for
    is_gated = is_normal and len(task.inputs) > 3
    dtype, dtype_c = task.inputs[0].dtype, task.outputs[0].dtype
    transposed = task.attrs['transpose_b']
    usual_m, usual_batch = tune.typical(m), tune.typical(batch)
    tune.check(0 < usual_m <= 64, 'that is for few rows')
    tune.check(task.inputs[1].dtype == dtype, 'both factors must have one type')
    tune.check(n * k * usual_batch > 0, 'there is nothing to multiply')
    tune.check(n % 8 == 0 and k % 8 == 0, 'rows must be multiples of 16 bytes for the copy unit')
    tune.check(not is_normal or (isinstance(m, int) and m <= 8 and batch == 1), 'only few rows are normalised in each block')

    # About as many blocks as multiprocessors. Where there are far more columns than that takes, three blocks share a
    # multiprocessor, so that all of them are there at once: with 8 small stages each where the tile of a is small, too, else
    # with 4 of twice the columns.
    tiles = usual_batch * cdiv(n, 64)
    is_wide = tiles > target.multiprocessors
    is_light = is_wide and usual_m <= 8
    groups = groups or (2 if is_gated else 1 if usual_m <= 8 or tiles * 2 <= target.multiprocessors else 2)
    # Four blocks for a tile, where that is one or one and a half for each multiprocessor, and the sum is long or each block has
    # to normalise its part of the rows. Rings of the longest are small: the kernels before and behind are there as well.
    is_shared = usual_m <= 8 and tiles > 16 and tiles * 8 <= target.multiprocessors * 3
    is_long = is_shared and k >= n * 4
    # Stages twice as long halve the waits, if there are enough of them still or so few tiles that it does not matter.
    block_k = block_k or (128 if tiles <= 16 or (k >= 2048 and not is_wide and not is_gated and not is_long) else 64)
    steps = cdiv(k, block_k)
    if split is None:
        split = 4 if tiles <= 16 or (is_wide and not is_light) or is_long or (is_shared and is_normal) else 2
        while split > 1 and k < 384 * split:  # the parts must be worth the exchange between blocks
            split //= 2
    tune.check(groups in (1, 2) and block_k in (64, 128), 'tiles have one or two parts of 64 columns and of 64 of the sum')
    tune.check(not is_gated or groups == 2, 'a gate and what it lets through are parts of their own')
    tune.check(split <= steps, 'every block needs a step')
    narrow = 8 if usual_m <= 8 else 16 if usual_m <= 16 else 32 if usual_m <= 32 else 64
    tune.check(m <= narrow, 'all rows must be in one tile')
    columns = groups * 64
    wide = 64 if is_gated else columns  # of the result
    parts_c = columns // wide
    across = cdiv(n, wide)
    parts = block_k // 64  # of the tile of a: rows of 128 bytes
    tile_a, tile_b = narrow * block_k, block_k * columns  # elements
    tiles_a = cdiv(steps, split) * parts  # of 64 elements of each row, where all that a block needs is there from the beginning
    bytes_a = tiles_a * narrow * 128 if is_normal else 0
    stage_bytes = (tile_b if is_normal else tile_a + tile_b) * 2
    pitch = columns + 4  # of a row of the sums, so that columns of it lie in different banks
    is_sent = split > 1 and narrow == 8  # parts of sums are, to the block that adds them up
    part_bytes = narrow * pitch * 4
    sent_bytes = split * part_bytes if is_sent else 0
    # Of few rows, two blocks fit into a multiprocessor: that of the next kernel fetches weights while this one ends.
    room = target.shared_per_block_optin - spare_bytes
    if most_stages is None:
        most_stages = 4 if is_wide and not is_light else 6 if is_long else 24
        if is_light:
            most_stages = max((target.shared_per_block_optin // 3 - spare_bytes - bytes_a) // stage_bytes, 3) if is_normal else 8
    room = (room // 2 if narrow == 8 else room) - sent_bytes - bytes_a
    tune.check(room >= stage_bytes, 'rows are too long to be in each block')
    stages = min(most_stages, cdiv(steps, split), room // stage_bytes)
    threads = groups * 128 + 32
    most_rows, rows = m if isinstance(m, int) else narrow, tune.index(m)
    shares = cdiv(most_rows * wide, split * threads)  # elements of the result that a thread adds up
    # Of tiles that several blocks need, memory gives each its share. Parts of sums come from other blocks.
    step_bytes = (tile_a / across + tile_b) * 2
    tune.metric('read_bytes', cdiv(steps, split) * step_bytes + (part_bytes if split > 1 else 0))
    tune.metric('in_flight_bytes', stages * step_bytes)

    config = WgmmaConfig.get(64, narrow, 16, dtype, dtype, f32)
    # A box of b has 64 columns and all rows of a step; transposed, 64 of its rows, and 64 of a step.
    boxes = parts if transposed else 1
    boxes_b = [(i, j) for i in range(groups) for j in range(boxes)]
    apart = 0 if is_gated else 64  # columns of the parts of a tile
    box_b = [64, 64, 1] if transposed else [64, block_k, 1]
    shape_a, box_a = [batch_a, m, k], [64, narrow, 1]
    shape_b = [batch, n, k] if transposed else [batch, k, n]
    # Dimensions of maps are from the innermost on: extents, strides in bytes, the box that one copy moves.
    strides_b = [shape_b[2] * 2, n * k * 2]
    has_weight = task.inputs[1].is_constant
    shape_c = [batch, m, n]
    warps = threads // 32
    pieces, pieces_here = k // 8, tiles_a * 8  # of 16 bytes: in a row, and of it in a block

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(
            a_map: tensor_map,
            b_map: tensor_map,
            up_map: tensor_map,
            given: dtype[shape_a],
            gain: dtype_gain[k],
            c: dtype_c[shape_c],
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = split * across * tune.index(batch)
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = max(stages * stage_bytes + bytes_a + sent_bytes, part_bytes)

            griddepcontrol_launch_dependents()
            a_start = stages * tile_b * 2
            smem_b = tensor_pointer(dtype, shape=[stages, groups, block_k, 64], init=dynamic_shared_memory(0, dtype))
            shape_smem_a = [tiles_a, 1, narrow, 64] if is_normal else [stages, parts, narrow, 64]
            smem_a = tensor_pointer(dtype, shape=shape_smem_a, init=dynamic_shared_memory(a_start, dtype))
            part_start = stages * stage_bytes + bytes_a if is_sent else 0
            part = tensor_pointer(f32, shape=[split, narrow, pitch], init=dynamic_shared_memory(part_start, f32))
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])
            rank = blockIdx.x % split
            z = blockIdx.x // (split * across) if not tune.same(batch, 1) else 0
            first = rank * steps // split
            count = (rank + 1) * steps // split - first
            column = blockIdx.x // split % across * wide
            is_producer = threadIdx.x == groups * 128  # a warp of its own
            if is_producer:
                prefetch_tensor_map(~b_map)
                if is_gated:
                    prefetch_tensor_map(~up_map)
                if not is_normal:
                    prefetch_tensor_map(~a_map)
            if threadIdx.x < stages:
                mbarrier_init(~full[threadIdx.x], 1)
                mbarrier_init(~empty[threadIdx.x], groups)
                fence_barrier_init()
            if is_sent:
                this_cluster.sync()  # all blocks are there to be written to
            else:
                syncthreads()

            ahead = min(stages, count) if has_weight else 0
            if is_producer:
                for s in range(ahead):
                    mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                    start = (first + s) * block_k
                    for i, j in meta.each(boxes_b):
                        x = start + j * 64 if transposed else column + i * apart
                        y = column + i * apart if transposed else start
                        copy_tensor_g2s(3, ~smem_b[s, i, j * 64, 0], up_map if is_gated and i else b_map, ~full[s], x, y, z)
            if is_normal:
                row_parts = shared_tensor(f32, shape=[warps, m])
                squares = register_tensor(f32, shape=[m])
                for r in grid(m, attrs='u'):
                    squares[r] = 0.0
                if not has_gain:
                    griddepcontrol_wait()
                gains = register_tensor(dtype_gain, shape=[cdiv(pieces_here, threads), 8])
                for i in grid(cdiv(pieces_here, threads), attrs='u'):
                    at = min(first * block_k + (i * threads + threadIdx.x) * 8, k - 8)
                    for e in grid(8, attrs='u'):
                        gains[i, e] = gain[at + e]
                if has_gain:
                    griddepcontrol_wait()
                for i in grid(cdiv(pieces, threads), attrs='u'):
                    p = i * threads + threadIdx.x
                    if pieces % threads == 0 or p < pieces:
                        for r, e in grid(m, 8, attrs='u'):
                            value = cast(given[0, r, p * 8 + e], f32)
                            squares[r] += value * value
                for r in grid(m, attrs='u'):
                    for step in meta.each([16, 8, 4, 2, 1]):
                        squares[r] += shfl_xor_sync(0xFFFFFFFF, squares[r], step)
                    if threadIdx.x % 32 == 0:
                        row_parts[threadIdx.x // 32, r] = squares[r]
                syncthreads()
                for r in grid(m, attrs='u'):
                    total = f32(0.0)
                    for w in grid(warps, attrs='u'):
                        total += row_parts[w, r]
                    squares[r] = rsqrt(total * (1.0 / k) + epsilon)
                # As the copy unit would lay rows of 128 bytes out. The rows that there are not are zeros.
                for i in grid(cdiv(pieces_here, threads), attrs='u'):
                    p = i * threads + threadIdx.x
                    at = first * block_k + p * 8
                    if pieces_here % threads == 0 or p < pieces_here:
                        for r in grid(narrow, attrs='u'):
                            to = ~smem_a[p // 8, 0, r, (p % 8 ^ r) * 8]
                            if r < m and at < k:
                                for e in grid(8, attrs='u'):
                                    scaled = cast(given[0, r, at + e], f32) * squares[r]
                                    if has_wide_gain:
                                        to[e] = cast(scaled * cast(gains[i, e], f32), dtype)
                                    else:
                                        to[e] = cast(scaled, dtype) * gains[i, e]
                            else:
                                for e in grid(8, attrs='u'):
                                    to[e] = dtype(0.0)
                fence_view_async_shared()
                syncthreads()

            if threadIdx.x // 128 == groups:
                if is_producer:
                    if not is_normal:
                        griddepcontrol_wait()
                    for turn in range(count):
                        s = turn % stages
                        start = (first + turn) * block_k
                        if turn >= ahead:
                            mbarrier_wait(~empty[s], (turn // stages + 1) % 2)  # of a new barrier, parity 1 is over
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                            for i, j in meta.each(boxes_b):
                                x = start + j * 64 if transposed else column + i * apart
                                y = column + i * apart if transposed else start
                                copy_tensor_g2s(3, ~smem_b[s, i, j * 64, 0], up_map if is_gated and i else b_map, ~full[s], x, y, z)
                        if not is_normal:
                            for i in grid(parts, attrs='u'):
                                copy_tensor_g2s(3, ~smem_a[s, i, 0, 0], a_map, ~full[s], start + i * 64, 0, z if batch_a > 1 else 0)
            else:
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                sums = register_tensor(f32, shape=[config.c_elements])
                for i in grid(config.c_elements, attrs='u'):
                    sums[i] = 0.0
                # Addresses in descriptors have 18 bits and are in units of 16 bytes; they are kept as words of 32 bits, and the
                # constant upper halves of the descriptors are put before them at the end.
                first_b = (cvta_generic_to_shared(~smem_b[0, threadIdx.x // 128, 0, 0]) & u32(0x3FFFF)) >> u32(4)
                first_a = (cvta_generic_to_shared(~smem_a[0, 0, 0, 0]) & u32(0x3FFFF)) >> u32(4)
                desc = make_wgmma_desc(16, 1024, 1)
                s, before, phase = 0, stages - 1, 0
                for turn in range(count):
                    mbarrier_wait(~full[s], phase)
                    at_b = first_b + u32(s) * u32(tile_b // 8)
                    at_a = first_a + u32(turn if is_normal else s) * u32(tile_a // 8)
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    # 16 rows of b are 2048 bytes; 16 columns of a, or of b if that is transposed, 32, and 64 of them a box.
                    for i in grid(block_k // 16, attrs='u'):
                        step_b = i // 4 * 512 + i % 4 * 2 if transposed else i * 128
                        b = desc | cast(at_b + u32(step_b), u64)
                        a = desc | cast(at_a + u32(i // 4 * (narrow * 8) + i % 4 * 2), u64)
                        wgmma_async(config, b, ~sums[0], a, trans_a=0 if transposed else 1)
                    wgmma_commit_group()
                    # The products of the step before are done when one group is under way: its stage is free.
                    wgmma_wait_group(1)
                    wgmma_fence_operand(sums)
                    if turn > 0 and thread == 0:
                        mbarrier_arrive(~empty[before])
                    before = s
                    s += 1
                    if s == stages:
                        s = 0
                        phase = 1 - phase
                wgmma_wait_group(0)
                wgmma_fence_operand(sums)

                if not is_sent:
                    barrier_sync(1, groups * 128)  # nobody reads the stages any more
                for t, h, e in grid(narrow // 8, 2, 2, attrs='u'):
                    across_tile = threadIdx.x // 32 * 16 + h * 8 + lane // 4
                    row = t * 8 + lane % 4 * 2 + e
                    if is_sent:
                        if row < rows:
                            owner = (row * wide + across_tile % wide) // threads % split
                            this_cluster.map_shared_rank(~part[rank, row, across_tile], owner, f32)[0] = sums[t * 4 + h * 2 + e]
                    else:
                        part[0, row, across_tile] = sums[t * 4 + h * 2 + e]
            if split > 1:
                this_cluster.sync()
            else:
                syncthreads()
            # Each block adds up its share of the elements. All loads of a thread are under way at once.
            totals = register_tensor(f32, shape=[shares, parts_c])
            for i, half in grid(shares, parts_c, attrs='u'):
                element = (i * split + rank) * threads + threadIdx.x
                totals[i, half] = 0.0
                if is_sent:
                    if element < rows * wide:
                        for other in grid(split, attrs='u'):
                            totals[i, half] += part[other, element // wide, half * wide + element % wide]
                else:
                    element = min(element, rows * wide - 1)
                    at = ~part[0, element // wide, half * wide + element % wide]
                    for other in grid(split, attrs='u'):
                        totals[i, half] += this_cluster.map_shared_rank(at, other, f32)[0] if split > 1 else at[0]
            if split > 1 and not is_sent:
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
            for i in grid(shares, attrs='u'):
                element = (i * split + rank) * threads + threadIdx.x
                p = column + element % wide
                if element < rows * wide and p < n:
                    total = gated(task.attrs['gate'], totals[i, 0], totals[i, 1]) if is_gated else totals[i, 0]
                    c[z, element // wide, p] = cast(total, dtype_c)

        if is_gated:

            @hidet.script
            def launch(
                a: dtype[shape_a], b: dtype[shape_b], gain: dtype_gain[k], up: dtype[shape_b], c: dtype_c[shape_c]
            ):
                attrs.func_kind = 'public'
                b_map: OpaqueType('CUtensorMap')
                up_map: OpaqueType('CUtensorMap')
                create_tensor_map(~b_map, dtype, 3, b, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~up_map, dtype, 3, up, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', '128B')
                matmul(b_map, b_map, up_map, a, gain, c)

        elif is_normal:

            @hidet.script
            def launch(a: dtype[shape_a], b: dtype[shape_b], gain: dtype_gain[k], c: dtype_c[shape_c]):
                attrs.func_kind = 'public'
                b_map: OpaqueType('CUtensorMap')
                create_tensor_map(~b_map, dtype, 3, b, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', '128B')
                matmul(b_map, b_map, b_map, a, gain, c)

        else:

            @hidet.script
            def launch(a: dtype[shape_a], b: dtype[shape_b], c: dtype_c[shape_c]):
                attrs.func_kind = 'public'
                a_map: OpaqueType('CUtensorMap')
                b_map: OpaqueType('CUtensorMap')
                create_tensor_map(~a_map, dtype, 3, a, shape_a[::-1], [k * 2, m * k * 2], box_a, [1, 1, 1], 'NONE', '128B')
                create_tensor_map(~b_map, dtype, 3, b, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', '128B')
                matmul(a_map, b_map, b_map, a, a, c)

    return script_module


@hidet.template('Matmul', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, groups=[1, 2], split=[1, 2, 4], block_k=[64, 128])
@tune.space(2, groups=[1, 2], split=[1, 2, 4, 8], block_k=[64, 128], most_stages=[4, 8, 12, 24])
def matmul(task, target, groups=None, split=None, block_k=None, most_stages=None):
    return module_of(task, target, groups, split, block_k, most_stages, is_normal=False)


@hidet.template('RmsMatmul', dtypes=['float16', 'bfloat16'], capability=90)
@tune.space(1, groups=[1, 2], split=[1, 2, 4], block_k=[64, 128])
@tune.space(2, groups=[1, 2], split=[1, 2, 4, 8], block_k=[64, 128], most_stages=[4, 8, 12, 24])
def rms_matmul(task, target, groups=None, split=None, block_k=None, most_stages=None):
    return module_of(task, target, groups, split, block_k, most_stages, is_normal=True)
