# SPDX-License-Identifier: Apache-2.0
"""Results as arrays: of NumPy, of PyTorch, or of our own."""

from __future__ import annotations

import sys
from typing import Any

from . import _dlpack, _inputs
from ._dtypes import CODES, numpy_dtype, torch_dtype
from ._library import CPU, CUDA, DLTensor, Error, ErrorText, Status, library, raise_error
from ._tensor import Tensor


class Output:
    """One output of a context. Results are copies, which no later run changes."""

    def __init__(self, context: Any, index: int, name: str, dtype: str, shape: tuple[int, ...]) -> None:
        self.name, self.dtype = name, dtype
        self._context, self._index = context, index
        self._is_fixed = all(extent >= 0 for extent in shape)
        self._shape = shape
        self._numpy: Any = None
        self._taken: list[Any] = []  # the NumPy dtypes that arrays of the caller may have
        self._tensor = DLTensor()
        self._error = ErrorText()

    def shape(self) -> tuple[int, ...]:
        """Of the last run."""
        if self._is_fixed:
            return self._shape
        self._call(library.hidet_output, self._index, self._tensor)
        return tuple(self._tensor.shape[: self._tensor.ndim])

    def as_numpy(self) -> Any:
        import numpy

        if self._numpy is None:
            self._numpy = numpy_dtype(self.dtype)
        array = numpy.empty(self.shape(), self._numpy)
        self._call(library.hidet_read_output, self._index, _inputs.address_of(array), array.nbytes)
        return array

    def as_torch(self, device: tuple[int, int]) -> Any:
        torch = sys.modules["torch"]
        place = "cpu" if device[0] == CPU else f"cuda:{device[1]}"
        array = torch.empty(self.shape(), dtype=torch_dtype(torch, self.dtype), device=place)
        self._copy(_dlpack.make_tensor(array.data_ptr(), device, *CODES[self.dtype], tuple(array.shape)))
        return array

    def as_tensor(self, device: tuple[int, int], stream: int | None) -> Tensor:
        tensor = Tensor(self.shape(), self.dtype, device, stream)
        self._copy(tensor._view)
        return tensor

    def into(self, array: Any, stream: int | None) -> None:
        """To memory of the caller, of the same dtype and shape."""
        if _inputs.is_numpy(array):
            return self._into_numpy(array)
        on_gpu = array.__dlpack_device__()[0] == CUDA
        tensor, _capsule = _dlpack.borrow(array, stream if on_gpu else None)
        if not _dlpack.is_row_after_row(tensor):
            raise Error(Status.BAD_ARGUMENT, f"the array for output '{self.name}' does not lie row after row")
        copy = DLTensor.from_buffer_copy(tensor)
        copy.strides = None
        self._copy(copy)

    def _into_numpy(self, array: Any) -> None:
        shape = self.shape()
        self._taken = self._taken or _inputs.numpy_inputs(self.dtype)
        fits = array.shape == shape and array.dtype in self._taken
        if not fits or not array.flags.c_contiguous or not array.flags.writeable:
            raise Error(Status.BAD_ARGUMENT, f"the array for output '{self.name}' has to be writable, row after row, "
                                             f"{self.dtype} and of shape {shape}")
        self._call(library.hidet_read_output, self._index, _inputs.address_of(array), array.nbytes)

    def _copy(self, to: DLTensor) -> None:
        self._call(library.hidet_copy_output, self._index, to)

    def _call(self, function: Any, *arguments: Any) -> None:
        if function(self._context, *arguments, self._error):
            raise_error(self._error)
