# SPDX-License-Identifier: Apache-2.0
"""Complex numbers: arithmetic, promotion, parts, memory of every kind, on the device and on the host."""
import hidet
import torch
from hidet.lang import attrs, boolean, f32, f64, register_tensor, shared_tensor
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.dtypes import complex64, complex128
from hidet.ir.primitives.complex import conj, imag, make_complex, real

n = 16
for dtype, part, torch_dtype in [(complex64, f32, torch.float32), (complex128, f64, torch.float64)]:
    with hidet.script_module() as script_module:

        @hidet.script
        def square(z: dtype) -> dtype:
            attrs.func_kind = 'cuda_internal'
            return z * z

        @hidet.script
        def kernel(x: dtype[n], y: dtype[n], out: dtype[8, n], same: boolean[2, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = n
            t = threadIdx.x
            smem = shared_tensor(dtype, shape=[n])
            regs = register_tensor(dtype, shape=[2])
            smem[t] = x[t]
            syncthreads()
            a = smem[n - 1 - t]
            regs[0] = y[t]
            regs[1] = a
            b = regs[0]
            out[0, t] = a + b
            out[1, t] = a - b
            out[2, t] = a * b
            out[3, t] = a / b
            out[4, t] = -square(regs[1])
            out[5, t] = conj(a) if t % 2 == 0 else make_complex(imag(b), real(b))
            out[6, t] = a * part(2) + 1
            out[7, t] = dtype(3)
            same[0, t] = a == b
            same[1, t] = a != regs[1]

        @hidet.script
        def total(x: dtype[n], out: dtype[1]):
            attrs.func_kind = 'public'
            s = dtype(0)
            for i in range(n):
                s += x[i] * x[i] / (x[i] + 1)
            out[0] = s

        @hidet.script
        def launch(x: dtype[n], y: dtype[n], out: dtype[8, n], same: boolean[2, n]):
            attrs.func_kind = 'public'
            kernel(x, y, out, same)

    module = script_module.build()
    xs = [[i % 5 - 2.0, i % 3 + 0.5] for i in range(n)]
    ys = [[1.0 + i % 4, i % 7 - 3.0] for i in range(n)]
    ys[3] = xs[n - 4]
    x = torch.tensor(xs, dtype=torch_dtype, device='cuda')
    y = torch.tensor(ys, dtype=torch_dtype, device='cuda')
    out = torch.zeros([8, n, 2], dtype=torch_dtype, device='cuda')
    same = torch.zeros([2, n], dtype=torch.bool, device='cuda')
    module(x, y, out, same)

    def times(a, b):
        return [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]

    def over(a, b):
        size = b[0] * b[0] + b[1] * b[1]
        return [e / size for e in times(a, [b[0], -b[1]])]

    want = [[], [], [], [], [], [], [], []]
    for t in range(n):
        a = xs[n - 1 - t]
        b = ys[t]
        row = [[a[0] + b[0], a[1] + b[1]], [a[0] - b[0], a[1] - b[1]], times(a, b), over(a, b), [-e for e in times(a, a)],
               [a[0], -a[1]] if t % 2 == 0 else [b[1], b[0]], [2 * a[0] + 1, 2 * a[1]], [3.0, 0.0]]
        for i in range(8):
            want[i].append(row[i])
    torch.testing.assert_close(out, torch.tensor(want, dtype=torch_dtype, device='cuda'))
    assert same.tolist() == [[xs[n - 1 - t] == ys[t] for t in range(n)], [False for t in range(n)]]

    sums = torch.zeros([1, 2], dtype=torch_dtype)
    module['total'](x.cpu(), sums)
    expected = [0.0, 0.0]
    for e in xs:
        q = over(times(e, e), [e[0] + 1, e[1]])
        expected = [expected[0] + q[0], expected[1] + q[1]]
    torch.testing.assert_close(sums, torch.tensor([expected], dtype=torch_dtype))
