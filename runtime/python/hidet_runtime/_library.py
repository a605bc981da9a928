# SPDX-License-Identifier: Apache-2.0
"""hidet_runtime.h for ctypes: the structs, the functions, and errors as exceptions."""

from __future__ import annotations

import ctypes
import enum
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

CPU, CUDA = 1, 2  # types of devices, as DLPack numbers them


class Status(enum.IntEnum):
    """What a function of the library ends with."""

    OK = 0
    OUT_OF_MEMORY = 1
    DAMAGED = 2
    OTHER_VERSION = 3
    BAD_INPUT = 4
    REFUSED = 5
    UNSUPPORTED = 6
    FAILED = 7
    CANCELLED = 8
    NOT_TRUSTED = 9
    NO_FILE = 10
    BAD_ARGUMENT = 11
    NO_DEVICE = 12


class Error(RuntimeError):
    """What the library refuses, in its words. `status` is a `Status`, or a plain number where the library is newer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status: int = Status(status) if status in Status._value2member_map_ else status


class Device(ctypes.Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class DType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DType), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class ErrorText(ctypes.Structure):
    _fields_ = [("status", c_int32), ("message", ctypes.c_char * 1020)]


LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
VERIFY = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)


class OpenOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("log", LOG), ("log_self", c_void_p), ("verify", VERIFY), ("verify_self", c_void_p)]


class StepTime(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("microseconds", c_double)]


PROFILE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(StepTime))


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("entry", c_char_p), ("device", Device), ("runs_native_code", c_int32), ("threads", c_int32),
                ("copies_inputs", c_int32), ("trusts_indices", c_int32),
                ("allocator", c_void_p), ("profile", PROFILE), ("profile_self", c_void_p), ("is_cancelled", c_void_p),
                ("is_cancelled_self", c_void_p), ("stream", c_void_p)]


class ValueInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtype", DType), ("ndim", c_int32), ("shape", POINTER(c_int64))]


class MemoryUse(ctypes.Structure):
    _fields_ = [("weights", c_uint64), ("activations", c_uint64)]


_PACKAGE = _CONTEXT = c_void_p
_ERROR = POINTER(ErrorText)
_FUNCTIONS = {
    "hidet_runtime_version": (c_uint32, []),
    "hidet_open_file": (c_int, [c_char_p, POINTER(OpenOptions), POINTER(_PACKAGE), _ERROR]),
    "hidet_open_memory": (c_int, [c_void_p, c_size_t, POINTER(OpenOptions), POINTER(_PACKAGE), _ERROR]),
    "hidet_close": (None, [_PACKAGE]),
    "hidet_verify": (c_int, [_PACKAGE, _ERROR]),
    "hidet_describe": (c_char_p, [_PACKAGE]),
    "hidet_create": (c_int, [_PACKAGE, POINTER(ContextOptions), POINTER(_CONTEXT), _ERROR]),
    "hidet_destroy": (None, [_CONTEXT]),
    "hidet_input_count": (c_size_t, [_CONTEXT]),
    "hidet_output_count": (c_size_t, [_CONTEXT]),
    "hidet_input_info": (c_int, [_CONTEXT, c_size_t, POINTER(ValueInfo), _ERROR]),
    "hidet_output_info": (c_int, [_CONTEXT, c_size_t, POINTER(ValueInfo), _ERROR]),
    "hidet_bind": (c_int, [_CONTEXT, POINTER(DLTensor), c_size_t, _ERROR]),
    "hidet_run": (c_int, [_CONTEXT, c_void_p, _ERROR]),
    "hidet_output": (c_int, [_CONTEXT, c_size_t, POINTER(DLTensor), _ERROR]),
    "hidet_copy_output": (c_int, [_CONTEXT, c_size_t, POINTER(DLTensor), _ERROR]),
    "hidet_read_output": (c_int, [_CONTEXT, c_size_t, c_void_p, c_size_t, _ERROR]),
    "hidet_wait": (c_int, [_CONTEXT, _ERROR]),
    "hidet_memory": (None, [_CONTEXT, POINTER(MemoryUse)]),
    "hidet_runs_on": (c_char_p, [_CONTEXT]),
}


def _load() -> ctypes.CDLL:
    loaded = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libhidet_runtime.so.1"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


library = _load()


def raise_error(error: ErrorText) -> None:
    raise Error(error.status, error.message.decode("utf-8", "replace"))


def check(function, *arguments) -> None:
    """Calls a function that ends with a status; its last argument, the error, is added."""
    error = ErrorText()
    if function(*arguments, ctypes.byref(error)):
        raise_error(error)
