# SPDX-License-Identifier: Apache-2.0
"""The kernels of a capture as scripts: a file for each file of the user's, with what the captured modules take of it."""

import ast
import types

from . import _script, _value
from ._text import Script, functions_of, main_of, place_of, statement_at


class Unwritten(Exception):
    """Why something cannot be written, in a sentence."""


class Kernels:
    def __init__(self):
        self._files = {}  # of the user's
        self._modules = {}  # (file, line, the IR of its functions) -> what module() gives

    def module(self, value):
        """(file, name in it) of a module that is built there as it was here."""
        functions = functions_of(value)
        try:
            main = main_of(functions, None)
            names = _script.globals_of(main.file)
            if names is None:
                raise Unwritten(f"'{main.name}' was written by a program")
            key = main.file, main.line, *(each.text for each in functions)
            if key not in self._modules:
                file = self.file(main.file, names)
                self._modules[key] = file.name, file.built(functions, main)
            return self._modules[key]
        except (TypeError, OSError) as error:
            raise Unwritten(str(error)) from None

    def file(self, path, names):
        if path not in self._files:
            number = len(self._files) + 1
            self._files[path] = _File(self, path, "kernels" if number == 1 else f"kernels_{number}", names)
        return self._files[path]

    def texts(self):
        return {f"{each.name}.py": each.text("The kernels of this capture, and what they use.") for each in self._files.values()}

    def said_missing(self):
        return [said for said in (each.said_missing() for each in self._files.values()) if said]


class _File(Script):
    def __init__(self, kernels, path, name, names):
        super().__init__(names)
        self.name = name
        self._kernels, self._path = kernels, path
        self._built = {}  # what tells a module from the others of the file -> its name

    def built(self, functions, main):
        statement, _ = statement_at(self._path, main.line)
        inside = lambda each: each.file == self._path and statement.lineno <= each.line <= statement.end_lineno
        launched = [each for each in functions if each.line > 0 and each.kind in ("public", "cuda_kernel", "cpu_kernel")]
        if isinstance(self._names.get(getattr(statement, "name", None)), _value.Value):
            return self._built_of([each for each in functions if each.line > 0])
        if not all(map(inside, launched)):
            raise Unwritten(f"the functions of the module of '{main.name}' come from several places")
        expression = self._expression(statement, main)
        self.add(self._path, main.line)
        return self._named((statement.lineno, expression), lambda name: f"{name} = {expression}\n")

    def _named(self, key, definition):
        """`definition`: the text that gives a name its module."""
        if key not in self._built:
            number = len(self._built) + 1
            while f"built_{number}" in self._names:
                number += 1
            name = self._built[key] = f"built_{number}"
            self._definitions.append(definition(name))
        return self._built[key]

    def _built_of(self, functions):
        """Of functions that stand by themselves."""
        for each in functions:
            statement, _ = statement_at(self._path, each.line) if each.file == self._path else (None, "")
            if getattr(statement, "name", None) != each.name:
                raise Unwritten(f"'{each.name}' is written within another function or in another file than what calls it")
        for each in functions:
            self.add(self._path, each.line)
        self._imports.append("import hidet")
        names = tuple(each.name for each in functions)

        def definition(name):
            added = "".join(f"module_of_{name}.append_function({each})\n" for each in names)
            return f"module_of_{name} = hidet.script_module()\n{added}{name} = module_of_{name}.build()\n"

        return self._named(names, definition)

    def _expression(self, statement, main):
        """That makes the module again."""
        if isinstance(statement, ast.With) and isinstance(statement.items[0].optional_vars, ast.Name):
            return f"{statement.items[0].optional_vars.id}.build()"
        if not isinstance(statement, ast.FunctionDef):
            raise Unwritten(f"'{main.name}' is written in a class or a block that cannot be taken by itself")
        given = _given_by(statement)
        if given is None:
            raise Unwritten(f"'{main.name}' is written in '{statement.name}', which does not return its module")
        call = _script.call_that_made(main.file, main.name, main.line, main.text)
        if call is None:
            raise Unwritten(f"no call of '{statement.name}' with plain values is known that made '{main.name}'")
        return call + given

    def imported(self, name, value):
        if isinstance(value, types.ModuleType):
            return super().imported(name, value) if _is_of_scripts(value.__name__) else None
        place = place_of(value)
        if place is None or (isinstance(value, types.FunctionType) and _is_of_scripts(value.__module__)):
            said = super().imported(name, value)
            return said if said and _is_of_scripts(said.split()[1]) else None
        file, line, own = place
        names = value.__globals__ if isinstance(value, types.FunctionType) else _script.globals_of(file)
        if file == self._path or names is None or getattr(statement_at(file, line)[0], "name", own) != own:
            return None
        other = self._kernels.file(file, names)
        other.add(file, line)
        return f"from {other.name} import {own}" + (f" as {name}" if name != own else "")


def _is_of_scripts(module):
    """Whether a script can import it."""
    try:
        return bool(module) and _value.import_module(module) is not None
    except (ImportError, RuntimeError):
        return False


def _given_by(function):
    """What has to be said behind a call of a function to get a built module: "" or ".build()". None: it does not give one."""
    built, begun = set(), set()

    def called_name(expression):
        called = expression.func if isinstance(expression, ast.Call) else None
        return getattr(called, "attr", getattr(called, "id", None))

    def is_built(expression):
        return called_name(expression) in ("build", "build_ir_module") or (isinstance(expression, ast.Name) and expression.id in built)

    for each in ast.walk(function):
        if isinstance(each, ast.With):
            begun |= {item.optional_vars.id for item in each.items if isinstance(item.optional_vars, ast.Name)}
        if isinstance(each, ast.Assign):
            names = {target.id for target in each.targets if isinstance(target, ast.Name)}
            built |= names if is_built(each.value) else set()
            begun |= names if called_name(each.value) == "script_module" else set()
    for each in ast.walk(function):
        if isinstance(each, ast.Return) and each.value is not None:
            if is_built(each.value):
                return ""
            if isinstance(each.value, ast.Name) and each.value.id in begun:
                return ".build()"
    return None
