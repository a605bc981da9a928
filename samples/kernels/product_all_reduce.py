# SPDX-License-Identifier: Apache-2.0
"""Matrix product whose sum is split over GPUs, with the all_reduce inside of the kernel.

Each rank has some of the columns of `a` and the rows of `b` that belong to them, and so a part of every sum. A product and then
an `all_reduce` would write all parts to memory, wait for the last of them, and read them again. Here a block that has finished
its tile sends it at once: every rank adds up its own share of the tiles, so a tile goes to the rank that owns it, and the
others' blocks still multiply meanwhile. The owner waits for the signal of each part, adds them up in the order of the ranks,
the same on every run, and puts the result where all ranks have it.

    hidetc emulate --ranks 4 samples/kernels/product_all_reduce.py
    torchrun --no-python --nproc-per-node 2 hidetc run --trust samples/kernels/product_all_reduce.py

The first runs the ranks in one process and looks for what goes wrong between them; the second takes a GPU for each. Alone the
sample is a product on one GPU.

Flags count the launches. A block begins with what the launch before has left in its flag, which nobody changes until the owner
has the block's part; so nothing is reset, and a launch can be made again by a CUDA graph, too.
"""
import hidet
import hidet.distributed as dist
import torch
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.distributed import peer, rank, signal, wait_signal, world_size

tile = 16


def product_module(m, n, k, ranks):
    """`k`: the columns of `a` that each rank has."""
    assert m % tile == 0 and n % tile == 0, 'the tiles must fill the result'
    rows, columns = m // tile, n // tile

    with hidet.script_module() as script_module:

        @hidet.script
        def product(
            a: f32[m, k],
            b: f32[k, n],
            parts: f32[ranks, m, n],  # what other ranks sent to this one; symmetric, as what follows
            c: f32[m, n],
            sent: i32[ranks, rows, columns],
            done: i32[rows, columns],
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = columns, rows
            attrs.cuda.block_dim = tile, tile
            i = blockIdx.y * tile + threadIdx.y
            j = blockIdx.x * tile + threadIdx.x
            is_first = threadIdx.x == 0 and threadIdx.y == 0
            turn = done[blockIdx.y, blockIdx.x] + 1
            owner = (blockIdx.y * columns + blockIdx.x) % world_size()

            part = f32(0.0)
            for p in range(k):
                part += a[i, p] * b[p, j]
            theirs = peer(parts, owner)
            theirs[rank(), i, j] = part
            syncthreads()  # the tile is complete
            if is_first:
                signal(~sent[rank(), blockIdx.y, blockIdx.x], turn, owner)

            if rank() == owner:
                total = f32(0.0)
                for other in range(world_size()):
                    if is_first:
                        wait_signal(~sent[other, blockIdx.y, blockIdx.x], turn)
                    syncthreads()
                    total += parts[other, i, j]
                for other in range(world_size()):
                    everywhere = peer(c, other)
                    everywhere[i, j] = total
                syncthreads()
                if is_first:
                    for other in range(world_size()):
                        signal(~done[blockIdx.y, blockIdx.x], turn, other)
            # A kernel that ends has all of its result: what comes next on this GPU reads it.
            if is_first:
                wait_signal(~done[blockIdx.y, blockIdx.x], turn)

    return script_module.build()


if __name__ == '__main__':
    try:
        dist.init_process_group()
    except RuntimeError:  # nobody says that there are other ranks
        dist.init_process_group(world_size=1, rank=0)
    me, ranks = dist.get_rank(), dist.get_world_size()
    m, n, k = 32, 48, 24
    a = hidet.randn([m, k], device='cuda')
    b = hidet.randn([k, n], device='cuda')
    parts = dist.symmetric_zeros([ranks, m, n])
    c = dist.symmetric_zeros([m, n])
    sent = dist.symmetric_zeros([ranks, m // tile, n // tile], dtype='int32')
    done = dist.symmetric_zeros([m // tile, n // tile], dtype='int32')
    product = product_module(m, n, k, ranks)
    for _ in range(2):
        product(a, b, parts, c, sent, done)

    expected = hidet.from_torch(torch.matmul(a.torch(), b.torch()))
    dist.all_reduce(expected)
    torch.testing.assert_close(c.torch(), expected.torch(), atol=1e-4, rtol=1e-4)
    print(f'rank {me} of {ranks}: product {m} x {n} x {k * ranks}: correct')
