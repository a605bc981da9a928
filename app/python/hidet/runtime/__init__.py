# SPDX-License-Identifier: Apache-2.0
"""What the compiler has under this name, and the memory of devices."""

from hidet import _modules

from . import storage

_modules.overlay(__name__)
