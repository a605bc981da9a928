# SPDX-License-Identifier: Apache-2.0
"""Softmax over the rows of a matrix, on the CPU: rows in parallel, columns in vectors.

The three passes over a row read it from memory once: the row stays in the core's cache from the first pass on. A sum in the
order of the columns would be one long chain of additions, each waiting for the one before; 'lanes' sums beside each other
have no such chain, and the compiler puts them into vector registers.
"""
import hidet
import torch
from hidet.ir.primitives import exp
from hidet.lang import attrs, f32, grid, register_tensor

lanes = 64


def softmax_kernel(rows, columns):
    assert columns % lanes == 0
    steps = columns // lanes

    with hidet.script_module() as script_module:

        @hidet.script
        def softmax(x: f32[rows, columns], y: f32[rows, columns]):
            attrs.func_kind = 'cpu_kernel'
            for row in grid(rows, attrs='p'):
                largest = register_tensor(f32, shape=[lanes])
                sums = register_tensor(f32, shape=[lanes])
                for lane in grid(lanes):
                    largest[lane] = x[row, lane]
                    sums[lane] = 0.0
                for step in range(steps):
                    for lane in grid(lanes):
                        largest[lane] = max(largest[lane], x[row, step * lanes + lane])
                top = largest[0]
                for lane in grid(lanes):
                    top = max(top, largest[lane])

                for step in range(steps):
                    for lane in grid(lanes):
                        e = exp(x[row, step * lanes + lane] - top)
                        y[row, step * lanes + lane] = e
                        sums[lane] = sums[lane] + e
                total = f32(0.0)
                for lane in grid(lanes):
                    total = total + sums[lane]

                scale = 1.0 / total
                for step in range(steps):
                    for lane in grid(lanes):
                        y[row, step * lanes + lane] = y[row, step * lanes + lane] * scale

    return script_module.build()


for rows, columns in [(6, 128), (33, 1024)]:
    x = torch.randn(rows, columns)
    y = torch.empty(rows, columns)
    softmax_kernel(rows, columns)(x, y)
    torch.testing.assert_close(y, torch.softmax(x, dim=1), atol=1e-6, rtol=1e-5)
    print(f'softmax on the CPU {rows} x {columns}: correct')
