# SPDX-License-Identifier: Apache-2.0
"""hidet.studio(): the desktop program on a kernel or a graph at hand. What is to be seen goes to it as a workspace, a file that it
opens, in a folder of its own that nobody else can read and that goes when the window is closed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import warnings

from . import _script, _value
from ._text import BUILT, GRAPH, MODULE, SCRIPT, Script, functions_of, main_of, module_of
from ._value import _library


def studio(fn_or_model, *args, **keywords):
    """Opens the window of Hidet Studio, and returns at once.

    a kernel   a function under @hidet.script, a script module or a built one: its file at its line, with these arguments (tensors of
               hidet, PyTorch and NumPy, numbers) as those of a run. What was written in a notebook becomes a script of its own.
    a factory  a function of Python that makes kernels: the same, of the call with these arguments (plain values).
    a graph    a FlowGraph, as it was traced, with these tensors as its inputs.
    a model    of PyTorch, compiled or not, or of hidet.nn: its graphs with these inputs, and the lines that its operators are in.

    FileNotFoundError: Hidet Studio is not installed."""
    program = _program()
    documents, folder = [], tempfile.mkdtemp(prefix="hidet-studio-")
    try:
        name = _describe(fn_or_model, args, keywords, folder, documents, sys._getframe(1))
        path = os.path.join(folder, f"{_file_name(name)}.hidet-workspace")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": "hidet-workspace", "version": 1, "documents": documents, "front": 0}, file)
        # By a shell that ends at once, so that nobody here has to wait for the window, and that tidies up behind it.
        subprocess.run(["/bin/sh", "-c", '("$@"; rm -rf -- "$0") &', folder, program, "--new-window", path], check=True, start_new_session=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _program():
    given = os.environ.get("HIDET_STUDIO")
    found = shutil.which(given or "hidet-studio")
    if not found:
        missing = f"HIDET_STUDIO says '{given}', which is no program" if given else "there is no hidet-studio on PATH, and HIDET_STUDIO names none"
        raise FileNotFoundError(f"hidet.studio() opens Hidet Studio, which this package does not hold, as it is under the GPL: {missing}; "
                                "./studio in a checkout of its sources makes it, as build/dev/bin/hidet-studio")
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        raise RuntimeError("the window of Hidet Studio needs a display, and there is none here: DISPLAY and WAYLAND_DISPLAY are not set")
    return found


def _describe(given, args, keywords, folder, documents, caller):
    """Adds what is to be open, and gives a name for it."""
    kind = _library.type_name_of(given) if isinstance(given, _value.Value) else None
    if kind in (SCRIPT, MODULE, BUILT):
        functions = functions_of(module_of(given))
        function = main_of(functions, given if kind == SCRIPT else None)
        document = _document(function.file, function.line, caller)
        call = _script.call_that_made(function.file, function.name, function.line, function.text)
        if call:
            document["calls"] = [call]
        arguments = _arguments(function, args, keywords, folder)
        if arguments:
            document["plans"] = {"plan": {"function": function.name, "arguments": arguments}}
        documents.append(document)
        return function.name
    graphs = [given] if kind == GRAPH else _graphs(given, args, keywords)
    if graphs is not None:
        name = "graph" if kind == GRAPH else getattr(given, "__name__", None) or type(getattr(given, "_orig_mod", given)).__name__
        for number, graph in enumerate(graphs, 1):
            path = os.path.join(folder, _file_name(f"{name}_{number}" if len(graphs) > 1 else name) + ".json")
            document, inputs = json.loads(str(_library.graph_document(graph))), {}
            if kind == GRAPH or _is_of_layers(given):
                inputs = _inputs(document["graph"], args, keywords if kind == GRAPH else {}, folder)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
            documents.append({"path": path} | ({"inputs": inputs} if inputs else {}))
        return name
    if isinstance(given, types.FunctionType):
        document = _document(given.__code__.co_filename, given.__code__.co_firstlineno, caller, given.__globals__)
        call = _script.call_of(given.__name__, args, keywords)
        if call is None:
            raise TypeError(f"'{given.__name__}' is a function of Python, whose arguments are written as a call, and one of them is no plain "
                            "value; tensors go with what it makes: hidet.studio(module, *tensors)")
        if args or keywords:
            document["calls"] = [call]
        documents.append(document)
        return given.__name__
    raise TypeError(f"hidet.studio() opens kernels, functions of Python that make some, graphs and models, not a '{kind or type(given).__name__}'")


def _inputs(graph, args, keywords, folder):
    """Tensors as files, by the names of the graph's inputs, which get some where they have none."""
    values = {each["id"]: each for each in graph["values"]}
    names = [values[each].setdefault("name", f"x{place}") for place, each in enumerate(graph["inputs"])]
    given = _by_name("the graph", names, args, keywords)
    for name, value in given.items():
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"input '{name}' of the graph is a '{type(value).__name__}', and no tensor")
    return {name: _saved(name, value, folder) for name, value in given.items()}


def _by_name(what, names, args, keywords):
    given = dict(zip(names, args))
    if len(args) > len(names) or (given.keys() & keywords) or keywords.keys() - set(names):
        raise TypeError(f"{what} takes {', '.join(names) or 'no arguments'}")
    return {**given, **keywords}


def _saved(name, value, folder):
    path = os.path.join(folder, f"{_file_name(name)}.npy")
    tensor = value if isinstance(value, _value.Value) else _value.tensor(value)
    _library.save_tensor(tensor.cpu(), path)
    return path


def _file_name(text):
    return re.sub(r"\W+", "_", text) or "model"


def _arguments(function, args, keywords, folder):
    """As a run plan has them; tensors as files."""
    rows = []
    for name, value in _by_name(f"'{function.name}'", function.parameters, args, keywords).items():
        if isinstance(value, (bool, int, float)):
            rows.append({"name": name, "value": repr(value)})
        elif hasattr(value, "__dlpack__"):
            rows.append({"name": name, "fill": "file", "file": _saved(name, value, folder)})
        else:
            raise TypeError(f"argument '{name}' of '{function.name}' is a '{type(value).__name__}', and no tensor or number")
    return rows


def _is_of_layers(model):
    nn = sys.modules.get("hidet.nn")
    return nn is not None and isinstance(model, nn.Module)


def _graphs(model, args, keywords):
    """None: it is no model."""
    if _is_of_layers(model):
        symbols = [_value.import_module("hidet").symbol_like(each) for each in args]
        return [_value.import_module("hidet").trace_from(model(*symbols, **keywords), symbols)]
    torch = sys.modules.get("torch")
    if torch is None or not (isinstance(model, torch.nn.Module) or hasattr(model, "_torchdynamo_orig_callable")):
        return None
    from .torch._explain import graphs_of

    found = graphs_of(model, *args, **keywords)
    if not found:
        raise RuntimeError("none of the model's operators is compiled; hidet.torch.explain(model, *inputs) says why")
    return found


def _document(file, line, caller, names=None):
    """A file at a line; the text of a notebook or of exec() as a script without a file, which has the names that it uses."""
    if os.path.isfile(file):
        return {"path": os.path.abspath(file), "line": line}
    names = {**caller.f_globals, **caller.f_locals} if names is None else names
    return {"number": 1, "unsaved": _written(Script(names), file, line)}


def _written(script, file, line):
    script.build(script.add(file, line))
    said = script.said_missing()
    if said:
        warnings.warn(said, _value.HidetWarning, stacklevel=5)
    return script.text(f"As it was in {os.path.basename(file)} when hidet.studio() was called.")
