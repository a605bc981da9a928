# SPDX-License-Identifier: Apache-2.0
"""The node tests of ONNX, and those of tests/onnx/odd and tests/onnx/runtime, on every backend that this machine has.

    onnx_nodes.py [--target cpu|emulate|vm|cuda]      the default is cpu, then emulate
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "dev", "bin", "node_tests")
SCRIPT = os.path.join(ROOT, "tests", "onnx", "node_tests.py")


def main(arguments):
    targets = [arguments[1]] if arguments[:1] == ["--target"] and len(arguments) > 1 else ["cpu", "emulate"]
    failed = 0
    for target in targets:
        print(f"on {target}:", flush=True)
        done = subprocess.run([sys.executable, "-I", "-B", SCRIPT, "--program", PROGRAM, "--target", target], check=False)
        failed += done.returncode not in (0, 77)
        for folder in ("odd", "runtime"):
            command = [PROGRAM, os.path.join(ROOT, "tests", "onnx", folder), "--target", target, "--all-pass"]
            failed += subprocess.run(command, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
