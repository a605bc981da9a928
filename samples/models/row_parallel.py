# SPDX-License-Identifier: Apache-2.0
"""A model divided among GPUs, whose products add up over the GPUs within their kernels.

Each rank has some of the hidden features of an MLP: columns of the first weight, rows of the second one. The second product gives
each rank a part of every sum. As a collective, `all_reduce` would stand between kernels: the host calls it, and it begins when the
product has ended. Here it is the end of the product. A block that has its tile sends it to all ranks, waits for theirs, and adds
them up in the order of the ranks, so all ranks get the same bits; the graph stays launches alone.

    hidetc emulate --ranks 4 samples/models/row_parallel.py
    torchrun --no-python --nproc-per-node 2 hidetc run --trust samples/models/row_parallel.py

The operator keeps its symmetric memory as constants of the graph. It has two slots, in turn: a rank begins the launch after the
next one when it has the tiles of all others of the next one, and they begin that when they have read those of this one.
"""
import hidet
import hidet.distributed as dist
from hidet import ops
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.lang import attrs, f16, f32, grid, i32, register_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    dynamic_shared_memory,
    mma_sync,
    syncthreads,
    threadIdx,
)
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait, lds128
from hidet.lang.distributed import peer, rank, signal, wait_signal

rows, tile = 16, 32  # of a block: all rows, for which tensor cores are made, and some columns
most_warps, piece = 8, 32  # the warps of a block divide each sum, and do it in pieces
stages = 4  # three pieces of each warp are on their way while one is multiplied
config = MmaConfig.m16n8k16_f16_f32()


