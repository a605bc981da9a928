# SPDX-License-Identifier: Apache-2.0
"""Fetches what the ONNX project publishes in its Python wheels.

    fetch_onnx.py proto FOLDER      FOLDER/onnx.proto: the file format, from which the build makes classes
    fetch_onnx.py tests FOLDER      FOLDER/node/test_*: the node tests of the standard, of the newest wheel that has them

Says nothing when it is there already, in the version that is wanted. Exit code 0: it is there; 1: it is not, and a line says why. How it is fetched is
told in runtime/toolchain/fetch_wheels.py.
"""

import os
import platform
import shutil
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "runtime/toolchain"))
import fetch_wheels

NODE_TESTS = "onnx/backend/test/data/node/"


class OnnxWheel(fetch_wheels.Wheel):
    """What is wanted is the same in the wheels of all machines: one of them will do."""

    def __init__(self, tool, version, filename, sha256, keeps):
        super().__init__(tool, "onnx", version, {platform.machine(): sha256}, keeps, "", [])
        self.filename = filename

    def wanted_name(self, filename):
        return filename == self.filename


class NodeTests(OnnxWheel):
    def unpack(self, path, work, folder):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.startswith(NODE_TESTS) and not name.endswith("/"):
                    target = os.path.join(work, name[len(NODE_TESTS) - len("node/"):])
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with archive.open(name) as source, open(target, "wb") as file:
                        shutil.copyfileobj(source, file)
        place = os.path.join(folder, "node")
        if os.path.islink(place):
            os.unlink(place)
        elif not is_there(folder, "tests"):
            shutil.rmtree(place, ignore_errors=True)
        try:
            os.rename(os.path.join(work, "node"), place)
        except OSError: # a call that ran at the same time came first, with the same wheel
            if not os.path.isdir(place):
                raise
        with open(os.path.join(folder, "node_version"), "w", encoding="utf-8") as file:
            file.write(self.version)


PROTO = OnnxWheel("the file format of ONNX", "1.23.2",
                  "onnx-1.23.2-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
                  "c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348", {"onnx.proto": "."})
TESTS = NodeTests("the node tests of ONNX", "1.22.0",
                  "onnx-1.22.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
                  "1d0a2bdb15eb2b3cb65c438f3423d9620d14fdce32f92380e6bb1b2e09568ef5", {})
WANTED = {"proto": (PROTO, "onnx.proto"), "tests": (TESTS, "node")}


def is_there(folder, what):
    wheel, result = WANTED[what]
    if not os.path.exists(os.path.join(folder, result)):
        return False
    if what != "tests":
        return True
    try:
        with open(os.path.join(folder, "node_version"), encoding="utf-8") as file:
            return file.read().strip() == wheel.version
    except OSError:
        return False


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in WANTED:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wheel, _ = WANTED[arguments[0]]
    folder = os.path.abspath(arguments[1])
    if is_there(folder, arguments[0]):
        return 0
    return 0 if fetch_wheels.fetch_all([wheel], folder, advice="nothing was changed") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
