# SPDX-License-Identifier: Apache-2.0
"""hidet.capture(): calls as a folder that makes them again, with the script or graph of each and its arguments.

While a capture is under way Value.__call__ is another function, so that a call costs nothing more when there is none."""

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import sys
import tempfile
import threading
import warnings

from . import _arrays, _eager, _kernels, _replay, _value
from ._kernels import Unwritten
from ._value import _library

MARK = "capture.json"  # by which a folder is known as a capture
FORMAT = "hidet-capture"
MOST_CALLS = 1000
MODULES, GRAPHS = ("CompiledModule", "CompiledFunction"), ("FlowGraph", "CompiledGraph")

recording = None  # the _Recording that is under way
_lock = threading.Lock()
_call = _value.Value.__call__


class capture(contextlib.ContextDecorator):
    """with hidet.capture("folder"): what is called of built modules, of graphs, of operators that compute at once, and of the parts of
    torch.compile(backend="hidet") is written there when the block ends, also by an exception; or @hidet.capture("folder") of a function, for each of its calls anew.
    Where none of these is called, as where PyTorch, JAX or NumPy work alone, nothing is written, and a warning says so.

    The folder has replay.py, which makes the calls again in their order ('hidetc run', 'hidetc try', the window's Open, CPython),
    the kernels as scripts, graphs, and each argument as it was before its call. An earlier capture there is replaced; a folder that
    holds anything else is refused.

    values  False: tensors of more than `limit` bytes are written as statistics and a seed, and graphs without their weights."""

    def __init__(self, folder, *, values=True, limit=1 << 20):
        if not isinstance(values, bool):
            raise TypeError(f"values is True or False, not {values!r}")
        if not isinstance(limit, int) or limit < 0:
            raise ValueError(f"limit is a number of bytes, not {limit!r}")
        self._folder = os.path.realpath(os.fspath(folder))
        self._limit = None if values else limit

    def __enter__(self):
        global recording
        with _lock:
            if recording is not None:
                raise RuntimeError("a capture is under way, and captures do not nest")
            _check_replaceable(self._folder)
            os.makedirs(os.path.dirname(self._folder), exist_ok=True)
            part = tempfile.mkdtemp(prefix=f".{os.path.basename(self._folder)}-", dir=os.path.dirname(self._folder))
            recording = _Recording(part, self._limit)
            _value.Value.__call__ = _recorded_call
            self._hooks = _eager.Hooks(recording)
            self._hooks.install()
        return self

    def __exit__(self, *why):
        global recording
        with _lock:
            done, recording = recording, None
            _value.Value.__call__ = _call
            self._hooks.remove()
        try:
            if done.heard():
                done.finish()
                _replace(self._folder, done.folder)
        finally:
            shutil.rmtree(done.folder, ignore_errors=True)
        for each in done.said():
            warnings.warn(each, _value.HidetWarning, stacklevel=2)
        return False


def _recorded_call(self, *args, **keywords):
    into = recording
    if into is not None:
        kind = _library.type_name_of(self)
        if kind in MODULES:
            into.module(self, args, keywords)
        elif kind in GRAPHS:
            into.graph(self, args, keywords)
        elif kind == _eager.FUNCTION and not into.is_busy() and _eager.computes([*args, *keywords.values()]):
            if name := _eager.operator_named(self):
                into.operator(name, args, keywords)
    return _call(self, *args, **keywords)


def _check_replaceable(folder):
    if not os.path.lexists(folder):
        return
    if not os.path.isdir(folder):
        raise FileExistsError(f"'{folder}' is no folder, and is not replaced by a capture")
    there = set(os.listdir(folder))
    if not there:
        return
    try:
        with open(os.path.join(folder, MARK), encoding="utf-8") as file:
            mark = json.load(file)
        own = {MARK, *mark["files"]} if mark["format"] == FORMAT else set()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        own = set()
    others = sorted(there - own - {"__pycache__"})
    if others:
        raise FileExistsError(f"'{folder}' holds '{others[0]}', which no capture has written, and is not replaced")


def _replace(folder, made):
    """What was there stays until the new one is whole."""
    _check_replaceable(folder)
    os.chmod(made, 0o755)
    aside = made + ".old"
    if os.path.isdir(folder):
        os.rename(folder, aside)
    try:
        os.rename(made, folder)
    except OSError:
        if os.path.isdir(aside):
            os.rename(aside, folder)
        raise
    shutil.rmtree(aside, ignore_errors=True)


