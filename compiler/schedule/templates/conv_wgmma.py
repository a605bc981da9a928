# SPDX-License-Identifier: Apache-2.0
"""Convolution for Hopper, channels last: f16 or bf16, sums in f32.

A convolution is a product of matrices: a row for each pixel of the result, a column for each of its channels, and a sum over
the taps of the filter and the channels of the input. The rows of the left matrix are never written down: the copy unit walks
over the images by itself. It is told where a filter may stand (the two corners of the tensor map), where the first pixel of a
tile lies and which tap is meant, and brings 64 channels of as many pixels as the tile has rows, over the ends of rows and
images. What lies outside of an image arrives as zeros, and so do the rows behind the last image and the channels behind the
last one.

The weights become [features, taps, channels]: both matrices then have the sum along their rows in shared memory, which wgmma
reads as it is, and channels, a dimension of their own, end in zeros as those of the images do.

A network runs such convolutions at small sizes one after the other, so it counts that weights are there early and that all of
the GPU works:

* the kernel is launched before its predecessor has ended, fills a deep ring of stages with weights, and waits only then;
* tiles are small, and where they are many so are the rings, so that one multiplies while another one writes. Where there are
  few of them, the blocks of a cluster share one and split the sum. Each sends every other one its part of the rows that are
  that one's, by copies from shared memory to shared memory, which a barrier there counts; each adds up its share of the rows,
  always in the same order. A barrier of the whole cluster would wait for everything that all threads have under way, twice; so
  a block says that it has got all parts instead, and none ends before its own were got.

The results go through shared memory, so that a thread has up to 8 neighbouring channels of a pixel: what is fused behind the
convolution reads and writes wide rows.
"""
import hidet
from hidet import tune
from hidet.lang import (
    OpaqueType,
    attrs,
    cast,
    f32,
    f32x2,
    f32x4,
    grid,
    register_tensor,
    shared_tensor,
    tensor_pointer,
    u32,
    u64,
)
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    syncthreads,
    this_cluster,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.ir.primitives.cuda import (
    barrier_sync,
    copy_bulk_s2s,
    copy_im2col_g2s,
    copy_tensor_g2s,
    create_im2col_tensor_map,
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
from hidet.templates import pair
from hidet.utils import cdiv

block_k = 64  # channels of a stage: rows of 128 bytes
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def tile_for(pixels, features, steps, target):
    """Rows and columns of a tile and stages of a ring, where tiles are more than multiprocessors: what takes least time.

    In cycles of one that has its share of the tiles, as many at a time as its memory has room for. Its tensor cores and its
    copies work for all of them; a single tile waits for the cache, and longest where its ring is short. The constants are
    fitted to 500 measurements of ResNet-50's convolutions at 32 images on an H200; what they choose takes 1.004 times as long
    as the best.
    """
    copied, written, latency, once = 100, 46, 2300, 3400  # bytes a cycle, and cycles
    room = target.shared_bytes - 1024
    best, least = None, 0.0
    for block_m, block_n, stages in [(m, n, s) for m in (64, 128) for n in (32, 64, 128, 256) for s in (3, 4, 6, 8)]:
        stage_bytes = (block_m + block_n) * block_k * 2
        ring = max(min(stages, steps) * stage_bytes, block_m * (block_n + 8) * 4)
        if ring + 1024 > target.shared_per_block_optin or (block_n > 32 and block_n >= features * 2):
            continue
        tiles = cdiv(pixels, block_m) * cdiv(features, block_n)
        each = cdiv(tiles, target.multiprocessors)
        at_once = max(1, min(each, room // (ring + 1024), 2048 // (block_m * 2 + 32)))
        works = steps * max(block_m * block_n * block_k / 2048, stage_bytes / copied)
        stores = block_m * min(block_n, features) * 2 / written
        waits = max(works, steps * latency / min(stages, steps)) + once + stores
        time = max(each * (works + stores), cdiv(each, at_once) * waits)
        if best is None or time < least:
            best, least = (block_m, block_n, stages), time
    return best


@hidet.template('Conv2dChannelLast', dtypes=['float16', 'bfloat16'], capability=90, dynamic=True)
@tune.space(1, block_m=[64, 128], block_n=[32, 64, 128], stages=[3, 8], split=[1, 2, 4])
@tune.space(2, block_m=[64, 128], block_n=[32, 64, 128, 256], stages=[3, 4, 6, 8, 12], split=[1, 2, 4, 8])
def conv2d(task, target, block_m=None, block_n=None, stages=None, split=None):
    x_type, w_type = task.inputs
    y_type = task.outputs[0]
    dtype = x_type.dtype
    images, height, width, channels = x_type.shape
    features, _, filter_h, filter_w = w_type.shape
    _, rows, columns, _ = y_type.shape
    pixels, taps = images * rows * columns, filter_h * filter_w
    usual_pixels, all_pixels = tune.typical(pixels), tune.index(pixels)
    stride_h, stride_w = pair(task.attrs['stride'], 1)
    dilation_h, dilation_w = pair(task.attrs['dilations'], 1)
    top, left = pair(task.attrs['padding'], 0)
    bottom, right = pair(task.attrs['padding'], 0, first=2)
    # The last place of a filter before the end of the image.
    upper_h, upper_w = bottom - (filter_h - 1) * dilation_h, right - (filter_w - 1) * dilation_w

    tune.check(isinstance(rows * columns * channels, int), 'of extents only the number of images may be dynamic')
    tune.check(task.attrs['groups'] == 1, 'every channel of the result must take all channels of the input')
    tune.check(w_type.dtype == dtype and y_type.dtype == dtype, 'input, weights and result must have one dtype')
    tune.check(channels % 8 == 0, 'pixels must be multiples of 16 bytes for the copy unit')
    tune.check(min(usual_pixels, features) > 0, 'there must be results')
    # The copy unit has 8 bits for corners and places in the filter, and steps of up to 8 pixels.
    tune.check(max(stride_h, stride_w) <= 8, 'strides must not be above 8')
    tune.check(min(-top, -left, upper_h, upper_w) >= -128, 'the filter must not reach further than 128 pixels')
    tune.check(max(-top, -left, upper_h, upper_w) <= 127, 'the padding must not reach further than 127 pixels')
    tune.check(max((filter_h - 1) * dilation_h, (filter_w - 1) * dilation_w) <= 255, 'the filter must span 256 pixels at most')

    # A filter of one tap that sees each pixel once: the pixels are rows of a matrix.
    is_flat = taps == stride_h == stride_w == 1 and top == left == bottom == right == 0
    is_wide = channels >= 64 and features >= 128 and features % 8 == 0
    large_tiles = (usual_pixels + 127) // 128 * ((features + 255) // 256)
    is_large = is_flat and is_wide and large_tiles * 4 >= target.multiprocessors * 3
    tune.check(not is_large, 'it is a large product (matmul_large.py)')

    boxes = (channels + block_k - 1) // block_k
    steps = taps * boxes
    small_tiles = (usual_pixels + 63) // 64 * ((features + 63) // 64)
    if small_tiles > 2 * target.multiprocessors and block_m is block_n is stages is split is None:
        block_m, block_n, stages = tile_for(usual_pixels, features, steps, target)
        split = 1
    block_m = block_m or 64
    down, usual_down = tune.index((pixels + block_m - 1) // block_m), (usual_pixels + block_m - 1) // block_m

    def split_for(block_n, least):
        """As many blocks as keep the GPU busy, with so many steps each; and the split that makes them."""
        blocks, split = usual_down * ((features + block_n - 1) // block_n), 1
        while split < 8 and blocks * split < 48 and steps >= split * 2 * least:
            split *= 2
        return blocks * split, split

    # Sending parts and adding them up takes as long as a few steps.
    if block_n is None:
        block_n = 64 if features > 32 else 32
        # Narrow tiles where blocks would be few, or have little to do.
        is_short = steps <= 2 and split_for(32, 8)[0] <= 2 * target.multiprocessors
        if block_n == 64 and (split_for(64, 8)[0] < 48 or is_short):
            block_n = 32
    if split is None:
        blocks, split = split_for(block_n, 8)
        if blocks < 48:
            split = split_for(block_n, 4)[1]
    across = (features + block_n - 1) // block_n
    tune.check(split <= steps, 'every block of a cluster must have a step')
    tune.check(block_m % split == 0, 'the blocks of a cluster must add up as many rows each')
    groups = block_m // 64  # of four warps: 64 rows of the tile each
    threads = groups * 128  # that multiply; a warp more brings tiles
    tile_a, tile_b = block_m * block_k, block_n * block_k  # elements
    stage_bytes = (tile_a + tile_b) * 2
    most_bytes = target.shared_per_block_optin - 1024  # without barriers
    pitch = block_n + 8  # of a row of the sums, so that rows begin in different banks
    parts_bytes = block_m * pitch * 4  # that a block sends, and those that it gets
    got_bytes = parts_bytes if split > 1 else 0
    stages = min(stages or min(12, (most_bytes - got_bytes) // stage_bytes), (steps + split - 1) // split)
    tune.check(stages > 1 or steps <= split, 'a stage is free only when the next one is multiplied')
    ring_bytes = max(stages * stage_bytes, parts_bytes)
    shared_bytes = ring_bytes + got_bytes
    tune.check(shared_bytes <= most_bytes, 'the stages must fit into shared memory')
    tune.check(across <= 65535, 'there are too many channels for a grid')
    # The cache gives tiles that several blocks read, to few blocks faster than to many. Parts of sums come from other blocks.
    share = min(max(split * usual_down * across / target.multiprocessors, 0.5), 1) / 2
    tune.metric('read_bytes', (steps + split - 1) // split * stage_bytes * share + got_bytes)
    tune.metric('in_flight_bytes', stages * stage_bytes * share)

    # Elements that a thread writes side by side: as many as whole pieces fill a row of the result with.
    piece = 8
    while features % piece:
        piece //= 2
    lanes = min(piece, 4)  # of a load from shared memory
    vector = {4: f32x4, 2: f32x2, 1: f32}[lanes]
    row_pieces = block_n // piece
    share = block_m // split  # rows of the tile that this block adds up
    turns = (share * row_pieces + threads - 1) // threads
    config = WgmmaConfig.get(64, block_n, 16, dtype, dtype, f32)
    w_shape = w_type.permuted([0, 2, 3, 1]).shape
    has_weight = w_type.is_constant  # which are there before this kernel's predecessor has ended

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x_map: tensor_map, w_map: tensor_map, y: dtype[pixels, features]):
            attrs.func_kind = 'cuda_kernel'
            attrs.func_name = 'conv2d'
            attrs.cuda.grid_dim = split * down, across
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads + 32
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = shared_bytes

            griddepcontrol_launch_dependents()
            b_start = stages * tile_a * 2
            smem_a = tensor_pointer(dtype, shape=[stages, block_m, block_k], init=dynamic_shared_memory(0, dtype))
            smem_b = tensor_pointer(dtype, shape=[stages, block_n, block_k], init=dynamic_shared_memory(b_start, dtype))
            part = tensor_pointer(f32, shape=[block_m, pitch], init=dynamic_shared_memory(0, f32))
            inbox = tensor_pointer(f32, shape=[block_m, pitch], init=dynamic_shared_memory(ring_bytes, f32))
            got = shared_tensor(u64, shape=[2])  # all parts of this block's rows; by all, what this block sent
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])
            rank = blockIdx.x % split
            first = rank * steps // split
            count = (rank + 1) * steps // split - first
            row = blockIdx.x // split * block_m
            column = blockIdx.y * block_n
            is_producer = threadIdx.x == threads
            if is_producer:
                prefetch_tensor_map(~w_map)
                prefetch_tensor_map(~x_map)
            if threadIdx.x < stages:
                mbarrier_init(~full[threadIdx.x], 1)
                mbarrier_init(~empty[threadIdx.x], groups)
                if split > 1 and threadIdx.x == 0:
                    mbarrier_init(~got[0], 1)
                    mbarrier_init(~got[1], split)
                fence_barrier_init()
            syncthreads()
            if split > 1 and threadIdx.x == 0:
                mbarrier_arrive_and_expect_tx(~got[0], parts_bytes)

            if threadIdx.x >= threads:
                if not has_weight:
                    griddepcontrol_wait()
                if is_producer:
                    for s in range(stages if split == 1 else min(stages, count)):
                        tap, channel = (first + s) // boxes, (first + s) % boxes * block_k
                        mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                        copy_tensor_g2s(3, ~smem_b[s, 0, 0], w_map, ~full[s], channel, tap, column)
                if split > 1:
                    this_cluster.sync()  # nothing is sent to a block that is not there yet
                if is_producer:
                    griddepcontrol_wait()
                    image = row // (rows * columns)
                    y_start = row // columns % rows * stride_h - top
                    x_start = row % columns * stride_w - left
                    for turn in range(count):
                        s = turn % stages
                        tap, channel = (first + turn) // boxes, (first + turn) % boxes * block_k
                        if turn >= stages:
                            mbarrier_wait(~empty[s], (turn // stages + 1) % 2)  # of a new barrier, parity 1 is over
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                            copy_tensor_g2s(3, ~smem_b[s, 0, 0], w_map, ~full[s], channel, tap, column)
                        if is_flat:
                            copy_tensor_g2s(2, ~smem_a[s, 0, 0], x_map, ~full[s], channel, row)
                        else:
                            place = [tap % filter_w * dilation_w, tap // filter_w * dilation_h]
                            copy_im2col_g2s(
                                4, ~smem_a[s, 0, 0], x_map, ~full[s], channel, x_start, y_start, image, offsets=place
                            )
            else:
                if split > 1:
                    this_cluster.sync()
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                group = threadIdx.x // 128
                sums = register_tensor(f32, shape=[config.c_elements])
                for i in grid(config.c_elements, attrs='u'):
                    sums[i] = 0.0
                # Addresses in descriptors have 18 bits and are in units of 16 bytes; they are kept as words of 32 bits, and the
                # constant upper half of the descriptors is put before them at the end.
                first_a = u32((cvta_generic_to_shared(~smem_a[0, group * 64, 0]) & 0x3FFFF) >> 4)
                first_b = u32((cvta_generic_to_shared(~smem_b[0, 0, 0]) & 0x3FFFF) >> 4)
                desc = make_wgmma_desc(16, 1024, 1)
                s, before, phase = 0, stages - 1, 0
                for turn in range(count):
                    mbarrier_wait(~full[s], phase)
                    at_a = first_a + u32(s * (tile_a // 8))
                    at_b = first_b + u32(s * (tile_b // 8))
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    for i in grid(block_k // 16, attrs='u'):  # 16 channels are 32 bytes
                        a = desc | cast(at_a + u32(i * 2), u64)
                        b = desc | cast(at_b + u32(i * 2), u64)
                        wgmma_async(config, a, ~sums[0], b)
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

                barrier_sync(1, threads)  # nobody reads the stages any more
                # Of every other 32 columns the halves of 8 change places, so that threads that read 8 of them meet all banks.
                for t, h, e in grid(block_n // 8, 2, 2, attrs='u'):
                    r = threadIdx.x // 32 * 16 + h * 8 + lane // 4
                    part[r, t * 8 + ((lane % 4 * 2) ^ (t // 4 % 2 * 4)) + e] = sums[t * 4 + h * 2 + e]

            if threadIdx.x < threads:
                if split > 1:
                    fence_view_async_shared()  # copies shall see what was written
                barrier_sync(1, threads)
                if split > 1:
                    if threadIdx.x < split:
                        copy_bulk_s2s(
                            share * pitch * 4,
                            this_cluster.map_shared_rank(~inbox[rank * share, 0], threadIdx.x, f32),
                            ~part[threadIdx.x * share, 0],
                            this_cluster.map_shared_rank(~got[0], threadIdx.x, u64),
                        )
                    mbarrier_wait(~got[0], 0)
                    if threadIdx.x < split:
                        mbarrier_arrive(~got[1], threadIdx.x)
                # All loads of a thread are under way at once.
                totals = register_tensor(f32, shape=[turns, piece])
                for i, j in grid(turns, piece // lanes, attrs='u'):
                    at = min(i * threads + threadIdx.x, share * row_pieces - 1)
                    place = at % row_pieces * piece + j * lanes
                    place = place ^ (place // 32 % 2 * 4)
                    total = cast(~totals[i, j * lanes], ~vector)
                    if split > 1:
                        total[0] = cast(~inbox[at // row_pieces, place], ~vector)[0]
                        for other in grid(split - 1, attrs='u'):
                            total[0] = total[0] + cast(~inbox[(other + 1) * share + at // row_pieces, place], ~vector)[0]
                    else:
                        total[0] = cast(~part[at // row_pieces, place], ~vector)[0]
                for i in grid(turns, attrs='u'):
                    at = i * threads + threadIdx.x
                    p = row + rank * share + at // row_pieces
                    feature = column + at % row_pieces * piece
                    if at < share * row_pieces and p < all_pixels and feature < features:
                        for e in grid(piece, attrs='u'):
                            y[p, feature + e] = cast(totals[i, e], dtype)
                if split > 1:
                    mbarrier_wait(~got[1], 0)

        @hidet.script
        def launch(
            x: dtype[images, height, width, channels],
            w: dtype[w_shape],
            y: dtype[pixels, features],
        ):
            attrs.func_kind = 'public'
            x_map: OpaqueType('CUtensorMap')
            w_map: OpaqueType('CUtensorMap')
            pixel = channels * 2  # bytes
            if is_flat:
                create_tensor_map(
                    ~x_map, dtype, 2, x, [channels, pixels], [pixel], [block_k, block_m], [1, 1], 'NONE', '128B'
                )
            else:
                create_im2col_tensor_map(
                    ~x_map,
                    dtype,
                    4,
                    x,
                    [channels, width, height, images],
                    [pixel, width * pixel, height * width * pixel],
                    [-left, -top],
                    [upper_w, upper_h],
                    block_k,
                    block_m,
                    [1, stride_w, stride_h, 1],
                    'NONE',
                    '128B',
                )
            create_tensor_map(
                ~w_map,
                dtype,
                3,
                w,
                [channels, taps, features],
                [pixel, taps * pixel],
                [block_k, 1, block_n],
                [1, 1, 1],
                'NONE',
                '128B',
            )
            kernel(x_map, w_map, y)

    return script_module
