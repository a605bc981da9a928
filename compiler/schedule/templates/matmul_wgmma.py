# SPDX-License-Identifier: Apache-2.0
"""Matrix products of models at batch 1, on Hopper: 16-bit floats, sums in f32, a few microseconds each.

Such a product waits for memory, and for its launch; the tensor cores are idle most of the time. So what counts is how early the
first bytes are asked for, and how many are on their way:

* tiles are small, 64 x 64, so that many multiprocessors take part, each with up to 12 stages of a ring in shared memory. One
  thread, in a warp of its own, gives orders to the copy unit; one or two groups of four warps multiply what has come;
* weights do not depend on the kernel before. The block begins while that still runs (griddepcontrol), fills its ring with
  weights, and only then waits for the activations;
* where tiles are few and sums are long, the blocks of a cluster share a tile and split the sum. The parts meet in shared
  memory: each block adds up its share of the rows from all blocks, so there is no second kernel and no memory for it, and the
  order of additions is always the same.

Where tiles are many it is about bytes for each product instead: two groups with 64 rows each, and up to 256 columns.

Copies fill with zeros what reaches over an edge of the matrices, so any extents do whose rows are multiples of 16 bytes. The
sums go through shared memory, so that a thread gets 8 neighbours of a row of the result, and those of a warp get whole pieces
of rows: what is fused behind the product reads and writes 16 bytes at a time. Sums that are complete are rounded before, and
each warp has room for 16 rows of its own; parts of them meet as they are, where the ring has been.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import (
    barrier_sync,
    copy_tensor_g2s,
    create_tensor_map,
    fence_barrier_init,
    griddepcontrol_launch_dependents,
    griddepcontrol_wait,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    prefetch_tensor_map,
    stmatrix,
    wgmma_fence_operand,
)
from hidet.ir.primitives.math import make_vector
from hidet.lang import (
    OpaqueType,
    attrs,
    cast,
    f32,
    f32x2,
    f32x4,
    grid,
    meta,
    register_tensor,
    shared_tensor,
    tensor_pointer,
    u32,
    u64,
    view,
)
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    syncthreads,
    syncwarp,
    this_cluster,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.lang.layout import row_major
from hidet.templates import product_extents
from hidet.utils import cdiv

block_k = 64  # of the sum: 128 bytes, what a swizzled row has
rows_of_group = 8  # of tiles that run at the same time and share their columns of b in the cache
spare_bytes = 1024  # of shared memory, for barriers and the alignment of what follows them
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def tile_for(batch, m, n, k, multiprocessors):
    """Rows and columns of a tile: small ones, unless there are more of them than multiprocessors."""
    small = batch * cdiv(m, 64) * cdiv(n, 64)
    if small <= multiprocessors:
        # With most multiprocessors at work on long sums, the cache is what limits them: less is read twice.
        return (64, 128) if small * 2 > multiprocessors and m > 64 and k >= 2048 else (64, 64)
    if small <= multiprocessors * 2:
        return 64, 128
    # Rather a third of the multiprocessors idle than a second turn for the others.
    if batch * cdiv(m, 128) * cdiv(n, 256) * 3 >= multiprocessors * 2:
        return 128, 256
    # Narrower tiles that need no more turns keep more multiprocessors at work.
    turns = [cdiv(batch * cdiv(m, 128) * cdiv(n, wide), multiprocessors) for wide in (96, 128)]
    return (128, 96) if turns[0] * 96 < turns[1] * 128 else (128, 128)


def split_for(tiles, k, multiprocessors):
    """Blocks that share a tile: enough to occupy a third of the GPU, each with four steps; short sums are not worth it."""
    split = 1
    while split < 8 and tiles * split * 3 <= multiprocessors and k >= 960 and cdiv(k, block_k) >= split * 8:
        split *= 2
    # Sums twice as long are worth a second block wherever there is room for one.
    return 2 if split == 1 and k >= 2048 and tiles * 2 <= multiprocessors else split


def stages_for(blocks, steps, stage_bytes, bytes_c, target):
    """As many as there are steps, up to 12. Where blocks are more than multiprocessors, two of them share one."""
    room = target.shared_per_block_optin - spare_bytes - bytes_c
    if blocks > target.multiprocessors and stage_bytes * 6 <= room:
        room = target.shared_bytes // 2 - 2 * spare_bytes - bytes_c
    return max(min(12, steps, room // stage_bytes), 1)


@hidet.template('Matmul', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, block_m=[64, 128], block_n=[64, 128], stages=[6, 12], split=[1, 2, 4])
@tune.space(2, block_m=[64, 128], block_n=[32, 64, 96, 128, 256], stages=[2, 3, 4, 6, 7, 8, 10, 12], split=[1, 2, 4, 8])
def matmul(task, target, block_m=None, block_n=None, stages=None, split=None):
    """`stages`: of the ring; `split`: blocks of a cluster that share a tile, each with a part of the sum."""
    batch, batch_a, m, n, k = product_extents(task)
    dtype, dtype_c = task.inputs[0].dtype, task.outputs[0].dtype
    transposed = task.attrs['transpose_b']
    tune.check(task.inputs[1].dtype == dtype, 'both factors must have one type')
    usual_batch, usual_m = tune.typical(batch), tune.typical(m)
    tune.check(usual_m * n * k * usual_batch > 0, 'there is nothing to multiply')
    tune.check(n % 8 == 0 and k % 8 == 0, 'rows must be multiples of 16 bytes for the copy unit')

    tall, wide = tile_for(usual_batch, usual_m, n, k, target.multiprocessors)
    block_m, block_n = block_m or tall, block_n or wide
    tune.check(block_m in (64, 128) and block_n in (32, 64, 96, 128, 256), 'tiles are cut into boxes of 64 rows and 32 or 64 columns')
    down, across, steps = tune.index(cdiv(m, block_m)), cdiv(n, block_n), cdiv(k, block_k)
    tiles = tune.index(batch * cdiv(m, block_m) * across)
    usual_tiles = usual_batch * cdiv(usual_m, block_m) * across
    split = split or split_for(usual_tiles, k, target.multiprocessors)
    steps_each = cdiv(steps, split)  # or one less
    tune.check(split <= steps, 'every block of a cluster needs a step')

    groups = block_m // 64  # of four warps, with 64 rows each
    workers = groups * 128
    tile_a, tile_b = block_m * block_k, block_k * block_n  # elements
    stage_bytes = (tile_a + tile_b) * 2
    width = 32 if block_n % 64 else 64  # columns of a box, and those that are stored at a time
    bytes_c = groups * 64 * width * 2 if split == 1 else 0
    stages = min(stages or stages_for(usual_tiles * split, steps_each, stage_bytes, bytes_c, target), steps_each)
    pitch = block_n + 8  # of a row of sums, so that pairs of 8 rows lie in different banks
    pieces = block_n // 8  # of 8 columns
    shares = cdiv(block_m // split * pieces, workers)  # pieces of the result that a thread adds up
    shared_bytes = max(stages * stage_bytes + bytes_c, block_m * pitch * 4 if split > 1 else 0)
    tune.check(shared_bytes + spare_bytes <= target.shared_per_block_optin, 'the stages do not fit into shared memory')
    # The cache gives tiles that several blocks read, to few blocks faster than to many. Parts of sums come from other blocks.
    share = min(max(usual_tiles * split / target.multiprocessors, 0.5), 1) / 2
    tune.metric('read_bytes', steps_each * stage_bytes * share + (block_m * pitch * 4 if split > 1 else 0))
    tune.metric('in_flight_bytes', stages * stage_bytes * share)

    # A row of b is cut into boxes of the width that is swizzled; transposed, a row of the box is a part of the sum, as for a.
    boxes = 1 if transposed else block_n // width
    box_b = [block_k, block_n, 1] if transposed else [width, block_k, 1]
    shape_a, box_a = [batch_a, m, k], [block_k, block_m, 1]
    shape_b = [batch, n, k] if transposed else [batch, k, n]
    swizzle_b = '128B' if transposed or width == 64 else '64B'
    # Descriptors: layout 1 is the swizzle of 128 bytes, 2 that of 64; 8 rows are as far apart as their bytes.
    leading_b, stride_b, layout_b = (16, 1024, 1) if transposed else (block_k * width * 2, width * 16, 1 if width == 64 else 2)
    step_b = 2 if transposed else width * 2  # 16 of the sum, in units of 16 bytes: 32 bytes, or 16 rows
    config = WgmmaConfig.get(64, block_n, 16, dtype, dtype, f32)
    # Of each warp 16 rows, which lie in different banks.
    layout_c = row_major(groups * 4) + row_major(16, width // 8).swizzle(dim=1) + row_major(8)
    full_groups = down // rows_of_group * rows_of_group
    a_is_weight = task.inputs[0].is_constant and not task.inputs[1].is_constant
    has_weight = task.inputs[0].is_constant or task.inputs[1].is_constant
    shape_c = [batch, m, n]
    rows = tune.index(m)

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a_map: tensor_map, b_map: tensor_map, c: dtype_c[shape_c]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = tiles * split
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = workers + 32
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            a_start = stages * tile_b * 2
            smem_b = tensor_pointer(dtype, shape=[stages, boxes, tile_b // boxes], init=dynamic_shared_memory(0, dtype))
            smem_a = tensor_pointer(dtype, shape=[stages, block_m, block_k], init=dynamic_shared_memory(a_start, dtype))
            part = tensor_pointer(f32, shape=[block_m, pitch], init=dynamic_shared_memory(0, f32))
            c_start = stages * stage_bytes
            smem_c = tensor_pointer(dtype_c, layout=layout_c, init=dynamic_shared_memory(c_start if split == 1 else 0, dtype_c))
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])

            # Which tile: by groups of rows of tiles, column by column.
            rank = blockIdx.x % split
            z = blockIdx.x // split // (down * across) if batch > 1 else 0
            tile = blockIdx.x // split % (down * across)
            in_group = tile % (rows_of_group * across)
            top = tile // (rows_of_group * across) * rows_of_group
            height = rows_of_group if top < full_groups else down - full_groups
            row = (top + in_group % height) * block_m
            column = in_group // height * block_n
            first = rank * steps // split
            count = (rank + 1) * steps // split - first

            thread = threadIdx.x
            is_producer = thread == workers  # a warp of its own
            if is_producer:
                prefetch_tensor_map(~a_map)
                prefetch_tensor_map(~b_map)
            if thread < stages:
                mbarrier_init(~full[thread], 1)
                mbarrier_init(~empty[thread], groups)
                fence_barrier_init()
            syncthreads()

            if thread >= workers:
                if is_producer:
                    ahead = min(stages, count) if has_weight else 0
                    for s in range(ahead):
                        start = (first + s) * block_k
                        mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                        if a_is_weight:
                            copy_tensor_g2s(3, ~smem_a[s, 0, 0], a_map, ~full[s], start, row, z if batch_a > 1 else 0)
                        else:
                            for i in grid(boxes, attrs='u'):
                                x = start if transposed else column + i * width
                                y = column if transposed else start
                                copy_tensor_g2s(3, ~smem_b[s, i, 0], b_map, ~full[s], x, y, z)
                    griddepcontrol_wait()
                    for turn in range(count):
                        s = turn % stages
                        start = (first + turn) * block_k
                        is_new = turn >= ahead
                        if is_new:
                            mbarrier_wait(~empty[s], (turn // stages + 1) % 2)  # of a new barrier, parity 1 is over
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                        if is_new or a_is_weight:
                            for i in grid(boxes, attrs='u'):
                                x = start if transposed else column + i * width
                                y = column if transposed else start
                                copy_tensor_g2s(3, ~smem_b[s, i, 0], b_map, ~full[s], x, y, z)
                        if is_new or not a_is_weight:
                            copy_tensor_g2s(3, ~smem_a[s, 0, 0], a_map, ~full[s], start, row, z if batch_a > 1 else 0)
            else:
                group = thread // 128
                lane = thread % 32
                sums = register_tensor(f32, shape=[config.c_elements])
                for i in grid(config.c_elements, attrs='u'):
                    sums[i] = 0.0
                # Addresses in descriptors have 18 bits and are in units of 16 bytes; they are kept as words of 32 bits, and the
                # constant upper halves of the descriptors are put before them at the end.
                first_a = (cvta_generic_to_shared(~smem_a[0, group * 64, 0]) & u32(0x3FFFF)) >> u32(4)
                first_b = (cvta_generic_to_shared(~smem_b[0, 0, 0]) & u32(0x3FFFF)) >> u32(4)
                desc_a = make_wgmma_desc(16, 1024, 1)
                desc_b = make_wgmma_desc(leading_b, stride_b, layout_b)
                s, before, phase = 0, stages - 1, 0
                for turn in range(count):
                    mbarrier_wait(~full[s], phase)
                    at_a = first_a + u32(s) * u32(tile_a // 8)
                    at_b = first_b + u32(s) * u32(tile_b // 8)
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    for i in grid(block_k // 16, attrs='u'):
                        x = desc_a | cast(at_a + u32(i * 2), u64)
                        y = desc_b | cast(at_b + u32(i * step_b), u64)
                        wgmma_async(config, x, ~sums[0], y, trans_b=0 if transposed else 1)
                    wgmma_commit_group()
                    # The products of the step before are done when one group is under way: its stage is free.
                    wgmma_wait_group(1)
                    wgmma_fence_operand(sums)
                    if turn > 0 and thread % 128 == 0:
                        mbarrier_arrive(~empty[before])
                    before = s
                    s += 1
                    if s == stages:
                        s = 0
                        phase = 1 - phase
                wgmma_wait_group(0)
                wgmma_fence_operand(sums)

                if split > 1:
                    barrier_sync(1, workers)  # nobody reads the stages any more
                    for t, h in grid(block_n // 8, 2, attrs='u'):
                        r = thread // 32 * 16 + h * 8 + lane // 4
                        pair = cast(~part[r, t * 8 + lane % 4 * 2], ~f32x2)
                        pair[0] = make_vector(sums[t * 4 + h * 2], sums[t * 4 + h * 2 + 1])
                else:
                    halves = register_tensor(dtype_c, shape=[8])
                    words = view(~halves[0], u32[4])
                    floats = view(~halves[0], f32[4])
                    warp = thread // 32
                    for q in grid(block_n // width, attrs='u'):
                        if q > 0:
                            syncwarp()  # the columns before have been read
                        for piece in grid(width // 16, attrs='u'):
                            for i in grid(8, attrs='u'):
                                halves[i] = cast(sums[q * (width // 2) + piece * 8 + i], dtype_c)
                            to = ~smem_c[warp, lane % 16, piece * 2 + lane // 16, 0]
                            stmatrix([words[0], words[1], words[2], words[3]], to)
                        syncwarp()
                        for i in grid(width // 16, attrs='u'):
                            r = i * (256 // width) + lane // (width // 8)
                            p = column + q * width + lane % (width // 8) * 8
                            four = cast(~smem_c[warp, r, lane % (width // 8), 0], ~f32x4)[0]
                            for e in meta.range(4):
                                floats[e] = four[e]
                            if row + warp * 16 + r < rows and p < n:
                                for e in grid(8, attrs='u'):
                                    c[z, row + warp * 16 + r, p + e] = halves[e]
            # Each block adds up its share of the rows, and each thread has pieces of 8 columns of them.
            if split > 1:
                totals = register_tensor(f32, shape=[shares, 8])
                this_cluster.sync()
                for i in grid(shares, attrs='u'):
                    # The producer's warp, and who has no piece, reads what others read.
                    piece = min(i * workers + thread, block_m // split * pieces - 1)
                    r = rank * (block_m // split) + piece // pieces
                    for half in grid(2, attrs='u'):
                        for e in grid(4, attrs='u'):
                            totals[i, half * 4 + e] = 0.0
                        for other in grid(split, attrs='u'):
                            at = ~part[r, piece % pieces * 8 + half * 4]
                            theirs = this_cluster.map_shared_rank(at, other, f32x4)[0]
                            for e in meta.range(4):
                                totals[i, half * 4 + e] += theirs[e]
                this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
                if thread < workers:
                    for i in grid(shares, attrs='u'):
                        piece = i * workers + thread
                        r = rank * (block_m // split) + piece // pieces
                        p = piece % pieces * 8
                        if r < rank * (block_m // split) + block_m // split and row + r < rows and column + p < n:
                            for e in grid(8, attrs='u'):
                                c[z, row + r, column + p + e] = cast(totals[i, e], dtype_c)

        @hidet.script
        def launch(a: dtype[shape_a], b: dtype[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'public'
            a_map: OpaqueType('CUtensorMap')
            b_map: OpaqueType('CUtensorMap')
            # Dimensions from the innermost on: extents, strides in bytes, the box that one copy moves.
            create_tensor_map(~a_map, dtype, 3, a, shape_a[::-1], [k * 2, m * k * 2], box_a, [1, 1, 1], 'NONE', '128B')
            strides_b = [shape_b[2] * 2, n * k * 2]
            create_tensor_map(~b_map, dtype, 3, b, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', swizzle_b)
            matmul(a_map, b_map, c)

    return script_module
