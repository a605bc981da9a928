# SPDX-License-Identifier: Apache-2.0
"""What a script saves of a module is the same bytes each time, and whoever runs packages runs its functions: hidet-run, and
callers of the C library.

    saved_module_test.py PROGRAMS RUNTIME      the folders of hidetc and hidet-run, and of libhidet_runtime.so
"""

import ctypes
import json
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import run  # noqa: E402

SCRIPT = """
import hidet
from hidet.lang import attrs, f32

n = hidet.symbol_var('n')
m = hidet.symbol_var('m')

with hidet.script_module() as script_module:

    @hidet.script
    def launch(x: f32[n], y: f32[m, 2]):
        attrs.func_kind = 'public'
        for i in range(m):
            y[i, 1] = x[0] * f32(i + n)

    @hidet.script
    def total(x: f32[n], factor: f32) -> f32:
        attrs.func_kind = 'public'
        found = f32(0.0)
        for i in range(n):
            found += x[i] * factor
        return found

script_module.build(target='cpu --arch=x86-64-v2').save('module.hidet')
"""


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 1020)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("entry", ctypes.c_char_p), ("device", ctypes.c_int32 * 2),
                ("runs_native_code", ctypes.c_int32)]


def tensor_of(shape, values):
    data = (ctypes.c_float * max(len(values), 1))(*values)
    extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    tensor = Tensor(ctypes.cast(data, ctypes.c_void_p), (1, 0), len(shape), 2, 32, 1, extents, None, 0)
    return tensor, (data, extents)  # which live as long


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def check(self, status, error):
        if status != 0:
            sys.exit(f"the library refuses with {status}: {error.message.decode()}")

    def call(self, package, entry, inputs, floats):
        """The only output, as numbers."""
        error, opened, context = Error(), ctypes.c_void_p(), ctypes.c_void_p()
        at = ctypes.byref
        self.check(self.library.hidet_open_file(package.encode(), None, at(opened), at(error)), error)
        options = Options(ctypes.sizeof(Options), entry.encode(), (1, 0), 1)
        self.check(self.library.hidet_create(opened, at(options), at(context), at(error)), error)
        made = [tensor_of(shape, values) for shape, values in inputs]
        tensors = (Tensor * len(made))(*[tensor for tensor, _ in made])
        result = (ctypes.c_float * floats)()
        self.check(self.library.hidet_bind(context, tensors, ctypes.c_size_t(len(made)), at(error)), error)
        self.check(self.library.hidet_run(context, None, at(error)), error)
        self.check(self.library.hidet_read_output(context, ctypes.c_size_t(0), result, ctypes.c_size_t(4 * floats), at(error)),
                   error)
        kept = [list(data) for _, (data, _) in made]
        self.library.hidet_destroy(context)
        self.library.hidet_close(opened)
        return list(result), kept


def check(got, wanted, what):
    if got != wanted:
        sys.exit(f"{what}: {got} instead of {wanted}")


def main():
    programs, runtime = sys.argv[1:]
    hidetc, hidet_run = (os.path.join(programs, name) for name in ("hidetc", "hidet-run"))
    library = Library(os.path.join(runtime, "libhidet_runtime.so"))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "save.py"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        saved = []
        for output in ("first", "second"):
            run(hidetc, "run", "save.py", "--output", output, folder=folder)
            saved.append(os.path.join(folder, output, "module.hidet"))
        with open(saved[0], "rb") as one, open(saved[1], "rb") as other:
            if one.read() != other.read():
                sys.exit("the same script saves other bytes the second time")
        package = saved[0]
        run(hidet_run, "verify", package)
        entries = json.loads(run(hidet_run, "describe", package, "--json"))["entries"]
        check([(entry["name"], [each["name"] for each in entry["inputs"]], [each["name"] for each in entry["outputs"]])
               for entry in entries],
              [("launch", ["x", "y"], ["y"]), ("total", ["x", "factor"], ["result"])], "what is described")

        # What is not written stays, and the caller's memory as it is.
        y = [9.0, 9.0, 9.0, 9.0]
        result, kept = library.call(package, "launch", [((3,), [2.0, 0.0, 0.0]), ((2, 2), y)], 4)
        check(result, [9.0, 6.0, 9.0, 8.0], "the results of 'launch'")
        check(kept[1], y, "what 'launch' was given")
        result, _ = library.call(package, "total", [((2,), [1.5, 2.0]), ((), [4.0])], 1)
        check(result, [14.0], "the result of 'total'")

        # A tensor without dimensions as a file of NumPy's.
        with open(os.path.join(folder, "factor.npy"), "wb") as file:
            text = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }".ljust(117) + "\n"
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack("<f", 0.0))
        text = run(hidet_run, "run", package, "--trust", "--entry", "total", "--dim", "n=5", "--input",
                   f"factor={os.path.join(folder, 'factor.npy')}")
        if not re.search(r"^result +float32\[\] +0$", text, re.MULTILINE):
            sys.exit(f"hidet-run runs 'total' on zeros, and says\n{text}")


main()
