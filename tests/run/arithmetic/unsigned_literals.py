# SPDX-License-Identifier: Apache-2.0
"""Literals of 64 bits without a sign, as hashes and generators of random numbers have them, in a kernel and of the script."""
import hidet
import torch
from hidet.lang import attrs, i64, u64
from hidet.lang.cuda import threadIdx

step = 0x9E3779B97F4A7C15
n = 8

with hidet.script_module() as script_module:

    @hidet.script
    def hashes(x: i64[n], mixed: i64[n], fnv: i64[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        v = u64(x[t]) + step
        v = (v ^ (v >> u64(30))) * 0xBF58476D1CE4E5B9
        v = (v ^ (v >> u64(27))) * 0x94D049BB133111EB
        mixed[t] = i64(v ^ (v >> u64(31)))
        h = u64(14695981039346656037)
        for byte in range(8):
            h = (h ^ u64((x[t] >> i64(8 * byte)) & i64(255))) * u64(0x100000001B3)
        fnv[t] = i64(h)


x = torch.arange(n, dtype=torch.int64, device='cuda')
mixed, fnv = torch.zeros_like(x), torch.zeros_like(x)
script_module.build()(x, mixed, fnv)

# SplitMix64 and FNV-1a, as published.
assert mixed[0].item() == -0x1DDF57C684E23251
assert mixed[1].item() == -0x6EF5D21376FDA33F
assert fnv[1].item() == -8517097267634966620
assert step > 5 and step != 2**62 and 0xFFFFFFFFFFFFFFFF >> 60 == 15
assert -9223372036854775808 < 0
