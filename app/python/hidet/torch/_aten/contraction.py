# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, convolutions, attention."""

import math

import torch

from hidet import ops
from hidet.torch import _attention as _  # hidet::attention
from hidet.torch._aten.rows import Refused, cast, row, scalar, spread
from hidet.torch._packed import Packed


def _of_floats(context):
    if not context.dtype.startswith(("float", "bfloat")):
        raise Refused("of integers")


def _product(x, y):
    return y.product(x) if isinstance(y, Packed) else ops.matmul(x, y)


@row("mm", "bmm")
def mm(context, x, y, **keywords):
    _of_floats(context)
    return _product(x, y)


@row("mv")
def mv(context, x, y):
    _of_floats(context)
    return ops.squeeze(ops.matmul(x, ops.unsqueeze(y, [1])), [1])


@row("dot")
def dot(context, x, y):
    _of_floats(context)
    return ops.sum(x * y, [0], False)


@row("addmm", "baddbmm")
def addmm(context, bias, x, y, *, beta=1, alpha=1):
    _of_floats(context)
    product = _product(x, y)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return product + (bias if beta == 1 else bias * beta)


_FORWARD = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}
_TRANSPOSED = {1: ops.conv1d_transpose, 2: ops.conv2d_transpose, 3: ops.conv3d_transpose}


@row("convolution")
def convolution(context, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    _of_floats(context)
    rank = len(context.operand(1).shape) - 2
    if rank not in _FORWARD or len(context.operand(0).shape) != rank + 2:
        raise Refused(f"over {rank} dimensions")
    options = {"stride": spread(stride, rank), "padding": spread(padding, rank), "dilations": spread(dilation, rank), "groups": groups}
    if rank == 2 and not transposed and context.dtype == "float32" and context.device == "cuda" and torch.backends.cudnn.allow_tf32:
        options["precision"] = "tf32"  # as PyTorch does unless it is told otherwise
    if transposed:
        y = _TRANSPOSED[rank](x, weight, output_padding=spread(output_padding, rank), **options)
    else:
        y = _FORWARD[rank](x, weight, **options)
    if bias is None:
        return y
    channels = context.extents(context.operand(2).shape)[0]
    return y + ops.reshape(bias, [1, channels] + [1] * rank)


@row("_scaled_dot_product_flash_attention_for_cpu")
def attention_on_cpu(context, q, k, v, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    return (_attention(context, q, k, v, dropout_p, is_causal, attn_mask, scale),)


@row("_scaled_dot_product_efficient_attention")
def efficient_attention(context, q, k, v, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None):
    return (_attention(context, q, k, v, dropout_p, is_causal, attn_bias, scale),)


@row("_scaled_dot_product_flash_attention")
def flash_attention(context, q, k, v, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    return (_attention(context, q, k, v, dropout_p, is_causal, None, scale),)


@row("_scaled_dot_product_cudnn_attention")
def cudnn_attention(context, q, k, v, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    return (_attention(context, q, k, v, dropout_p, is_causal, attn_bias, scale),)


@row("hidet::attention")
def whole_attention(context, q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    if enable_gqa:
        k, v = (_repeated(context, position, each) for position, each in ((1, k), (2, v)))
    return _attention(context, q, k, v, dropout_p, is_causal, attn_mask, scale)


def _repeated(context, position, x):
    """Each head of keys or values for the queries of its group."""
    heads, extents = context.operand(0).shape[-3], context.extents(context.operand(position).shape)
    groups = extents[-3]
    if not isinstance(heads, int) or not isinstance(groups, int) or heads % groups:
        raise Refused("of groups that are known at run time only")
    x = ops.broadcast(ops.unsqueeze(x, [-3]), [*extents[:-2], heads // groups, *extents[-2:]])
    return ops.reshape(x, [*extents[:-3], heads, *extents[-2:]])


def _attention(context, q, k, v, dropout_p, is_causal, mask, scale):
    """The first result only of those that have several: what reads another one (a backward pass) is refused by whom reads it."""
    if dropout_p:
        raise Refused("with dropout")
    query, key = context.operand(0).shape, context.operand(1).shape
    if is_causal and query[-2] != key[-2]:
        raise Refused("causal, of different lengths")
    factor = 1 / math.sqrt(query[-1]) if scale is None else scale
    if mask is None:
        return ops.attention(q, k, v, is_causal=bool(is_causal), transpose_k=True, scale=float(factor))
    if is_causal:
        raise Refused("causal and with a mask")
    low, zero = (scalar(each, q.dtype.name, context.operand(0).device.type) for each in (-math.inf, 0.0))
    mask = ops.where(mask, zero, low) if mask.dtype.name == "bool" else cast(mask, q.dtype.name)
    y = ops.attention_mask_add(q, k, v, mask, transpose_k=True, scale=float(factor))
    hidden = ops.all(mask == low, axis=[-1], keepdims=True)  # of a query without any key PyTorch gives zeros
    return y if not hidden.is_symbolic() and not hidden.torch().any() else ops.where(hidden, zero, y)
