# SPDX-License-Identifier: Apache-2.0
"""Matrix product for Hopper, as fast as cuBLAS: f16 in and out, sums in f32.

Nobody waits for what somebody else can do meanwhile. A block has three groups of four warps. In the first, one thread gives
orders to the copy unit: boxes of a and b come to shared memory, described by tensor maps. The other two give orders to the
tensor cores: wgmma multiplies tiles as they lie in shared memory, and adds to sums in the registers of 128 threads.

Between them is a ring of stages, with two barriers for each. `full` counts the bytes that the copy unit brings; `empty`
counts the groups that have multiplied a stage. Both sides count turns on for ever, so turn % stages is the stage, and
turn // stages % 2 the parity of its phase.

Two blocks, a cluster, compute tiles below each other, which need the same part of b: each copies half of it to both. So a
stage is empty when the groups of both blocks say so.

The blocks stay: each computes a tile, then another one, and while its results are on their way to memory the copies of the
next tile run already. Results go through shared memory as well, since the copy unit writes whole rows. Tiles are taken in
groups of eight rows of them, column by column, so that what runs at the same time shares its inputs in the cache.

Every tile is swizzled: the copy unit exchanges the 16-byte pieces of a row of 128 bytes in an order that differs from row to
row, wgmma reads them so (layout 1 of its descriptors), and stmatrix writes them so.
"""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, cast, f16, f32, grid, register_tensor, shared_tensor, tensor_pointer, u32, u64, view
from hidet.lang.cuda import (
    WgmmaConfig,
    blockIdx,
    cvta_generic_to_shared,
    dynamic_shared_memory,
    make_wgmma_desc,
    setmaxnreg,
    this_cluster,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.ir.primitives.cuda import (
    barrier_sync,
    copy_bulk_commit_group,
    copy_bulk_wait_group,
    copy_tensor_g2s,
    copy_tensor_s2g,
    create_tensor_map,
    fence_barrier_init,
    fence_view_async_shared,
    mbarrier_arrive,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
    stmatrix,
    wgmma_fence_operand,
)

block_m, block_n, block_k = 128, 256, 64
stages = 4
width = 64  # columns of a swizzled tile: 128 bytes
a_elements, b_elements, c_elements = block_m * block_k, block_k * block_n, 64 * width
stage_bytes = (a_elements + b_elements) * 2
cluster = 2  # blocks, one below the other
rows_of_group = 8  # of tiles of a cluster
config = WgmmaConfig.get(64, block_n, 16, f16, f16, f32)
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def matmul_module(m, n, k, most_blocks=132):
    """`most_blocks`: the multiprocessors of the GPU."""
    assert n % 8 == 0 and k % 8 == 0, 'rows must be multiples of 16 bytes for the copy unit'
    # What reaches over an edge of the matrices is read as zeros and not written.
    down = (m + cluster * block_m - 1) // (cluster * block_m)
    across = (n + block_n - 1) // block_n
    steps = (k + block_k - 1) // block_k
    tiles = down * across
    clusters = min(most_blocks // cluster, tiles)
    full_groups = down // rows_of_group * rows_of_group

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a_map: tensor_map, b_map: tensor_map, c_map: tensor_map):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = clusters * cluster
            attrs.cuda.cluster_dim = cluster
            attrs.cuda.block_dim = 384
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = stages * stage_bytes + 4 * c_elements * 2

            b_start = stages * a_elements * 2
            c_start = stages * stage_bytes
            smem_a = tensor_pointer(f16, shape=[stages, block_m, block_k], init=dynamic_shared_memory(0, f16))
            smem_b = tensor_pointer(
                f16, shape=[stages, block_n // width, block_k, width], init=dynamic_shared_memory(b_start, f16)
            )
            smem_c = tensor_pointer(f16, shape=[2, 2, 64, width], init=dynamic_shared_memory(c_start, f16))
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])
            rank = this_cluster.block_rank
            if threadIdx.x == 0:
                for s in range(stages):
                    mbarrier_init(~full[s], 1)
                    mbarrier_init(~empty[s], cluster * 2)
                fence_barrier_init()
            this_cluster.sync()

            turn = 0
            group = threadIdx.x // 128
            if group == 0:
                setmaxnreg(40, 'dec')
                if threadIdx.x == 0:
                    for tile in range(blockIdx.x // cluster, tiles, clusters):
                        in_group = tile % (rows_of_group * across)
                        top = tile // (rows_of_group * across) * rows_of_group
                        height = rows_of_group if top < full_groups else down - full_groups
                        row = ((top + in_group % height) * cluster + rank) * block_m
                        column = in_group // height * block_n
                        for step in range(steps):
                            s = turn % stages
                            mbarrier_wait(~empty[s], (turn // stages + 1) % 2)  # of a new barrier, parity 1 is over
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                            copy_tensor_g2s(2, ~smem_a[s, 0, 0], a_map, ~full[s], step * block_k, row)
                            for i in grid(block_n // width // cluster, attrs='u'):
                                part = rank * (block_n // width // cluster) + i
                                copy_tensor_g2s(
                                    2,
                                    ~smem_b[s, part, 0, 0],
                                    b_map,
                                    ~full[s],
                                    column + part * width,
                                    step * block_k,
                                    multicastmask=3,
                                )
                            turn += 1
            else:
                setmaxnreg(232, 'inc')
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                consumer = group - 1
                sums = register_tensor(f32, shape=[config.c_elements])
                halves = register_tensor(f16, shape=[8])
                words = view(~halves[0], u32[4])
                for tile in range(blockIdx.x // cluster, tiles, clusters):
                    in_group = tile % (rows_of_group * across)
                    top = tile // (rows_of_group * across) * rows_of_group
                    height = rows_of_group if top < full_groups else down - full_groups
                    row = ((top + in_group % height) * cluster + rank) * block_m + consumer * 64
                    column = in_group // height * block_n

                    for i in grid(config.c_elements, attrs='u'):
                        sums[i] = 0.0
                    for step in range(steps):
                        s = turn % stages
                        mbarrier_wait(~full[s], turn // stages % 2)
                        # Addresses in descriptors have 18 bits, above which that of a cluster has the block, and are in
                        # units of 16 bytes. 16 columns of a are 32 bytes, 16 rows of b 2048.
                        first_a = cast(cvta_generic_to_shared(~smem_a[s, consumer * 64, 0]), u64) & 0x3FFFF
                        first_b = cast(cvta_generic_to_shared(~smem_b[s, 0, 0, 0]), u64) & 0x3FFFF
                        desc_a = make_wgmma_desc(16, 1024, 1) | first_a >> 4
                        desc_b = make_wgmma_desc(block_k * 128, 1024, 1) | first_b >> 4
                        wgmma_fence_operand(sums)
                        wgmma_fence()
                        for part in grid(block_k // 16, attrs='u'):
                            wgmma_async(config, desc_a + part * 2, ~sums[0], desc_b + part * 128, trans_b=1)
                        wgmma_commit_group()
                        # The products of the step before are done when one group is under way: its stage is free.
                        wgmma_wait_group(1)
                        wgmma_fence_operand(sums)
                        if step > 0 and thread < cluster:
                            mbarrier_arrive(~empty[(turn + stages - 1) % stages], thread)
                        turn += 1
                    wgmma_wait_group(0)
                    wgmma_fence_operand(sums)
                    if thread < cluster:
                        mbarrier_arrive(~empty[(turn + stages - 1) % stages], thread)

                    # 64 rows and columns at a time through one of two buffers; a warp has 16 of the rows.
                    for part in grid(block_n // width, attrs='u'):
                        buffer = part % 2
                        if thread == 0:
                            copy_bulk_wait_group(1, read=True)  # the copy before the last has read its buffer
                        barrier_sync(1 + consumer, 128)
                        for piece in grid(width // 16, attrs='u'):
                            for i in grid(8, attrs='u'):
                                halves[i] = cast(sums[part * 32 + piece * 8 + i], f16)
                            r = thread // 32 * 16 + lane % 16
                            swizzled = (piece * 2 + lane // 16) ^ (r % 8)
                            target = ~smem_c[consumer, buffer, r, swizzled * 8]
                            stmatrix([words[0], words[1], words[2], words[3]], target)
                        fence_view_async_shared()
                        barrier_sync(1 + consumer, 128)
                        if thread == 0:
                            copy_tensor_s2g(2, ~smem_c[consumer, buffer, 0, 0], c_map, column + part * width, row)
                            copy_bulk_commit_group()
                if thread == 0:
                    copy_bulk_wait_group(0)
            this_cluster.sync()  # the other block may still arrive at barriers of this one

        @hidet.script
        def launch(a: f16[m, k], b: f16[k, n], c: f16[m, n]):
            attrs.func_kind = 'public'
            a_map: OpaqueType('CUtensorMap')
            b_map: OpaqueType('CUtensorMap')
            c_map: OpaqueType('CUtensorMap')
            # Dimensions from the innermost on: extents, strides in bytes, the box that one copy moves.
            create_tensor_map(~a_map, f16, 2, a, [k, m], [k * 2], [block_k, block_m], [1, 1], 'NONE', '128B')
            create_tensor_map(~b_map, f16, 2, b, [n, k], [n * 2], [width, block_k], [1, 1], 'NONE', '128B')
            create_tensor_map(~c_map, f16, 2, c, [n, m], [n * 2], [width, 64], [1, 1], 'NONE', '128B')
            matmul(a_map, b_map, c_map)

    return script_module.build()


if __name__ == '__main__':
    m, n, k = 400, 520, 328  # six tiles of a cluster for two clusters
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, dtype=torch.float16, device='cuda')
    matmul_module(m, n, k, most_blocks=4)(a, b, c)

    torch.testing.assert_close(c.float(), torch.matmul(a.float(), b.float()), atol=5e-2, rtol=5e-3)
    print(f'Hopper matmul {m} x {n} x {k}: correct')
