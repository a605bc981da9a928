# SPDX-License-Identifier: Apache-2.0
"""The little of CUDA's driver that results on a GPU need where no PyTorch brings an allocator: memory and waiting."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_int, c_size_t, c_uint64, c_void_p
from typing import Any

from ._library import Error, Status

LEGACY_STREAM = 1  # what CUDA calls the default stream, as a handle that is not null

_driver: Any = None


def _load() -> Any:
    global _driver
    if _driver is None:
        driver = ctypes.CDLL(os.environ.get("HIDET_LIBCUDA") or "libcuda.so.1")
        driver.cuDevicePrimaryCtxRetain.argtypes = [ctypes.POINTER(c_void_p), c_int]
        driver.cuDevicePrimaryCtxRelease_v2.argtypes = [c_int]
        driver.cuCtxPushCurrent_v2.argtypes = [c_void_p]
        driver.cuCtxPopCurrent_v2.argtypes = [ctypes.POINTER(c_void_p)]
        driver.cuMemAlloc_v2.argtypes = [ctypes.POINTER(c_uint64), c_size_t]
        driver.cuMemFree_v2.argtypes = [c_uint64]
        driver.cuStreamSynchronize.argtypes = [c_void_p]
        _check(driver.cuInit(0), "starting the driver")
        _driver = driver
    return _driver


def _check(code: int, what: str) -> None:
    if code:
        raise Error(Status.OUT_OF_MEMORY if code == 2 else Status.FAILED, f"{what} failed on the GPU: CUDA error {code}")


class _Current:
    """The primary context of a device, current for a while."""

    def __init__(self, device: int) -> None:
        self._driver, self._device, self._context = _load(), device, c_void_p()

    def __enter__(self) -> Any:
        _check(self._driver.cuDevicePrimaryCtxRetain(ctypes.byref(self._context), self._device), "taking the context")
        self._driver.cuCtxPushCurrent_v2(self._context)
        return self._driver

    def __exit__(self, *_: Any) -> None:
        self._driver.cuCtxPopCurrent_v2(ctypes.byref(c_void_p()))
        self._driver.cuDevicePrimaryCtxRelease_v2(self._device)


class DeviceMemory:
    """Memory on a GPU, freed with this."""

    def __init__(self, device: int, count: int) -> None:
        self.address, self._device = 0, device
        address = c_uint64()
        with _Current(device) as driver:
            _check(driver.cuMemAlloc_v2(ctypes.byref(address), max(count, 1)), "allocating memory")
        self.address = address.value

    def __del__(self) -> None:
        if self.address:
            with _Current(self._device) as driver:
                driver.cuMemFree_v2(self.address)


def wait_for(device: int, stream: int) -> None:
    with _Current(device) as driver:
        _check(driver.cuStreamSynchronize(stream), "waiting for a stream")
