# SPDX-License-Identifier: Apache-2.0
"""An operator of your own, from nothing but its definition: what an element of the result is.

compute() says that for one tensor, reduce() sums up inside of it. No schedule is written: any definition runs on the GPU
and on the CPU, takes part in fusion, and can be traced into a graph like the operators that are built in. This one is the
root mean square over the last dimension, which language models normalise with.

A model may name it, too. ONNX files can hold operators of domains that no standard knows; this script says what they are:

    hidetc model run MODEL.onnx --with custom_operator.py

It also holds two rules about graphs: one that looks for a pattern of operators, one that says how to carry out a single
operator. They take part whenever a graph is optimised, that of a model or that of a script.
"""
import hidet
import torch
from hidet import ops
from hidet.ir.compute import compute, reduce
from hidet.ir.primitives import sqrt
from hidet.ir.task import Task
from hidet.graph.frontend.onnx import register_onnx_operator
from hidet.graph.operator import Operator
from hidet.graph.ops.arithmetic import DivideOp, SqrtOp
from hidet.graph.transforms import ResolveRule, SubgraphRewriteRule, TensorPattern
from hidet.graph.transforms import op_pattern, register_resolve_rule, register_rewrite_rule
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


# A node RootMeanSquare of the domain 'samples'. Its attributes are a dictionary: {'epsilon': 1e-05}, say.
@register_onnx_operator('RootMeanSquare', domain='samples')
def root_mean_square_of_model(inputs, attrs):
    return root_mean_square(inputs[0])


# The same computed in steps becomes the operator: sqrt(mean(x * x)).
@register_rewrite_rule
class RecogniseRootMeanSquare(SubgraphRewriteRule):
    def __init__(self):
        super().__init__(name='recognise-root-mean-square')
        self.x = TensorPattern()
        self.mean = op_pattern(ops.mean, [self.x * self.x])
        self.y = op_pattern(SqrtOp, [self.mean])

    def source(self):
        return [self.y]

    def target(self, matched):
        x, mean = matched[self.x], matched[self.mean]
        if len(x.shape) != 2 or mean.op.attrs['dims'] != [1] or mean.op.attrs['keepdims']:
            return None  # something else: it stays as it is
        return [root_mean_square(x)]


# What divides a row by its root mean square multiplies it by the reciprocal, of which there is one for each row.
@register_resolve_rule(DivideOp)
class MultiplyByReciprocal(ResolveRule):
    def resolve(self, op):
        x, y = op.inputs
        if len(x.shape) != 2 or len(y.shape) != 2 or not isinstance(y.shape[1], int) or y.shape[1] != 1:
            return None
        return [x * (1.0 / y)]


def expected(x):
    return torch.sqrt(torch.mean(x * x, dim=1))


def check():
    # at once
    x = torch.randn(6, 40)
    torch.testing.assert_close(root_mean_square(hidet.from_torch(x)).torch(), expected(x), atol=1e-5, rtol=1e-5)

    # in a graph, between operators that join its kernels
    symbol = hidet.symbol(['rows', 40])
    graph = hidet.graph.optimize(hidet.trace_from(root_mean_square(symbol + 1.0) * 2.0))
    print(graph)
    result = graph(hidet.from_torch(x))
    torch.testing.assert_close(result.torch(), expected(x + 1.0) * 2.0, atol=1e-5, rtol=1e-5)

    # computed in steps
    steps = ops.sqrt(ops.mean(symbol * symbol, dims=1))
    graph = hidet.graph.optimize(hidet.trace_from(steps))
    print(graph)
    torch.testing.assert_close(graph(hidet.from_torch(x)).torch(), expected(x), atol=1e-5, rtol=1e-5)
    print('root mean square: correct')


if __name__ == '__main__':  # and not where it is there for a model
    check()
