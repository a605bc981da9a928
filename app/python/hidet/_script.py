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


_calls = {}  # (file, name) of kernels within functions of Python -> the first line of each -> the call that made it last


def call_of(name, args, keywords):
    """The call as text; None where an argument is no plain value."""
    given = [*args, *keywords.values()]
    if not all(value is None or type(value) in (bool, int, float, str) for value in given):
        return None
    return f"{name}({', '.join([*map(repr, args), *(f'{key}={value!r}' for key, value in keywords.items())])})"


def _note_call(function, frame):
    code = frame.f_code
    made_by = frame.f_globals.get(code.co_name)
    if getattr(made_by, "__code__", None) is not code:
        return
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name) for name in taken]
    call = call_of(code.co_name, values[: code.co_argcount], dict(zip(taken[code.co_argcount :], values[code.co_argcount :])))
    if call:
        own = function.__code__
        _calls.setdefault((own.co_filename, own.co_name), {})[own.co_firstlineno] = call


def call_that_made(file, name, line):
    """The kernel whose `def` is in the line; None: no function of Python did, or not with plain values."""
    lines = _calls.get((file, name), {})
    return lines.get(max((each for each in lines if each <= line), default=None))


def script(function):
    """Translates a function of Python. Its errors are at the lines of its file."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"hidet.script() wants a function, not a '{type(function).__name__}'")
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise OSError(f"the text of '{function.__name__}' is not to be had: {code.co_filename} cannot be read")
    frame = sys._getframe(1)
    _note_call(function, frame)
    return _value.script_of(code.co_filename, text, code.co_firstlineno, function.__name__, _surroundings(function, frame))