class _Recording:
    """Calls as they come, from any thread. Arguments are written at once, before the call changes them."""

    def __init__(self, folder, limit):
        self.folder = folder
        self._limit = limit
        self._lock = threading.RLock()
        self._kernels = _kernels.Kernels()
        self._graphs = {}  # id -> (who has it and is kept, name of the file)
        self._calls, self._files, self._streams = [], {}, {}
        self._left_out = 0
        self._busy = threading.local()

    def module(self, value, args, keywords):
        functions = _library.functions_of(value)
        own = str(value.name) if _library.type_name_of(value) == "CompiledFunction" else None
        named = [each for each in functions if own is None or str(each[0]) == own] or functions
        names = [str(each) for each in named[0][4]] if len(named) else []

        def what():
            file, name = self._kernels.module(value)
            return f"{file}.{name}" + (f"[{own!r}]" if own else "")

        self._add(own or (str(named[0][0]) if len(named) else "module"), what, names, args, keywords)

    def graph(self, value, args, keywords):
        given = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        self._add("graph", lambda: self._graph(value, lambda: value), [], given, keywords)

    def operator(self, what, args, keywords):
        if not self.is_busy():
            self._add(what.rpartition(".")[2], lambda: what, [], args, keywords)

    def replayed(self, name):
        def what():
            raise Unwritten(f"'{name}' of a graph of CUDA, which holds launches and not their calls; capture those that it was recorded from")

        self._add("CUDA graph", what, [], [], {})

    def is_busy(self):
        """With a call that is written now: what computes meanwhile is none."""
        return getattr(self._busy, "is_set", False)

    def part(self, build, given):
        """Of torch.compile: its graph on these tensors."""
        self._add("part", lambda: self._graph(build, build.traced_again), [], given, {})

    def _graph(self, owner, graph):
        if id(owner) in self._graphs:
            return self._graphs[id(owner)][1]
        if self._limit is None:
            path = self._new("graph_1", ".hidet")
            try:
                _library.save_graph(graph(), path)
            except (OSError, TypeError) as error:
                raise Unwritten(str(error)) from None
        else:
            text, path = str(_library.graph_document(graph())), self._new("graph_1", ".json")
            self._write(os.path.basename(path), text)
        self._graphs[id(owner)] = owner, self._kept(path)
        return self._graphs[id(owner)][1]

    def _add(self, function, what, names, args, keywords):
        if self.is_busy():
            return
        self._busy.is_set = True
        try:
            self._add_now(function, what, names, args, keywords)
        finally:
            self._busy.is_set = False

    def _add_now(self, function, what, names, args, keywords):
        with self._lock:
            if len(self._calls) >= MOST_CALLS:
                self._left_out += 1
                return
            call = {"call": len(self._calls) + 1, "function": function, "runs": None}
            try:
                call["runs"] = what()
                placed = [(names[place] if place < len(names) else f"x{place}", each) for place, each in enumerate(args)]
                call["arguments"] = [self._argument(name, each) for name, each in (*placed, *keywords.items())]
                call["positional"] = len(args)
            except (Unwritten, TypeError, ValueError, RuntimeError, AttributeError) as error:  # what is wrong with it the call itself says
                call.update(runs=None, why=str(error), arguments=[])
            call["stream"] = self._stream((*args, *keywords.values()))
            self._calls.append(call)

    def _argument(self, name, value):
        if value is None or isinstance(value, (bool, str)):
            return {"name": name, "value": value}
        if hasattr(value, "__dlpack__") and not (isinstance(value, _value.Value) and _library.kind_of(value) != "tensor"):
            return {"name": name} | self._tensor(name, value)
        if not isinstance(value, _value.Value) and (hasattr(value, "__index__") or hasattr(value, "__float__")):  # NumPy's, too
            return {"name": name, "value": int(value) if hasattr(value, "__index__") else float(value)}
        if isinstance(value, (list, tuple)):
            items = [self._argument(f"{name}_{place}", each) for place, each in enumerate(value)]
            is_plain = all("value" in each for each in items)
            return {"name": name} | ({"value": [each["value"] for each in items]} if is_plain else {"items": items})
        kind = _library.type_name_of(value) if isinstance(value, _value.Value) else type(value).__name__
        raise Unwritten(f"argument '{name}' is a '{kind}', and no tensor or plain value")

    def _tensor(self, name, given):
        tensor = given if isinstance(given, _value.Value) else _value.tensor(_dense(given))
        shape, dtype = [int(each) for each in tensor.shape], str(tensor.dtype.name)
        out = {"dtype": dtype, "shape": shape, "strides": _strides(given, shape), "device": str(tensor.device).partition(":")[0]}
        host = tensor.cpu()
        if self._limit is not None and int(host.nbytes) > self._limit:
            return out | {"statistics": _statistics(host), "seed": len(self._calls) + 1}
        path = self._new(name, ".npy")
        _arrays.save(host, path)
        return out | {"file": self._kept(path)}

    def _stream(self, values):
        """The default one, or a number in the order of first use."""
        handle = 0
        for each in values:
            if isinstance(each, _value.Value) and str(getattr(each, "device", "")).startswith("cuda"):
                from . import cuda

                handle = cuda.current_stream().handle() if cuda.available() else 0
                break
            if getattr(getattr(each, "device", None), "type", None) == "cuda":
                handle = sys.modules["torch"].cuda.current_stream(each.device).cuda_stream
                break
        return self._streams.setdefault(handle, len(self._streams) + 1) if handle else "default"

    def _new(self, name, ending):
        stem = re.sub(r"(_\d+)?$", "", re.sub(r"\W+", "_", name)) or "x"
        number, path = 1, None
        while path is None or os.path.exists(path):
            path = os.path.join(self.folder, f"{stem}_{number}{ending}")
            number += 1
        return path

    def _kept(self, path):
        """The name of the file, or of one that holds the same."""
        digest = hashlib.sha256(os.path.splitext(path)[1].encode())
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        name = self._files.setdefault(digest.digest(), os.path.basename(path))
        if name != os.path.basename(path):
            os.remove(path)
        return name

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def finish(self):
        texts = self._kernels.texts()
        texts["replay.py"] = _replay.script(self._calls, sorted(each[:-3] for each in texts))
        texts["versions.json"] = json.dumps(_replay.versions(), indent=1) + "\n"
        for name, text in texts.items():
            self._write(name, text)
        files = sorted([*texts, *self._files.values()])
        self._write(MARK, json.dumps({"format": FORMAT, "version": 1, "files": files, "calls": list(map(_of_json, self._calls))}, indent=1) + "\n")

    def heard(self):
        return bool(self._calls)

    def said(self):
        """What the folder lacks."""
        if not self.heard():
            return ["nothing is captured, and no folder written: nothing of Hidet was called; what PyTorch, JAX and NumPy do by themselves "
                    "is not heard of"]
        why = list(dict.fromkeys(each["why"] for each in self._calls if "why" in each))
        said = [f"calls that cannot be made again are left out of the capture: {each}" for each in why]
        said += self._kernels.said_missing()
        if self._left_out:
            said.append(f"the capture has the first {MOST_CALLS} calls; {self._left_out} more are left out")
        return said


