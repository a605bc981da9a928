# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel hidet-studio: the package hidet, its library without what debuggers want, the program hidetc over that library, and
stubs. The same files give the same bytes.

    wheel.py --build build/dev/python --library FOLDER --stubs FOLDER --version 0.1.0 --out build/dev/python_wheel

`library` has libhidet.so and hidetc, linked with an old C library (wheel_libraries.py), which the tag promises. Prints the path of
the wheel; tests/nightly/python_wheel.py asks auditwheel, and installs it in an old system."""

import argparse
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "runtime", "python"))
import make_wheel  # noqa: E402

NAME, TAG = "hidet_studio", "py3-none-manylinux_2_28_x86_64"

METADATA = """\
Metadata-Version: 2.1
Name: hidet-studio
Version: {version}
Summary: A compiler of tensor programs: kernels in Python, and torch.compile(backend='hidet')
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: apache-tvm-ffi>=0.1.15,<0.2
Provides-Extra: cuda
Requires-Dist: nvidia-cuda-nvrtc>=13; extra == 'cuda'
Provides-Extra: cpu
Requires-Dist: ziglang>=0.15; extra == 'cpu'
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: hidet_studio\nRoot-Is-Purelib: false\nTag: {TAG}\n"


# The program on PATH. Asking for the place of the package does not import it.
LAUNCHER = """\
#!python
import importlib.util
import os
import sys

os.execv(os.path.join(importlib.util.find_spec("hidet").submodule_search_locations[0], "hidetc"), ["hidetc", *sys.argv[1:]])
"""


def stripped(path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "library")
        subprocess.run(["strip", "--strip-unneeded", "-o", target, path], check=True)
        return make_wheel.read(target)


def files_below(folder, *endings):
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(endings):
                path = os.path.join(root, name)
                yield os.path.relpath(path, folder), make_wheel.read(path)


def contents(options):
    """Path in the wheel -> bytes."""
    info = f"{NAME}-{options.version}.dist-info"
    files = {"hidet/" + path: data for path, data in files_below(os.path.join(FOLDER, "hidet"), ".py", ".typed")}
    files |= {"hidet-stubs/" + path: data for path, data in files_below(options.stubs, ".pyi", ".typed")}
    for name in ("libhidet.so", "hidetc"):
        files["hidet/" + name] = stripped(os.path.join(options.library, name))
    files[f"{NAME}-{options.version}.data/scripts/hidetc"] = LAUNCHER.encode()
    readme = make_wheel.read(os.path.join(FOLDER, "README.md")).decode()
    files[f"{info}/METADATA"] = METADATA.format(version=options.version, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = make_wheel.read(os.path.join(options.build, info, "entry_points.txt"))
    files[f"{info}/licenses/LICENSE"] = make_wheel.read(make_wheel.LICENCE)
    return make_wheel.recorded(files, info)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name in ("build", "library", "stubs", "version", "out"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    make_wheel.write(options.out, f"{NAME}-{options.version}-{TAG}.whl", contents(options))


if __name__ == "__main__":
    main()
