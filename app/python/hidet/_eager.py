# SPDX-License-Identifier: Apache-2.0
"""Operators that compute at once, and graphs that are run otherwise than by a call: what hidet.capture() hears of them.

The hooks are there while a capture is under way."""

import sys

from . import _value
from ._value import Value, _library

FUNCTION = "builtin_function_or_method"
OPERATORS = {"unary": ["+", "-", "~"], "binary": ["+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"],
             "compare": ["==", "!=", "<", "<=", ">", ">="]}
REPLAYS = {"run", "run_async", "replay", "run_into", "run_at"}


def is_tensor(value):
    return isinstance(value, Value) and _library.kind_of(value) == "tensor"


def _values_in(given):
    for each in given:
        if isinstance(each, (list, tuple)):
            yield from _values_in(each)
        elif isinstance(each, Value) or hasattr(each, "__dlpack__"):
            yield each


def _is_symbolic(value):
    found = _library.attribute(value, "is_symbolic")
    return bool(found[0]) and bool(_value.to_python(found[1])())


def computes(values):
    """Whether an operator of these computes, and is no part of a graph that is traced."""
    given = list(_values_in(values))
    own = [each for each in given if isinstance(each, Value)]
    return (len(own) < len(given) or any(map(is_tensor, own))) and not any(map(_is_symbolic, own))


def operator_named(function):
    """"hidet.ops.relu"; None: it is no operator."""
    operators = _value.import_module("hidet.ops")
    name = str(_library.attribute(function, "__name__")[1])
    return f"hidet.ops.{name}" if getattr(operators, name, None) == function else None


class _Method:
    """A method of a value that is heard of when it is called."""

    def __init__(self, method, heard):
        self._method, self._heard = method, heard

    def __call__(self, *args, **keywords):
        self._heard(args, keywords)
        return self._method(*args, **keywords)

    def __getattr__(self, name):
        return getattr(self._method, name)


class Hooks:
    def __init__(self, into):
        self._into = into
        self._operators = set(dir(_value.import_module("hidet.ops")))
        self._attribute = Value.__getattr__
        self._library = {name: getattr(_library, name) for name in OPERATORS}
        self._torch_replay = None

    def install(self):
        attribute = self._attribute
        Value.__getattr__ = lambda value, name: self._heard_of(value, name, attribute(value, name))
        _library.unary = lambda value, op: self._operator("unary", op, [value]) or self._library["unary"](value, op)
        _library.binary = lambda session, op, *both: self._operator("binary", op, both) or self._library["binary"](session, op, *both)
        _library.compare = lambda session, op, *both: self._operator("compare", op, both) or self._library["compare"](session, op, *both)

        self._hear_of_torch()

    def remove(self):
        Value.__getattr__ = self._attribute
        if self._torch_replay:
            sys.modules["torch"].cuda.CUDAGraph.replay = self._torch_replay
        for name, function in self._library.items():
            setattr(_library, name, function)

    def _hear_of_torch(self):
        """Launches of Hidet that PyTorch has recorded among others come without a call."""
        torch = sys.modules.get("torch")
        if torch is None:
            return
        replay = self._torch_replay = torch.cuda.CUDAGraph.replay

        def heard(graph):
            self._into.replayed("replay")
            return replay(graph)

        torch.cuda.CUDAGraph.replay = heard

    def _operator(self, kind, op, operands):
        if computes(operands):
            self._into.operator(OPERATORS[kind][op], operands, {})

    def _heard_of(self, value, name, found):
        if not isinstance(found, Value) or _library.type_name_of(found) != FUNCTION or _is_of_hidet(sys._getframe(2)):
            return found
        kind = _library.type_name_of(value)
        if kind == "CompiledGraph" and name == "run_async":
            return _Method(found, lambda args, keywords: self._into.graph(value, args, keywords))
        if kind == "CudaGraph" and name in REPLAYS:
            return _Method(found, lambda args, keywords: self._into.replayed(name))
        if is_tensor(value) and name in self._operators:
            return _Method(found, lambda args, keywords: computes([value, *args]) and self._into.operator("." + name, [value, *args], keywords))
        return found


def _is_of_hidet(frame):
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "hidet"
