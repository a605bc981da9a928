# SPDX-License-Identifier: Apache-2.0
"""The suite without the desktop program under AddressSanitizer and UndefinedBehaviorSanitizer. Ends after its minutes; the
next run on the same tree goes on from there, with the build and with the tests.

    sanitizers.py [--minutes 30] [--tests REGEX]
"""

import argparse
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

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
    new = subprocess.run(["git", "-C", ROOT, "ls-files", "-o", "-z", "--exclude-standard"], capture_output=True).stdout
    made = hashlib.sha256(commit + changes + new)
    for name in filter(None, new.split(b"\0")):
        with open(os.path.join(os.fsencode(ROOT), name), "rb") as file:
            made.update(file.read())
    return made.hexdigest()


def in_time(command, **pipes):
    """Exit code and output, or None when the time was over before the end: then nothing that it started runs on, and ninja
    leaves no half of a file."""
    process = subprocess.Popen(command, start_new_session=True, text=True, errors="replace", **pipes)
    try:
        output, _ = process.communicate(timeout=max(1, until - time.monotonic()))
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return end(process)


def end(process):
    for how in (signal.SIGINT, signal.SIGKILL):
        os.killpg(process.pid, how)
        try:
            process.communicate(timeout=20)
            return
        except subprocess.TimeoutExpired:
            pass


subprocess.run(["cmake", "--preset", "asan", "-S", ROOT, "-DHIDET_STUDIO=OFF"], check=True, stdout=subprocess.DEVNULL)
built = in_time(["ninja", "-C", BUILD, "--quiet", "all"])
if built is None:
    print("the build goes on with the next run")
    sys.exit(0)
if built[0]:
    sys.exit(1)
listing = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-R", options.tests], capture_output=True, text=True).stdout
names = re.findall(r"Test +#\d+: (\S+)", listing)
done = by_content.Done(os.path.join("sanitizers", tree()))


def run(name):
    """Exit code and output, or None: no time was left."""
    if time.monotonic() >= until:
        return None
    return in_time(["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(name)}$", "--output-on-failure"], stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT)


waiting = [name for name in names if name not in done]
passed, failed = len(names) - len(waiting), 0
with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    for name, ended in zip(waiting, pool.map(run, waiting)):
        if ended is None:
            continue
        if ended[0]:
            failed += 1
            print(ended[1], flush=True)
        else:
            passed += 1
            done.add(name)
left = len(names) - passed - failed
print(f"{passed} passed, {failed} failed" + (f", {left} left for the next run" if left else ""))
sys.exit(1 if failed else 0)
