# SPDX-License-Identifier: Apache-2.0
"""hidet.templates: what several templates work out of an operator's shapes and attributes."""

import math
from hidet import tune
from hidet.ir.primitives.math import exp, tanh
from hidet.utils import prod


def pair(value, otherwise, first=0):
    """Two numbers of an attribute, which has one for all dimensions, one for each, or none."""
    values = [value] if isinstance(value, int) else value or [otherwise]
    return values[first % len(values)], values[(first + 1) % len(values)]


def power_of_two(value):
    """The least one that is not less."""
    power = 1
    while power < value:
        power *= 2
    return power


def padded(shape, rank):
    return [1] * (rank - len(shape)) + list(shape)


def batch_dims(shapes):
    """Of all leading dimensions: extent, and how far each operand moves on with it, in matrices; neighbours are joined."""
    rank = max([len(shape) for shape in shapes])
    shapes = [padded(shape, rank)[:-2] for shape in shapes]
    dims = []
    for i in range(rank - 2):
        extents = [shape[i] for shape in shapes if not tune.same(shape[i], 1)]
        numbers = [each for each in extents if isinstance(each, int)]  # a symbol that meets one is it
        extent = (numbers + extents + [1])[0]
        steps = [0 if tune.same(shape[i], 1) else prod(shape[i + 1 :]) for shape in shapes]
        if tune.same(extent, 1):
            continue
        if dims and all([tune.same(outer, step * extent) for outer, step in zip(dims[-1][1:], steps)]):
            dims[-1] = [dims[-1][0] * extent] + steps
        else:
            dims.append([extent] + steps)
    return dims


def product_extents(task):
    """How often, and which, products: batch, batch of a, m, n, k. Leading dimensions of a are rows where b has none."""
    a, b = task.inputs[0].shape, task.inputs[1].shape
    tune.check(len(b) >= 2, 'a vector has no rows for the copy unit')
    n, k = (b[-2], b[-1]) if task.attrs['transpose_b'] else (b[-1], b[-2])
    tune.check(isinstance(n * k, int), 'the columns and the length of the sums must be known')
    batch = prod(b[:-2])
    if tune.same(batch, 1):
        return 1, 1, prod(a[:-1]), n, k
    is_same = len(a) == len(b) and all([tune.same(x, y) for x, y in zip(a[:-2], b[:-2])])
    tune.check(len(a) >= 2 and (is_same or tune.same(prod(a[:-2]), 1)), 'the batches are not the same')
    return batch, prod(a[:-2]), a[-2], n, k


def gated(gate, x, y):
    """Of two variables in f32: what a gate, by its name, lets through of y."""
    if gate == 'silu':
        return x / (1.0 + exp(-x)) * y
    return 0.5 * x * (1.0 + tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x))) * y
