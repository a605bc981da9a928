# SPDX-License-Identifier: Apache-2.0
"""Layer normalisation: mean and variance of each row in one pass, by Welford's method, over the threads of a block.

The mean of the squares minus the square of the mean is a small difference of large numbers where the mean is large: of values
around 1000 f32 keeps no digit of a variance of 0.01. Welford's method keeps a count, a mean and the sum of squared distances
from that mean, and changes all three with each value.

Two such triples of different values can be joined, in any order. So each thread takes every 256th value, the lanes of a warp
join theirs by shuffles, and the warps through shared memory. A triple of nothing has count 0, and changes nothing.
"""
import hidet
import torch
from hidet.ir.primitives import rsqrt
from hidet.lang import attrs, f32, meta, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, shfl_xor_sync, syncthreads, threadIdx

threads = 256
warps = threads // 32


def layer_norm_module(rows, columns, epsilon=1e-5):
    per_thread = (columns + threads - 1) // threads

    with hidet.script_module() as script_module:

        @hidet.script
        def join(triple: ~f32, count: f32, mean: f32, squares: f32):
            """Adds another triple to one: count, mean, sum of squared distances."""
            together = triple[0] + count
            share = count / together if together > 0.0 else f32(0.0)
            distance = mean - triple[1]
            triple[2] = triple[2] + squares + distance * distance * triple[0] * share
            triple[1] = triple[1] + distance * share
            triple[0] = together

        @hidet.script
        def layer_norm(x: f32[rows, columns], y: f32[rows, columns]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = rows
            attrs.cuda.block_dim = threads

            row = blockIdx.x
            values = register_tensor(f32, shape=[per_thread])
            triple = register_tensor(f32, shape=[3])
            for i in range(3):
                triple[i] = 0.0
            for i in range(per_thread):
                column = i * threads + threadIdx.x
                if column < columns:
                    values[i] = x[row, column]
                    join(~triple[0], 1.0, values[i], 0.0)

            for distance in meta.each([16, 8, 4, 2, 1]):
                count = shfl_xor_sync(0xFFFFFFFF, triple[0], distance)
                mean = shfl_xor_sync(0xFFFFFFFF, triple[1], distance)
                squares = shfl_xor_sync(0xFFFFFFFF, triple[2], distance)
                join(~triple[0], count, mean, squares)
            of_warps = shared_tensor(f32, shape=[warps, 3])
            if threadIdx.x % 32 == 0:
                for i in range(3):
                    of_warps[threadIdx.x // 32, i] = triple[i]
            syncthreads()
            # Every thread joins the triples of all warps, in the same order: nobody has to tell the others.
            for i in range(3):
                triple[i] = of_warps[0, i]
            for warp in range(1, warps):
                join(~triple[0], of_warps[warp, 0], of_warps[warp, 1], of_warps[warp, 2])

            scale = rsqrt(triple[2] / triple[0] + epsilon)
            for i in range(per_thread):
                column = i * threads + threadIdx.x
                if column < columns:
                    y[row, column] = (values[i] - triple[1]) * scale

    return script_module.build()


if __name__ == '__main__':
    rows, columns = 12, 700
    x = torch.randn(rows, columns, device='cuda') * 0.1 + 1000.0
    y = torch.empty(rows, columns, device='cuda')
    layer_norm_module(rows, columns)(x, y)
    torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, (columns,)), atol=2e-3, rtol=2e-3)
    print(f'layer normalisation of {rows} rows of {columns}, far from zero: correct')
