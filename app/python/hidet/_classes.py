# SPDX-License-Identifier: Apache-2.0
"""Classes of Python below classes of the compiler: `class Scale(Operator): ...`.

An object of one is two. The compiler's has a class that the compiler knows, with the methods of Python's class as callbacks; Python's
has that class, and the attributes that the user gives it. Attributes that it lacks are those of the compiler's. The compiler's keeps
these attributes (_Kept), and not Python's object, which has no state of its own and is made whenever the compiler hands its half
out: two halves that kept each other would never go."""

import itertools
import types

from . import _value

_classes = []  # that the user derived; the compiler's half knows its place
_attributes = {}  # number -> the __dict__ of an object
_numbers = itertools.count()
_mirrors = {}  # hash of a class of the compiler -> it as a class of Python


class _Class(type):
    def __new__(meta, name, bases, namespace, mirrored=None):
        made = super().__new__(meta, name, bases, namespace)
        if mirrored is not None:
            made._hidet_class = mirrored
        elif bases:
            made._hidet_class = _derived(made)
        return made

    def __init__(cls, name, bases, namespace, mirrored=None):
        super().__init__(name, bases, namespace)

    def __call__(cls, *args, **keywords):
        self = _object(_value._library.new_instance(cls._hidet_class), cls)
        self.__init__(*args, **keywords)
        return self

    @property
    def __hidet_value__(cls):
        return cls._hidet_class


class _Object(metaclass=_Class):
    __slots__ = ("__hidet_value__", "__dict__", "__weakref__")

    def __getattr__(self, name):
        return getattr(self.__hidet_value__, name)

    def __eq__(self, other):
        return isinstance(other, _Object) and self.__dict__ is other.__dict__

    def __hash__(self):
        return id(self.__dict__)


class _Kept:
    """Lives as long as the compiler's half."""

    def __init__(self):
        self.number = next(_numbers)
        _attributes[self.number] = {}

    def __call__(self):
        raise TypeError("it holds attributes")

    def __del__(self):
        _attributes.pop(self.number, None)


def _object(value, cls):
    """Python's half."""
    found = _value._library.attribute(value, "__python_object__")
    if found[0]:
        number = found[1]
    else:
        kept = _Kept()
        number = kept.number
        _value._library.set_attribute(value, "__python_attributes__", _value.from_python(kept))
        _value._library.set_attribute(value, "__python_object__", number)
    self = object.__new__(cls)
    object.__setattr__(self, "__hidet_value__", value)
    self.__dict__ = _attributes[number]
    return self


def class_of(value):
    """Of a derived class, or of an object of one."""
    return _classes[_value._library.attribute(value, "__python_class__")[1]]


def object_of(value):
    return _object(value, class_of(value))


def _derived(cls):
    """The compiler's class for one of Python's."""
    above = [each for each in cls.__mro__ if each in _mirrors.values()]
    if len(above) != 1:
        raise TypeError(f"'{cls.__name__}' derives from {len(above)} classes of hidet")
    entries = {"__python_class__": len(_classes)}
    for each in cls.__mro__[:cls.__mro__.index(above[0])]:
        for name, value in vars(each).items():
            if name in entries or (name.startswith("__") and name != "__init__"):
                continue
            if isinstance(value, types.FunctionType):
                entries[name] = _value.from_python(value)
            elif isinstance(value, (bool, int, float, str)):
                entries[name] = value
    _classes.append(cls)
    return _value._library.new_class(cls.__name__, above[0]._hidet_class, *itertools.chain(*entries.items()))


def mirror(value):
    """A class of the compiler as one of Python."""
    if _value._library.type_name_of(value) != "type":
        raise TypeError(f"a class cannot derive from {value!r}")
    key = hash(value)
    if key not in _mirrors:
        forward = lambda name: lambda self, *args, **keywords: _value.Value.__getattr__(value, name)(self, *args, **keywords)
        names = {"__init__", *(name for name in dir(value) if not name.startswith("__"))}
        methods = {name: forward(name) for name in names if name == "__init__" or callable(getattr(value, name, None))}
        _mirrors[key] = _Class(value.__name__, (_Object,), methods, mirrored=value)
    return _mirrors[key]
