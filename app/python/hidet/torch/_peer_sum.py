# SPDX-License-Identifier: Apache-2.0
"""A sum over the GPUs of a machine as a kernel: each sends what it has to all others, waits for theirs, and adds up in the order of the
ranks, so all have the same bits. Few elements take less time than through NCCL, and a graph stays launches alone.

    hidetc emulate --ranks 3 app/python/hidet/torch/_peer_sum.py

Memory has two slots, in turn: a rank begins the launch after the next one when it has what all others send in the next one, and
they send that when they have read what this one has sent before."""

import hidet
import hidet.distributed as dist
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.ir.primitives.cuda import griddepcontrol_launch_dependents, griddepcontrol_wait
from hidet.ir.primitives.cuda.ldst import ldg128, stg128
from hidet.lang import attrs, f32, grid, i32, register_tensor, u32, view
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.distributed import peer, rank, signal, wait_signal

THREADS = 128
VECTOR = 16  # bytes that a thread sends to each rank


def blocks(size):
    """`size`: in bytes, a multiple of VECTOR."""
    return (size // VECTOR + THREADS - 1) // THREADS


def peer_sum(name, count, ranks):
    """y = the sum over all ranks of x, both of so many elements."""
    dtype = getattr(hidet.lang, name)
    each = VECTOR // dtype.nbytes
    vectors = count // each
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(
            x: dtype[count],
            parts: u32[2, ranks, vectors, 4],  # of the ranks; symmetric, as what follows
            sent: i32[ranks, blocks(count * dtype.nbytes)],
            y: dtype[count],
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks(count * dtype.nbytes)
            attrs.cuda.block_dim = THREADS
            griddepcontrol_launch_dependents()
            at = blockIdx.x * THREADS + threadIdx.x
            elements = register_tensor(dtype, shape=[each])
            words = view(~elements[0], u32[4])
            totals = register_tensor(f32, shape=[each])
            griddepcontrol_wait()
            turn = sent[rank(), blockIdx.x] + 1  # of launches: flags count them, and nothing is reset
            if at < vectors:
                ldg128(~words[0], ~words[1], ~words[2], ~words[3], ~x[at * each], True)
                for other in range(ranks):
                    theirs = peer(parts, other)
                    stg128(~words[0], ~words[1], ~words[2], ~words[3], ~theirs[turn % 2, rank(), at, 0], True)
            syncthreads()  # the block has sent all
            if threadIdx.x < ranks:
                signal(~sent[rank(), blockIdx.x], turn, threadIdx.x)
                wait_signal(~sent[threadIdx.x, blockIdx.x], turn)
            syncthreads()
            if at < vectors:
                for j in grid(each, attrs='u'):
                    totals[j] = 0.0
                for other in range(ranks):
                    ldg128(~words[0], ~words[1], ~words[2], ~words[3], ~parts[turn % 2, other, at, 0], True)
                    for j in grid(each, attrs='u'):
                        totals[j] += f32(elements[j])
                for j in grid(each, attrs='u'):
                    elements[j] = dtype(totals[j])
                stg128(~words[0], ~words[1], ~words[2], ~words[3], ~y[at * each], True)

    return script_module


class PeerSum(OpaqueOperator):
    """Of a tensor without other dimensions."""

    def __init__(self, x, parts, sent):
        super().__init__(name='peer_sum', inputs={'x': x, 'parts': parts, 'sent': sent})

    def symbolic_forward(self, x, parts, sent):
        return {'y': self.symbol(x.shape, dtype=x.dtype, device=x.device)}

    def implement_cuda(self, inputs, outputs):
        return peer_sum(inputs[0].dtype.name, inputs[0].shape[0], inputs[1].shape[1])


def memory_for(size, ranks):
    """parts and sent, for a sum of so many bytes. All ranks ask for it together."""
    parts = dist.symmetric_zeros([2, ranks, size // VECTOR, 4], dtype='uint32')
    return parts, dist.symmetric_zeros([ranks, blocks(size)], dtype='int32')


if __name__ == '__main__':
    dist.init_process_group()
    me, ranks = dist.get_rank(), dist.get_world_size()
    for name, count in (('float16', 8), ('float16', 2048), ('bfloat16', 1032), ('float32', 516)):
        parts, sent = memory_for(count * (4 if name == 'float32' else 2), ranks)
        kernel = peer_sum(name, count, ranks).build()
        y = hidet.zeros([count], dtype=name, device='cuda')
        for turn in range(3):
            x = (hidet.arange(0, count, device='cuda') % 7 + me + turn).astype(name)
            kernel(x, parts, sent, y)
            wanted = (hidet.arange(0, count, device='cuda') % 7 + turn) * ranks + ranks * (ranks - 1) // 2
            assert (y.astype('float32') == wanted.astype('float32')).all().item(), (name, count, turn)
    print(f'rank {me} of {ranks}: correct')
