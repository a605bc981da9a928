# SPDX-License-Identifier: Apache-2.0
"""Tensors, operators and graphs: compute step by step, then describe the computation once and have it compiled as a whole.

An operator on tensors that hold data computes at once. On a symbolic tensor, which has a shape and a dtype but no data, it
computes nothing and remembers what it would have done; what was remembered is a graph. optimize() rewrites the graph and
decides which operators share a kernel: here the bias joins the matrix product.
"""
import hidet
import torch

device = 'cuda'  # emulated where there is no GPU

# step by step
a = hidet.randn([2, 3], device=device)
b = hidet.randn([3, 2], device=device)
c = hidet.randn([2], device=device)
d = hidet.ops.matmul(a, b)
d = d + c  # hidet.ops.add(d, c)
print(d)


# as a graph
def linear_bias(x, b, c):
    return hidet.ops.matmul(x, b) + c


x = hidet.symbol_like(a)
y = linear_bias(x, b, c)
assert x.trace is None
assert y.trace is not None
print('x:', x)
print('y:', y)

graph: hidet.FlowGraph = hidet.trace_from(y)
print(graph)

with hidet.graph.PassContext() as context:
    context.set_precision(None)  # or 'float16'; set_mma('mma') would take tensor cores
    optimised: hidet.FlowGraph = hidet.graph.optimize(graph)
print(optimised)

# the same numbers, however they are computed
y1 = optimised(a)
torch.testing.assert_close(y1.torch(), d.torch(), atol=1e-5, rtol=1e-5)

# one launch for all of its kernels
cuda_graph = optimised.cuda_graph()
outputs = cuda_graph.run([a])
torch.testing.assert_close(outputs[0].torch(), d.torch(), atol=1e-5, rtol=1e-5)
print('the graph computes what the operators compute')
