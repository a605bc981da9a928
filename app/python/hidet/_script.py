# SPDX-License-Identifier: Apache-2.0
"""@hidet.script: the text of a function is translated, and the names around it are CPython's."""

import linecache
import sys
import types

from . import _value


def _surroundings(function, frame):
    """name -> (True, value) or (False,)"""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def resolve(name):
        name = str(name)
        if name in cells:
            try:
                return _found(cells[name].cell_contents)
            except ValueError:
                pass
        if name in frame.f_locals:
            return _found(frame.f_locals[name])
        if name in function.__globals__:
            return _found(function.__globals__[name])
        return [False]

    return resolve


def _found(value):
    if isinstance(value, types.ModuleType):
        return [True, _module(value)]
    return [True, _value.from_python(value)]


def _module(module):
    ours = getattr(module, "__hidet_value__", None)
    return _value.import_module(module.__name__) if ours is None else ours


def script(function):
    """Translates a function of Python. Its errors are at the lines of its file."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"hidet.script() wants a function, not a '{type(function).__name__}'")
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise OSError(f"the text of '{function.__name__}' is not to be had: {code.co_filename} cannot be read")
    frame = sys._getframe(1)
    return _value.script_of(code.co_filename, text, code.co_firstlineno, function.__name__, _surroundings(function, frame))
