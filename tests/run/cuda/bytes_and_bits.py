# SPDX-License-Identifier: Apache-2.0
"""Bytes of registers by prmt in every mode, and functions of three bits by lop3, against their definitions."""
import hidet
import torch
from hidet.ir.primitives.cuda import lop3, prmt
from hidet.lang import attrs, i64, u32
from hidet.lang.cuda import threadIdx

modes = [None, 'f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16']
tables = [0, 0x80, 0xC0, 0xCA, 0xE8, 0x96, 0xFE, 0xFF]
low, high = 0x83C2A1F0, 0x7E0F9512

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(chosen: i64[32, 7], made: i64[32, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 32
        t = u32(threadIdx.x)
        d = u32(0)
        selector = t * 0x2481 + 0x8ACE
        for m in hidet.lang.meta.range(7):
            prmt(~d, u32(low), u32(high) + t, selector, mode=modes[m])
            chosen[t, m] = i64(d)
        for n in hidet.lang.meta.range(8):
            d = t * 0x9E3779B1
            lop3(~d, d, u32(low) ^ t, u32(high), imm_lut=tables[n])
            made[t, n] = i64(d)


chosen = torch.zeros(32, 7, dtype=torch.int64, device='cuda')
made = torch.zeros(32, 8, dtype=torch.int64, device='cuda')
script_module.build()(chosen, made)


def byte_numbers(mode, c):
    n = c % 4
    if mode is None:
        return [c // 16 ** i % 16 for i in range(4)]
    if mode == 'f4e':
        return [n + i for i in range(4)]
    if mode == 'b4e':
        return [(n - i) % 8 for i in range(4)]
    if mode == 'rc8':
        return [n for i in range(4)]
    if mode == 'ecl':
        return [max(n, i) for i in range(4)]
    if mode == 'ecr':
        return [min(n, i) for i in range(4)]
    return [n % 2 * 2 + i % 2 for i in range(4)]


def permuted(mode, a, b, c):
    both = [a // 256 ** i % 256 for i in range(4)] + [b // 256 ** i % 256 for i in range(4)]
    word = 0
    for i, number in enumerate(byte_numbers(mode, c)):
        byte = both[number % 8]
        if number >= 8:
            byte = 255 if byte >= 128 else 0
        word += byte * 256 ** i
    return word


def function_of_bits(table, a, b, c):
    word = 0
    for i in range(32):
        bits = a // 2 ** i % 2 * 4 + b // 2 ** i % 2 * 2 + c // 2 ** i % 2
        word += table // 2 ** bits % 2 * 2 ** i
    return word


for t in range(32):
    for m, mode in enumerate(modes):
        want = permuted(mode, low, high + t, (t * 0x2481 + 0x8ACE) % 2 ** 32)
        assert chosen.tolist()[t][m] == want, f'{t} {mode}: {chosen.tolist()[t][m]} instead of {want}'
    for n, table in enumerate(tables):
        want = function_of_bits(table, t * 0x9E3779B1 % 2 ** 32, low ^ t, high)
        assert made.tolist()[t][n] == want, f'{t} {table}: {made.tolist()[t][n]} instead of {want}'
