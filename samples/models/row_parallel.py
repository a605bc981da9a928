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
from hidet.lang import attrs, f16, f32, grid, i32, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import MmaConfig, blockIdx, ldg128, mma_sync, syncthreads, threadIdx
from hidet.lang.distributed import peer, rank, signal, wait_signal

rows, tile = 16, 32  # of a block: all rows, for which tensor cores are made, and some columns
depth = 4  # pieces of a warp whose loads are under way together
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
    warps = 8 if k % (8 * 32 * depth) == 0 else 1
    assert n % tile == 0 and k % (warps * 32 * depth) == 0, 'the tiles must fill the matrices'

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
            attrs.cuda.block_dim = 32 * warps
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            column = blockIdx.x * tile
            turn = sent[rank(), blockIdx.x] + 1  # of launches: flags count them, and nothing is reset
            regs_x = register_tensor(f16, shape=[depth, 2, config.a_elements])
            regs_w = register_tensor(f16, shape=[depth, tile // 8, 2, config.b_elements])
            sums = register_tensor(f32, shape=[tile // 8, 4])
            halves = shared_tensor(f32, shape=[warps, rows, tile])
            for j, e in grid(tile // 8, 4, attrs='u'):
                sums[j, e] = 0.0

            # It does not matter in which order a product adds up. So each lane takes 8 elements that lie beside each other in a row,
            # of x and of the weight alike, as those that the instruction wants of it in two steps.
            for piece in range(k // (warps * 32 * depth)):
                for d in grid(depth, attrs='u'):
                    start = ((piece * depth + d) * warps + warp) * 32 + lane % 4 * 8
                    for j in grid(tile // 8, attrs='u'):
                        words = view(~regs_w[d, j, 0, 0], u32[4])
                        source = ~weight[column + j * 8 + lane // 4, start]
                        ldg128(~words[0], ~words[1], ~words[2], ~words[3], source, True)
                    words_x = view(~regs_x[d, 0, 0], u32[8])
                    for half in grid(2, attrs='u'):
                        source = ~x[half * 8 + lane // 4, start]
                        ldg128(~words_x[half], ~words_x[2 + half], ~words_x[4 + half], ~words_x[6 + half], source, True)
                for d, step, j in grid(depth, 2, tile // 8, attrs='u'):
                    mma_sync(config, ~regs_x[d, step, 0], ~regs_w[d, j, step, 0], ~sums[j, 0])
            for j, half, e in grid(tile // 8, 2, 2, attrs='u'):
                halves[warp, half * 8 + lane // 4, j * 8 + lane % 4 * 2 + e] = sums[j, half * 2 + e]
            syncthreads()

            for piece in range(rows * tile // (32 * warps)):
                i = (piece * 32 * warps + threadIdx.x) // tile
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
            for piece in range(rows * tile // (32 * warps)):
                i = (piece * 32 * warps + threadIdx.x) // tile
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
    width, hidden = 256, 128  # hidden: features of each rank
    weight_up = (hidet.randn([width, hidden]) / 16.0).astype('float16').to(device='cuda')
    weight_down = (hidet.randn([width, hidden]) / 16.0).astype('float16').to(device='cuda')
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
