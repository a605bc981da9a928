# SPDX-License-Identifier: Apache-2.0
"""Clocks that a kernel reads never go back, and have gone on behind barriers."""
import hidet
import torch
from hidet.ir.primitives.cuda import read_clock, read_globaltimer
from hidet.lang import attrs, i32
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

rows, turns = 4, 8

with hidet.script_module() as m:

    @hidet.script
    def kernel(descents: i32[rows, 64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = rows
        attrs.cuda.block_dim = 64
        first = read_clock()
        begin = read_globaltimer()
        before = first
        wrong = 0
        for i in range(turns):
            syncthreads()
            now = read_clock()
            if now < before:
                wrong += 1
            before = now
        if before <= first or read_globaltimer() < begin:
            wrong += 1
        descents[blockIdx.x, threadIdx.x] = wrong


descents = torch.ones(rows, 64, dtype=torch.int32, device='cuda')
m.build()(descents)
assert descents.sum().item() == 0
