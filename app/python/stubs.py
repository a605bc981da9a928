# SPDX-License-Identifier: Apache-2.0
"""Writes stubs, by which editors and type checkers know the modules that the compiler has: names, parameters, and a sentence for each.

    stubs.py --package build/dev/python/hidet --out build/dev/python/hidet-stubs

Everything is asked of the package; what is not known is Any. Stubs are a partial package of stubs (PEP 561), and not beside the
modules: Python would find a folder hidet/lang before the compiler's module. Modules of Python alone (hidet.nn, hidet.torch) have none and
are read as they are; where Python adds to a module of the compiler, the stub has both. The same package gives the same bytes."""

import argparse
import ast
import glob
import keyword
import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEAD = "# Made by app/python/stubs.py.\nimport builtins\nfrom typing import Any, no_type_check\n\nimport hidet\n"
TENSOR = "hidet.Tensor"

# What neither signatures nor the tables of documentation say.
TAKES = {f"hidet.{name}": "shape dtype= device= * mean= stddev=" for name in ("rand", "randn")}
GIVES = {f"hidet.{name}{like}": TENSOR for name in ("empty", "full", "ones", "rand", "randn", "symbol", "zeros") for like in ("", "_like")}
GIVES |= {f"hidet.{name}": TENSOR for name in ("arange", "asarray", "eye", "linspace", "randint", "from_dlpack", "from_numpy", "from_torch")}
GIVES |= {f"hidet.cuda.{name}": "builtins.int" for name in ("current_device", "device_count", "malloc", "malloc_async", "malloc_host")}
GIVES |= {f"hidet.{ops}.rearrange": TENSOR for ops in ("ops", "graph.ops")}
GIVES |= {"hidet.emulate": "Emulation", "hidet.explain": "Explanation", "hidet.trace_from": "hidet.FlowGraph",
          "hidet.cuda.available": "builtins.bool", "hidet.cuda.current_stream": "Stream", "hidet.cuda.default_stream": "Stream"}
# The bodies of kernels, and the shapes in their annotations, are nothing for checkers of Python's types.
SCRIPT = 'script = no_type_check\n"""Translates a function of Python. Its errors are at the lines of its file."""'

KNOWN = {"bool": "bool", "int": "int", "float": "float", "str": "str", "list": "list[Any]", "tuple": "tuple[Any, ...]", "dict": "dict[Any, Any]"}
PROTOCOL = """\
def __setitem__(self, index: Any, value: Any) -> None: ...
def __iter__(self) -> Any: ...
def __len__(self) -> builtins.int: ...
def __bool__(self) -> builtins.bool: ...
def __int__(self) -> builtins.int: ...
def __float__(self) -> builtins.float: ...
def __index__(self) -> builtins.int: ...
def __contains__(self, item: Any) -> builtins.bool: ..."""
OF_VALUES = """\
def __init__(self, *args: Any, **keywords: Any) -> None: ...
def __getattr__(self, name: builtins.str) -> Any: ...
def __call__(self, *args: Any, **keywords: Any) -> Any: ...
def __delitem__(self, index: Any) -> None: ...
def __enter__(self) -> Any: ...
def __exit__(self, *why: Any) -> None: ..."""
OF_TENSORS = """\
def __dlpack__(self, *, stream: Any = ..., **options: Any) -> Any: ...
def __dlpack_device__(self) -> Any: ...
def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...
def numpy(self) -> Any: ...
def torch(self) -> Any: ..."""


def block(head, lines):
    """A function or class, of which it may be known only that it is there."""
    return head + "\n" + textwrap.indent("\n".join(lines), "    ") if lines else head + " ..."


