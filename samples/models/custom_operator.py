# SPDX-License-Identifier: Apache-2.0
"""An operator of your own, from nothing but its definition: what an element of the result is.

compute() says that for one tensor, reduce() sums up inside of it. No schedule is written: any definition runs on the GPU
and on the CPU, takes part in fusion, and can be traced into a graph like the operators that are built in. This one is the
root mean square over the last dimension, which language models normalise with.
"""
import hidet
import torch
from hidet.ir.compute import compute, reduce
from hidet.ir.primitives import sqrt
from hidet.ir.task import Task
from hidet.graph.operator import Operator
from hidet.graph.ops.utils import input_like


class RootMeanSquareTask(Task):
    def __init__(self, x):
        rows, columns = x.shape
        mean = compute(
            'mean',
            shape=[rows],
            fcompute=lambda i: reduce([columns], lambda k: x[i, k] * x[i, k], reduce_type='avg'),
        )
        y = compute('y', shape=[rows], fcompute=lambda i: sqrt(mean[i]))
        super().__init__(name='root_mean_square', inputs=[x], outputs=[y])


class RootMeanSquare(Operator):
    def __init__(self, x):
        super().__init__(inputs=[x], attributes={}, task=RootMeanSquareTask(input_like(x, 'x')))


def root_mean_square(x):
    return RootMeanSquare(x).outputs[0]


def expected(x):
    return torch.sqrt(torch.mean(x * x, dim=1))


# at once
x = torch.randn(6, 40)
torch.testing.assert_close(root_mean_square(hidet.from_torch(x)).torch(), expected(x), atol=1e-5, rtol=1e-5)

# in a graph, between operators that join its kernels
symbol = hidet.symbol(['rows', 40])
graph = hidet.graph.optimize(hidet.trace_from(root_mean_square(symbol + 1.0) * 2.0))
print(graph)
result = graph(hidet.from_torch(x))
torch.testing.assert_close(result.torch(), expected(x + 1.0) * 2.0, atol=1e-5, rtol=1e-5)
print('root mean square: correct')