class ProductAllReduce(OpaqueOperator):
    """The sum over all ranks of x[16, k] times the transpose of weight[n, k]."""

    def __init__(self, x, weight):
        n, ranks = weight.shape[0], dist.get_world_size()
        parts = dist.symmetric_zeros([2, ranks, rows, n])
        sent = dist.symmetric_zeros([ranks, n // tile], dtype='int32')
        super().__init__(name='product_all_reduce', inputs={'x': x, 'weight': weight, 'parts': parts, 'sent': sent})

    def symbolic_forward(self, x, weight, parts, sent):
        return {'y': self.symbol([rows, weight.shape[0]], dtype=x.dtype, device=x.device)}

    def implement_cuda(self, inputs, outputs):
        return product_all_reduce(*inputs[1].shape, inputs[2].shape[1])


def product_all_reduce(n, k, ranks):
    warps = most_warps if k % (most_warps * piece) == 0 else 1
    threads = 32 * warps
    turns = k // (warps * piece)
    x_start = stages * 4 * threads * 16
    assert n % tile == 0 and k % (warps * piece) == 0, 'the tiles must fill the matrices'

    with hidet.script_module() as script_module:

        @hidet.script
        def product(
            x: f16[rows, k],
            weight: f16[n, k],
            parts: f32[2, ranks, rows, n],
            sent: i32[ranks, n // tile],
            y: f16[rows, n],
        ):
            attrs.cuda.grid_dim = n // tile
            attrs.cuda.block_dim = threads
            attrs.cuda.dynamic_smem_bytes = stages * 6 * threads * 16
            griddepcontrol_launch_dependents()
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            column = blockIdx.x * tile
            # A lane reads nothing but what it has copied itself: 16 bytes of four rows of the weight, and of two of x.
            ring_w = tensor_pointer(f16, shape=[stages, 4, threads, 8], init=dynamic_shared_memory(0, f16))
            ring_x = tensor_pointer(f16, shape=[stages, 2, threads, 8], init=dynamic_shared_memory(x_start, f16))
            regs_x = register_tensor(f16, shape=[2, config.a_elements])
            regs_w = register_tensor(f16, shape=[4, 2, config.b_elements])
            sums = register_tensor(f32, shape=[4, 4])
            halves = tensor_pointer(f32, shape=[warps, rows, tile], init=dynamic_shared_memory(0, f32))
            for j, e in grid(4, 4, attrs='u'):
                sums[j, e] = 0.0

            # It does not matter in which order a product adds up. So each lane takes 8 elements that lie beside each other in a row,
            # of x and of the weight alike, as those that the instruction wants of it in two steps.
            first = warp * piece + lane % 4 * 8
            for s in grid(stages - 1, attrs='u'):
                if s < turns:
                    for j in grid(4, attrs='u'):
                        source = ~weight[column + j * 8 + lane // 4, s * warps * piece + first]
                        cp_async(~ring_w[s, j, threadIdx.x, 0], source, cp_size=16, cache_level='global')
            griddepcontrol_wait()  # the weights do not depend on what was launched before
            turn = sent[rank(), blockIdx.x] + 1  # of launches: flags count them, and nothing is reset
            for s in grid(stages - 1, attrs='u'):
                if s < turns:
                    for half in grid(2, attrs='u'):
                        source = ~x[half * 8 + lane // 4, s * warps * piece + first]
                        cp_async(~ring_x[s, half, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                cp_async_commit_group()
            for t in range(turns):
                cp_async_wait_group(stages - 2)
                at = t % stages
                for j in grid(4, attrs='u'):
                    words = view(~regs_w[j, 0, 0], u32[4])
                    lds128(~words[0], ~words[1], ~words[2], ~words[3], ~ring_w[at, j, threadIdx.x, 0])
                words_x = view(~regs_x[0, 0], u32[8])
                for half in grid(2, attrs='u'):
                    lds128(
                        ~words_x[half],
                        ~words_x[2 + half],
                        ~words_x[4 + half],
                        ~words_x[6 + half],
                        ~ring_x[at, half, threadIdx.x, 0],
                    )
                ahead = t + stages - 1
                if ahead < turns:
                    to = ahead % stages
                    for j in grid(4, attrs='u'):
                        source = ~weight[column + j * 8 + lane // 4, ahead * warps * piece + first]
                        cp_async(~ring_w[to, j, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                    for half in grid(2, attrs='u'):
                        source = ~x[half * 8 + lane // 4, ahead * warps * piece + first]
                        cp_async(~ring_x[to, half, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                cp_async_commit_group()
                for step, j in grid(2, 4, attrs='u'):
                    mma_sync(config, ~regs_x[step, 0], ~regs_w[j, step, 0], ~sums[j, 0])
            syncthreads()  # nobody reads the stages any more
            for j, half, e in grid(4, 2, 2, attrs='u'):
                halves[warp, half * 8 + lane // 4, j * 8 + lane % 4 * 2 + e] = sums[j, half * 2 + e]
            syncthreads()

            for some in range(rows * tile // threads):
                i = (some * threads + threadIdx.x) // tile
                j = threadIdx.x % tile
                part = f32(0.0)
                for each in grid(warps, attrs='u'):
                    part += halves[each, i, j]
                for other in range(ranks):
                    theirs = peer(parts, other)
                    theirs[turn % 2, rank(), i, column + j] = part
            syncthreads()  # the tile is complete
            if threadIdx.x < ranks:
                signal(~sent[rank(), blockIdx.x], turn, threadIdx.x)
                wait_signal(~sent[threadIdx.x, blockIdx.x], turn)
            syncthreads()
            for some in range(rows * tile // threads):
                i = (some * threads + threadIdx.x) // tile
                j = threadIdx.x % tile
                total = f32(0.0)
                for other in range(ranks):
                    total += parts[turn % 2, other, i, column + j]
                y[i, column + j] = f16(total)

    return script_module


if __name__ == '__main__':
    try:
        dist.init_process_group()
    except RuntimeError:  # nobody says that there are other ranks
        dist.init_process_group(world_size=1, rank=0)
    me, ranks = dist.get_rank(), dist.get_world_size()
    width, hidden = 128, 1280  # hidden: features of each rank
    weight_up = (hidet.randn([width, hidden]) / 16.0).astype('float16').to(device='cuda')
    weight_down = (hidet.randn([width, hidden]) / 32.0).astype('float16').to(device='cuda')
    x = hidet.symbol([rows, width], dtype='float16', device='cuda')
    y = ProductAllReduce(ops.relu(ops.matmul(x, weight_up)), weight_down).outputs[0]
    model = hidet.graph.optimize(hidet.trace_from(y + x, x)).build()

    given = hidet.randn([rows, width]).astype('float16').to(device='cuda')
    dist.broadcast(given, 0)
    for _ in range(3):
        result = model(given)
    part = ops.matmul(ops.relu(ops.matmul(given, weight_up)).astype('float32'), ops.transpose(weight_down.astype('float32'), [1, 0]))
    dist.all_reduce(part)
    difference = ops.abs(result.astype('float32') - (part + given.astype('float32')))
    assert difference.cpu().max().item() < 0.02, difference
    print(f'rank {me} of {ranks}: MLP {width} x {hidden * ranks} x {width}: correct')
