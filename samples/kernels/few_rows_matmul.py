# SPDX-License-Identifier: Apache-2.0
"""Product of a few rows with a large matrix: what a language model does for each token, as fast as memory gives the weights.

With 64 rows of a or fewer nothing is multiplied often enough to wait for the tensor cores: what counts is that every
multiprocessor has as many bytes of b on their way as its shared memory holds. So

* the roles are swapped: wgmma wants 64 rows of its first factor, so that is b, transposed as it is read, and the few rows of a
  are the narrow second factor of 8, 16, 32 or 64 columns. No row is wasted, and the tile of c is transposed;
* stages are small and many: 8 KB of b and some of a, up to 20 of them;
* there are about as many blocks as multiprocessors, whatever the shape: where too few columns exist, the blocks of a cluster
  share a tile and split the sum. Their parts meet in shared memory: each block reads the others' parts, so there is no second
  kernel and no memory for it, and the order of additions is always the same;
* a model runs many such products after each other, and weights do not depend on the one before: the kernel is launched before
  that has ended (griddepcontrol), fills its stages with weights, and only then waits for its predecessor's results.
"""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, cast, f16, f32, grid, register_tensor, shared_tensor, tensor_pointer, u32, u64
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
    wgmma_fence_operand,
)

shared_bytes = 220 * 1024
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def matmul_module(m, n, k, groups=None, split=None, block_k=None, most_stages=None):
    """`groups`: of four warps with 64 columns each; `split`: blocks that share a tile, each with a part of k."""
    # About as many blocks as multiprocessors, 132. Where there are far more columns than that takes, three blocks share a
    # multiprocessor, so that all of them are there at once: with 8 small stages each where the tile of a is small, too, else
    # with 4 of twice the columns.
    tiles = (n + 63) // 64
    is_wide = tiles > 132
    is_light = is_wide and m <= 8
    groups = groups or (1 if tiles <= 66 or is_light else 2)
    # Stages twice as long halve the waits, if there are enough of them still or so few tiles that it does not matter.
    block_k = block_k or (128 if tiles <= 16 or (k >= 2048 and not is_wide) else 64)
    steps = (k + block_k - 1) // block_k
    if split is None:
        split = 4 if tiles <= 16 or (is_wide and not is_light) else 2
        while split > 1 and k < 384 * split:  # the parts must be worth the exchange between blocks
            split //= 2
    most_stages = most_stages or (8 if is_light else 4 if is_wide else 24)
    assert m <= 64, 'that is for few rows'
    assert n % 8 == 0 and k % 8 == 0, 'rows must be multiples of 16 bytes for the copy unit'
    narrow = next(columns for columns in [8, 16, 32, 64] if m <= columns)
    columns = groups * 64
    parts = block_k // 64  # of the tile of a: rows of 128 bytes
    steps_each = (steps + split - 1) // split
    assert (split - 1) * steps_each < steps, 'every block needs a step'
    tile_a, tile_b = narrow * block_k, block_k * columns  # elements
    stage_bytes = (tile_a + tile_b) * 2
    stages = min(most_stages, steps_each, shared_bytes // stage_bytes)
    pitch = columns + 4  # of a row of the sums, so that columns of it lie in different banks
    threads = groups * 128 + 32
    shares = (m * columns + split * threads - 1) // (split * threads)  # elements of the result that a thread adds up
    config = WgmmaConfig.get(64, narrow, 16, f16, f16, f32)

    with hidet.script_module() as script_module:

        @hidet.script
        def matmul(a_map: tensor_map, b_map: tensor_map, c: f16[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = split, (n + columns - 1) // columns
            attrs.cuda.cluster_dim = split
            attrs.cuda.block_dim = threads
            attrs.cuda.min_blocks = 1
            attrs.cuda.dynamic_smem_bytes = max(stages * stage_bytes, narrow * pitch * 4)

            griddepcontrol_launch_dependents()
            a_start = stages * tile_b * 2
            smem_b = tensor_pointer(f16, shape=[stages, groups, block_k, 64], init=dynamic_shared_memory(0, f16))
            smem_a = tensor_pointer(f16, shape=[stages, parts, narrow, 64], init=dynamic_shared_memory(a_start, f16))
            part = tensor_pointer(f32, shape=[narrow, pitch], init=dynamic_shared_memory(0, f32))
            full = shared_tensor(u64, shape=[stages])
            empty = shared_tensor(u64, shape=[stages])
            rank = this_cluster.block_rank
            first = rank * steps_each
            count = min(steps_each, steps - first)
            column = blockIdx.y * columns
            is_producer = threadIdx.x == groups * 128  # a warp of its own
            if is_producer:
                prefetch_tensor_map(~b_map)
                prefetch_tensor_map(~a_map)
            if threadIdx.x < stages:
                mbarrier_init(~full[threadIdx.x], 1)
                mbarrier_init(~empty[threadIdx.x], groups)
                fence_barrier_init()
            syncthreads()

            if threadIdx.x // 128 == groups:
                if is_producer:
                    ahead = min(stages, count)
                    for s in range(ahead):
                        mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                        for i in grid(groups, attrs='u'):
                            start = (first + s) * block_k
                            copy_tensor_g2s(2, ~smem_b[s, i, 0, 0], b_map, ~full[s], column + i * 64, start)
                    griddepcontrol_wait()
                    for turn in range(count):
                        s = turn % stages
                        start = (first + turn) * block_k
                        if turn >= ahead:
                            mbarrier_wait(~empty[s], (turn // stages + 1) % 2)
                            mbarrier_arrive_and_expect_tx(~full[s], stage_bytes)
                            for i in grid(groups, attrs='u'):
                                copy_tensor_g2s(2, ~smem_b[s, i, 0, 0], b_map, ~full[s], column + i * 64, start)
                        for i in grid(parts, attrs='u'):
                            copy_tensor_g2s(2, ~smem_a[s, i, 0, 0], a_map, ~full[s], start + i * 64, 0)
            else:
                thread = threadIdx.x % 128
                lane = threadIdx.x % 32
                sums = register_tensor(f32, shape=[config.c_elements])
                for i in grid(config.c_elements, attrs='u'):
                    sums[i] = 0.0
                # Addresses in descriptors have 18 bits and are in units of 16 bytes; they are kept as words of 32 bits, and the
                # constant upper halves of the descriptors are put before them at the end.
                first_b = (cvta_generic_to_shared(~smem_b[0, threadIdx.x // 128, 0, 0]) & 0x3FFFF) >> 4
                first_a = (cvta_generic_to_shared(~smem_a[0, 0, 0, 0]) & 0x3FFFF) >> 4
                desc = make_wgmma_desc(16, 1024, 1)
                s, before, phase = 0, stages - 1, 0
                for turn in range(count):
                    mbarrier_wait(~full[s], phase)
                    at_b = first_b + u32(s) * (tile_b // 8)
                    at_a = first_a + u32(s) * (tile_a // 8)
                    wgmma_fence_operand(sums)
                    wgmma_fence()
                    # 16 rows of b are 2048 bytes, 16 columns of a 32.
                    for i in grid(block_k // 16, attrs='u'):
                        b = desc | cast(at_b + i * 128, u64)
                        a = desc | cast(at_a + (i // 4 * (narrow * 8) + i % 4 * 2), u64)
                        wgmma_async(config, b, ~sums[0], a, trans_a=1)
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

                barrier_sync(1, groups * 128)  # nobody reads the stages any more
                for t, h, e in grid(narrow // 8, 2, 2, attrs='u'):
                    across = threadIdx.x // 32 * 16 + h * 8 + lane // 4
                    part[t * 8 + lane % 4 * 2 + e, across] = sums[t * 4 + h * 2 + e]
            this_cluster.sync()
            # Each block adds up its share of the elements. All loads of a thread are under way at once.
            totals = register_tensor(f32, shape=[shares])
            for i in grid(shares, attrs='u'):
                element = min((i * split + rank) * threads + threadIdx.x, m * columns - 1)
                totals[i] = 0.0
                for other in grid(split, attrs='u'):
                    at = ~part[element // columns, element % columns]
                    totals[i] = totals[i] + this_cluster.map_shared_rank(at, other, f32)[0]
            this_cluster.sync()  # nobody reads any more what a block takes with it when it ends
            for i in grid(shares, attrs='u'):
                element = (i * split + rank) * threads + threadIdx.x
                p = column + element % columns
                if element < m * columns and p < n:
                    c[element // columns, p] = cast(totals[i], f16)

        @hidet.script
        def launch(a: f16[m, k], b: f16[k, n], c: f16[m, n]):
            attrs.func_kind = 'public'
            a_map: OpaqueType('CUtensorMap')
            b_map: OpaqueType('CUtensorMap')
            create_tensor_map(~a_map, f16, 2, a, [k, m], [k * 2], [64, narrow], [1, 1], 'NONE', '128B')
            create_tensor_map(~b_map, f16, 2, b, [n, k], [n * 2], [64, block_k], [1, 1], 'NONE', '128B')
            matmul(a_map, b_map, c)

    return script_module.build()


def check(m, n, k, groups=None, split=None, block_k=None, most_stages=None):
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    b = torch.randn(k, n, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, dtype=torch.float16, device='cuda')
    matmul_module(m, n, k, groups, split, block_k, most_stages)(a, b, c)
    torch.testing.assert_close(c.float(), torch.matmul(a.float(), b.float()), atol=5e-2, rtol=5e-3)
    print(f'matmul of few rows, {m} x {n} x {k}: correct')


if __name__ == '__main__':
    check(m=5, n=200, k=456, groups=1, split=2, block_k=64, most_stages=3)
    check(m=30, n=256, k=1024, groups=2, split=4, block_k=128, most_stages=20)
    check(m=16, n=96, k=200)
