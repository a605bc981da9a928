# SPDX-License-Identifier: Apache-2.0
"""Packages, and their models, ready to run on a device."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import sys
import threading
from ctypes import c_void_p
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from ._cuda import LEGACY_STREAM
from ._dtypes import NAMES
from ._inputs import Slot, is_numpy, is_torch
from ._library import (CPU, CUDA, LOG, PROFILE, VERIFY, ContextOptions, DLTensor, Error, ErrorText, MemoryUse, OpenOptions, Status,
                       ValueInfo, check, library, raise_error)
from ._outputs import Output

_logger = logging.getLogger("hidet_runtime")


class Value(NamedTuple):
    """An input or an output. What a dimension depends on stands where its number would."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]


class Step(NamedTuple):
    name: str
    microseconds: float


class Memory(NamedTuple):
    """Bytes: weights are shared by the models of a package on a device."""

    weights: int
    activations: int


class Package:
    """An open package. Opening runs nothing of it."""

    def __init__(self, source: str | os.PathLike[str] | bytes, verify: Callable[[bytes, bytes], bool] | None = None) -> None:
        """`source` is a path, or the bytes of a package. `verify` is asked whether the signature (its second argument) is one of
        the manifest (its first) that is trusted; without it signatures are not looked at."""
        self._handle = c_void_p()
        self._callbacks = (LOG(_log), VERIFY(_make_verify(verify)) if verify else VERIFY())
        options = OpenOptions(ctypes.sizeof(OpenOptions), self._callbacks[0], None, self._callbacks[1], None)
        if isinstance(source, bytes):
            self._bytes = source  # which stay where they are
            data = ctypes.cast(ctypes.c_char_p(source), c_void_p)
            check(library.hidet_open_memory, data, len(source), options, ctypes.byref(self._handle))
        else:
            check(library.hidet_open_file, os.fsencode(source), options, ctypes.byref(self._handle))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.hidet_close(self._handle)

    def describe(self) -> dict[str, Any]:
        """What it holds: entries with inputs, outputs and what they are compiled for, and how it was made."""
        return json.loads(library.hidet_describe(self._handle).decode("utf-8", "replace"))

    def verify(self) -> None:
        """Compares every checksum, and reads every plan."""
        check(library.hidet_verify, self._handle)

    def load(self, trust: bool = False, device: str | None = None, entry: str | None = None, threads: int = 0) -> Model:
        """See `load()` of this module."""
        if device is not None:
            return Model(self, trust, _device_of(str(device)), entry, threads)
        targets = self._targets(entry)
        if "cuda" in targets:
            try:
                return Model(self, trust, (CUDA, 0), entry, threads)
            except Error as error:
                if error.status not in (Status.NO_DEVICE, Status.UNSUPPORTED) or "cpu" not in targets:
                    raise
        return Model(self, trust, (CPU, 0), entry, threads)

    def _entry(self, name: str | None) -> dict[str, Any]:
        entries = self.describe()["entries"]
        return next((entry for entry in entries if name is None or entry["name"] == name), {})

    def _targets(self, entry: str | None) -> set[str]:
        return {target["target"] for target in self._entry(entry).get("targets", [])}


