# SPDX-License-Identifier: Apache-2.0
"""DLPack: tensors of others as they are, and ours for others."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_uint32, c_uint64, c_void_p, py_object
from typing import Any, Callable

from ._library import CPU, DLTensor

_VERSION = (1, 0)  # what is asked of others, and given to them
_VERSIONED, _PLAIN = b"dltensor_versioned", b"dltensor"
_DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class _Versioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", _DELETER), ("flags", c_uint64),
                ("tensor", DLTensor)]


class _Plain(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", _DELETER)]


def _api(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_is_valid = _api("PyCapsule_IsValid", c_int, py_object, c_char_p)
_pointer = _api("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
_new = _api("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
# A capsule that is being destroyed must not become a Python object again.
_is_dying_valid = _api("PyCapsule_IsValid", c_int, c_void_p, c_char_p)
_dying_pointer = _api("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)

# ---- tensors of others ----

_takes_version: dict[type, bool] = {}


def _capsule(array: Any, keywords: dict[str, Any]) -> Any:
    kind = type(array)
    if _takes_version.get(kind, True):
        try:
            return array.__dlpack__(max_version=_VERSION, **keywords)
        except TypeError:
            _takes_version[kind] = False
    return array.__dlpack__(**keywords)


def borrow(array: Any, stream: int | None) -> tuple[DLTensor, Any]:
    """The tensor of an array that has __dlpack__, and what keeps it: as long as that lives, the memory does. It stays the
    array's: the capsule gives it back when it goes, because nobody took it out."""
    capsule = _capsule(array, {} if stream is None else {"stream": stream})
    if _is_valid(capsule, _VERSIONED):
        versioned = _Versioned.from_address(_pointer(capsule, _VERSIONED))
        if versioned.major != _VERSION[0]:
            raise BufferError(f"DLPack {versioned.major}.{versioned.minor} is not known here")
        return versioned.tensor, capsule
    if _is_valid(capsule, _PLAIN):
        return DLTensor.from_address(_pointer(capsule, _PLAIN)), capsule
    raise BufferError(f"__dlpack__() of {type(array).__name__} gives no capsule of a tensor")


def is_row_after_row(tensor: DLTensor) -> bool:
    if not tensor.strides:
        return True
    step = 1
    for extent, stride in zip(reversed(tensor.shape[: tensor.ndim]), reversed(tensor.strides[: tensor.ndim])):
        if extent == 0:
            return True
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


# ---- ours ----

# What others were given, by its address: the struct, and what its memory belongs to.
_given: dict[int, tuple[Any, Any]] = {}


def _make_deleter(given: dict[int, tuple[Any, Any]]) -> Any:
    def delete(address: int) -> None:
        given.pop(address, None)

    return _DELETER(delete)


def _make_destructor(name: bytes, given: dict[int, tuple[Any, Any]], is_valid: Callable, pointer: Callable) -> Any:
    def destroy(capsule: int) -> None:
        if is_valid(capsule, name):  # nobody took it out
            given.pop(pointer(capsule, name), None)

    return ctypes.PYFUNCTYPE(None, c_void_p)(destroy)


_deleter = _make_deleter(_given)
_destructors = {name: _make_destructor(name, _given, _is_dying_valid, _dying_pointer) for name in (_VERSIONED, _PLAIN)}
for _callback in (_deleter, *_destructors.values()):  # others may free tensors when our globals are gone
    ctypes.pythonapi.Py_IncRef(py_object(_callback))


def give(tensor: DLTensor, owner: Any, is_versioned: bool) -> Any:
    """A capsule of the tensor. `owner` lives until whoever takes it out is done with it."""
    name = _VERSIONED if is_versioned else _PLAIN
    if is_versioned:
        made = _Versioned(_VERSION[0], _VERSION[1], None, _deleter, 0, tensor)
    else:
        made = _Plain(tensor, None, _deleter)
    address = ctypes.addressof(made)
    _given[address] = (made, owner)
    return _new(address, name, ctypes.cast(_destructors[name], c_void_p))


def make_tensor(data: int, device: tuple[int, int], code: int, bits: int, shape: tuple[int, ...]) -> DLTensor:
    """With strides, which older readers want; the tensor keeps its own shape alive."""
    rank = len(shape)
    numbers = (c_int64 * (2 * rank + 1))(*shape)
    step = 1
    for d in reversed(range(rank)):
        numbers[rank + d] = step
        step *= shape[d]
    tensor = DLTensor(data)
    tensor.device.type, tensor.device.id = device
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = code, bits, 1
    tensor.ndim = rank
    tensor.shape = ctypes.cast(numbers, POINTER(c_int64))
    tensor.strides = ctypes.cast(ctypes.byref(numbers, 8 * rank), POINTER(c_int64))
    return tensor


def check_request(stream: Any, device: tuple[int, int], dl_device: Any, copy: bool | None) -> None:
    """What a caller of our __dlpack__ may ask for."""
    if dl_device is not None and tuple(dl_device) != device:
        raise BufferError("the tensor is on another device, and is not copied there")
    if copy:
        raise BufferError("the tensor is not copied")
    if device[0] == CPU and stream is not None:
        raise BufferError("a tensor on the CPU has no stream")