def quoted(text):
    return ['"""' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'] if text else []


def is_public(name):
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def parameters(listed, first=()):
    """Of what the library lists: "x", "axis=" that may be left out, "*" and "*rest", "**"."""
    out, is_optional = list(first), False
    for each in listed:
        name = each.strip("*=")
        if keyword.iskeyword(name):
            return parameters(("*args", "**keywords"), first)
        if each.startswith("*"):
            out.append("*" if each == "*" else f"{each.rstrip('=')}{'' if name else 'keywords'}: Any")
            is_optional = False
        else:
            is_optional = is_optional or each.endswith("=")
            out.append(f"{name}: Any" + (" = ..." if is_optional else ""))
    return ", ".join(out)


def common(name, one, other):
    """Of what two objects of a class have by one name."""
    if one in (None, f"{name}: Any", other):
        return other
    if not all(each.startswith("def ") for each in (one, other)):
        return f"{name}: Any"
    head, _, rest = one.partition("\n")
    gives = TENSOR if all(f"-> {TENSOR}:" in each for each in (one, other)) else "Any"
    return block(f"def {name}({parameters(('*args', '**keywords'), ['self'])}) -> {gives}:", textwrap.dedent(rest).split("\n") if rest else [])


class Sentences:
    """Of the tables from which editors of the studio have theirs: path -> sentence, and path -> parameters."""

    def __init__(self):
        text = r'"((?:[^"\\]|\\.|"\s*")*)"'
        tables = ("".join(read(path) for path in sorted(glob.glob(f"{ROOT}/{folder}/*.def"))) for folder in ("lang/service/docs", "compiler/ir/intrinsics"))
        docs, intrinsics = tables
        plain = lambda found: re.sub(r'"\s*"', "", found).replace('\\"', '"')
        self.said = {f"hidet.{name.rpartition('.')[2]}": plain(found) for name, found in
                     re.findall(rf'HIDET_INTRINSIC\(\s*\w+,\s*"([^"]+)"[^"]*{text}', intrinsics)}
        self.said |= {name: plain(found) for name, found in re.findall(rf'HIDET_DOC\(\s*"([^"]+)",\s*{text}', docs)}
        self.takes = dict(re.findall(r'HIDET_TAKES\(\s*"([^"]+)",\s*"([^"]*)"', docs)) | TAKES

    @staticmethod
    def find(table, path):
        """As lang/service/docs.cpp looks for it: in the nearest module that has the name."""
        parts = path.split(".")
        paths = [path] + [".".join(parts[:outer] + parts[-kept:]) for kept in range(min(3, len(parts) - 1), 0, -1)
                          for outer in range(len(parts) - kept, 0, -1)]
        if path.startswith(("hidet.ops.", "hidet.graph.")):
            paths += [f"Tensor.{parts[-1]}", f"hidet.{parts[-1]}"]
        return next((table[each] for each in paths if each in table), None)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Compiler:
    """Declarations of the compiler's values."""

    def __init__(self):
        import hidet
        from hidet import _value

        self.value, self.hidet, self.sentences, self.probed = _value, hidet, Sentences(), {}
        self.traced = hidet.symbol([3, 4])
        graph = hidet.trace_from(hidet.ops.relu(self.traced))
        self.samples = {"Tensor": [hidet.zeros([3, 4]), self.traced], "FlowGraph": [graph], "Operator": [self.hidet.ops.relu(self.traced).op]}
        arithmetic = [f"__{side}{each}__" for each in _value.BINARY for side in ("", "r")]
        operators = "\n".join(f"def {each}(self, other: Any) -> RESULT: ..." for each in arithmetic + _value.COMPARE[2:])
        operators += "".join(f"\ndef {each}(self) -> RESULT: ..." for each in _value.UNARY)
        self.operators = PROTOCOL + "\ndef __getitem__(self, index: Any) -> RESULT: ...\n" + operators

    def type_name(self, value):
        return self.value._library.type_name_of(value) if isinstance(value, self.value.Value) else type(value).__name__

    def is_module(self, value):
        return isinstance(value, self.value.Value) and self.value._library.kind_of(value) == "module"

    def annotation(self, value):
        if isinstance(value, self.value.Value):
            return TENSOR if self.type_name(value) in ("Tensor", TENSOR) else "Any"
        known = KNOWN.get(type(value).__name__)
        return f"builtins.{known}" if known else "Any"

    def result(self, function, path):
        """A tensor, if that is what it gives whenever it gives anything for tensors and numbers."""
        if path in GIVES or not path.startswith(("hidet.ops.", "hidet.graph.ops.", "Tensor.")):
            return GIVES.get(path, "Any")
        name = path.replace(".graph.", ".")
        if name not in self.probed:
            x, image, weight = self.traced, self.hidet.symbol([1, 4, 8, 8]), self.hidet.symbol([4, 4, 3, 3])
            data, other = self.hidet.zeros([3, 4]), self.hidet.symbol([4, 5])
            listed, found = [str(each) for each in self.value._library.parameters(function) or ()], set()
            needed = sum(not each.endswith("=") and not each.startswith("*") for each in listed)
            for given in ((), (x,), (x, x), (x, x, x), ([x, x],), (x, 0), (x, 1, 0), (x, [4, 3]), (x, [1, 0]), (x, other), (image,), (image, weight),
                          (image, 2), (image, 2, 2, 0), (data,), (data > 0, 1.0), ([4, 3],), (0,), (1,), (0, 1), (4, 3), (1.5,), ("float32",)):
                try:
                    if len(given) >= needed:
                        found.add(self.annotation(function(*given)))
                except Exception:  # it is not for these
                    pass
            self.probed[name] = TENSOR if found == {TENSOR} else "Any"
        return self.probed[name]

    def function(self, name, value, path, first=()):
        listed = self.value._library.parameters(value)
        if listed is None:
            takes = self.sentences.find(self.sentences.takes, path)
            listed = ["*args", "**keywords"] if takes is None else takes.split()
        said = quoted(self.sentences.find(self.sentences.said, path))
        return block(f"def {name}({parameters(map(str, listed), first)}) -> {self.result(value, path)}:", said)

    def declaration(self, name, value, path, first=()):
        """The text that says what a module or an object has by this name."""
        kind, said = self.type_name(value), quoted(self.sentences.find(self.sentences.said, path))
        if kind == "builtin_function_or_method":
            return self.function(name, value, path, first)
        if kind == "type":
            plain = str(value)[len("<class '"):-len("'>")]
            return f"{name} = builtins.{plain}" if plain in KNOWN else self.of_class(name, value, path, said)
        members = []
        if self.annotation(value) == "Any" and isinstance(value, self.value.Value) and path.count(".") < 8:
            below = path if self.type_name(value) == "option group" else path[path.rfind(".", 0, -len(name)) + 1 :] if first else name
            members = [self.member(each, value, below) for each in dir(value) if is_public(each)]
        if not members:
            return "\n".join([f"{name}: {self.annotation(value)}"] + said)
        return block(f"class _{name}(hidet._Value):", said + members) + f"\n{name}: _{name}"

    def member(self, name, of, path):
        try:
            return self.declaration(name, getattr(of, name), f"{path}.{name}", ["self"])
        except Exception:  # others of the kind have it
            return f"{name}: Any"

    def of_class(self, name, value, path, said):
        members = {each: f"{each}: Any" for each in dir(value)}
        for sample in self.samples.get(name, ()):
            for each in dir(sample):
                members[each] = common(each, members.get(each), self.member(each, sample, name))
        shown = [members[each] for each in sorted(members) if is_public(each) and each not in ("numpy", "torch")]
        if name != "Tensor":
            return block(f"class {name}(hidet._Value):", said + shown)
        return block("class Tensor:", said + shown + (OF_TENSORS + "\n" + self.operators.replace("RESULT", TENSOR)).split("\n"))

    def base(self):
        return block("class _Value:", (OF_VALUES + "\n" + self.operators.replace("RESULT", "Any")).split("\n"))


class OfPython:
    """Declarations of what a file of Python has: name -> text."""

    def __init__(self, package, module):
        parts = module.split(".")[1:]
        self.package, self.module = package, module
        self.path = next((each for each in (os.path.join(package, *parts, "__init__.py"), os.path.join(package, *parts) + ".py")
                          if os.path.exists(each)), None)
        self.names, self.tree = {}, ast.parse(read(self.path)) if self.path else ast.Module([], [])
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.level or node.module.split(".")[0] == "hidet"):
                for each in node.names:
                    if is_public(each.name):
                        source = "." * node.level + (node.module or "")
                        self.names[each.name] = f"from {source} import {each.name} as {each.name}"
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and is_public(node.name):
                self.names[node.name] = self.definition(node, node.name, f"{module}.{node.name}")
            elif isinstance(node, ast.Assign):
                for name in (each.id for each in node.targets if isinstance(each, ast.Name) and is_public(each.id)):
                    self.names[name] = self.assigned(name, node.value)

    def assigned(self, name, value):
        if isinstance(value, ast.Name):
            return f"{name} = {value.id}"
        if isinstance(value, ast.Attribute):  # of a file that has no public names
            file = OfPython(self.package, f"hidet.{value.value.id}")
            node = next(each for each in file.tree.body if getattr(each, "name", None) == value.attr)
            if isinstance(node, ast.ClassDef):
                return f"from hidet.{value.value.id} import {name} as {name}"
            given = GIVES.get(f"hidet.{name}", "")
            before = f"from hidet.{value.value.id} import {given} as {given}\n" if given.isidentifier() and given != "Any" else ""
            return before + self.definition(node, name, f"hidet.{name}")
        known = KNOWN.get(type(getattr(value, "value", None)).__name__)
        return f"{name}: " + (f"builtins.{known}" if known else "Any")

    def definition(self, node, name, path):
        said = quoted(" ".join(re.split(r"\n\n|(?<=\.)\s", ast.get_docstring(node) or "")[0].split()))
        if isinstance(node, ast.ClassDef):
            members = {}
            for each in ast.walk(node):
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and getattr(each.value, "id", "") == "self":
                    members.setdefault(each.attr, f"{each.attr}: Any")
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name != "__del__":
                    members[each.name] = self.definition(each, each.name, f"{path}.{each.name}")
            shown = [text for member, text in members.items() if is_public(member) or member.startswith("__")]
            return block(f"class {name}({', '.join(map(ast.unparse, node.bases))}):".replace("()", ""), said + shown)
        arguments, every = node.args, [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for each in every:
            if each is not None and each.arg != "self":
                each.annotation = each.annotation or ast.Name("Any")
        marks = [f"@builtins.{each.id}\n" for each in node.decorator_list if isinstance(each, ast.Name) and each.id in ("property", "staticmethod", "classmethod")]
        gives = "None" if name == "__init__" else {"__eq__": "builtins.bool", "__hash__": "builtins.int", "__int__": "builtins.int"}.get(name)
        gives = gives or ("None" if name == "__exit__" else GIVES.get(path, "Any"))
        return "".join(marks) + block(f"def {name}({ast.unparse(arguments)}) -> {gives}:", said)


def collect(compiler, package):
    """module -> (its submodules, name -> text)"""
    from hidet import _modules

    out, waiting = {}, ["hidet"]
    while waiting:
        module = waiting.pop(0)
        value, python = compiler.value.import_module(module), OfPython(package, module)
        names, below = {}, set()
        for name in sorted(dir(value)):
            if "." in name:
                below.add(name.split(".")[0])
            elif is_public(name):
                try:
                    found = getattr(value, name)
                except Exception:  # refused, and with a reason
                    continue
                if compiler.is_module(found):
                    below.add(name)
                elif name not in python.names:
                    names[name] = compiler.declaration(name, found, f"{module}.{name}")
        names.update(python.names)
        if "script" in names:
            names["script"] = SCRIPT
        if module == "hidet":
            names.update({"_Value": compiler.base(), "__version__": "__version__: builtins.str"})
        waiting += [f"{module}.{each}" for each in sorted(below)]
        for each in sorted(_modules.OF_PYTHON):
            if each.rpartition(".")[0] == module:
                below.add(each.rpartition(".")[2])
        out[module] = below, names
    return out


def written(modules):
    """path -> text. A declaration stands in the first module that has it; the others import it from there."""
    from hidet import _modules

    homes, files = {}, {}
    for module in sorted(modules, key=lambda each: (each.count("."), each)):
        below, names = modules[module]
        imported, own = {}, []
        for name in sorted(names):
            text = names[name]
            home = homes.setdefault((name, text), module)
            if home == module or text.startswith("from "):
                own.append(text)
            else:
                imported.setdefault(home, []).append(name)
        lines = [f"from {module} import {each} as {each}" for each in sorted(below) if each not in names]
        for home in sorted(imported):
            listed = textwrap.fill(", ".join(f"{each} as {each}" for each in imported[home]), 140, initial_indent="    ", subsequent_indent="    ")
            lines.append(f"from {home} import (\n{listed},\n)")
        place = module.split(".")[1:]
        files[os.path.join(*place, "__init__.pyi")] = "\n".join([HEAD, *lines, "", *own]).rstrip("\n") + "\n"
    for name, of in sorted(_modules.OTHER_NAMES.items()):
        files[os.path.join(*name.split(".")[1:], "__init__.pyi")] = f"{HEAD}\nfrom {of} import *\n"
    files["py.typed"] = "partial\n"
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--package", required=True, help="the folder of the package")
    parser.add_argument("--out", required=True, help="the folder")
    arguments = parser.parse_args()
    package = os.path.abspath(arguments.package)
    sys.path.insert(0, os.path.dirname(package))
    for path, text in written(collect(Compiler(), package)).items():
        path = os.path.join(arguments.out, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
