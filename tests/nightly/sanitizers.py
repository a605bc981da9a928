# SPDX-License-Identifier: Apache-2.0
"""The suite without the desktop program under AddressSanitizer and UndefinedBehaviorSanitizer. Ends after its minutes; the
next run on the same tree goes on from there, with the build and with the tests.

    sanitizers.py [--minutes 30] [--tests REGEX]
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import by_content  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "asan")
# Left out: what checks text and not programs, what compiles for minutes, the window.
TESTS = r"^(golden|run|unit|syntax|host|samples|python)/"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--tests", default=TESTS)
options = parser.parse_args()
until = time.monotonic() + 60 * options.minutes


def tree():
    """A digest of what the checkout holds: its commit, and what differs from it."""
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).stdout
    changes = subprocess.run(["git", "-C", ROOT, "diff", "HEAD"], capture_output=True).stdout
    new = subprocess.run(["git", "-C", ROOT, "ls-files", "-o", "-z", "--exclude-standard"], capture_output=True).stdout
    made = hashlib.sha256(commit + changes + new)
    for name in filter(None, new.split(b"\0")):
        with open(os.path.join(os.fsencode(ROOT), name), "rb") as file:
            made.update(file.read())
    return made.hexdigest()


subprocess.run(["cmake", "--preset", "asan", "-S", ROOT, "-DHIDET_STUDIO=OFF"], check=True, stdout=subprocess.DEVNULL)
try:
    built = by_content.ended_by(until, ["ninja", "-C", BUILD, "--quiet", "all"])
except by_content.TimeIsOver:
    print("the build goes on with the next run")
    sys.exit(0)
if built.returncode:
    sys.exit(1)
listing = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-R", options.tests], capture_output=True, text=True).stdout
names = re.findall(r"Test +#\d+: (\S+)", listing)


def run(name):
    command = ["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(name)}$", "--output-on-failure"]
    done = by_content.ended_by(until, command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ""


sys.exit(by_content.told(by_content.in_turn(os.path.join("sanitizers", tree()), {name: name for name in names}, run, until), "tests"))