class Model:
    """An entry of a package on a device. Calls of one model take turns; `fork()` is for threads that shall not wait."""

    def __init__(self, package: Package, trust: bool, device: tuple[int, int], entry: str | None, threads: int,
                 profile: Callable[[str, float], None] | None = None) -> None:
        self._context = c_void_p()
        self._package, self._device = package, device
        self._options = (trust, device, entry, threads)
        self._profile = PROFILE(lambda _self, step: profile(step.contents.name.decode(), step.contents.microseconds)) if profile else PROFILE()
        options = ContextOptions(size=ctypes.sizeof(ContextOptions), runs_native_code=bool(trust), threads=threads, profile=self._profile,
                                 copies_inputs=True)  # arrays are new ones at each call
        options.entry = None if entry is None else entry.encode()
        options.device.type, options.device.id = device
        check(library.hidet_create, package._handle, options, ctypes.byref(self._context))
        self._lock = threading.Lock()
        self._error = ErrorText()
        self._kept: list[Any] = []  # of a run on a GPU that may not have ended
        self._read_values(package._entry(entry))

    def _read_values(self, described: dict[str, Any]) -> None:
        inputs = _infos(self._context, library.hidet_input_count, library.hidet_input_info)
        outputs = _infos(self._context, library.hidet_output_count, library.hidet_output_info)
        self._inputs = (DLTensor * max(len(inputs), 1))()
        self._slots = [Slot(name, dtype, self._inputs[i]) for i, (name, dtype, _) in enumerate(inputs)]
        self._outputs = [Output(self._context, i, *info) for i, info in enumerate(outputs)]
        self.inputs: list[Value] = _values(inputs, described.get("inputs", []))
        self.outputs: list[Value] = _values(outputs, described.get("outputs", []))

    # ---- running ----

    def __call__(self, *arrays: Any, stream: Any = None, out: Any = None, **named: Any) -> Any:
        """Runs it on arrays in the order of `inputs`, or by their names. One result, or a tuple of them.

        NumPy arrays give NumPy arrays, PyTorch's tensors PyTorch's tensors, and other arrays that have __dlpack__() a `Tensor`.
        `out` are arrays for the results instead of new ones. `stream`, on a GPU, is a handle or a stream of PyTorch or CuPy: the
        results are there when the work in it is. Without it that is PyTorch's current stream for PyTorch's tensors; other results
        are there when this returns."""
        if named or len(arrays) != len(self._slots):
            arrays = self._in_order(arrays, named)
        with self._lock:
            handle, is_left_open = self._stream_of(arrays, stream)
            self._run(arrays, handle)
            results = self._results(arrays, handle if is_left_open else None, out)
            if not is_left_open:
                self._finish()
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Mapping[str, Any], stream: Any = None) -> dict[str, Any]:
        """By name: for names that are no words of Python."""
        results = self(*self._in_order((), dict(inputs)), stream=stream)
        return dict(zip((output.name for output in self._outputs), results if len(self._outputs) != 1 else (results,)))

    def profile(self, *arrays: Any, **named: Any) -> list[Step]:
        """The time of each step, in a second run that waits after each; in a context of its own."""
        steps: list[Step] = []
        watched = Model(self._package, *self._options, profile=lambda name, time: steps.append(Step(name, time)))
        with watched:
            watched(*arrays, **named)
            steps.clear()
            watched(*arrays, **named)
        return steps

    def _in_order(self, arrays: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        names = [slot.name for slot in self._slots]
        ordered = dict(zip(names, arrays))
        unknown = [name for name in named if name not in names]
        twice = [name for name in named if name in ordered]
        missing = [name for name in names if name not in ordered and name not in named]
        if len(arrays) > len(names):
            raise TypeError(f"the model takes {len(names)} inputs, and {len(arrays)} were given")
        if unknown:
            raise TypeError(f"the model has no input '{unknown[0]}'; it has {', '.join(names)}")
        if twice:
            raise TypeError(f"input '{twice[0]}' was given twice")
        if missing:
            raise TypeError(f"input '{missing[0]}' is missing")
        ordered.update(named)
        return [ordered[name] for name in names]

    def _stream_of(self, arrays: Sequence[Any], stream: Any) -> tuple[int | None, bool]:
        """The handle, None for the context's own, and whether the work in it may go on when the call returns."""
        if self._device[0] == CPU:
            return None, False
        if stream is not None:
            return _stream_handle(stream), True
        if any(is_torch(array) and array.is_cuda for array in arrays):
            return _current_stream(self._device[1]), True
        return (None if all(map(is_numpy, arrays)) else LEGACY_STREAM), False

    def _run(self, arrays: Sequence[Any], handle: int | None) -> None:
        if not self._context:
            raise ValueError("the model is closed")
        kept: list[Any] = []
        is_other = False
        try:
            for slot, array in zip(self._slots, arrays):
                is_other |= slot.take(array, handle, kept)
            if is_other or not self._slots:
                self._call(library.hidet_bind, self._inputs, len(self._slots))
            self._call(library.hidet_run, handle)
        except BaseException:
            for slot in self._slots:  # what is bound is not what they were given
                slot.forget()
            raise
        self._kept = kept

    def _results(self, arrays: Sequence[Any], stream: int | None, out: Any) -> list[Any]:
        if out is not None:
            return self._fill(out, stream)
        if all(map(is_numpy, arrays)) and "numpy" in sys.modules:
            return [output.as_numpy() for output in self._outputs]
        is_on_gpu = self._device[0] == CUDA and any(_is_on_gpu(array) for array in arrays)
        device = self._device if is_on_gpu else (CPU, 0)
        if any(map(is_torch, arrays)):
            return [output.as_torch(device) for output in self._outputs]
        return [output.as_tensor(device, stream if is_on_gpu else None) for output in self._outputs]

    def _fill(self, out: Any, stream: int | None) -> list[Any]:
        arrays = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(arrays) != len(self._outputs):
            raise TypeError(f"the model has {len(self._outputs)} outputs, and {len(arrays)} arrays were given for them")
        for output, array in zip(self._outputs, arrays):
            output.into(array, stream)
        return arrays

    def _finish(self) -> None:
        if self._device[0] == CUDA:
            self._call(library.hidet_wait)
        self._kept = []

    def _call(self, function: Any, *arguments: Any) -> None:
        if function(self._context, *arguments, self._error):
            raise_error(self._error)

    # ---- what it is ----

    @property
    def device(self) -> str:
        return "cpu" if self._device[0] == CPU else f"cuda:{self._device[1]}"

    @property
    def runs_on(self) -> str:
        """What runs it, in words: the GPU, or the threads of the CPU."""
        return library.hidet_runs_on(self._open()).decode("utf-8", "replace")

    @property
    def memory(self) -> Memory:
        use = MemoryUse()
        library.hidet_memory(self._open(), use)
        return Memory(use.weights, use.activations)

    def describe(self) -> dict[str, Any]:
        """Of its package."""
        return self._package.describe()

    def fork(self) -> Model:
        """Another one of the same package, with the same weights, for another thread."""
        return Model(self._package, *self._options)

    def close(self) -> None:
        """Frees what it holds. Results stay."""
        with self._lock:
            if self._device[0] == CUDA and self._context:
                library.hidet_wait(self._context, None)
            library.hidet_destroy(self._context)
            self._context = c_void_p()
            self._kept = []

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            library.hidet_destroy(self._context)

    def __repr__(self) -> str:
        return f"Model({', '.join(value.name for value in self.inputs)} -> {', '.join(value.name for value in self.outputs)}, {self.device})"

    def _open(self) -> c_void_p:
        if not self._context:
            raise ValueError("the model is closed")
        return self._context


def _log(_self: Any, level: int, message: bytes) -> None:
    _logger.log(logging.WARNING if level else logging.INFO, "%s", message.decode("utf-8", "replace"))


def _make_verify(verify: Callable[[bytes, bytes], bool]) -> Any:
    def call(_self: Any, manifest: int, manifest_bytes: int, signature: int, signature_bytes: int) -> int:
        try:
            return bool(verify(ctypes.string_at(manifest, manifest_bytes), ctypes.string_at(signature, signature_bytes)))
        except Exception:
            _logger.exception("verify() failed, so the signature does not hold")
            return 0

    return call


def _device_of(text: str) -> tuple[int, int]:
    kind, _, index = text.partition(":")
    if text == "cpu":
        return CPU, 0
    if kind == "cuda" and (text == "cuda" or index.isdecimal()):
        return CUDA, int(index or 0)
    raise ValueError(f"a device is 'cpu', 'cuda' or 'cuda:N', not '{text}'")


def _infos(context: c_void_p, count: Any, info: Any) -> list[tuple[str, str, tuple[int, ...]]]:
    infos = []
    for i in range(count(context)):
        found = ValueInfo()
        check(info, context, i, found)
        dtype = NAMES.get((found.dtype.code, found.dtype.bits))
        if dtype is None:
            raise Error(Status.UNSUPPORTED, f"'{found.name.decode()}' has elements of a type that is not known here")
        infos.append((found.name.decode("utf-8", "replace"), dtype, tuple(found.shape[: found.ndim])))
    return infos


def _values(infos: list[tuple[str, str, tuple[int, ...]]], described: list[dict[str, Any]]) -> list[Value]:
    """With the words that the description has for dimensions without a number."""
    values = []
    for i, (name, dtype, shape) in enumerate(infos):
        words = described[i].get("dimensions", []) if i < len(described) else []
        if len(words) != len(shape):
            words = ["?"] * len(shape)
        values.append(Value(name, dtype, tuple(extent if extent >= 0 else str(word) for extent, word in zip(shape, words))))
    return values


def _is_on_gpu(array: Any) -> bool:
    return not is_numpy(array) and array.__dlpack_device__()[0] in (2, 13)


def _stream_handle(stream: Any) -> int:
    """Of a number, or of a stream of PyTorch, CuPy or anybody who has __cuda_stream__."""
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    if not isinstance(stream, int):
        raise TypeError(f"a stream is a handle, or a stream of PyTorch or CuPy, not of type {type(stream).__name__}")
    return stream or LEGACY_STREAM


def _current_stream(device: int) -> int:
    torch = sys.modules["torch"]
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return (raw(device) if raw else torch.cuda.current_stream(device).cuda_stream) or LEGACY_STREAM
