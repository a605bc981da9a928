# SPDX-License-Identifier: Apache-2.0
"""Compiles every file alone, for its messages only: what a file includes only by luck of its neighbours in a unit (see
tests/harness/units.cmake) is missing here. Ends after its minutes; the next run goes on from there.

    includes.py [--minutes 30] [WORD]    WORD: only paths that hold it
"""

import argparse
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import by_content  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("word", nargs="?", default="")
parser.add_argument("--minutes", type=float, default=30)
options = parser.parse_args()
build = os.path.join(ROOT, "build", "alone")
by_content.configure(build)


def check(path, row):
    words = shlex.split(row["command"])
    at = words.index("-o")
    command = words[:at] + words[at + 2:] + ["-fsyntax-only"]
    done = subprocess.run(command, cwd=row["directory"], capture_output=True, text=True, errors="replace")
    return "" if done.returncode == 0 else done.stderr


sys.exit(by_content.check_all("includes", build, "alone", check, options.minutes, options.word))
