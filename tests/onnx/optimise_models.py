# SPDX-License-Identifier: Apache-2.0
"""Runs optimise_models on the node tests of ONNX: passes change no result, and documents read back.

    optimise_models.py --program PATH

Exit code 77: the tests cannot be fetched.
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, ".cache", "onnx")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    script = os.path.join(ROOT, "compiler", "graph", "onnx", "fetch_onnx.py")
    if subprocess.run([sys.executable, "-I", "-S", "-B", script, "tests", CACHE], check=False).returncode != 0:
        print("the node tests of ONNX cannot be fetched")
        return 77
    return subprocess.run([options.program, os.path.join(CACHE, "node")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
