#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The typing session of tests/ui at the pace of a person: 120 ms a key.

    typing.py [--delay MS]
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "dev", "bin", "hidet-studio")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=int, default=120)
    arguments = parser.parse_args()
    folder = os.path.join(ROOT, "tests", "ui")
    session = [sys.executable, "-B", os.path.join(folder, "typing_session.py"), PROGRAM, os.path.join(folder, "typed")]
    code = subprocess.run([*session, "--delay", str(arguments.delay)]).returncode
    return 0 if code == 77 else code


if __name__ == "__main__":
    sys.exit(main())
