# SPDX-License-Identifier: Apache-2.0
"""Compiles every file alone, for its messages only: what a file includes only by luck of its neighbours in a unit (see
tests/harness/units.cmake) is missing here. Ends after its minutes; the next run goes on from there.

    includes.py [--minutes 30] [WORD]    WORD: only paths that hold it
"""

import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import by_content  # noqa: E402


def check(build, path, row, until):
    words = shlex.split(row["command"])
    at = words.index("-o")
    command = words[:at] + words[at + 2:] + ["-fsyntax-only"]
    done = by_content.ended_by(until, command, cwd=row["directory"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return "" if done.returncode == 0 else done.stderr


by_content.main("includes", __doc__, check)
