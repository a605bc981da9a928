# SPDX-License-Identifier: Apache-2.0
"""runtime/package, runtime/operators and runtime/capi need the C library alone: no C++ runtime is called, and little else of the tree is included."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

FOLDERS = ("runtime/package/", "runtime/operators/", "runtime/capi/")
LIBRARY = os.path.join("runtime", "libhidet_runtime.a")
# Mangled names, exceptions, guards of local statics.
CPLUSPLUS = re.compile(r"_Z|__cxa_|__gxx_|_Unwind_|__dynamic_cast|__gnu_cxx")


def includes():
    for path in (path for folder in FOLDERS for path in house.files(".h", ".cpp", ".def", under=folder)):
        for number, line in enumerate(house.read(path).split("\n"), 1):
            found = re.match(r'\s*#\s*include "([^"]+)"', line)
            if found and not found.group(1).startswith(FOLDERS) and found.group(1) not in house.RUNTIME_HEADERS:
                yield f"{path}:{number}: {found.group(1)}: whoever runs a package has nothing else"


def symbols(library):
    lines = subprocess.run(["nm", "-P", library], capture_output=True, text=True, check=True).stdout.split("\n")
    rows = [line.split() for line in lines if len(line.split()) >= 2]
    defined = {row[0] for row in rows if row[1] not in "Uvw"}
    for name in sorted({row[0] for row in rows if row[1] in "Uvw"} - defined):
        if CPLUSPLUS.match(name):
            yield f"{LIBRARY} needs {name}, which the C library has not"


library = os.path.join(house.build_folder(), LIBRARY)
problems = list(includes())
if not problems and not (os.path.exists(library) and shutil.which("nm")):
    house.skip("there is no library, or no nm")
house.finish(problems + list(symbols(library)))
