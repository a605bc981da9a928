# SPDX-License-Identifier: Apache-2.0
"""@hidet.script: the text of a function is translated, and the names around it are CPython's."""

import hashlib
import linecache
import sys
import types

from . import _text, _value


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


_calls = {}  # (file, name) of kernels within functions of Python -> the first line of each -> _Calls
_globals = {}  # file -> the names of the module that its kernels are in


class _Calls:
    """Of functions that made the kernel of one line, as texts. Where there were several, the kernel's IR tells which made it."""

    def __init__(self):
        self.last = None
        self._function = None  # which the last one made
        self._by_text = {}

    def note(self, call, function):
        if self.last not in (None, call):
            self._by_text[_digest(_text_of(self._function))] = self.last
        self.last, self._function = call, function

    def that_made(self, text):
        return self.last if _text_of(self._function) == text else self._by_text.get(_digest(text))


def _text_of(function):
    return _text.main_of(_text.functions_of(_text.module_of(function)), function).text


def _digest(text):
    return hashlib.sha256(text.encode()).digest()


def call_of(name, args, keywords):
    """The call as text; None where an argument is no plain value."""
    given = [*args, *keywords.values()]
    if not all(value is None or type(value) in (bool, int, float, str) for value in given):
        return None
    shown = _text.plain_text
    return f"{name}({', '.join([*map(shown, args), *(f'{key}={shown(value)}' for key, value in keywords.items())])})"


def _note_call(function, frame, made):
    code = frame.f_code
    made_by = frame.f_globals.get(code.co_name)
    if getattr(made_by, "__code__", None) is not code:
        return
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name) for name in taken]
    call = call_of(code.co_name, values[: code.co_argcount], dict(zip(taken[code.co_argcount :], values[code.co_argcount :])))
    if call:
        own = function.__code__
        _calls.setdefault((own.co_filename, own.co_name), {}).setdefault(own.co_firstlineno, _Calls()).note(call, made)


def call_that_made(file, name, line, text):
    """The kernel whose `def` is in the line, with that text as IR; None: no function of Python did, or not with plain values."""
    lines = _calls.get((file, name), {})
    first = max((each for each in lines if each <= line), default=None)
    return None if first is None else lines[first].that_made(text)


def globals_of(file):
    """The names of the module that is written there and has kernels; None: it has none."""
    return _globals.get(file)


def script(function):
    """Translates a function of Python. Its errors are at the lines of its file."""
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"hidet.script() wants a function, not a '{type(function).__name__}'")
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise OSError(f"the text of '{function.__name__}' is not to be had: {code.co_filename} cannot be read")
    frame = sys._getframe(1)
    made = _value.script_of(code.co_filename, text, code.co_firstlineno, function.__name__, _surroundings(function, frame))
    _globals[code.co_filename] = function.__globals__
    _note_call(function, frame, made)
    return made
