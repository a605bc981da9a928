# SPDX-License-Identifier: Apache-2.0
"""Fetches what the ONNX project publishes in its Python wheels.

    fetch_onnx.py proto FOLDER      FOLDER/onnx.proto: the file format, from which the build makes classes
    fetch_onnx.py tests FOLDER      FOLDER/node/test_*: the node tests of the standard

Says nothing when it is there already. Exit code 0: it is there; 1: it is not, and a line says why. How it is fetched is
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
        try:
            os.rename(os.path.join(work, "node"), place)
        except OSError: # a call that ran at the same time came first, with the same wheel
            if not os.path.isdir(place):
                raise


PROTO = OnnxWheel("the file format of ONNX", "1.23.2",
                  "onnx-1.23.2-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
                  "c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348", {"onnx.proto": "."})
TESTS = NodeTests("the node tests of ONNX", "1.16.2",
                  "onnx-1.16.2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                  "7b98aa9733bd4b781eb931d33b4078ff2837e7d68062460726d6dd011f332bd4", {})
WANTED = {"proto": (PROTO, "onnx.proto"), "tests": (TESTS, "node")}


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in WANTED:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wheel, result = WANTED[arguments[0]]
    folder = os.path.abspath(arguments[1])
    if os.path.exists(os.path.join(folder, result)):
        return 0
    return 0 if fetch_wheels.fetch_all([wheel], folder, advice="nothing was changed") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
