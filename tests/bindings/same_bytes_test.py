# SPDX-License-Identifier: Apache-2.0
"""A package that is exported twice, from two folders, has the same bytes, and nothing in it is of the machine. Its code is one
object for each level of processors, which old C libraries have all for.

    same_bytes_test.py PROGRAMS      the folder of hidetc
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "tests", "models", "residual", "residual.onnx")


def exported(hidetc, folder):
    os.makedirs(folder)
    shutil.copy(MODEL, folder)
    package = os.path.join(folder, "model.hidet")
    own_cache = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))  # so that both are compiled
    subprocess.run([hidetc, "export", "residual.onnx", "--target", "cpu", "-o", package], cwd=folder, env=own_cache,
                   check=True, stdout=subprocess.DEVNULL)
    with open(package, "rb") as file:
        return file.read()


def newest_libc(package):
    """The newest version of the C library that the code of a package asks for: [2, 29]."""
    with zipfile.ZipFile(package) as archive:
        objects = [name for name in archive.namelist() if name.startswith("code/")]
        if [name.rsplit("-", 1)[1] for name in objects] != ["v4.so", "v3.so", "v2.so"]:
            sys.exit(f"the code is not one object a level: {objects}")
        wanted = [found for name in objects for found in re.findall(rb"GLIBC_([0-9.]+)\0", archive.read(name))]
    return max([int(part) for part in version.split(b".")] for version in wanted)


def main():
    hidetc = os.path.join(sys.argv[1], "hidetc")
    with tempfile.TemporaryDirectory() as folder:
        first, second = (exported(hidetc, os.path.join(folder, name)) for name in ("first", "second"))
        if first != second:
            sys.exit(f"{len(first)} bytes and {len(second)} bytes, which differ")
        for name in (folder, ROOT, os.path.expanduser("~/")):
            if name.encode() in first:
                sys.exit(f"'{name}' is in the package")
        newest = newest_libc(os.path.join(folder, "first", "model.hidet"))
        if newest > [2, 31]:
            sys.exit(f"its code asks for version {newest} of the C library")
        broken = zipfile.ZipFile(os.path.join(folder, "first", "model.hidet")).testzip()
        if broken:
            sys.exit(f"'{broken}' has another sum than the archive says")


main()
