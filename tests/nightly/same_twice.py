#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 comparisons of a loop with itself, measured in turns and judged as a kernel beside a baseline is: at most 2 % may say
that one is faster or slower.

    same_twice.py [--build FOLDER] [--comparisons N]
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASE = "--test-case=of real comparisons of a loop with itself*"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--comparisons", type=int, default=200)
    options = parser.parse_args()
    program = os.path.join(options.build, "bin", "unit_device")
    chosen = {"SAME_TWICE_COMPARISONS": str(options.comparisons)}
    return subprocess.run([program, "--no-skip", CASE], env=os.environ | chosen).returncode


if __name__ == "__main__":
    sys.exit(main())
