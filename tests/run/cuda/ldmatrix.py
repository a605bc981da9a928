# SPDX-License-Identifier: Apache-2.0
"""ldmatrix hands out 8 x 8 matrices: one, two and four at a time, as they lie and transposed."""
import hidet
import torch
from hidet.lang import attrs, f16, register_tensor, shared_tensor, u32, view
from hidet.lang.cuda import ldmatrix, syncthreads, threadIdx


def load(count, trans):
    """Every lane's values: count matrices of two halves each."""
    rows = 8 * count
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x: f16[rows, 8], out: f16[32, count * 2]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            t = threadIdx.x
            smem = shared_tensor(f16, shape=[rows, 8])
            for i in range(rows * 8 // 32):
                smem[(i * 32 + t) // 8, t % 8] = x[(i * 32 + t) // 8, t % 8]
            syncthreads()
            regs = register_tensor(f16, shape=[count * 2])
            words = view(~regs[0], u32[count])
            ldmatrix(regs=[words[i] for i in range(count)], smem_addr=~smem[t % rows, 0], trans=trans)
            for i in range(count * 2):
                out[t, i] = regs[i]

    x = torch.arange(rows * 8, device='cuda').reshape(rows, 8).to(torch.float16)
    out = torch.zeros(32, count * 2, dtype=torch.float16, device='cuda')
    script_module.build()(x, out)
    return x.tolist(), out.tolist()


for count in [1, 2, 4]:
    for trans in [False, True]:
        x, out = load(count, trans)
        for lane in range(32):
            for matrix in range(count):
                for half in range(2):
                    row, column = lane // 4, lane % 4 * 2 + half
                    if trans:
                        row, column = column, row
                    got = out[lane][matrix * 2 + half]
                    assert got == x[matrix * 8 + row][column], f'x{count} trans={trans}: lane {lane}, matrix {matrix}: {got}'
