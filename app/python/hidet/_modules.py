# SPDX-License-Identifier: Apache-2.0
"""The modules below `hidet`: what the compiler has under that name, looked up when it is asked for."""

import dis
import importlib
import importlib.abc
import importlib.machinery
import sys
import types

from . import _value


OF_PYTHON = {"hidet.torch", "hidet.nn", "hidet.graph.nn"}  # modules that the compiler does not have
OTHER_NAMES = {"hidet.graph.nn": "hidet.nn"}


class Module(types.ModuleType):
    """A module of the compiler. What Python adds to it (`hidet.script`) comes first."""

    def __getattr__(self, name):
        if name == "__all__":
            return [each for each in dir(self.__dict__["__hidet_value__"]) if not each.startswith("_")]
        alone = f"{self.__name__}.{name}"
        if alone in OF_PYTHON:
            return importlib.import_module(alone)
        if name == "script" and self.__name__ == "hidet.lang":  # of functions of Python
            return importlib.import_module("hidet._script").script
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        try:
            value = getattr(self.__dict__["__hidet_value__"], name)
        except (AttributeError, ImportError, RuntimeError) as error:  # refused by name, perhaps
            # `from module import name` would put a sentence of its own in the place of ours.
            raise (ImportError if _imports(sys._getframe(1)) else AttributeError)(str(error)) from None
        if isinstance(value, _value.Value) and _value._library.kind_of(value) == "module":
            return importlib.import_module(f"{self.__name__}.{name}")
        self.__dict__[name] = value
        return value

    def __dir__(self):
        return sorted({*self.__dict__, *dir(self.__dict__["__hidet_value__"])})


def _imports(frame):
    """Whether the frame stands at a `from module import name`."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]


def overlay(name):
    """Makes a module of Python's, which is being imported, one of the compiler's with additions."""
    module = sys.modules[name]
    module.__class__ = Module
    module.__dict__["__hidet_value__"] = _value.import_module(name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("hidet.") or name.rpartition(".")[2].startswith("_"):
            return None
        if name in OTHER_NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        try:
            value = _value.import_module(name)
        except (ImportError, RuntimeError) as error:
            if str(error).startswith("no module named"):
                return None
            raise ModuleNotFoundError(str(error), name=name) from None  # refused, and with a reason
        return importlib.machinery.ModuleSpec(name, self, is_package=True, loader_state=value)

    def create_module(self, spec):
        if spec.name in OTHER_NAMES:
            return importlib.import_module(OTHER_NAMES[spec.name])
        module = Module(spec.name)
        module.__dict__["__hidet_value__"] = spec.loader_state
        return module

    def exec_module(self, module):
        pass


def install():
    sys.meta_path.append(Finder())