def _of_json(call):
    """JSON has no numbers that are infinite or none: these are texts there."""
    shown = lambda value: str(value) if isinstance(value, float) and not math.isfinite(value) else value
    of_value = lambda value: list(map(of_value, value)) if isinstance(value, list) else shown(value)
    return call | {"arguments": [each | ({"value": of_value(each["value"])} if "value" in each else {}) for each in call["arguments"]]}


def _dense(value):
    """Row after row, as it is written."""
    if hasattr(value, "contiguous"):
        return value.detach().contiguous()
    numpy = sys.modules.get("numpy")
    return numpy.ascontiguousarray(value) if numpy is not None and isinstance(value, numpy.ndarray) and value.ndim else value


def _strides(value, shape):
    """In elements."""
    if callable(getattr(value, "stride", None)) and not isinstance(value, _value.Value):
        return list(value.stride())
    if isinstance(getattr(value, "strides", None), tuple):
        return [each // value.itemsize for each in value.strides]
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides


def _statistics(tensor):
    """Of what is finite; of nothing where that is nothing."""
    wide = tensor.to(dtype="float64").flatten()
    torch = _value.import_module("torch")
    finite = wide[torch.isfinite(wide)] if int(wide.numel()) else wide
    count = int(finite.numel())
    if not count:
        return {"min": 0.0, "max": 0.0, "mean": 0.0, "deviation": 0.0, "others": int(wide.numel())}
    mean = float(finite.mean().item())
    deviation = float(((finite - mean) * (finite - mean)).mean().item()) ** 0.5
    return {"min": float(finite.min().item()), "max": float(finite.max().item()), "mean": mean, "deviation": deviation,
            "others": int(wide.numel()) - count}
