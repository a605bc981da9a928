# SPDX-License-Identifier: Apache-2.0
"""Types of elements: the names that packages have for them, DLPack's codes, NumPy's dtypes."""

from __future__ import annotations

import importlib
import sys
from typing import Any

# Name -> DLPack's code, bits.
CODES = {
    "bool": (6, 8),
    "int8": (0, 8),
    "int16": (0, 16),
    "int32": (0, 32),
    "int64": (0, 64),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "float8_e4m3": (10, 8),
    "float8_e5m2": (12, 8),
    "float16": (2, 16),
    "bfloat16": (4, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "complex64": (5, 64),
    "complex128": (5, 128),
}
NAMES = {code: name for name, code in CODES.items()}

# What NumPy has no type for: the type that the package ml_dtypes has, and the bits as integers.
EXTRA = {"bfloat16": ("bfloat16", "uint16"), "float8_e4m3": ("float8_e4m3fn", "uint8"), "float8_e5m2": ("float8_e5m2", "uint8")}


def numpy_dtype(name: str) -> Any:
    """The NumPy dtype of results: of ml_dtypes where that is installed and NumPy has none, otherwise the bits."""
    import numpy

    if name not in EXTRA:
        return numpy.dtype(name)
    theirs, bits = EXTRA[name]
    try:
        return numpy.dtype(getattr(importlib.import_module("ml_dtypes"), theirs))
    except (ImportError, AttributeError):
        return numpy.dtype(bits)


def numpy_inputs(name: str) -> list[Any]:
    """The NumPy dtypes that arrays of these elements have."""
    import numpy

    if name not in EXTRA:
        return [numpy.dtype(name)]
    theirs, bits = EXTRA[name]
    found = [numpy.dtype(bits), numpy.dtype(f"V{CODES[name][1] // 8}")]
    extra = getattr(sys.modules.get("ml_dtypes"), theirs, None)
    return found if extra is None else [*found, numpy.dtype(extra)]


def torch_dtype(torch: Any, name: str) -> Any:
    return getattr(torch, {"float8_e4m3": "float8_e4m3fn"}.get(name, name))
