# SPDX-License-Identifier: Apache-2.0
"""Windows, and images resampled."""

from hidet import ops
from hidet.torch._aten.rows import Refused, row, spread

_ADAPTIVE = {2: ops.adaptive_avg_pool2d, 3: ops.adaptive_avg_pool3d}


def _batched(context, rank):
    if len(context.operand(0).shape) != rank + 2:
        raise Refused("without a batch")


@row("max_pool2d_with_indices")
def max_pool2d(context, x, kernel, stride=(), padding=0, dilation=1, ceil_mode=False):
    """Its first result, unless somebody reads the second."""
    _batched(context, 2)
    options = {"kernel": spread(kernel, 2), "stride": spread(stride or kernel, 2), "padding": spread(padding, 2),
               "dilations": spread(dilation, 2), "ceil_mode": bool(ceil_mode)}
    return (ops.max_pool2d(x, **options),)


@row("avg_pool1d")
def avg_pool1d(context, x, kernel, stride=(), padding=0, ceil_mode=False, count_include_pad=True):
    return _averaged(ops.avg_pool1d, context, 1, x, kernel, stride, padding, ceil_mode, count_include_pad, None)


@row("avg_pool2d")
def avg_pool2d(context, x, kernel, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return _averaged(ops.avg_pool2d, context, 2, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)


@row("avg_pool3d")
def avg_pool3d(context, x, kernel, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return _averaged(ops.avg_pool3d, context, 3, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _averaged(function, context, rank, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor):
    _batched(context, rank)
    return function(x, kernel=spread(kernel, rank), stride=spread(stride or kernel, rank), padding=spread(padding, rank),
                    ceil_mode=bool(ceil_mode), count_include_pad=bool(count_include_pad), divisor_override=divisor or 0)


@row("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def adaptive_avg_pool(context, x, output_size):
    rank = len(output_size)
    _batched(context, rank)
    return _ADAPTIVE[rank](x, list(output_size))


def _resized(context, x, mode, align_corners=False, **options):
    """To the sizes that PyTorch found; where a factor was given as well, it is what coordinates are computed with."""
    rank = len(context.result.shape)
    source, target = context.operand(0).shape[2:], context.result.shape[2:]
    if not all(isinstance(each, int) for each in (*source, *target)):
        raise Refused("of an extent that is known at run time only")
    for factor, old, new in zip(_factors(context, rank - 2), source, target):
        if factor is not None and not align_corners and old * factor != new:
            raise Refused("by a factor that does not give whole sizes")
    how = "align_corners" if align_corners else options.pop("coordinates", "pytorch_half_pixel" if mode == "cubic" else "half_pixel")
    return ops.resize(x, sizes=[int(each) for each in target], axes=list(range(2, rank)), mode=mode,
                      coordinate_transformation_mode=how, **options)


def _factors(context, count):
    given = {each.name: value for each, value in zip(context.node.target._schema.arguments, context.node.args)}
    given.update(context.node.kwargs)
    if given.get("scale_factors") is not None:
        return list(given["scale_factors"])
    found = [value for name, value in given.items() if name.startswith("scales")]
    return found if len(found) == count else [None] * count


@row("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest1d.vec", "upsample_nearest2d.vec",
     "upsample_nearest3d.vec")
def upsample_nearest(context, x, *args, **keywords):
    return _resized(context, x, "nearest", coordinates="asymmetric", nearest_mode="floor")


@row("upsample_bilinear2d", "upsample_linear1d", "upsample_trilinear3d", "upsample_bilinear2d.vec", "upsample_linear1d.vec",
     "upsample_trilinear3d.vec")
def upsample_linear(context, x, size, align_corners, *args, **keywords):
    return _resized(context, x, "linear", bool(align_corners))


@row("upsample_bicubic2d", "upsample_bicubic2d.vec")
def upsample_cubic(context, x, size, align_corners, *args, **keywords):
    return _resized(context, x, "cubic", bool(align_corners), coordinates="half_pixel")


@row("grid_sampler_2d")
def grid_sampler(context, x, grid, mode, padding, align_corners):
    return ops.grid_sample(x, grid, mode=["linear", "nearest", "cubic"][mode], padding_mode=["zeros", "border", "reflection"][padding],
                           align_corners=bool(align_corners))
