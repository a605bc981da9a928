# SPDX-License-Identifier: Apache-2.0
"""Sums and the like."""

from hidet import ops
from hidet.torch._aten.rows import Refused, as_shape, axes_of, cast, filled, positive, row, wide


def _rank(context):
    return len(context.operand(0).shape)


def _by_name(function):
    """any() and all() take the dimensions by name."""
    return lambda x, axes, keep: function(x, axis=axes, keepdims=keep)


def _reduced(function, context, x, dims, keep):
    if not _rank(context):
        return x
    return function(x, axes_of(dims, _rank(context)), bool(keep))


@row("sum", "sum.dim_IntList")
def sum_(context, x, dims=None, keepdim=False, dtype=None):
    work = wide(context.dtype)
    return cast(_reduced(ops.sum, context, cast(x, work), dims, keepdim), context.dtype)


@row("mean", "mean.dim")
def mean(context, x, dims=None, keepdim=False, dtype=None):
    work = wide(context.dtype)
    return cast(_reduced(ops.mean, context, cast(x, work), dims, keepdim), context.dtype)


@row("prod", "prod.dim_int")
def prod(context, x, dim=None, keepdim=False, dtype=None):
    return _reduced(ops.prod, context, cast(x, context.dtype), dim, keepdim)


@row("amax", "max")
def amax(context, x, dims=None, keepdim=False):
    return _reduced(ops.max, context, x, dims, keepdim)


@row("amin", "min")
def amin(context, x, dims=None, keepdim=False):
    return _reduced(ops.min, context, x, dims, keepdim)


@row("any", "any.dim", "any.dims")
def any_(context, x, dims=None, keepdim=False):
    return _reduced(_by_name(ops.any), context, cast(x, "bool"), dims, keepdim)


@row("all", "all.dim", "all.dims")
def all_(context, x, dims=None, keepdim=False):
    return _reduced(_by_name(ops.all), context, cast(x, "bool"), dims, keepdim)


def _arg(function):
    def compute(context, x, dim=None, keepdim=False):
        if not _rank(context):
            return filled(context, 0)
        if dim is None:
            return as_shape(function(ops.reshape(x, [-1]), 0, False), context)
        return function(x, positive(dim, _rank(context)), bool(keepdim))

    return compute


row("argmax")(_arg(ops.argmax))
row("argmin")(_arg(ops.argmin))


def _with_index(extreme, arg):
    def compute(context, x, dim, keepdim=False):
        if not _rank(context) or x.dtype.name == "bool":
            raise Refused("of a number, or of bools")
        axis = positive(dim, _rank(context))
        return extreme(x, [axis], bool(keepdim)), arg(x, axis, bool(keepdim))

    return compute


row("max.dim")(_with_index(ops.max, ops.argmax))
row("min.dim")(_with_index(ops.min, ops.argmin))


def _variance(context, x, dims, correction, keepdim):
    count = 1
    for axis in axes_of(dims, _rank(context)):
        count = count * context.extents([context.operand(0).shape[axis]])[0]
    if not isinstance(count, int) and correction not in (0, 1):
        raise Refused("with a correction, of an extent that is known at run time only")
    if isinstance(count, int) and count <= correction:
        raise Refused("of too few elements")
    work = cast(x, wide(x.dtype.name))
    if correction in (0, 1):
        return ops.var(work, axes_of(dims, _rank(context)), bool(keepdim), correction == 1)
    return ops.var(work, axes_of(dims, _rank(context)), bool(keepdim), False) * (count / (count - correction))


@row("var.correction")
def var(context, x, dim=None, *, correction=1, keepdim=False):
    return cast(_variance(context, x, dim, 1 if correction is None else correction, keepdim), context.dtype)


@row("std.correction")
def std(context, x, dim=None, *, correction=1, keepdim=False):
    return cast(ops.sqrt(_variance(context, x, dim, 1 if correction is None else correction, keepdim)), context.dtype)


@row("var_mean.correction")
def var_mean(context, x, dim=None, *, correction=1, keepdim=False):
    variance = _variance(context, x, dim, 1 if correction is None else correction, keepdim)
    average = _reduced(ops.mean, context, cast(x, wide(x.dtype.name)), dim, keepdim)
    return cast(variance, x.dtype.name), cast(average, x.dtype.name)


@row("cumsum")
def cumsum(context, x, dim, dtype=None):
    if not _rank(context):
        return cast(x, context.dtype)
    return cast(ops.cumsum(cast(x, wide(context.dtype)), positive(dim, _rank(context))), context.dtype)


@row("linalg_vector_norm")
def vector_norm(context, x, order=2, dims=None, keepdim=False, dtype=None):
    work = wide(context.dtype)
    x = cast(x, work)
    if order == 2:
        y = ops.sqrt(_reduced(ops.sum, context, x * x, dims, keepdim))
    elif order == 1:
        y = _reduced(ops.sum, context, ops.abs(x), dims, keepdim)
    elif order in (float("inf"), float("-inf")):
        y = _reduced(ops.max if order > 0 else ops.min, context, ops.abs(x), dims, keepdim)
    else:
        raise Refused(f"of order {order}")
    return cast(y, context.dtype)


@row("logsumexp")
def logsumexp(context, x, dims, keepdim=False):
    return _reduced(ops.reduce_log_sum_exp, context, cast(x, context.dtype), dims, keepdim)
