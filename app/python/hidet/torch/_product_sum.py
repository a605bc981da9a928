# SPDX-License-Identifier: Apache-2.0
"""A product of few rows whose sums are divided among the GPUs of a machine, added up within its kernel.

    hidetc emulate --ranks 3 app/python/hidet/torch/_product_sum.py

A block has some columns, and its warps parts of their sums. It sends what they have added up to all ranks, waits for theirs, and adds
them up in the order of the ranks, as `_peer_sum.py` does. samples/models/row_parallel.py is this for 16 rows, at length."""

import hidet
import hidet.distributed as dist
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait, lds128
from hidet.lang import attrs, f32, grid, i32, register_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import MmaConfig, blockIdx, cp_async, cp_async_commit_group, cp_async_wait_group, dynamic_shared_memory, mma_sync
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.lang.distributed import peer, rank, signal, wait_signal

MOST_ROWS = 16  # of the instruction
PIECE = 32  # elements of a sum that a warp multiplies at a time
STAGES = 4  # three pieces of each warp are under way while one is multiplied
MANY_BLOCKS = 128


def columns_of(n):
    """Of a block; 0: it has no such blocks."""
    return next((each for each in (32, 16) if n % each == 0 and (n // each >= MANY_BLOCKS or each == 16)), 0)


def warps_of(k):
    """Of a block; 0: they have no equal parts of the sums."""
    return next((each for each in (8, 4, 2, 1) if k % (each * PIECE) == 0), 0)


def product_sum(name, rows, n, k, ranks, adds):
    """y[rows, n] = the sum over all ranks of x[rows, k] times the transpose of weight[n, k], and `addend` behind it if it `adds` that."""
    dtype = getattr(hidet.lang, name)
    config = MmaConfig.m16n8k16_f16_f32() if name == 'float16' else MmaConfig.m16n8k16_bf16_f32()
    tile, warps = columns_of(n), warps_of(k)
    threads, steps = 32 * warps, tile // 8
    turns = k // (warps * PIECE)
    x_start = STAGES * steps * threads * 16
    partial_bytes = 4 * warps * 16 * tile
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(
            x: dtype[rows, k],
            weight: dtype[n, k],
            addend: dtype[rows, n],
            parts: f32[2, ranks, rows, n],  # of the ranks; symmetric, as what follows
            sent: i32[ranks, n // tile],
            y: dtype[rows, n],
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = n // tile
            attrs.cuda.block_dim = threads
            attrs.cuda.dynamic_smem_bytes = max(STAGES * (steps + 2) * threads * 16, partial_bytes)
            griddepcontrol_launch_dependents()
            lane = threadIdx.x % 32
            warp = threadIdx.x // 32
            column = blockIdx.x * tile
            # A lane reads what it has copied itself: 16 bytes of a row of the weight for each step, and of two rows of x.
            ring_w = tensor_pointer(dtype, shape=[STAGES, steps, threads, 8], init=dynamic_shared_memory(0, dtype))
            ring_x = tensor_pointer(dtype, shape=[STAGES, 2, threads, 8], init=dynamic_shared_memory(x_start, dtype))
            regs_x = register_tensor(dtype, shape=[2, config.a_elements])
            regs_w = register_tensor(dtype, shape=[steps, 2, config.b_elements])
            sums = register_tensor(f32, shape=[steps, 4])
            partial = tensor_pointer(f32, shape=[warps, 16, tile], init=dynamic_shared_memory(0, f32))
            for j, e in grid(steps, 4, attrs='u'):
                sums[j, e] = 0.0
            for s, half in grid(STAGES, 2, attrs='u'):  # rows that x has not
                if half * 8 + lane // 4 >= rows:
                    for e in grid(8, attrs='u'):
                        ring_x[s, half, threadIdx.x, e] = dtype(0.0)

            # Sums are taken in any order: a lane has 8 elements side by side, which the instruction takes in two steps.
            first = warp * PIECE + lane % 4 * 8
            for s in grid(STAGES - 1, attrs='u'):
                if s < turns:
                    for j in grid(steps, attrs='u'):
                        source = ~weight[column + j * 8 + lane // 4, s * warps * PIECE + first]
                        cp_async(~ring_w[s, j, threadIdx.x, 0], source, cp_size=16, cache_level='global')
            griddepcontrol_wait()  # the weights are there before
            turn = sent[rank(), blockIdx.x] + 1
            for s in grid(STAGES - 1, attrs='u'):
                if s < turns:
                    for half in grid(2, attrs='u'):
                        if half * 8 + lane // 4 < rows:
                            source = ~x[half * 8 + lane // 4, s * warps * PIECE + first]
                            cp_async(~ring_x[s, half, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                cp_async_commit_group()
            for t in range(turns):
                cp_async_wait_group(STAGES - 2)
                at = t % STAGES
                for j in grid(steps, attrs='u'):
                    words = view(~regs_w[j, 0, 0], u32[4])
                    lds128(~words[0], ~words[1], ~words[2], ~words[3], ~ring_w[at, j, threadIdx.x, 0])
                words_x = view(~regs_x[0, 0], u32[8])
                for half in grid(2, attrs='u'):
                    lds128(~words_x[half], ~words_x[2 + half], ~words_x[4 + half], ~words_x[6 + half], ~ring_x[at, half, threadIdx.x, 0])
                ahead = t + STAGES - 1
                if ahead < turns:
                    to = ahead % STAGES
                    for j in grid(steps, attrs='u'):
                        source = ~weight[column + j * 8 + lane // 4, ahead * warps * PIECE + first]
                        cp_async(~ring_w[to, j, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                    for half in grid(2, attrs='u'):
                        if half * 8 + lane // 4 < rows:
                            source = ~x[half * 8 + lane // 4, ahead * warps * PIECE + first]
                            cp_async(~ring_x[to, half, threadIdx.x, 0], source, cp_size=16, cache_level='global')
                cp_async_commit_group()
                for step, j in grid(2, steps, attrs='u'):
                    mma_sync(config, ~regs_x[step, 0], ~regs_w[j, step, 0], ~sums[j, 0])
            syncthreads()  # nobody reads the stages any more
            for j, half, e in grid(steps, 2, 2, attrs='u'):
                partial[warp, half * 8 + lane // 4, j * 8 + lane % 4 * 2 + e] = sums[j, half * 2 + e]
            syncthreads()

            for some in range((rows * tile + threads - 1) // threads):
                i = (some * threads + threadIdx.x) // tile
                j = threadIdx.x % tile
                if i < rows:
                    part = f32(0.0)
                    for each in grid(warps, attrs='u'):
                        part += partial[each, i, j]
                    for other in range(ranks):
                        theirs = peer(parts, other)
                        theirs[turn % 2, rank(), i, column + j] = part
            syncthreads()  # the block has sent all
            if threadIdx.x < ranks:
                signal(~sent[rank(), blockIdx.x], turn, threadIdx.x)
                wait_signal(~sent[threadIdx.x, blockIdx.x], turn)
            syncthreads()
            for some in range((rows * tile + threads - 1) // threads):
                i = (some * threads + threadIdx.x) // tile
                j = threadIdx.x % tile
                if i < rows:
                    total = f32(0.0)
                    for other in range(ranks):
                        total += parts[turn % 2, other, i, column + j]
                    if adds:
                        y[i, column + j] = dtype(f32(dtype(total)) + f32(addend[i, column + j]))
                    else:
                        y[i, column + j] = dtype(total)

    return script_module


class ProductSum(OpaqueOperator):
    """`addend`: the tensor itself where nothing is added."""

    def __init__(self, x, weight, addend, parts, sent):
        self.adds = addend is not None
        inputs = {'x': x, 'weight': weight, 'addend': addend if self.adds else x, 'parts': parts, 'sent': sent}
        super().__init__(name='product_sum', inputs=inputs)

    def symbolic_forward(self, x, weight, addend, parts, sent):
        return {'y': self.symbol([x.shape[0], weight.shape[0]], dtype=x.dtype, device=x.device)}

    def implement_cuda(self, inputs, outputs):
        rows, k = inputs[0].shape
        return product_sum(inputs[0].dtype.name, rows, inputs[1].shape[0], k, inputs[3].shape[1], self.adds)


def memory_for(rows, n, ranks):
    """parts and sent. All ranks ask for it together."""
    parts = dist.symmetric_zeros([2, ranks, rows, n])
    return parts, dist.symmetric_zeros([ranks, n // columns_of(n)], dtype='int32')


if __name__ == '__main__':
    dist.init_process_group()
    me, ranks = dist.get_rank(), dist.get_world_size()
    for rows, n, k, adds in ((1, 32, 64, True), (3, 48, 256, False), (16, 32, 320, True)):
        parts, sent = memory_for(rows, n, ranks)
        kernel = product_sum('float16', rows, n, k, ranks, adds).build()
        weight = (hidet.randn([n, k]) / 8.0 + me * 0.01).astype('float16').to(device='cuda')
        addend = hidet.randn([rows, n]).astype('float16').to(device='cuda')
        dist.broadcast(addend, 0)
        y = hidet.zeros([rows, n], dtype='float16', device='cuda')
        for turn in range(3):
            x = (hidet.randn([rows, k]) + turn).astype('float16').to(device='cuda')
            kernel(x, weight, addend, parts, sent, y)
            wanted = hidet.ops.matmul(x.astype('float32'), hidet.ops.transpose(weight.astype('float32'), [1, 0]))
            dist.all_reduce(wanted)
            if adds:
                wanted = wanted + addend.astype('float32')
            error = hidet.ops.abs(y.astype('float32') - wanted).cpu().max().item()
            assert error < 0.1, (rows, n, k, turn, error)
    print(f'rank {me} of {ranks}: correct')
