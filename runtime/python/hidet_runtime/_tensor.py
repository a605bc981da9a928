# SPDX-License-Identifier: Apache-2.0
"""A result for who uses neither NumPy nor PyTorch: memory that DLPack hands to anybody."""

from __future__ import annotations

import ctypes
import math
from copy import copy as copy_of
from typing import Any

from . import _cuda, _dlpack
from ._dtypes import CODES, numpy_dtype
from ._library import CPU, CUDA

_ALIGNMENT = 256  # bytes, as DLPack likes


class Tensor:
    """An array in memory of its own, row after row, on the CPU or a GPU.

    `numpy.from_dlpack`, `torch.from_dlpack`, `cupy.from_dlpack` and `jax.dlpack.from_dlpack` take it without a copy."""

    def __init__(self, shape: tuple[int, ...], dtype: str, device: tuple[int, int], stream: int | None = None) -> None:
        self.shape = shape
        self.dtype = dtype
        self._device = device
        self._stream = stream  # in which it is written; None: it is there
        code, bits = CODES[dtype]
        self.nbytes = bits // 8
        for extent in shape:
            self.nbytes *= extent
        if device[0] == CPU:
            self._memory: Any = (ctypes.c_char * (self.nbytes + _ALIGNMENT))()
            address = -(-ctypes.addressof(self._memory) // _ALIGNMENT) * _ALIGNMENT
        else:
            self._memory = _cuda.DeviceMemory(device[1], self.nbytes)
            address = self._memory.address
        self._view = _dlpack.make_tensor(address, device, code, bits, shape)

    @property
    def device(self) -> str:
        return "cpu" if self._device[0] == CPU else f"cuda:{self._device[1]}"

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, dtype={self.dtype}, device={self.device})"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, stream: Any = None, *, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        _dlpack.check_request(stream, self._device, dl_device, copy)
        self._become_ready(stream)
        return _dlpack.give(self._view, self, max_version is not None and max_version[0] >= 1)

    def _become_ready(self, stream: Any) -> None:
        """For the stream of whoever takes it: the one in which it is written needs no waiting."""
        if self._stream is None or stream == -1 or (stream or _cuda.LEGACY_STREAM) == self._stream:
            return
        _cuda.wait_for(self._device[1], self._stream)
        self._stream = None

    def reshape(self, shape: tuple[int, ...]) -> Tensor:
        """The same memory in another shape of as many elements."""
        if math.prod(shape) != math.prod(self.shape):
            raise ValueError(f"a tensor of shape {self.shape} has no shape {shape}")
        other = copy_of(self)
        other.shape = shape
        other._view = _dlpack.make_tensor(self._view.data or 0, self._device, *CODES[self.dtype], shape)
        return other

    def tobytes(self) -> bytes:
        """The elements; of a tensor on the CPU."""
        self._check_cpu()
        return ctypes.string_at(self._view.data, self.nbytes)

    def numpy(self) -> Any:
        """A NumPy array over the same memory; of a tensor on the CPU."""
        self._check_cpu()
        import numpy

        return numpy.asarray(self).view(numpy_dtype(self.dtype))

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self._device[0] != CPU:
            raise AttributeError("a tensor on a GPU has no __array_interface__")
        code, bits = CODES[self.dtype]
        kind = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}.get(code, "u")
        return {"version": 3, "shape": self.shape, "typestr": f"{'<' if bits > 8 else '|'}{kind}{bits // 8}",
                "data": (self._view.data or 0, False)}

    def _check_cpu(self) -> None:
        if self._device[0] == CUDA:
            raise BufferError("the tensor is on a GPU; torch.from_dlpack() takes it from there")
