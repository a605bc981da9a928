# SPDX-License-Identifier: Apache-2.0
"""Large matrix products on Hopper, where the tensor cores are the limit: 16-bit floats, sums in f32.

A convolution of one tap is one, too: pixels, with channels last, are the rows of a.

Nobody waits for what somebody else can do meanwhile. A block has groups of four warps. In the first, one thread gives orders to
the copy unit: boxes of a and b come to shared memory. The others give orders to the tensor cores, each for 64 rows of a tile:
two for 128 x 256, or three for 192 x 192. The larger the tile, the fewer bytes are read for each product, and the nearer a
tile is to its share of the result, the fewer blocks are idle at the end. Between them is a ring of stages, with two barriers
for each: `full` counts bytes, `empty` the groups that have multiplied a stage.

Two blocks, a cluster, compute tiles below each other, which need the same part of b: each copies half of it to both. So a stage
is empty when the groups of both blocks say so.

The blocks stay: each computes a tile, then another one, and while it stores results the copies of the next tile run already.
Tiles are taken in groups of eight rows of them, column by column, so that what runs at the same time shares its inputs in the
cache.

Results go through a part of shared memory that the ring does not use, rounded. Where nothing is fused behind the product, four
warps put 64 rows and columns there, and the copy unit stores them while the next columns come to another part. Where something
is, that is work for threads, which the tensor cores need not wait for: a warp leaves the 16 rows of a tile there, those columns
for which there is no room in registers, and goes on to the next tile. With the steps of it, when the stage before is given back
and the products of the step are under way, it takes pieces of what it left, 8 neighbours of a row for each thread. What is
fused reads and writes 16 bytes at a time then, several pieces are read for before one is stored, and only the last tile's are
waited for.
"""
import hidet
from hidet import tune
from hidet.ir.primitives.cuda import (
    barrier_sync,
    copy_bulk_commit_group,
    copy_bulk_wait_group,
    copy_tensor_g2s,
    copy_tensor_s2g,
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
    stmatrix,
    wgmma_fence_operand,
)
from hidet.ir.primitives.math import make_vector
from hidet.lang import (
    OpaqueType,
    attrs,
    cast,
    f32,
    f32x4,
    grid,
    meta,
    register_tensor,
    shared_tensor,
    i32,
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
    setmaxnreg,
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
from hidet.templates import pair, product_extents
from hidet.utils import cdiv

block_k = 64
width = 64  # columns that are swizzled, 128 bytes, and that are stored at a time
rows_of_group = 8  # of tiles of a cluster
spare_bytes = 1024  # of shared memory, for barriers and the alignment of what follows them
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def tile_for(batch, m, n, multiprocessors, block_m, block_n, cluster):
    """Rows and columns of a tile, and blocks of a cluster, each if it is not known: what takes least time.

    Smaller tiles read more for each product, but the last ones may leave fewer blocks idle. Of three parts of b two blocks
    cannot copy half each.
    """
    best, least = None, 0.0
    for tile in [(128, 256, 2, 1.0), (128, 256, 1, 0.98), (128, 192, 1, 0.93), (192, 192, 1, 0.98), (128, 128, 1, 0.85)]:
        if not all([x in (None, y) for x, y in zip((block_m, block_n, cluster), tile)]):
            continue
        tiles = batch * cdiv(m, tile[2] * tile[0]) * cdiv(n, tile[1])
        time = cdiv(tiles, multiprocessors // tile[2]) * tile[0] * tile[1] / tile[3]
        if best is None or time < least:
            best, least = tile[:3], time
    return best or (block_m or 128, block_n or 256, cluster or 1)


def product(name, task, target, extents, transposed, parameters):
    """A kernel of this name. `extents`: as product_extents() says; `transposed`: b has a row for each column of the result."""
    batch, batch_a, m, n, k = extents
    block_m, block_n, stages, cluster = parameters
    dtype, dtype_c = task.inputs[0].dtype, task.outputs[0].dtype
    tune.check(task.inputs[1].dtype == dtype, 'both factors must have one type')
    tune.check(n % 8 == 0 and k % 8 == 0 and k > 0, 'rows must be multiples of 16 bytes for the copy unit')
    usual_batch, usual_m = tune.typical(batch), tune.typical(m)
    multiprocessors = target.multiprocessors
    tall, wide, blocks = tile_for(usual_batch, usual_m, n, multiprocessors, None, None, None)
    usual_tiles = usual_batch * cdiv(usual_m, tall * blocks) * blocks * cdiv(n, wide)
    is_much = usual_batch * cdiv(usual_m, 128) * cdiv(n, 256) * 4 >= multiprocessors * 3
    is_busy = usual_tiles * 3 >= cdiv(usual_tiles, multiprocessors) * multiprocessors * 2  # at most a third is idle
    tune.check(is_much or is_busy, 'too few large tiles for all multiprocessors')
    block_m, block_n, cluster = tile_for(usual_batch, usual_m, n, multiprocessors, block_m, block_n, cluster)
    tune.check(block_m in (128, 192) and block_n <= (256 if block_m == 128 else 192), 'the sums do not fit into registers')
    tune.check(block_n % (width * cluster) == 0 and cluster in (1, 2), 'the blocks cannot share the columns')
    consumers = block_m // 64  # groups of four warps
    a_elements, b_elements = block_m * block_k, block_k * block_n
    stage_bytes = (a_elements + b_elements) * 2
    is_alone = getattr(task, 'is_alone', False)  # nothing is fused behind it
    parts = block_n // width
    parts_c = 2 if parts % 2 == 0 else parts  # parts of a tile that shared memory has room for
    bytes_c = block_m * parts_c * width * 2
    room = target.shared_per_block_optin - spare_bytes - bytes_c
    stages = stages or min(room // stage_bytes, 6)
    tune.check(stages * stage_bytes <= room, 'the stages do not fit into shared memory')

    # What reaches over an edge of the matrices is read as zeros and not written.
    across, steps = cdiv(n, block_n), cdiv(k, block_k)
    down = tune.index(cdiv(m, cluster * block_m))
    tiles = tune.index(batch * cdiv(m, cluster * block_m) * across)
    rows = tune.index(m)
    clusters = min(target.multiprocessors // cluster, tiles)
    full_groups = down // rows_of_group * rows_of_group
    boxes = 1 if transposed else block_n // width // cluster  # of b that a block copies
    box_b = [block_k, block_n // cluster, 1] if transposed else [width, block_k, 1]
    shape_a, box_a = [batch_a, m, k], [block_k, block_m, 1]
    shape_b = [batch, n, k] if transposed else [batch, k, n]
    shape_c = [batch, m, n]
    # 16 of the sum are 32 bytes of a row; of b as it is, 16 rows of 128 bytes, and a box is a box of the next columns.
    leading_b, step_b = (16, 2) if transposed else (block_k * width * 2, 128)
    layout_c = row_major(parts_c) + row_major(64, width // 8).swizzle(dim=1) + row_major(8)  # rows lie in different banks
    config = WgmmaConfig.get(64, block_n, 16, dtype, dtype, f32)
    pieces = parts * 4  # of a tile, 8 elements of a thread each
    most_each = cdiv(pieces // 2, steps)  # pairs of them, with a step

    with hidet.script_module() as script_module:

        @hidet.script
        def place_of(tile: i32) -> i32:
            """Which tile it is, counted by batches, rows and columns."""
            attrs.func_kind = 'cuda_internal'
            in_batch = tile % (down * across)
            in_group = in_batch % (rows_of_group * across)
            top = in_batch // (rows_of_group * across) * rows_of_group
            height = rows_of_group if top < full_groups else down - full_groups
            return tile - in_batch + (top + in_group % height) * across + in_group // height

        def storing(at_once):
            @hidet.script
            def store_pieces(
                c: dtype_c[shape_c], left: ~dtype_c, kept: ~u32, piece: i32, place: i32, top: i32, thread: i32
            ):
                """Pieces of the tile at `place` from this one on, for each thread of a group, whose rows begin at `top` of it."""
                attrs.func_kind = 'cuda_internal'
                attrs.func_name = f'store_{at_once}'
                smem_c = tensor_pointer(dtype_c, layout=layout_c, init=left)
                warp_row = thread // 32 * 16
                lane = thread % 32
                if parts > parts_c and piece == parts_c * 4:
                    syncwarp()  # the columns before have been read
                    for part, four in grid(parts - parts_c, width // 16, attrs='u'):
                        w = part * 16 + four * 4
                        to = ~smem_c[part, warp_row + lane % 16, four * 2 + lane // 16, 0]
                        stmatrix([kept[w], kept[w + 1], kept[w + 2], kept[w + 3]], to)
                    syncwarp()
                z = place // (down * across) if batch > 1 else 0
                first = place // across % down * (cluster * block_m) + top + warp_row
                start = place % across * block_n + piece // 4 % parts * width
                for each in grid(at_once, attrs='u'):
                    halves = register_tensor(dtype_c, shape=[8])
                    floats = view(~halves[0], f32[4])
                    r = piece % 4 * 4 + each * 4 + lane // 8
                    four = cast(~smem_c[piece // 4 % parts_c, warp_row + r, lane % 8, 0], ~f32x4)[0]
                    for e in meta.range(4):
                        floats[e] = four[e]
                    if first + r < rows and start + lane % 8 * 8 < n:
                        for e in grid(8, attrs='u'):
                            c[z, first + r, start + lane % 8 * 8 + e] = halves[e]

            return store_pieces

        store_two, store_four = storing(2), storing(4)  # behind the products there are registers for more

        @hidet.script
        def kernel(a_map: tensor_map, b_map: tensor_map, c_map: tensor_map, c: dtype_c[shape_c]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = name
            attrs.cuda.grid_dim = clusters * cluster
            attrs.cuda.cluster_dim = cluster
            attrs.cuda.block_dim = 128 * (consumers + 1)
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = stages * stage_bytes + bytes_c

            griddepcontrol_launch_dependents()
            b_start = stages * a_elements * 2
            c_start = stages * stage_bytes
            smem_a = tensor_pointer(dtype, shape=[stages, block_m, block_k], init=dynamic_shared_memory(0, dtype))
            smem_b = tensor_pointer(dtype, shape=[stages, b_elements], init=dynamic_shared_memory(b_start, dtype))
            smem_c = tensor_pointer(dtype_c, layout=row_major(consumers) + layout_c, init=dynamic_shared_memory(c_start, dtype_c))
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])
            rank = blockIdx.x % cluster
            if threadIdx.x == 0:
                prefetch_tensor_map(~a_map)
                prefetch_tensor_map(~b_map)
                for s in range(stages):
                    mbarrier_init(~full[s], 1)
                    mbarrier_init(~empty[s], cluster * consumers)
                fence_barrier_init()
            if cluster > 1:
                this_cluster.sync()
            else:
                syncthreads()

            group = threadIdx.x // 128
            lane = threadIdx.x % 32
            if group == 0:
                setmaxnreg(40 if consumers == 2 else 32, 'dec')
                if threadIdx.x == 0:
                    griddepcontrol_wait()
                    s, phase = 0, 1  # of a new barrier, parity 1 is over
                    for tile in range(blockIdx.x // cluster, tiles, clusters):
                        place = place_of(tile)
                        z = place // (down * across) if batch > 1 else 0
                        row = (place // across % down * cluster + rank) * block_m
                        column = place % across * block_n
                        for step in range(steps):
                            mbarrier_wait(~empty[s], phase)
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                            z_a = z if batch_a > 1 else 0
                            copy_tensor_g2s(3, ~smem_a[s, 0, 0], a_map, ~full[s], step * block_k, row, z_a)
                            for i in grid(boxes, attrs='u'):
                                part = rank * boxes + i
                                there = column + part * (block_n // cluster if transposed else width)
                                x = step * block_k if transposed else there
                                y = there if transposed else step * block_k
                                to = ~smem_b[s, part * (b_elements // boxes // cluster)]
                                if cluster > 1:
                                    copy_tensor_g2s(3, to, b_map, ~full[s], x, y, z, multicastmask=3)
                                else:
                                    copy_tensor_g2s(3, to, b_map, ~full[s], x, y, z)
                            s += 1
                            if s == stages:
                                s = 0
                                phase = 1 - phase
            else:
                setmaxnreg(232 if consumers == 2 else 160, 'inc')
                thread = threadIdx.x % 128
                warp_row = thread // 32 * 16
                consumer = group - 1
                sums = register_tensor(f32, shape=[config.c_elements])
                halves = register_tensor(dtype_c, shape=[8])
                words = view(~halves[0], u32[4])
                kept = register_tensor(u32, shape=[max(parts - parts_c, 1) * 16])  # what shared memory has no room for
                done, place = pieces, 0  # of the tile before: how many pieces are stored, and where it is
                top = rank * block_m + consumer * 64
                # Addresses in descriptors have 18 bits, above which that of a cluster has the block, and are in units of 16
                # bytes; they are kept as words of 32 bits, and the constant halves of the descriptors are put before them.
                first_a = (cvta_generic_to_shared(~smem_a[0, consumer * 64, 0]) & u32(0x3FFFF)) >> u32(4)
                first_b = (cvta_generic_to_shared(~smem_b[0, 0]) & u32(0x3FFFF)) >> u32(4)
                desc_a = make_wgmma_desc(16, 1024, 1)
                desc_b = make_wgmma_desc(leading_b, 1024, 1)
                s, before, phase = 0, stages - 1, 0
                for tile in range(blockIdx.x // cluster, tiles, clusters):
                    for i in grid(config.c_elements, attrs='u'):
                        sums[i] = 0.0
                    for step in range(steps):
                        mbarrier_wait(~full[s], phase)
                        at_a = first_a + u32(s) * u32(a_elements // 8)
                        at_b = first_b + u32(s) * u32(b_elements // 8)
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
                        if step > 0 and thread < cluster:
                            if cluster > 1:
                                mbarrier_arrive(~empty[before], thread)
                            else:
                                mbarrier_arrive(~empty[before])
                        if not is_alone:
                            for each in grid(most_each, attrs='u'):
                                if done < (step + 1) * pieces // steps and done < pieces:  # as many with each step
                                    store_two(c, ~smem_c[consumer, 0, 0, 0, 0], kept, done, place, top, thread)
                                    done += 2
                        before = s
                        s += 1
                        if s == stages:
                            s = 0
                            phase = 1 - phase
                    wgmma_wait_group(0)
                    wgmma_fence_operand(sums)
                    if thread < cluster:
                        if cluster > 1:
                            mbarrier_arrive(~empty[before], thread)
                        else:
                            mbarrier_arrive(~empty[before])

                    place = place_of(tile)
                    if not is_alone:
                        syncwarp()  # what was left of the tile before has been read
                    for part in grid(parts, attrs='u'):
                        if is_alone:
                            if thread == 0:
                                copy_bulk_wait_group(parts_c - 1, read=True)  # the copy before the last has read its buffer
                            barrier_sync(1 + consumer, 128)
                        for piece in grid(width // 16, attrs='u'):
                            for i in grid(8, attrs='u'):
                                halves[i] = cast(sums[part * 32 + piece * 8 + i], dtype_c)
                            if is_alone or part < parts_c:
                                to = ~smem_c[consumer, part % parts_c, warp_row + lane % 16, piece * 2 + lane // 16, 0]
                                stmatrix([words[0], words[1], words[2], words[3]], to)
                            else:
                                for i in grid(4, attrs='u'):
                                    kept[((part - parts_c) * 4 + piece) * 4 + i] = words[i]
                        if is_alone:
                            fence_view_async_shared()
                            barrier_sync(1 + consumer, 128)
                            if thread == 0:
                                source = ~smem_c[consumer, part % parts_c, 0, 0, 0]
                                z = place // (down * across) if batch > 1 else 0
                                row = place // across % down * (cluster * block_m) + top
                                column = place % across * block_n + part * width
                                copy_tensor_s2g(3, source, c_map, column, row, z)
                                copy_bulk_commit_group()
                    if not is_alone:
                        syncwarp()
                        done = 0
                if is_alone:
                    if thread == 0:
                        copy_bulk_wait_group(0)
                else:
                    for part in range(parts):
                        store_four(c, ~smem_c[consumer, 0, 0, 0, 0], kept, part * 4, place, top, thread)
            if cluster > 1:
                this_cluster.sync()  # the other block may still arrive at barriers of this one

        @hidet.script
        def launch(a: dtype[shape_a], b: dtype[shape_b], c: dtype_c[shape_c]):
            attrs.func_kind = 'public'
            a_map: OpaqueType('CUtensorMap')
            b_map: OpaqueType('CUtensorMap')
            # Dimensions from the innermost on: extents, strides in bytes, the box that one copy moves.
            create_tensor_map(~a_map, dtype, 3, a, shape_a[::-1], [k * 2, m * k * 2], box_a, [1, 1, 1], 'NONE', '128B')
            strides_b = [shape_b[2] * 2, n * k * 2]
            create_tensor_map(~b_map, dtype, 3, b, shape_b[::-1], strides_b, box_b, [1, 1, 1], 'NONE', '128B')
            if is_alone:
                c_map: OpaqueType('CUtensorMap')
                strides_c = [n * 2, m * n * 2]
                create_tensor_map(~c_map, dtype_c, 3, c, shape_c[::-1], strides_c, [width, 64, 1], [1, 1, 1], 'NONE', '128B')
                kernel(a_map, b_map, c_map, c)
            else:
                kernel(a_map, b_map, b_map, c)  # there is no third map

    return script_module


@hidet.template('Matmul', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, block_m=[128, 192], block_n=[128, 192, 256], cluster=[1, 2])
@tune.space(2, block_m=[128, 192], block_n=[128, 192, 256], stages=[3, 4, 5, 6], cluster=[1, 2])
def matmul(task, target, block_m=None, block_n=None, stages=None, cluster=None):
    """`stages`: of the ring; `cluster`: blocks, one below the other, that share their columns of b."""
    parameters = block_m, block_n, stages, cluster
    return product('matmul', task, target, product_extents(task), task.attrs['transpose_b'], parameters)


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, block_m=[128, 192], block_n=[128, 192, 256], cluster=[1, 2])
@tune.space(2, block_m=[128, 192], block_n=[128, 192, 256], stages=[3, 4, 5, 6], cluster=[1, 2])
def convolution(task, target, block_m=None, block_n=None, stages=None, cluster=None):
    """Of one tap that sees each pixel once: pixels are rows of a, features are rows of b."""
    images, height, width, channels = task.inputs[0].shape
    features, _, filter_h, filter_w = task.inputs[1].shape
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    top, left = pair(task.attrs['padding'], 0)
    bottom, right = pair(task.attrs['padding'], 0, first=2)
    tune.check(task.attrs['groups'] == 1, 'every channel of the result must take all channels of the input')
    is_flat = filter_h == filter_w == stride_h == stride_w == 1 and top == left == bottom == right == 0
    tune.check(is_flat, 'the filter must have one tap that sees each pixel once')
    tune.check(isinstance(height * width * channels, int), 'of extents only the number of images may be dynamic')
    parameters = block_m, block_n, stages, cluster
    return product('conv2d', task, target, (1, 1, images * height * width, features, channels), True, parameters)
