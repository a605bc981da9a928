# SPDX-License-Identifier: Apache-2.0
"""Tensors in .npy files that NumPy reads as well: of a type that it lacks there are the bits, as whole numbers."""

from ._value import _library

OF_NUMPY = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}
BITS = {1: "uint8", 2: "uint16"}  # by the bytes of an element


def save(tensor, path):
    """Of hidet, on the CPU."""
    is_known = str(tensor.dtype.name) in OF_NUMPY
    _library.save_tensor(tensor if is_known else tensor.view(BITS[int(tensor.itemsize)]), path)


def head(dtype, shape):
    """What stands before the elements of a file."""
    kind = dtype if dtype in OF_NUMPY else BITS[2 if "16" in dtype else 1]
    width = 1 if kind == "bool" else int(kind.lstrip("uintfloat")) // 8
    text = f"{{'descr': '{'|' if width == 1 else '<'}{kind[0]}{width}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("latin-1")


def loaded_text(file, dtype):
    """The expression of a script that reads it, where `file` is one for its name."""
    return f"hidet.from_numpy(numpy.load({file}))" + ("" if dtype in OF_NUMPY else f".view('{dtype}')")
