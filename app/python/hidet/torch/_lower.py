# SPDX-License-Identifier: Apache-2.0
"""A graph of core ATen as a graph of Hidet."""

import operator

import sympy
import torch

import hidet
from hidet.torch._aten import ROWS, Refused
from hidet.torch._aten.rows import Context, dtype_of


class Dims:
    """Extents that are known at run time: PyTorch's symbols as Hidet's of the same names."""

    def __init__(self):
        self.symbols = {}  # name -> Hidet's

    def extent(self, given):
        if isinstance(given, int):
            return given
        if isinstance(given, torch.SymInt):
            return self._of(given.node.expr)
        raise Refused("a fraction that is known at run time only")

    def known(self, extent):
        """The number that it is, or None."""
        return extent if isinstance(extent, int) else None

    def _of(self, expression):
        if expression.is_Integer:
            return int(expression)
        if expression.is_Symbol:
            name = str(expression)
            if name not in self.symbols:
                self.symbols[name] = hidet.symbol([name], dtype="int8").shape[0]
            return self.symbols[name]
        parts = [self._of(each) for each in expression.args]
        kind = type(expression).__name__
        if kind == "Add":
            return sum(parts[1:], parts[0])
        if kind == "Mul":
            result = parts[0]
            for each in parts[1:]:
                result = each * result
            return result
        if kind in ("FloorDiv", "CleanDiv"):
            return parts[0] // parts[1]
        if kind in ("Mod", "PythonMod"):
            return parts[0] % parts[1]
        if isinstance(expression, sympy.Pow) and isinstance(parts[1], int) and parts[1] > 0:
            result = parts[0]
            for _ in range(parts[1] - 1):
                result = result * parts[0]
            return result
        raise Refused(f"an extent of {expression}")


class ExampleDims(Dims):
    """Every extent as the number that it is in the example which PyTorch compiles with."""

    def extent(self, given):
        number = given if isinstance(given, int) else given.node.hint
        if number is None:
            raise Refused("an extent without an example")
        return number

    known = extent


def inputs_of(graph):
    return [node for node in graph.nodes if node.op == "placeholder"]


def lowered(node, env, dims):
    """What computes this node, from what computes its operands. Raises Refused, or what Hidet says against it."""
    if node.target is operator.getitem:
        results = env[node.args[0]]
        if node.args[1] >= len(results):
            raise Refused(f"result {node.args[1]} of it")
        return results[node.args[1]]
    args, keywords = torch.fx.node.map_arg((node.args, node.kwargs), lambda each: operand(each, env, dims))
    if node.target not in ROWS:  # a loaded graph may be of another program
        raise Refused(f"{node.target} has no row, and register_operator says nothing of it")
    result = ROWS[node.target](Context(node, dims), *args, **keywords)
    reads_float8 = any(getattr(each.meta["val"], "dtype", None) == torch.float8_e4m3fn for each in node.all_input_nodes)
    for got, wanted in zip(*_flat(result, node.meta["val"])):
        _same(got, wanted, dims, reads_float8)
    return result


def operand(node, env, dims):
    if node in env:
        return env[node]
    value = node.meta["val"]
    if isinstance(value, torch.SymInt):
        return dims.extent(value)
    raise Refused("a number that is known at run time only")


def _flat(result, wanted):
    return (result, wanted) if isinstance(result, tuple) else ([result], [wanted])


def _same(got, wanted, dims, reads_float8):
    """A row that gives something else than PyTorch would must not go unseen."""
    if wanted.dtype == torch.float8_e4m3fn and not reads_float8:
        raise Refused("rounds to floats of eight bits")
    if got.dtype.name != dtype_of(wanted):
        raise Refused(f"gives {got.dtype} where PyTorch gives {wanted.dtype}")
    extents = list(got.shape)
    if len(extents) != len(wanted.shape):
        raise Refused(f"gives {len(extents)} dimensions where PyTorch gives {len(wanted.shape)}")
    for ours, theirs in zip(extents, map(dims.known, wanted.shape)):
        if isinstance(ours, int) and theirs is not None and ours != theirs:
            raise Refused(f"gives an extent of {ours} where PyTorch gives {theirs}")


def symbol_for(meta, dims):
    return hidet.symbol([dims.extent(each) for each in meta.shape], dtype=dtype_of(meta), device=meta.device.type)
