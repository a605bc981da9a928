# SPDX-License-Identifier: Apache-2.0
"""What the compiler has under this name, and helpers that are Python's alone."""

from hidet import _modules

from . import multiprocess, netron

_modules.overlay(__name__)
