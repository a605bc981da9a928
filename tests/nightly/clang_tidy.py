# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over every file, with the checks of .clang-tidy. Ends after its minutes; the next run goes on from there.

    clang_tidy.py [--minutes 30] [WORD]    WORD: only paths that hold it
"""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import by_content  # noqa: E402

tidy = shutil.which("clang-tidy")
if not tidy:
    sys.exit("clang-tidy is not installed: apt-get install clang-tidy")


def check(build, path, row, until):
    # Options of GCC that clang does not know change nothing here.
    command = [tidy, "-p", build, "--quiet", "--extra-arg=-Wno-everything", os.path.join(by_content.ROOT, path)]
    done = by_content.ended_by(until, command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found = re.findall(r"^.*(?:warning|error): .*$", done.stdout, re.MULTILINE)
    if done.returncode and not found:
        return f"    clang-tidy ends with {done.returncode}"
    return "\n".join(f"    {os.path.relpath(line, by_content.ROOT) if line.startswith('/') else line}" for line in found)


with open(os.path.join(by_content.ROOT, ".clang-tidy"), encoding="utf-8") as file:
    salt = file.read() + subprocess.run([tidy, "--version"], capture_output=True, text=True).stdout
by_content.main("clang_tidy", __doc__, check, salt)
