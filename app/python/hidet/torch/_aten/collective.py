# SPDX-License-Identifier: Apache-2.0
"""Functional collectives of PyTorch between processes that Hidet joins, too (`_groups.py`)."""

from hidet.distributed import functional
from hidet.torch._aten.rows import Refused, row


def _join(context, name):
    """The module of groups, and the argument that names Hidet's group; none: it is that of all."""
    from hidet.torch import _groups

    own = _groups.join(name, context.device)
    return _groups, {} if own is None else {"group": own}


@row("_c10d_functional::all_reduce")
def all_reduce(context, x, reduction, group):
    groups, own = _join(context, group)
    summed = groups.peer_sum(x, context.result) if reduction == "sum" and not own else None
    if summed is not None:
        return summed
    return functional.all_reduce(x, {"product": "prod"}.get(reduction, reduction), **own)


@row("_c10d_functional::all_gather_into_tensor")
def all_gather(context, x, size, group):
    return functional.all_gather(x, **_join(context, group)[1])


@row("_c10d_functional::reduce_scatter_tensor")
def reduce_scatter(context, x, reduction, size, group):
    return functional.reduce_scatter(x, {"product": "prod"}.get(reduction, reduction), **_join(context, group)[1])


@row("_c10d_functional::all_to_all_single")
def all_to_all(context, x, into, of, group):
    if len({*into, *of}) > 1:
        raise Refused("is of parts that are not alike")
    return functional.all_to_all(x, **_join(context, group)[1])


@row("_c10d_functional::broadcast")
def broadcast(context, x, source, group):
    groups, own = _join(context, group)
    return functional.broadcast(x, groups.rank_among_all(group, source), **own)


@row("_c10d_functional::wait_tensor")
def wait(context, x):
    """What comes behind it in the stream sees it."""
    return x
