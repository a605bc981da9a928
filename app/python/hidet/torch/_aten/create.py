# SPDX-License-Identifier: Apache-2.0
"""Tensors from numbers."""

import hidet
from hidet import ops
from hidet.torch._aten.rows import Refused, filled, row


def _plain(*values):
    if not all(isinstance(each, (int, float)) for each in values):
        raise Refused("of numbers that are known at run time only")


@row("full", "full_like", "new_full", "scalar_tensor")
def full(context, *args, **keywords):
    value = keywords.get("fill_value", args[-1] if args else None)
    _plain(value)
    return filled(context, value)


@row("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty", "new_empty_strided", "empty_strided")
def zeros(context, *args, **keywords):
    return filled(context, 0)


@row("ones", "ones_like", "new_ones")
def ones(context, *args, **keywords):
    return filled(context, 1)


@row("arange", "arange.start", "arange.start_step")
def arange(context, *args, **keywords):
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args[:2], args[2] if len(args) > 2 else 1)
    _plain(start, step)
    if isinstance(stop, (int, float)):
        return hidet.arange(start, stop, step, dtype=context.dtype, device=context.device)
    # of an extent that is not known: positions are sums of ones
    if not context.dtype.startswith("int"):
        raise Refused("of floats up to a number that is known at run time only")
    count = ops.cumsum(filled(context, 1), 0, exclusive=True)
    return count * step + start if (start, step) != (0, 1) else count


@row("eye", "eye.m")
def eye(context, n, m=None, **keywords):
    _plain(n, n if m is None else m)
    return hidet.eye(n, n if m is None else m, dtype=context.dtype, device=context.device)
