# SPDX-License-Identifier: Apache-2.0
"""stmatrix: 8 x 8 matrices from the registers of a warp to rows in shared memory, plain and transposed, one, two and four."""
import hidet
import torch
from hidet.lang import attrs, f16, i32, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import cvta_generic_to_shared, syncthreads, threadIdx
from hidet.ir.primitives.cuda import stmatrix


def store(count, trans, by_address):
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f16[8 * count, 8], b: f16[8 * count, 8]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            tile = shared_tensor(f16, shape=[8 * count, 8])
            values = register_tensor(f16, shape=[2 * count])
            words = view(values, u32[count])
            lane = threadIdx.x
            for t in range(count):
                for e in range(2):
                    values[t * 2 + e] = a[t * 8 + lane // 4, lane % 4 * 2 + e]
            row = ~tile[lane % (8 * count), 0]
            if by_address:
                stmatrix([words[i] for i in range(count)], cvta_generic_to_shared(row), True, trans=trans)
            else:
                stmatrix([words[i] for i in range(count)], row, trans=trans)
            syncthreads()
            for i in range(count * 2):
                e = i * 32 + lane
                b[e // 8, e % 8] = tile[e // 8, e % 8]

    a = torch.randn(8 * count, 8, dtype=torch.float16, device='cuda')
    b = torch.zeros(8 * count, 8, dtype=torch.float16, device='cuda')
    script_module.build()(a, b)
    a, b = a.tolist(), b.tolist()
    for t in range(count):
        for i in range(8):
            for j in range(8):
                assert b[t * 8 + i][j] == (a[t * 8 + j][i] if trans else a[t * 8 + i][j]), (count, trans, i, j)


for count in [1, 2, 4]:
    for trans in [False, True]:
        store(count, trans, False)
store(4, False, True)
