# SPDX-License-Identifier: Apache-2.0
"""Elements found by indices that are data."""

import torch

from hidet import ops
from hidet.torch._aten.rows import Refused, cast, is_tensor, positive, row, scalar

_MASKS = (torch.bool, torch.uint8)


@row("embedding")
def embedding(context, weight, indices, padding_index=-1, scale_grad_by_freq=False, sparse=False):
    return ops.take(weight, indices, 0)


@row("index_select")
def index_select(context, x, dim, indices):
    if not len(context.result.shape):
        raise Refused("of a number")
    return ops.take(x, indices, positive(dim, len(context.operand(0).shape)))


@row("gather")
def gather(context, x, dim, indices, sparse_grad=False):
    if not len(context.result.shape):
        raise Refused("of a number")
    return ops.gather(x, indices, positive(dim, len(context.result.shape)))


@row("index.Tensor", "_unsafe_index.Tensor")
def index(context, x, indices):
    meta = context.operand(0)
    given = [None if each is None else each.meta["val"] for each in context.node.args[1]]
    if any(each is not None and each.dtype in _MASKS for each in given):
        raise Refused("by a mask: the size depends on data")
    places = [position for position, each in enumerate(indices) if each is not None]
    if len(places) == 1:
        return ops.take(x, indices[places[0]], places[0])
    if places != list(range(places[0], places[-1] + 1)):
        raise Refused("by indices of dimensions that are not neighbours")
    # neighbours: one index into the dimensions as one
    extents = context.extents(meta.shape)
    first, last = places[0], places[-1]
    flat, step = None, 1
    for position in reversed(places):
        at = _counted(context, indices[position], extents[position])
        part = at if isinstance(step, int) and step == 1 else at * step
        flat = part if flat is None else flat + part
        step = step * extents[position]
    return ops.take(ops.reshape(x, [*extents[:first], step, *extents[last + 1:]]), flat, first)


@row("scatter.src", "scatter.value")
def scatter(context, x, dim, indices, source):
    if not len(context.result.shape):
        raise Refused("of a number")
    return _scattered(context, x, dim, indices, source, "none")


@row("scatter_add")
def scatter_add(context, x, dim, indices, source):
    return _scattered(context, x, dim, indices, source, "add")


def _scattered(context, x, dim, indices, source, how):
    meta = context.node.args[2].meta["val"]
    extents = context.extents(meta.shape)
    if not is_tensor(source):
        source = ops.broadcast(scalar(source, context.dtype, context.device), extents)
    elif context.extents(context.node.args[3].meta["val"].shape) != extents:
        source = ops.strided_slice(source, [0] * len(extents), extents, list(range(len(extents))), [1] * len(extents))
    return ops.scatter_elements(x, indices, source, axis=positive(dim, len(context.result.shape)), reduction=how)


@row("index_put", "_unsafe_index_put")
def index_put(context, x, indices, values, accumulate=False):
    given = [None if each is None else each.meta["val"] for each in context.node.args[1]]
    places = [position for position, each in enumerate(given) if each is not None]
    if any(given[position].dtype in _MASKS for position in places):
        raise Refused("by a mask: its elements depend on data")
    first, count = places[0], len(places)
    if places != list(range(first, first + count)):
        raise Refused("by indices of dimensions that are not neighbours")
    extents = context.extents(context.operand(0).shape)
    shape = torch.broadcast_shapes(*(given[position].shape for position in places))
    chosen, rest = context.extents(shape), extents[first + count:]
    columns = [ops.reshape(indices[position], [*context.extents(given[position].shape), 1]) for position in places]
    columns = [_widened(cast(each, "int64"), [*chosen, 1]) for each in columns]
    rows = columns[0] if count == 1 else ops.concat(columns, len(chosen))
    source = _widened(cast(values, context.dtype), [*extents[:first], *chosen, *rest])
    return ops.scatter_nd(x, rows, source, reduction="add" if accumulate else "none", first=first)


def _widened(x, extents):
    is_wide = all(isinstance(have, int) and have == want for have, want in zip(x.shape, extents)) and len(x.shape) == len(extents)
    return x if is_wide else ops.broadcast(x, extents)


def _counted(context, index, extent):
    """Numbers from 0 on: negative ones count from the end."""
    at = cast(index, "int64")
    return ops.where(ops.less(at, scalar(0, "int64", context.device)), at + extent, at)


@row("topk")
def topk(context, x, k, dim=-1, largest=True, sorted=True):
    if not len(context.operand(0).shape) or not isinstance(k, int):
        raise Refused("of a number, or so many as are known at run time only")
    return tuple(ops.topk(x, k, axis=positive(dim, len(context.operand(0).shape)), largest=bool(largest), sorted=bool(sorted)))
