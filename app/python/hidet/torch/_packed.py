# SPDX-License-Identifier: Apache-2.0
"""Matrices that a graph unpacks from few bits before it multiplies with them, as the linear layers of AWQ and GPTQ do.

Where the bits lie, what a zero point is less or more by, and which group a row belongs to is not looked up by a format's name: numbers,
zero points and scales are what the graph's own arithmetic makes of the weights, and only how they are put together is matched,
`moves((numbers - zero points) * scales)`. So a layout that is new needs nothing here, and one that is not understood stays a matrix of
floats."""

import math

import torch

import hidet
from hidet import ops

_aten = torch.ops.aten
_PRODUCTS = {_aten.mm.default: 1, _aten.addmm.default: 2}  # -> which operand is the matrix
_CASTS = {_aten._to_copy.default, torch.ops.prims.convert_element_type.default}
_MOVES = {_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.t.default, _aten.permute.default,
          _aten.transpose.int, _aten.clone.default, _aten.unsqueeze.default, _aten.squeeze.dim, _aten.expand.default}
_FLOAT8 = torch.float8_e4m3fn
_LEAST_GROUP = 8  # numbers that share a scale: of fewer, scales take as much as what they save


class Packed:
    """A matrix [k, n] as `packed_matmul` takes it, which stands for it as the second factor of a product."""

    def __init__(self, numbers, scale, zero, bits, group, order):
        self._operands = [hidet.from_torch(each) for each in (numbers, scale, zero) if each is not None]
        self._order = None if order is None else hidet.from_torch(order)
        self._attributes = {"bits": bits, "group_size": group}

    def product(self, x):
        if self._order is not None:
            x = ops.take(x, self._order, len(x.shape) - 1)
        return ops.packed_matmul(x, *self._operands, **self._attributes)


def packed_weights(graph, known):
    """node -> Packed, of the matrices that are nothing but such factors; `known`: node -> the weight that it is."""
    constants = Constants(graph, known)
    found = {}
    for node in graph.nodes:
        if constants.has(node) and node not in known and node.users and all(_is_factor(node, each) for each in node.users):
            try:
                matrix = _read(node, constants)
            except (RuntimeError, TypeError, ValueError):  # of PyTorch: what it is has another form than was thought
                matrix = None
            if matrix is not None:
                found[node] = matrix
    return found


def needed(graph, found):
    """The nodes that results need where these are there already."""
    wanted = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or (node in wanted and node not in found):
            wanted.update(node.all_input_nodes)
    return wanted


def _is_factor(node, user):
    place = _PRODUCTS.get(user.target)
    return place is not None and [at for at, each in enumerate(user.args) if each is node] == [place]


class Constants:
    """What depends on weights alone, computed by PyTorch."""

    def __init__(self, graph, known):
        self._known = known
        self._nodes = set(known)
        for node in graph.nodes:
            is_pure = node.op == "call_function" and torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ())
            if is_pure and all(each in self._nodes for each in node.all_input_nodes):
                self._nodes.add(node)

    def has(self, node):
        return node in self._nodes

    def value(self, node, values=None):
        """`values` keeps what one matrix reads several times, and no longer."""
        if not isinstance(node, torch.fx.Node):
            return torch.as_tensor(node)
        values = {} if values is None else values
        if node in self._known:
            return self._known[node]
        if node not in values:
            args, keywords = torch.fx.node.map_arg((node.args, node.kwargs), lambda each: self.value(each, values))
            values[node] = node.target(*args, **keywords)
        return values[node]


def _peeled(node):
    """The moves of elements that a value went through last, in their order, and what they began with. Casts are as good as not there:
    small numbers are what they are in every dtype."""
    moves = []
    while node.target in _MOVES or node.target in _CASTS:
        if node.target in _MOVES:
            moves.insert(0, node)
        node = node.args[0]
    return moves, node


def _moved(moves, tensor):
    for node in moves:
        tensor = node.target(tensor.contiguous(), *node.args[1:])
    return tensor


