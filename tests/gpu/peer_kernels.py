# SPDX-License-Identifier: Apache-2.0
"""Kernels between GPUs, for peers.py."""
import hidet
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx
from hidet.lang.distributed import get, peer, put, rank, signal, wait_signal, world_size

block = 128


def blocks(n):
    return (n + block - 1) // block


def swap(n, name, flag_name):
    """Puts `x` at the right neighbour, and gets what that has put into its own `mine`."""
    dtype, flag_type, count = getattr(hidet.lang, name), getattr(hidet.lang, flag_name), blocks(n)
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: dtype[n], mine: dtype[n], came: dtype[n], got: dtype[n], flags: flag_type[2, count], turn: i32):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = count
            attrs.cuda.block_dim = block
            i = blockIdx.x * block + threadIdx.x
            right = (rank() + 1) % world_size()
            left = (rank() + world_size() - 1) % world_size()
            if i < n:
                mine[i] = x[i]
                put(~came[i], x[i], right)
            syncthreads()
            if threadIdx.x == 0:
                signal(~flags[0, blockIdx.x], turn, right)
                signal(~flags[1, blockIdx.x], turn, left)
                wait_signal(~flags[0, blockIdx.x], turn)
                wait_signal(~flags[1, blockIdx.x], turn)
            syncthreads()
            if i < n:
                got[i] = get(~mine[i], right)

    return script_module.build()


def ring(n, ranks):
    """The sum of all ranks' `x`: each passes on to the right what has come from the left."""
    count = blocks(n)
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[n], slot: f32[n], flags: i32[2, count], out: f32[n], turn: i32):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = count
            attrs.cuda.block_dim = block
            i = blockIdx.x * block + threadIdx.x
            right = (rank() + 1) % world_size()
            left = (rank() + world_size() - 1) % world_size()
            total = f32(0.0)
            if i < n:
                total = x[i]
            passed = total
            for step in range(ranks - 1):
                number = turn * (ranks - 1) + step
                if threadIdx.x == 0:
                    wait_signal(~flags[1, blockIdx.x], number)  # the right one has taken what was there
                syncthreads()
                if i < n:
                    put(~slot[i], passed, right)
                syncthreads()
                if threadIdx.x == 0:
                    signal(~flags[0, blockIdx.x], number + 1, right)
                    wait_signal(~flags[0, blockIdx.x], number + 1)
                syncthreads()
                if i < n:
                    passed = slot[i]
                    total += passed
                syncthreads()
                if threadIdx.x == 0:
                    signal(~flags[1, blockIdx.x], number + 1, left)
            if i < n:
                out[i] = total

    return script_module.build()


def one_shot(n, ranks):
    """The sum of all ranks' `x`, each of which goes to all others at once. Two slots in turn: nobody is two launches ahead."""
    count = blocks(n)
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f32[n], slots: f32[2, ranks, n], sent: i32[ranks, count], out: f32[n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = count
            attrs.cuda.block_dim = block
            i = blockIdx.x * block + threadIdx.x
            turn = sent[rank(), blockIdx.x] + 1
            if i < n:
                for other in range(ranks):
                    theirs = peer(slots, other)
                    theirs[turn % 2, rank(), i] = x[i]
            syncthreads()
            if threadIdx.x < ranks:
                signal(~sent[rank(), blockIdx.x], turn, threadIdx.x)
                wait_signal(~sent[threadIdx.x, blockIdx.x], turn)
            syncthreads()
            if i < n:
                total = f32(0.0)
                for other in range(ranks):
                    total += slots[turn % 2, other, i]
                out[i] = total

    return script_module.build()


def listen():
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(flag: i32[1], number: i32):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            if threadIdx.x == 0:
                wait_signal(~flag[0], number)

    return script_module.build()


def check_all():
    """On the ranks that there are, `hidetc emulate --ranks N` too: what peers.py looks at in more cases."""
    import hidet.distributed as dist

    dist.init_process_group()
    me, ranks = dist.get_rank(), dist.get_world_size()
    n = 300
    ramp = lambda who: hidet.arange(n).astype('float32') + 1000.0 * who
    x, got, out = ramp(me).to(device='cuda'), hidet.zeros([n], device='cuda'), hidet.zeros([n], device='cuda')
    mine, came, slot = dist.symmetric_zeros([n]), dist.symmetric_zeros([n]), dist.symmetric_zeros([n])
    flags, taken = (dist.symmetric_zeros([2, blocks(n)], dtype='int32') for _ in range(2))
    swap(n, 'float32', 'int32')(x, mine, came, got, flags, 1)
    assert came.tolist() == ramp((me - 1) % ranks).tolist(), 'put'
    assert got.tolist() == ramp((me + 1) % ranks).tolist(), 'get'
    expected = sum([ramp(who) for who in range(1, ranks)], ramp(0)).tolist()
    for turn in range(2):
        ring(n, ranks)(x, slot, taken, out, turn)
        assert out.tolist() == expected, 'ring'
    slots, sent = dist.symmetric_zeros([2, ranks, n]), dist.symmetric_zeros([ranks, blocks(n)], dtype='int32')
    for turn in range(3):
        one_shot(n, ranks)(x, slots, sent, out)
        assert out.tolist() == expected, 'one_shot'
    print(f'rank {me} of {ranks}: correct')


if __name__ == '__main__':
    check_all()
