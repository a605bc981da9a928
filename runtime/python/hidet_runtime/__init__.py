# SPDX-License-Identifier: Apache-2.0
"""Runs compiled models: packages of Hidet Studio.

    import hidet_runtime as hr
    model = hr.load("resnet18.hidet", trust=True)
    scores = model(image)

`trust` lets the machine code for CPUs in the package be loaded into this process; code for GPUs needs no trust."""

from __future__ import annotations

import os
from typing import Callable

from ._library import Error, Status
from ._model import Memory, Model, Package, Step, Value
from ._tensor import Tensor
from ._version import __version__

__all__ = ["Error", "Memory", "Model", "Package", "Status", "Step", "Tensor", "Value", "__version__", "load"]


def load(path: str | os.PathLike[str] | bytes, trust: bool = False, device: str | None = None, entry: str | None = None,
         threads: int = 0, verify: Callable[[bytes, bytes], bool] | None = None) -> Model:
    """A model of a package, ready to run.

    `path` is that of the package, or its bytes. `device` is "cpu", "cuda" or "cuda:1"; without it the GPU if the package has code
    for it and there is one, otherwise the CPU. `entry` names one of several; without it the first. `threads` are those of the CPU;
    0: one for each processor that this process may use. `verify(manifest, signature)` says whether the package is signed by
    somebody who is trusted; without it signatures are not looked at."""
    return Package(path, verify).load(trust, device, entry, threads)
