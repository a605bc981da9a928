# SPDX-License-Identifier: Apache-2.0
"""The table of ATen operators, and what its rows share."""

import torch

import hidet
from hidet import ops
from hidet._value import Value

ROWS = {}  # torch._ops.OpOverload -> function(context, *args, **keywords)

DTYPES = {
    torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float64: "float64",
    torch.int64: "int64", torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "bool", torch.float8_e4m3fn: "float8_e4m3",
}


class Refused(Exception):
    """This operator, as it is used here, has no counterpart."""


def row(*names):
    """Declares what computes `aten.<name>`, or an operator of ours by its whole name; a name that this PyTorch lacks is passed over."""

    def declare(function):
        for name in names:
            library, _, operator = name.rpartition("::")
            packet, _, overload = operator.partition(".")
            try:
                ROWS[getattr(getattr(getattr(torch.ops, library or "aten"), packet), overload or "default")] = function
            except AttributeError:
                pass
        return function

    return declare


class Context:
    """One node of the graph: what its result is to be, and what its operands are in PyTorch's eyes."""

    def __init__(self, node, dims):
        self.node = node
        self._dims = dims
        self.result = node.meta["val"]

    @property
    def dtype(self):
        return dtype_of(self.result)

    @property
    def device(self):
        return self.result.device.type

    @property
    def shape(self):
        return self.extents(self.result.shape)

    def extents(self, shape):
        """Numbers of PyTorch, symbolic ones among them, as Hidet's."""
        return [self._dims.extent(each) for each in shape]

    def tensor(self, value, dtype):
        """A tensor or a number as a tensor in that dtype."""
        return scalar(cast(value, dtype), dtype, self.device)

    def operand(self, position):
        """What PyTorch knows of a tensor operand; a number as it is."""
        given = self.node.args[position]
        return given.meta["val"] if isinstance(given, torch.fx.Node) else given

    def common(self, *positions):
        """The dtype in which PyTorch computes with two operands."""
        return name_of(torch.result_type(*(self.operand(position) for position in positions)))


def name_of(dtype):
    if dtype not in DTYPES:
        raise Refused(f"{dtype} is not computed with")
    return DTYPES[dtype]


def dtype_of(meta):
    return name_of(meta.dtype)


def is_tensor(value):
    return isinstance(value, Value) and hasattr(value, "dtype")


def cast(value, dtype):
    """A tensor in that dtype; numbers as they are."""
    if not is_tensor(value) or value.dtype.name == dtype:
        return value
    if dtype == "bool":
        return ops.not_equal(value, 0)
    return ops.cast(value, dtype)


def scalar(value, dtype, device):
    """A tensor without dimensions."""
    return value if is_tensor(value) else hidet.full([], value, dtype=dtype, device=device)


def filled(context, value, shape=None, dtype=None):
    """A tensor of one value, of any extents."""
    one = scalar(value, dtype or context.dtype, context.device)
    extents = context.shape if shape is None else shape
    return ops.broadcast(one, extents) if extents else one


def positive(axis, rank):
    return axis + rank if axis < 0 else axis


def spread(values, rank):
    """One number for all of so many dimensions, or one for each."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return values * rank if len(values) == 1 else values


def axes_of(dims, rank):
    """Of a reduction: none means all."""
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(rank))
    return [positive(each, rank) for each in ([dims] if isinstance(dims, int) else dims)]


def wide(dtype):
    """In which sums of that dtype are taken."""
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def as_shape(value, context):
    """The same elements in the result's shape."""
    return ops.reshape(value, context.shape)
