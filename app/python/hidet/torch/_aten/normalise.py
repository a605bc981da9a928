# SPDX-License-Identifier: Apache-2.0
"""Normalising layers and softmax."""

from hidet import ops
from hidet.torch._aten.rows import Refused, cast, dtype_of, positive, row, wide


@row("_softmax")
def softmax(context, x, dim, half_to_float):
    if not len(context.result.shape):
        raise Refused("of a number")
    return ops.softmax(cast(x, context.dtype), positive(dim, len(context.result.shape)))


@row("_log_softmax")
def log_softmax(context, x, dim, half_to_float):
    if not len(context.result.shape):
        raise Refused("of a number")
    return ops.logsoftmax(cast(x, context.dtype), positive(dim, len(context.result.shape)))


def _per_channel(context, vector, rank):
    return ops.reshape(vector, [1, -1] + [1] * (rank - 2))


@row("_native_batch_norm_legit_no_training")
def batch_norm(context, x, weight, bias, mean, variance, momentum, epsilon):
    """The other two results are empty."""
    rank = len(context.operand(0).shape)
    dtype = x.dtype.name
    work = wide(dtype)
    factor = ops.rsqrt(cast(variance, work) + epsilon)
    if weight is not None:
        factor = factor * cast(weight, work)
    shift = -cast(mean, work) * factor
    if bias is not None:
        shift = shift + cast(bias, work)
    return (cast(cast(x, work) * _per_channel(context, factor, rank) + _per_channel(context, shift, rank), dtype),)


@row("_native_batch_norm_legit.no_stats")
def batch_norm_of_itself(context, x, weight, bias, training, momentum, epsilon):
    """By the moments of the batch, as instances are normalised, and weights that are standardised."""
    if not training:
        raise Refused("with no moments to use")
    rank = len(context.operand(0).shape)
    axes = [axis for axis in range(rank) if axis != 1]
    dtype = x.dtype.name
    work = wide(dtype)
    weight = None if weight is None else _per_channel(context, weight, rank)
    bias = None if bias is None else _per_channel(context, bias, rank)
    y = _scaled(_normalised(x, axes, epsilon, work), weight, bias, work, dtype)
    moments = (ops.reshape(each, [-1]) for each in _moments(x, axes, epsilon, work))
    return _as_foretold(context, y, *moments)


@row("native_layer_norm")
def layer_norm(context, x, shape, weight, bias, epsilon):
    rank = len(context.operand(0).shape)
    axes = list(range(rank - len(shape), rank))
    dtype = x.dtype.name
    work = wide(dtype)
    y = _scaled(_normalised(x, axes, epsilon, work), weight, bias, work, dtype)
    return _as_foretold(context, y, *_moments(x, axes, epsilon, work))


def _as_foretold(context, *results):
    """On a CPU PyTorch keeps moments in the dtype of the data, on a GPU in a wider one."""
    return tuple(cast(each, dtype_of(meta)) for each, meta in zip(results, context.result))


def _normalised(x, axes, epsilon, work):
    return ops.normalize(cast(x, work), axes, epsilon=float(epsilon))


def _scaled(y, weight, bias, work, dtype):
    if weight is not None:
        y = y * cast(weight, work)
    if bias is not None:
        y = y + cast(bias, work)
    return cast(y, dtype)


def _moments(x, axes, epsilon, work):
    x = cast(x, work)
    return ops.mean(x, axes, True), ops.rsqrt(ops.var(x, axes, True, False) + epsilon)


@row("native_group_norm")
def group_norm(context, x, weight, bias, n, c, elements, groups, epsilon):
    meta = context.operand(0)
    extents = context.extents(meta.shape)
    rank = len(extents)
    dtype = x.dtype.name
    work = wide(dtype)
    grouped = ops.reshape(cast(x, work), [extents[0], groups, extents[1] // groups, *extents[2:]])
    axes = list(range(2, rank + 1))
    y = ops.reshape(_normalised(grouped, axes, epsilon, work), extents)
    weight = None if weight is None else _per_channel(context, weight, rank)
    bias = None if bias is None else _per_channel(context, bias, rank)
    moments = (ops.reshape(each, [extents[0], groups]) for each in _moments(grouped, axes, epsilon, work))
    return _as_foretold(context, _scaled(y, weight, bias, work, dtype), *moments)


@row("_fused_rms_norm")
def rms_norm(context, x, shape, weight, epsilon):
    rank = len(context.operand(0).shape)
    axes = list(range(rank - len(shape), rank))
    dtype = x.dtype.name
    work = wide(dtype)
    if epsilon is None:
        raise Refused("without an epsilon")
    y = ops.rms_normalize(cast(x, work), axes, epsilon=float(epsilon))
    root = ops.rsqrt(ops.mean(cast(x, work) * cast(x, work), axes, True) + epsilon)
    return _as_foretold(context, _scaled(y, weight, None, work, dtype), root)


@row("_softmax_backward_data")
def softmax_backward(context, gradient, y, dim, dtype):
    axis = positive(dim, len(context.result.shape))
    product = gradient * y
    return cast(product - y * ops.sum(product, [axis], True), context.dtype)


@row("_log_softmax_backward_data")
def log_softmax_backward(context, gradient, y, dim, dtype):
    axis = positive(dim, len(context.result.shape))
    return cast(gradient - ops.exp(y) * ops.sum(gradient, [axis], True), context.dtype)
