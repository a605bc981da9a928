# SPDX-License-Identifier: Apache-2.0
"""The script of a kernel at hand: where its functions are written, and the statement that makes it, behind what that uses."""

import ast
import builtins
import linecache
import math
import symtable
import sys
import types

from . import _value
from ._value import _library

GRAPH, SCRIPT, MODULE, BUILT = "FlowGraph", "script function", "script module", "CompiledModule"


class Function:
    """Of a module of the compiler."""

    def __init__(self, name, kind, file, line, parameters, text):
        self.name, self.kind, self.file, self.line, self.text = str(name), str(kind), str(file), line, str(text)
        self.parameters = [str(each) for each in parameters]


def functions_of(module):
    return [Function(*each) for each in _library.functions_of(module)]


def module_of(value):
    """A function or a module under construction as a module; one that is built is one."""
    kind = _library.type_name_of(value)
    if kind == SCRIPT:
        alone = _value.import_module("hidet").script_module()
        alone.append_function(value)
        value = alone
    return value if kind == BUILT else value.ir_module()


def main_of(functions, wanted):
    """What a call of the module launches; of a function itself, which is the last: what it calls comes before it."""
    known = [each for each in functions if each.line > 0]
    if not known:
        raise TypeError("the module holds no function that was written in a file: one of a package has no script")
    called = [each for each in known if each.kind in ("public", "cuda_kernel", "cpu_kernel")]
    if wanted is not None or not called:
        return known[-1]
    return next((each for each in called if each.name == "launch"), called[0])


def is_plain(value):
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(is_plain(each) for pair in value.items() for each in pair)
    return value is None or type(value) in (bool, int, float, complex, str, bytes)


def plain_text(value):
    """As Python reads it, the same each time: what repr() gives of infinities is a name, and of sets no order."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list):
        return f"[{', '.join(map(plain_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(plain_text, value))}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{plain_text(key)}: {plain_text(each)}' for key, each in value.items())}}}"
    if isinstance(value, (set, frozenset)):
        items = f"{{{', '.join(sorted(map(plain_text, value)))}}}" if value else "()"
        return items if value and isinstance(value, set) else f"{type(value).__name__}({items})"
    return repr(value)


class Script:
    """The statement at a place, behind what it uses: imports, plain values, functions."""

    def __init__(self, names):
        self._names = names
        self._imports, self._definitions, self._missing = [], [], []
        self._done = set()

    def text(self, headline):
        """All of it, below a comment."""
        lines = [f"# {headline}"]
        said = self.said_missing()
        if said:
            lines.append(f"# {said[0].upper()}{said[1:]}.")
        return "\n".join([*lines, *sorted(set(self._imports)), "", *self._definitions]) + "\n"

    def said_missing(self):
        return f"not written, as they are no plain values: {', '.join(self._missing)}" if self._missing else ""

    def add(self, file, line):
        """The statement of the file that the line is in; it is written, behind what it uses."""
        found, text = statement_at(file, line)
        if (file, found.lineno) not in self._done:
            self._done.add((file, found.lineno))
            source = "\n".join(text.splitlines()[_first_line(found) - 1 : found.end_lineno])
            for name in sorted(_free_names(source, file)):
                self._use(name)
            self._definitions.append(source + "\n")
        return found

    def build(self, statement):
        """The window shows what is built: a kernel by itself and a module of kernels, as a function that makes some builds its own."""
        if isinstance(statement, ast.With) and isinstance(statement.items[0].optional_vars, ast.Name):
            self._definitions.append(f"built = {statement.items[0].optional_vars.id}.build()")
        elif isinstance(self._names.get(getattr(statement, "name", None)), _value.Value):
            self._imports.append("import hidet")
            self._definitions.append(f"module = hidet.script_module()\nmodule.append_function({statement.name})\nbuilt = module.build()")

    def _use(self, name):
        if name in self._done or (name not in self._names and hasattr(builtins, name)):
            return
        self._done.add(name)
        value = self._names.get(name, self)
        imported = self.imported(name, value)
        place = None if imported or is_plain(value) else place_of(value)
        if imported:
            self._imports.append(imported)
        elif is_plain(value):
            self._definitions.append(f"{name} = {plain_text(value)}\n")
        elif place is None or not self._define(name, *place):
            self._missing.append(f"'{name}'" + ("" if value is self else f" ({type(value).__name__})"))

    def _define(self, name, file, line, own):
        """A function, which may have another name where it is written."""
        defined = getattr(statement_at(file, line)[0], "name", own)
        if defined != own:  # a function made it
            return False
        self.add(file, line)
        if own != name:
            self._definitions.append(f"{name} = {own}\n")
        return True

    def imported(self, name, value):
        """The statement that imports it; None: it is written here."""
        if isinstance(value, types.ModuleType):
            return f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
        home = home_of(name, value)
        return home and f"from {home[0]} import {home[1]}" + (f" as {name}" if name != home[1] else "")


def statement_at(file, line):
    """(statement, text of the file)"""
    text = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise OSError(f"{file} cannot be read as Python: {error}") from None
    found = next((each for each in tree.body if _first_line(each) <= line <= each.end_lineno), None)
    if found is None:
        raise OSError(f"the text at line {line} is not to be had: {file} cannot be read")
    return found, text


def _first_line(statement):
    return min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])


def _free_names(source, file):
    """That a statement takes from around it."""
    found = set()

    def walk(table, is_top):
        for each in table.get_symbols():
            if each.is_referenced() and each.is_global() and not (is_top and (each.is_assigned() or each.is_imported() or each.is_namespace())):
                found.add(each.get_name())
        for child in table.get_children():
            walk(child, False)

    top = symtable.symtable(source, file, "exec")
    walk(top, True)
    return found - {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}


def home_of(name, value):
    """(module, its name there) of what a module of hidet or a file of Python has; None: it is of the notebook."""
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)) and value.__module__ in sys.modules:
        if getattr(sys.modules[value.__module__], value.__name__, None) is value and hasattr(sys.modules[value.__module__], "__file__"):
            return value.__module__, value.__name__
    modules = [each for each in sorted(sys.modules) if each == "hidet" or each.startswith("hidet.")]
    for module in modules if isinstance(value, _value.Value) or callable(value) else ():
        for own, each in list(vars(sys.modules[module]).items()):
            if each is value and not own.startswith("_"):
                return module, own
    return None


def place_of(value):
    """(file, line, name there) of a function."""
    if isinstance(value, types.FunctionType):
        return value.__code__.co_filename, value.__code__.co_firstlineno, value.__name__
    if isinstance(value, _value.Value) and _library.type_name_of(value) == SCRIPT:
        function = main_of(functions_of(module_of(value)), value)
        return function.file, function.line, function.name
    return None
