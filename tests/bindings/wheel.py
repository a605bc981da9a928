# SPDX-License-Identifier: Apache-2.0
"""What the tests of the wheel share: the wheel over the fake library, unpacked, and packages for it."""

import ctypes
import glob
import os
import struct
import sys
import tempfile
import zipfile

BUILD = os.path.abspath(sys.argv.pop())
WHEEL = glob.glob(os.path.join(BUILD, "fake_runtime", "hidet_runtime-*.whl"))[0]
_folder = tempfile.TemporaryDirectory()
with zipfile.ZipFile(WHEEL) as archive:
    archive.extractall(_folder.name)
sys.path.insert(0, _folder.name)
UNPACKED = _folder.name

import hidet_runtime as hr  # noqa: E402

PACKAGE = b"hidet fake package\ntargets cpu cuda\n"
CPU = (1, 0)

try:
    import numpy
except ImportError:
    numpy = None


def load(entry=None, words=b"", **options):
    return hr.load(PACKAGE + words, trust=True, entry=entry, **options)


def tensor(numbers, shape, dtype="float32", device=CPU):
    """A DLPack array that needs no NumPy."""
    made = hr.Tensor(shape, dtype, device)
    data = struct.pack(f"<{len(numbers)}{ {'float32': 'f', 'int64': 'q', 'uint16': 'H', 'bfloat16': 'H'}[dtype] }", *numbers)
    ctypes.memmove(made._view.data, data, len(data))
    return made


def numbers(result, letter="f"):
    data = result.tobytes()
    return list(struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data))


class Producer:
    """An array of somebody else: records what it is asked, and may know the old protocol only."""

    def __init__(self, source, is_old=False, device=None):
        self.source, self.is_old, self.device, self.asked = source, is_old, device, []

    def __dlpack_device__(self):
        return self.device or self.source.__dlpack_device__()

    def __dlpack__(self, **keywords):
        if self.is_old and "max_version" in keywords:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(keywords)
        keywords = {name: value for name, value in keywords.items() if name != "stream"}
        return self.source.__dlpack__(**keywords)
