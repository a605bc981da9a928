# SPDX-License-Identifier: Apache-2.0
"""Arrays of others as inputs of a model."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_int64
from typing import Any

from . import _dlpack
from ._dtypes import CODES, numpy_inputs
from ._library import CPU, CUDA, DLTensor, Error, Status

_DEVICE_TYPES = {1: CPU, 2: CUDA, 3: CPU, 13: CUDA}  # DLPack's: pinned memory is the CPU's, managed memory the GPU's


def is_numpy(array: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ndarray)


def is_torch(array: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def address_of(array: Any) -> int:
    """Of a NumPy array's elements. The short way is for memory that may be written and is not empty."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (BufferError, TypeError, ValueError):
        return array.__array_interface__["data"][0]


class Slot:
    """One input, and what was bound there last: most calls give arrays of the same shape."""

    def __init__(self, name: str, dtype: str, tensor: DLTensor) -> None:
        self.name, self.dtype = name, dtype
        self._tensor = tensor
        self._codes = CODES[dtype]
        self._bound: tuple[Any, ...] = ()
        self._shape: tuple[int, ...] | None = None
        self._numpy: list[Any] | None = None
        tensor.dtype.lanes = 1

    def take(self, array: Any, stream: int | None, kept: list[Any]) -> bool:
        """Whether something else is bound than before. `kept` gets what has to live until the run has ended."""
        if is_numpy(array):
            return self._take_numpy(array, kept)
        if not hasattr(array, "__dlpack__"):
            raise TypeError(f"input '{self.name}' is of type {type(array).__name__}, which is no NumPy array and has no __dlpack__()")
        return self._take_dlpack(array, stream, kept)

    def forget(self) -> None:
        self._bound = ()

    def _take_numpy(self, array: Any, kept: list[Any]) -> bool:
        if self._numpy is None:
            self._numpy = numpy_inputs(self.dtype)
        if array.dtype not in self._numpy:
            self._numpy = numpy_inputs(self.dtype)  # ml_dtypes may have been imported meanwhile
            if array.dtype not in self._numpy:
                raise Error(Status.BAD_INPUT, f"input '{self.name}' is {self.dtype}, and the array is {array.dtype}")
        if not array.flags.c_contiguous:
            array = array.copy(order="C")
        kept.append(array)
        return self._set(address_of(array), CPU, 0, self._codes, array.shape)

    def _take_dlpack(self, array: Any, stream: int | None, kept: list[Any]) -> bool:
        if is_torch(array):
            if array.requires_grad:
                array = array.detach()
            if not array.is_contiguous():
                array = array.contiguous()
        on_gpu = array.__dlpack_device__()[0] in (2, 13)
        tensor, capsule = _dlpack.borrow(array, stream if on_gpu else None)
        kept += (array, capsule)
        device = _DEVICE_TYPES.get(tensor.device.type)
        if device is None:
            raise Error(Status.BAD_INPUT, f"input '{self.name}' is on a device of type {tensor.device.type} of DLPack's")
        if not _dlpack.is_row_after_row(tensor):
            raise Error(Status.BAD_INPUT, f"input '{self.name}' does not lie row after row; copy it first")
        if tensor.dtype.lanes != 1:
            raise Error(Status.BAD_INPUT, f"input '{self.name}' has vectors as elements")
        data = (tensor.data or 0) + tensor.byte_offset
        index = tensor.device.id if device == CUDA else 0
        return self._set(data, device, index, (tensor.dtype.code, tensor.dtype.bits), tuple(tensor.shape[: tensor.ndim]))

    def _set(self, data: int, device: int, index: int, codes: tuple[int, int], shape: tuple[int, ...]) -> bool:
        wanted = (data, device, index, codes, shape)
        if wanted == self._bound:
            return False
        self._bound = wanted
        tensor = self._tensor
        tensor.data = data
        tensor.device.type, tensor.device.id = device, index
        tensor.dtype.code, tensor.dtype.bits = codes
        if shape != self._shape:
            self._shape = shape
            tensor.ndim = len(shape)
            self._numbers = (c_int64 * max(len(shape), 1))(*shape)
            tensor.shape = ctypes.cast(self._numbers, POINTER(c_int64))
        return True
