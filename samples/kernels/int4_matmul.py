# SPDX-License-Identifier: Apache-2.0
"""Matrix product with weights of 4 bits: they become f16 in registers, on their way into the tensor cores.

A weight is (q - 8) * scale, with q from 0 to 15 and a scale for 64 weights below each other. Eight of them fit in a word, and
what a lane needs of b for two mma_sync, 2 x 4 elements, is just that. So weights are packed once in the order in which lanes want
them: a warp reads 32 words beside each other, straight into registers, and needs no shared memory for b.

No conversion is needed either. A f16 from 1024 on counts in ones: 0x6400 is 1024, and q in its lowest bits makes it 1024 + q.
One lop3 takes two weights out of a word and puts both into such halves, (word & mask) | 0x64006400, and subtracting 1032 leaves
q - 8. The next two weights are 4 bits higher and count as 16 q: a division by 16, and 72 less. Both are exact.
"""
import hidet
import torch
from hidet.ir.primitives.cuda import lop3
from hidet.lang import attrs, f16, f32, grid, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import (
    MmaConfig,
    blockIdx,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    ldmatrix,
    mma_sync,
    syncthreads,
    threadIdx,
)
from hidet.lang.layout import row_major
from hidet.lang.mapping import repeat, spatial

tile, block_k = 64, 32  # of c and of the sum
group = 64  # weights that share a scale
stages = 3
piece = 8  # elements of a, 16 bytes
threads = 128  # a warp has 64 rows and 16 columns
config = MmaConfig.m16n8k16_f16_f32()
copy_map = repeat(2, 1) * spatial(32, 4)  # 64 rows of 4 pieces


def matmul_module(m, n, k):
    assert m % tile == 0 and n % tile == 0 and k % group == 0, 'the tiles must fill the matrices'
    steps = k // block_k

    with hidet.script_module() as script_module:

        @hidet.script
        def unpack(word: u32, scale: f16, regs_b: ~f16):
            """Eight weights as the second factors of two steps of 16."""
            pair = register_tensor(u32, shape=[1])
            halves = view(pair, f16[2])
            for p in grid(4, attrs='u'):
                lop3(~pair[0], word >> (p // 2 * 8), u32(0x000F000F) << (p % 2 * 4), u32(0x64006400), imm_lut=0xEA)
                for e in grid(2, attrs='u'):
                    weight = halves[e] - f16(1032.0) if p % 2 == 0 else halves[e] * f16(0.0625) - f16(72.0)
                    regs_b[p * 2 + e] = weight * scale

        @hidet.script
        def matmul(a: f16[m, k], weights: u32[k // 32, n // 8, 32], scales: f16[k // group, n], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = n // tile, m // tile
            attrs.cuda.block_dim = threads

            pieces = row_major(tile, block_k // piece).swizzle(dim=1, log_step=1)
            smem_a = shared_tensor(f16, layout=row_major(stages) + pieces + row_major(piece))
            regs_a = register_tensor(f16, shape=[4, config.a_elements])
            regs_b = register_tensor(f16, shape=[2, 2, config.b_elements])  # two columns of tiles, two steps
            words = register_tensor(u32, shape=[2])
            sums = register_tensor(f32, shape=[4, 2, config.c_elements])
            for x, y, i in grid(4, 2, config.c_elements, attrs='u'):
                sums[x, y, i] = 0.0

            lane = threadIdx.x % 32
            row = blockIdx.y * tile
            column = blockIdx.x * tile + threadIdx.x // 32 * 16
            for y in grid(2, attrs='u'):
                words[y] = weights[0, column // 8 + y, lane]

            # Tiles of a are two turns ahead, words of weights one.
            for turn in range(steps + stages - 1):
                cp_async_wait_group(stages - 2)
                syncthreads()
                if turn < steps:
                    for i, p in copy_map.on(threadIdx.x):
                        cp_async(~smem_a[turn % stages, i, p, 0], ~a[row + i, turn * block_k + p * piece], cp_size=16)
                cp_async_commit_group()
                if turn >= stages - 1:
                    step = turn - stages + 1
                    for y in grid(2, attrs='u'):
                        scale = scales[step * block_k // group, column + y * 8 + lane // 4]
                        unpack(words[y], scale, ~regs_b[y, 0, 0])
                        words[y] = weights[min(step + 1, steps - 1), column // 8 + y, lane]
                    for half in grid(2, attrs='u'):
                        for x in grid(4, attrs='u'):
                            quarters = view(~regs_a[x, 0], u32[4])
                            source = ~smem_a[step % stages, x * 16 + lane % 16, half * 2 + lane // 16, 0]
                            ldmatrix([quarters[i] for i in range(4)], source)
                        for x, y in grid(4, 2, attrs='u'):
                            mma_sync(config, ~regs_a[x, 0], ~regs_b[y, half, 0], ~sums[x, y, 0])

            for x, y in grid(4, 2, attrs='u'):
                p = 0
                for i, j in config.c_store_map.on(lane):
                    c[row + x * 16 + i, column + y * 8 + j] = sums[x, y, p]
                    p += 1

    return script_module.build()


def pack(numbers):
    """Rows of numbers from 0 to 15 as words: for 32 rows and 8 columns, one for each lane."""
    k, n = len(numbers), len(numbers[0])

    def word(r, y, lane):
        bits = 0
        for p in range(4):
            for e in range(2):
                number = numbers[r * 32 + p * 8 + lane % 4 * 2 + e][y * 8 + lane // 4]
                bits += number << (p + 4 * e) * 4
        return bits

    return [[[word(r, y, lane) for lane in range(32)] for y in range(n // 8)] for r in range(k // 32)]


if __name__ == '__main__':
    m, n, k = 64, 128, 192
    numbers = torch.randint(0, 16, (k, n), dtype=torch.int32)
    weights = torch.tensor(pack(numbers.tolist()), dtype=torch.uint32).cuda()
    scales = torch.rand(k // group, n, dtype=torch.float16, device='cuda') / 8
    a = torch.randn(m, k, dtype=torch.float16, device='cuda')
    c = torch.empty(m, n, device='cuda')
    matmul_module(m, n, k)(a, weights, scales, c)

    spread = torch.stack([scales for i in range(group)], dim=1).reshape(k, n)
    b = ((numbers.cuda() - 8).to(torch.float16) * spread).float()
    torch.testing.assert_close(c, torch.matmul(a.float(), b), atol=1e-3, rtol=1e-3)
    print(f'matmul {m} x {n} x {k} with weights of 4 bits: correct')
