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
TESTS = r"^(golden|run|unit|syntax|host|samples)/"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--tests", default=TESTS)
options = parser.parse_args()
until = time.monotonic() + 60 * options.minutes


def tree():
    """A digest of what the checkout holds: its commit, and what differs from it."""
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).stdout
    changes = subprocess.run(["git", "-C", ROOT, "diff", "HEAD"], capture_output=True).stdout
    return hashlib.sha256(commit + changes).hexdigest()


def in_time(command, **options):
    """The finished process, or None when the time was over before it."""
    try:
        return subprocess.run(command, timeout=max(1, until - time.monotonic()), **options)
    except subprocess.TimeoutExpired:
        return None


subprocess.run(["cmake", "--preset", "asan", "-S", ROOT, "-DHIDET_STUDIO=OFF"], check=True, stdout=subprocess.DEVNULL)
built = in_time(["ninja", "-C", BUILD, "--quiet", "all"])
if built is None:
    print("the build goes on with the next run")
    sys.exit(0)
if built.returncode:
    sys.exit(1)
listing = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-R", options.tests], capture_output=True, text=True).stdout
names = re.findall(r"Test +#\d+: (\S+)", listing)
done, passed, failed = by_content.Done(os.path.join("sanitizers", tree())), 0, []
for name in names:
    if name in done:
        passed += 1
        continue
    run = in_time(["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(name)}$", "--output-on-failure"], capture_output=True,
                  text=True, errors="replace")
    if run is None:
        break
    if run.returncode:
        failed.append(name)
        print(run.stdout, flush=True)
        continue
    passed += 1
    done.add(name)
left = len(names) - passed - len(failed)
print(f"{passed} passed, {len(failed)} failed" + (f", {left} left for the next run" if left else ""))
sys.exit(1 if failed else 0)
