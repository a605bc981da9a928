# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over every file, with the checks of .clang-tidy. Ends after its minutes; the next run goes on from there.

    clang_tidy.py [--minutes 30] [WORD]    WORD: only paths that hold it
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import by_content  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("word", nargs="?", default="")
parser.add_argument("--minutes", type=float, default=30)
options = parser.parse_args()
tidy = shutil.which("clang-tidy")
if not tidy:
    sys.exit("clang-tidy is not installed: apt-get install clang-tidy")
build = os.path.join(ROOT, "build", "alone")
by_content.configure(build)


def check(path, row):
    # Options of GCC that clang does not know change nothing here.
    done = subprocess.run([tidy, "-p", build, "--quiet", "--extra-arg=-Wno-everything", os.path.join(ROOT, path)],
                          capture_output=True, text=True, errors="replace")
    found = re.findall(r"^.*(?:warning|error): .*$", done.stdout, re.MULTILINE)
    return "\n".join(f"    {os.path.relpath(line, ROOT) if line.startswith('/') else line}" for line in found)


with open(os.path.join(ROOT, ".clang-tidy"), encoding="utf-8") as file:
    salt = file.read() + subprocess.run([tidy, "--version"], capture_output=True, text=True).stdout
sys.exit(by_content.check_all("clang_tidy", build, salt, check, options.minutes, options.word))
