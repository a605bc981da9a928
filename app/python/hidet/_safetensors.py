# SPDX-License-Identifier: Apache-2.0
"""Tensors of a safetensors file: eight bytes with the length of a header of JSON, the header, then the elements.

A file comes from a stranger. Every offset is checked against the file before anything is read by it, and none may be said twice."""

import json
import math
import os
import re
import stat
import struct

MOST_HEADER = 100_000_000  # bytes, as those who write such files have it
MOST_EXTENT = 1 << 48
DTYPES = {"BOOL": ("bool", 1), "U8": ("uint8", 1), "I8": ("int8", 1), "I16": ("int16", 2), "U16": ("uint16", 2), "F16": ("float16", 2),
          "BF16": ("bfloat16", 2), "I32": ("int32", 4), "U32": ("uint32", 4), "F32": ("float32", 4), "F64": ("float64", 8), "I64": ("int64", 8),
          "U64": ("uint64", 8), "F8_E4M3": ("float8_e4m3fn", 1), "F8_E5M2": ("float8_e5m2", 1)}


class Malformed(ValueError):
    """What is wrong with a file, in a sentence."""


class Stored:
    """One tensor: its elements are `bytes` from `begin` on."""

    def __init__(self, dtype, shape, begin, size):
        self.dtype, self.shape, self.begin, self.bytes = dtype, shape, begin, size


class File:
    """tensors  name -> Stored"""

    def __init__(self, path):
        self.path = path
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe may wait for ever
            raise Malformed(f"'{path}' is no file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header, start = self._header(file, size)
        self.tensors = {name: self._stored(name, given, start) for name, given in header.items() if name != "__metadata__"}
        self._check_places(start, size)

    def copy(self, name, into):
        """Its elements, to an open file."""
        stored = self.tensors[name]
        with open(self.path, "rb") as file:
            file.seek(stored.begin)
            left = stored.bytes
            while left:
                data = file.read(min(left, 1 << 20))
                if not data:
                    raise Malformed(f"'{self.path}' has become shorter while it was read")
                if stored.dtype == "bool" and data.strip(b"\0\1"):
                    raise Malformed(f"tensor {ascii(name)[:60]} of '{self.path}' has truth values that are neither 0 nor 1")
                into.write(data)
                left -= len(data)

    def _header(self, file, size):
        length, = struct.unpack("<Q", file.read(8)) if size >= 8 else (0,)
        if length > MOST_HEADER:
            raise Malformed(f"the header of '{self.path}' is {length} bytes long, and {MOST_HEADER} at most are read")
        if size < 8 or length > size - 8:
            raise Malformed(f"'{self.path}' ends before its header does")
        try:
            header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=self._once)
        except RecursionError:
            raise Malformed(f"the header of '{self.path}' is nested too deeply") from None
        except Malformed:
            raise
        except ValueError as error:
            raise Malformed(f"the header of '{self.path}' is no JSON: {error}") from None
        if not isinstance(header, dict):
            raise Malformed(f"the header of '{self.path}' is no object")
        return header, 8 + length

    def _once(self, pairs):
        made = dict(pairs)
        if len(made) != len(pairs):
            raise Malformed(f"the header of '{self.path}' says a name twice")
        return made

    def _stored(self, name, given, start):
        what = f"tensor {ascii(name)[:60]} of '{self.path}'"
        if not isinstance(given, dict):
            raise Malformed(f"{what} is no object")
        dtype, shape, offsets = given.get("dtype"), given.get("shape"), given.get("data_offsets")
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise Malformed(f"{what} has the dtype {ascii(dtype)[:60]}; known are {', '.join(DTYPES)}")
        if not isinstance(shape, list) or len(shape) > 16 or not all(_is_count(each) for each in shape):
            raise Malformed(f"the shape of {what} is no list of extents")
        if not isinstance(offsets, list) or len(offsets) != 2 or not all(_is_count(each) for each in offsets) or offsets[0] > offsets[1]:
            raise Malformed(f"the offsets of {what} are no two numbers, the second at or behind the first")
        kind, width = DTYPES[dtype]
        if math.prod(shape) * width != offsets[1] - offsets[0]:
            raise Malformed(f"{what} is {dtype}{shape}, {math.prod(shape) * width} bytes, and its offsets say {offsets[1] - offsets[0]}")
        return Stored(kind, shape, start + offsets[0], offsets[1] - offsets[0])

    def _check_places(self, start, size):
        """One behind the other, up to the end of the file."""
        end = start
        for name, stored in sorted(self.tensors.items(), key=lambda each: (each[1].begin, each[1].bytes)):
            if stored.begin != end:
                raise Malformed(f"tensor {ascii(name)[:60]} of '{self.path}' {'overlaps another one' if stored.begin < end else 'leaves a hole before it'}")
            end += stored.bytes
            if end > size:
                raise Malformed(f"tensor {ascii(name)[:60]} of '{self.path}' lies behind its end")
        if end != size:
            raise Malformed(f"'{self.path}' has {size - end} bytes that belong to no tensor")


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_EXTENT


def is_below(path):
    """Whether a path that a file names stays where it is looked for."""
    return bool(path) and "\0" not in path and not os.path.isabs(path) and ".." not in re.split(r"[/\\]", path)