def _read(node, constants):
    moves, product = _peeled(node)
    if product.target is not _aten.mul.Tensor or not all(isinstance(each, torch.fx.Node) for each in product.args):
        return None
    for scaled, scales in (product.args, product.args[::-1]):
        inner, difference = _peeled(scaled)
        if _is_whole(difference):
            break
    else:
        return None
    values = {}
    scale = constants.value(scales, values)
    numbers, zero = difference, 0
    if difference.target in (_aten.sub.Tensor, _aten.sub.Scalar) and not difference.kwargs:
        numbers, zero = difference.args
    numbers, zero = [_moved(inner, constants.value(each, values).to(device=scale.device).expand(difference.meta["val"].shape))
                     for each in (numbers, zero)]
    unscaled = constants.value(scaled, values)
    has_wrapped = ((numbers.float() - zero.float()) - unscaled.float()).abs().max() > 0.5  # as differences of bytes do
    if has_wrapped or not scale.is_floating_point() or scale.dtype == torch.float64:
        return None
    shape = product.meta["val"].shape
    factors = [_moved(moves, each.expand(shape)).t() for each in (numbers, zero, scale)]
    return _packed(*factors)


def _is_whole(node):
    """A difference of integers, or of what was cast from them; or integers, or floats of eight bits, alone."""
    parts = node.args if node.target in (_aten.sub.Tensor, _aten.sub.Scalar) else [node]
    first = _peeled(parts[0])[1] if isinstance(parts[0], torch.fx.Node) else None
    value = first.meta.get("val") if first is not None else None
    if not isinstance(value, torch.Tensor) or value.dtype == torch.bool:
        return False
    return not value.is_floating_point() or (value.dtype == _FLOAT8 and len(parts) == 1)


def _packed(numbers, zero, scale):
    """All [n, k], each number with the zero point and the scale that it has."""
    if numbers.dtype == _FLOAT8:
        return _of_floats(numbers.view(torch.uint8), zero, scale)
    least, most = int(numbers.min()), int(numbers.max())
    offset = 0 if least >= 0 else 8 if least >= -8 and most < 8 else 128
    bits = 4 if most + offset < 16 else 8
    if least + offset < 0 or most + offset > 255 or numbers.shape[1] < 2:
        return None
    group, order = _groups(zero, scale)
    if group is None:
        return None
    if order is not None:
        numbers, zero, scale = [each[:, order] for each in (numbers, zero, scale)]
    step = group or numbers.shape[1]
    scale = scale[:, ::step].contiguous()
    zero = (zero[:, ::step] + offset).to(scale.dtype)
    has_zero = bool((zero != 1 << (bits - 1)).any())
    return Packed(_stored(numbers + offset, bits), scale, zero.contiguous() if has_zero else None, bits, group, order)


def _of_floats(numbers, zero, scale):
    """Floats of eight bits as they are; kernels take a NaN for one more number."""
    group, order = _groups(zero, scale)
    if group is None or bool((numbers & 0x7F == 0x7F).any()):
        return None
    if order is not None:
        numbers, scale = numbers[:, order], scale[:, order]
    return Packed(_stored(numbers, 8).view(_FLOAT8), scale[:, ::group or numbers.shape[1]].contiguous(), None, 8, group, order)


def _groups(zero, scale):
    """How many numbers beside each other share a zero point and a scale (0: all of a row), and the order of the columns in which they
    do; None for theirs."""
    group = _step(zero, scale)
    if group != 1:
        return (group if group == 0 or group >= _LEAST_GROUP else None), None
    _, of_columns = torch.unique(torch.cat([zero.to(torch.float32), scale.to(torch.float32)]), dim=1, return_inverse=True)
    order = torch.argsort(of_columns, stable=True)
    group = _step(zero[:, order], scale[:, order])
    return (group, order) if group >= _LEAST_GROUP else (None, None)


def _step(zero, scale):
    changes = ((zero[:, 1:] != zero[:, :-1]) | (scale[:, 1:] != scale[:, :-1])).any(0)
    return math.gcd(*(changes.nonzero()[:, 0] + 1).tolist())


def _stored(numbers, bits):
    """In bytes, lowest bits first; each row ends at a multiple of 16 of them."""
    numbers = numbers.to(torch.uint8)
    numbers = torch.nn.functional.pad(numbers, (0, -numbers.shape[1] % (16 * 8 // bits)))
    return (numbers[:, ::2] | numbers[:, 1::2] << 4 if bits == 4 else numbers).contiguous()
