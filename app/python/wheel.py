# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel hidet-studio: the package hidet, and its library without what debuggers want. The same files give the same bytes.

    wheel.py --package build/dev/python/hidet --version 0.1.0 --out build/dev/python_wheel

prints the path of the wheel. The libraries of the system that it needs are put into it by `auditwheel repair`, which also says
from which glibc on it runs (tests/nightly/python_wheel.py)."""

import argparse
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "runtime", "python"))
import make_wheel  # noqa: E402

NAME, TAG = "hidet_studio", "py3-none-linux_x86_64"

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
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

{readme}"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: hidet_studio\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def stripped(path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "library")
        subprocess.run(["strip", "--strip-unneeded", "-o", target, path], check=True)
        return make_wheel.read(target)


def contents(package, version):
    """Path in the wheel -> bytes."""
    info = f"{NAME}-{version}.dist-info"
    files = {}
    for folder, _, names in os.walk(package):
        for name in names:
            path = os.path.join(folder, name)
            inside = "hidet/" + os.path.relpath(path, package)
            if name.endswith(".so"):
                files[inside] = stripped(path)
            elif name.endswith((".py", ".typed")):
                files[inside] = make_wheel.read(path)
    readme = make_wheel.read(os.path.join(FOLDER, "README.md")).decode()
    files[f"{info}/METADATA"] = METADATA.format(version=version, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = make_wheel.read(os.path.join(package, "..", info, "entry_points.txt"))  # the build's
    files[f"{info}/licenses/LICENSE"] = make_wheel.read(make_wheel.LICENCE)
    return make_wheel.recorded(files, info)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--package", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, help="the folder")
    arguments = parser.parse_args()
    make_wheel.write(arguments.out, f"{NAME}-{arguments.version}-{TAG}.whl", contents(arguments.package, arguments.version))


if __name__ == "__main__":
    main()
