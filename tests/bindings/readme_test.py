# SPDX-License-Identifier: Apache-2.0
"""The C program of the README compiles without a warning, and runs a package with the numbers of the model.

    readme_test.py PROGRAMS RUNTIME      the folders of hidetc and of libhidet_runtime.so
"""

import array
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
MODEL = os.path.join(ROOT, "tests", "models", "large", "resnet50.json")
EXTENTS = (1, 3, 224, 224)


def program():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.search(r"^```c\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL).group(1)


def run(words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def write_image(path):
    """What the program makes."""
    count = EXTENTS[1] * EXTENTS[2] * EXTENTS[3]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {EXTENTS}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        thousandths = array.array("f", (i / 1000 for i in range(1000)))  # rounded before the half goes, as the program rounds them
        array.array("f", (thousandths[i * 7919 % 1000] - 0.5 for i in range(count))).tofile(file)


def scores(path):
    values = array.array("f")
    with open(path, "rb") as file:
        values.frombytes(file.read()[-4000:])
    return values


def main():
    programs, runtime = sys.argv[1:]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        print("there is no C compiler")
        return SKIPPED
    hidetc = os.path.join(programs, "hidetc")
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        with open(at("run.c"), "w", encoding="utf-8") as file:
            file.write(program())
        run([compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-I", os.path.join(ROOT, "runtime", "capi"),
             at("run.c"), "-L", runtime, "-lhidet_runtime", f"-Wl,-rpath,{runtime}", "-o", at("run")])
        run([hidetc, "export", MODEL, "--target", "cpu", "-o", at("model.hidet")])
        write_image(at("image.npy"))
        run([hidetc, "model", "run", MODEL, "--target", "cpu", "--input", f"input.1={at('image.npy')}", "--output", at("out")])
        wanted = scores(at("out/output_0.npy"))
        best = max(range(len(wanted)), key=lambda i: wanted[i])
        said = run([at("run"), at("model.hidet")])
        found = re.search(rf": class {best}, (\d+\.\d{{6}})$", said, re.MULTILINE)
        # The package's code is not that of this machine, whose wider vectors add up in another order.
        if not found or abs(float(found[1]) - wanted[best]) > 1e-5:
            sys.exit(f"class {best}, {wanted[best]:.6f} was wanted, and the program says: {said}")
    return 0


sys.exit(main())
