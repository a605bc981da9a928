# SPDX-License-Identifier: Apache-2.0
"""Functions of one element, or of one of each operand."""

import math

from hidet import ops
from hidet.torch._aten.rows import Refused, cast, filled, is_tensor, row, scalar, wide

# Of floats; PyTorch computes them for integers in f32.
UNARY = ("abs acos acosh asin asinh atan atanh ceil cos cosh erf exp expm1 floor hardsigmoid hardswish log log10 log1p log2 mish reciprocal relu round rsqrt "
         "sigmoid silu sin sinh sqrt tan tanh trunc").split()
KEEP_INTEGERS = {"abs", "relu", "ceil", "floor", "round", "trunc"}
SAME_OF_INTEGERS = {"ceil", "floor", "round", "trunc"}


def _unary(name):
    function = getattr(ops, name)

    def compute(context, x):
        if x.dtype.name == "bool" and name in KEEP_INTEGERS:
            raise Refused("of bool")
        is_integer = not context.operand(0).dtype.is_floating_point
        if is_integer and name in SAME_OF_INTEGERS:
            return x
        return function(cast(x, context.dtype))

    return compute


for _name in UNARY:
    row(_name)(_unary(_name))


@row("neg")
def neg(context, x):
    return ops.negative(x)


@row("sign", "sgn")
def sign(context, x):
    """0 of NaN."""
    if context.dtype == "bool":
        raise Refused("of bool")
    zero = scalar(0, context.dtype, context.device)
    return cast(ops.greater(x, zero), context.dtype) - cast(ops.less(x, zero), context.dtype)


@row("square")
def square(context, x):
    return x * x


@row("lift_fresh_copy", "clone", "alias", "detach", "lift_fresh", "contiguous")
def same(context, x, **keywords):
    return x


@row("_to_copy", "prims.convert_element_type")
def to_copy(context, x, **keywords):
    if keywords.get("device", context.operand(0).device) != context.operand(0).device:
        raise Refused("between devices")
    return cast(x, context.dtype)


def _arithmetic(function):
    def compute(context, x, y, alpha=1):
        dtype = context.dtype
        if dtype == "bool":
            raise Refused("of bool")
        narrow = wide(dtype) != dtype
        # PyTorch computes with the number itself, not with the number as a short float
        work = wide(dtype) if narrow and not (is_tensor(x) and is_tensor(y) and alpha == 1) else dtype
        x, y = cast(x, work), cast(y, work)
        if alpha != 1:
            y = y * alpha
        return cast(function(x, y), dtype)

    return compute


row("add.Tensor", "add.Scalar")(_arithmetic(lambda x, y: x + y))
row("sub.Tensor", "sub.Scalar")(_arithmetic(lambda x, y: x - y))
row("rsub.Tensor", "rsub.Scalar")(_arithmetic(lambda x, y: y - x))
row("div.Tensor", "div.Scalar")(_arithmetic(lambda x, y: x / y))


@row("mul.Tensor", "mul.Scalar")
def mul(context, x, y):
    if context.dtype == "bool":
        return ops.logical_and(x, scalar(y, "bool", context.device))
    return _arithmetic(lambda a, b: a * b)(context, x, y)


@row("div.Tensor_mode", "div.Scalar_mode")
def div_mode(context, x, y, rounding_mode=None):
    dtype = context.dtype
    x, y = cast(x, dtype), context.tensor(y, dtype)
    if rounding_mode is None:
        return x / y
    if rounding_mode == "floor":
        return ops.floor_divide(x, y)
    if dtype.startswith(("int", "uint")):
        return x / y  # of integers it drops the fraction
    return ops.trunc(x / y)


@row("floor_divide")
def floor_divide(context, x, y):
    return div_mode(context, x, y, rounding_mode="floor")


@row("remainder.Tensor", "remainder.Scalar")
def remainder(context, x, y):
    dtype = context.dtype
    x, y = cast(x, dtype), context.tensor(y, dtype)
    return ops.mod(x, y)


@row("fmod.Tensor", "fmod.Scalar")
def fmod(context, x, y):
    dtype = context.dtype
    x, y = cast(x, dtype), context.tensor(y, dtype)
    return ops.mod(x, y, fmod=True)


