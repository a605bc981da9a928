# SPDX-License-Identifier: Apache-2.0
"""Elements moved: views, slices, joins, repetition."""

import sys

from hidet import ops
from hidet.torch._aten.rows import Refused, as_shape, cast, positive, row


@row("view", "reshape", "_unsafe_view", "squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "flatten.using_ints", "_reshape_alias")
def reshape(context, x, *args):
    return as_shape(x, context)


@row("view.dtype")
def view_dtype(context, x, dtype):
    raise Refused("bytes seen as another dtype")


@row("permute")
def permute(context, x, dims):
    rank = len(dims)
    return ops.permute_dims(x, [positive(each, rank) for each in dims])


@row("t")
def t(context, x):
    return ops.permute_dims(x, [1, 0]) if len(context.result.shape) == 2 else x


@row("transpose.int")
def transpose(context, x, first, second):
    rank = len(context.result.shape)
    axes = list(range(rank))
    if rank:
        first, second = positive(first, rank), positive(second, rank)
        axes[first], axes[second] = axes[second], axes[first]
    return ops.permute_dims(x, axes)


@row("expand")
def expand(context, x, size, implicit=False):
    return ops.broadcast(x, context.shape) if context.shape else x


@row("cat")
def cat(context, tensors, dim=0):
    metas = [each.meta["val"] for each in context.node.args[0]]
    rank = len(context.result.shape)
    parts = [cast(x, context.dtype) for x, meta in zip(tensors, metas) if len(meta.shape) == rank]
    return ops.concat(parts, positive(dim, rank))


@row("stack")
def stack(context, tensors, dim=0):
    axis = positive(dim, len(context.result.shape))
    return ops.concat([ops.unsqueeze(cast(x, context.dtype), [axis]) for x in tensors], axis)


def _bound(value, extent):
    """Python's meaning of a slice's bound, for one that is known."""
    if not isinstance(value, int) or not isinstance(extent, int):
        return value
    return max(0, min(value + extent if value < 0 else value, extent))


@row("slice.Tensor")
def slice_(context, x, dim=0, start=None, end=None, step=1):
    meta = context.operand(0)
    axis = positive(dim, len(meta.shape))
    extent = context.extents([meta.shape[axis]])[0]
    start = 0 if start is None else start
    end = sys.maxsize if end is None else end
    if isinstance(extent, int):
        start, end = _bound(start, extent), _bound(end, extent)
        if start == 0 and end == extent and step == 1:
            return x
    return ops.strided_slice(x, [start], [end], [axis], [step])


@row("select.int")
def select(context, x, dim, index):
    meta = context.operand(0)
    axis = positive(dim, len(meta.shape))
    end = sys.maxsize if index == -1 else index + 1
    return as_shape(ops.strided_slice(x, [index], [end], [axis], [1]), context)


@row("split.Tensor", "split_with_sizes", "unbind.int")
def split(context, x, size=0, dim=0):
    name = context.node.target._schema.name
    if name == "aten::unbind":
        dim, size = size, 1
    meta = context.operand(0)
    axis = positive(dim, len(meta.shape))
    parts, start = [], 0
    for each in context.result:
        extents = context.extents(each.shape)
        length = 1 if name == "aten::unbind" else extents[axis]
        part = ops.strided_slice(x, [start], [start + length], [axis], [1])
        parts.append(ops.reshape(part, extents) if name == "aten::unbind" else part)
        start = start + length
    return tuple(parts)


@row("constant_pad_nd")
def constant_pad(context, x, pad, value=0):
    return _padded(context, x, pad, "constant", value)


@row("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(context, x, pad):
    return _padded(context, x, pad, "reflect")


@row("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(context, x, pad):
    return _padded(context, x, pad, "edge")


def _padded(context, x, pad, mode, value=0):
    rank = len(context.result.shape)
    before, after = [0] * rank, [0] * rank
    for position in range(len(pad) // 2):
        before[rank - 1 - position], after[rank - 1 - position] = pad[2 * position], pad[2 * position + 1]
    if all(isinstance(each, int) for each in pad) and min(pad, default=0) < 0:
        rest = [max(0, -each) for each in before]
        ends = [sys.maxsize if each >= 0 else each for each in after]
        x = ops.strided_slice(x, rest, ends, list(range(rank)), [1] * rank)
        before, after = [max(0, each) for each in before], [max(0, each) for each in after]
    if context.dtype == "bool":
        return cast(ops.pad(cast(x, "uint8"), before + after, mode, int(value)), "bool")
    return ops.pad(x, before + after, mode, value)


@row("repeat")
def repeat(context, x, repeats):
    meta = context.operand(0)
    extra = len(repeats) - len(meta.shape)
    if extra:
        x = ops.reshape(x, [1] * extra + context.extents(meta.shape))
    return ops.tile(x, list(repeats))


@row("flip")
def flip(context, x, dims):
    rank = len(context.result.shape)
    return ops.flip(x, [positive(each, rank) for each in dims]) if dims else x


@row("roll")
def roll(context, x, shifts, dims=()):
    if not dims:
        flat = ops.reshape(x, [-1])
        return as_shape(ops.roll(flat, list(shifts), [0]), context)
    rank = len(context.result.shape)
    return ops.roll(x, list(shifts), [positive(each, rank) for each in dims])


@row("tril")
def tril(context, x, diagonal=0):
    return ops.tril(x, diagonal)


@row("triu")
def triu(context, x, diagonal=0):
    return ops.triu(x, diagonal)


@row("pixel_shuffle")
def pixel_shuffle(context, x, factor):
    return ops.depth_to_space(x, factor, mode="CRD")


@row("pixel_unshuffle")
def pixel_unshuffle(context, x, factor):
    raise Refused("channels are in another order")


@row("slice_scatter")
def slice_scatter(context, x, source, dim=0, start=None, end=None, step=1):
    meta = context.operand(0)
    axis = positive(dim, len(meta.shape))
    extent = meta.shape[axis]
    if not isinstance(extent, int) or step != 1:
        raise Refused("of an extent that is known at run time only, or in steps")
    start, end = _bound(0 if start is None else start, extent), _bound(extent if end is None else end, extent)
    if end <= start:
        return x
    parts = [ops.strided_slice(x, [0], [start], [axis], [1])] if start else []
    parts.append(ops.broadcast(cast(source, context.dtype), context.extents([*meta.shape[:axis], end - start, *meta.shape[axis + 1:]])))
    if end < extent:
        parts.append(ops.strided_slice(x, [end], [extent], [axis], [1]))
    return ops.concat(parts, axis)


@row("select_scatter")
def select_scatter(context, x, source, dim, index):
    extent = context.operand(0).shape[positive(dim, len(context.result.shape))]
    if not isinstance(extent, int):
        raise Refused("of an extent that is known at run time only")
    axis = positive(dim, len(context.result.shape))
    index = positive(index, extent)
    return slice_scatter(context, x, ops.unsqueeze(source, [axis]), dim, index, index + 1)


@row("copy")
def copy(context, x, source, non_blocking=False):
    return ops.broadcast(cast(source, context.dtype), context.shape) if context.shape else cast(source, context.dtype)


@row("as_strided")
def as_strided(context, x, size, stride, offset=None):
    meta = context.operand(0)
    numbers = [*size, *stride, *meta.shape]
    if not all(isinstance(each, int) for each in numbers) or not meta.is_contiguous() or meta.storage_offset():
        raise Refused("of memory that is not a whole tensor's")
    # PyTorch says so that a mean of images in channels_last has other strides, of dimensions with one element.
    if not offset and list(size) == list(meta.shape) and all(
            extent == 1 or step == own for extent, step, own in zip(size, stride, meta.stride())):
        return x
    return ops.as_strided(x, list(size), list(stride), offset or 0)


@row("diagonal")
def diagonal(context, x, offset=0, first=0, second=1):
    raise Refused("diagonals are PyTorch's")