@row("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(context, x, y):
    dtype = context.dtype
    if not dtype.startswith(("float", "bfloat")):
        raise Refused("of integers")
    if is_tensor(x) and not is_tensor(y):
        if y == 2:
            return cast(x, dtype) * cast(x, dtype)
        if y == 0.5:
            return ops.sqrt(cast(x, dtype))
        if y == 3:
            return cast(x, dtype) * cast(x, dtype) * cast(x, dtype)
        if y == 1:
            return cast(x, dtype)
    work = wide(dtype)
    return cast(ops.pow(context.tensor(x, work), context.tensor(y, work)), dtype)


@row("atan2")
def atan2(context, x, y):
    return ops.atan2(cast(x, context.dtype), cast(y, context.dtype))


def _extreme(function):
    def compute(context, x, y):
        if context.dtype == "bool":
            raise Refused("of bool")
        return function([cast(x, context.dtype), cast(y, context.dtype)])

    return compute


row("maximum")(_extreme(ops.maximum))
row("minimum")(_extreme(ops.minimum))


def _comparison(function):
    def compute(context, x, y):
        work = context.common(0, 1)
        if not is_tensor(y):
            y = _number_of(y, work)
        return function(cast(x, work), context.tensor(y, work))

    return compute


def _number_of(value, dtype):
    if isinstance(value, float) and not dtype.startswith(("float", "bfloat")):
        raise Refused("an integer beside a fraction")
    return value


for _name, _function in (("eq", ops.equal), ("ne", ops.not_equal), ("lt", ops.less), ("le", ops.less_equal), ("gt", ops.greater),
                         ("ge", ops.greater_equal)):
    row(f"{_name}.Tensor", f"{_name}.Scalar")(_comparison(_function))


def _logical(function):
    def compute(context, x, y):
        return function(cast(x, "bool"), cast(y, "bool"))

    return compute


row("logical_and")(_logical(ops.logical_and))
row("logical_or")(_logical(ops.logical_or))
row("logical_xor")(_logical(ops.logical_xor))


@row("logical_not")
def logical_not(context, x):
    return ops.logical_not(cast(x, "bool"))


@row("bitwise_not")
def bitwise_not(context, x):
    return ops.logical_not(x) if context.dtype == "bool" else ops.bitwise_invert(x)


def _bitwise(function, of_bools):
    def compute(context, x, y):
        dtype = context.dtype
        x, y = context.tensor(x, dtype), context.tensor(y, dtype)
        return (of_bools if dtype == "bool" else function)(x, y)

    return compute


for _name, _of_bools in (("and", ops.logical_and), ("or", ops.logical_or), ("xor", ops.logical_xor)):
    row(f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar")(_bitwise(getattr(ops, f"bitwise_{_name}"), _of_bools))


@row("bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar", "__rshift__.Tensor", "__rshift__.Scalar")
def right_shift(context, x, y):
    return ops.bitwise_right_shift(context.tensor(x, context.dtype), context.tensor(y, context.dtype))


@row("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "__lshift__.Tensor", "__lshift__.Scalar")
def left_shift(context, x, y):
    return ops.bitwise_left_shift(context.tensor(x, context.dtype), context.tensor(y, context.dtype))


@row("where.self", "where.ScalarOther", "where.ScalarSelf")
def where(context, condition, x, y):
    dtype = context.dtype
    x, y = context.tensor(x, dtype), context.tensor(y, dtype)
    return ops.where(cast(condition, "bool"), x, y)


@row("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(context, x, mask, value):
    return where(context, mask, value, x)


@row("clamp", "clamp.Tensor")
def clamp(context, x, low=None, high=None):
    x = cast(x, context.dtype)
    if all(each is None or isinstance(each, (int, float)) for each in (low, high)) and context.dtype.startswith(("float", "bfloat")):
        return ops.clip(x, **{name: float(each) for name, each in (("min_val", low), ("max_val", high)) if each is not None})
    if low is not None:
        x = ops.maximum([x, context.tensor(low, context.dtype)])
    if high is not None:
        x = ops.minimum([x, context.tensor(high, context.dtype)])
    return x


@row("clamp_min")
def clamp_min(context, x, low):
    return clamp(context, x, low)


@row("clamp_max")
def clamp_max(context, x, high):
    return clamp(context, x, None, high)


@row("gelu")
def gelu(context, x, approximate="none"):
    return ops.gelu(x, approximate=approximate == "tanh")


@row("hardtanh")
def hardtanh(context, x, low=-1.0, high=1.0):
    return clamp(context, x, low, high)


@row("leaky_relu")
def leaky_relu(context, x, slope=0.01):
    return ops.leaky_relu(x, alpha=float(slope))


@row("elu")
def elu(context, x, alpha=1.0, scale=1.0, input_scale=1.0):
    if input_scale != 1.0:
        raise Refused("with an input scale")
    return ops.selu(x, alpha=float(alpha), gamma=float(scale))


@row("softplus")
def softplus(context, x, beta=1, threshold=20):
    return ops.softplus(x, beta=float(beta), threshold_val=float(threshold))


def _of_floats(function):
    """False of every integer."""
    return lambda context, x: function(x) if context.operand(0).dtype.is_floating_point else filled(context, False)


row("isnan")(_of_floats(ops.isnan))
row("isinf")(_of_floats(ops.isinf))


@row("sigmoid_backward")
def sigmoid_backward(context, gradient, y):
    return gradient * (1 - y) * y


@row("tanh_backward")
def tanh_backward(context, gradient, y):
    return gradient * (1 - y * y)


@row("threshold_backward")
def threshold_backward(context, gradient, x, threshold):
    zero = scalar(0, context.dtype, context.device)
    return ops.where(ops.greater(x, scalar(threshold, x.dtype.name, context.device)), gradient, zero)


@row("gelu_backward")
def gelu_backward(context, gradient, x, approximate="none"):
    dtype = context.dtype
    x, gradient = cast(x, wide(dtype)), cast(gradient, wide(dtype))
    if approximate == "tanh":
        k = math.sqrt(2 / math.pi)
        t = ops.tanh(k * (x + 0.044715 * x * x * x))
        slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x)
    else:
        slope = 0.5 * (1 + ops.erf(x * math.sqrt(0.5))) + x * ops.exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi))
    return cast(gradient * slope, dtype)


@row("silu_backward")
def silu_backward(context, gradient, x):
    dtype = context.dtype
    x, gradient = cast(x, wide(dtype)), cast(gradient, wide(dtype))
    s = ops.sigmoid(x)
    return cast(gradient * s * (1 + x * (1 - s)), dtype)
