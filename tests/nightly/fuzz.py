# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing (tests/fuzz): each target gets its share of the minutes. The build and what libFuzzer has learned stay
in build/fuzz, so that the next run goes on from there; an input that breaks something is shown, and kept beside them.

    fuzz.py [--minutes 30] [--only TARGET]
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import by_content, tables  # noqa: E402

BUILD = os.path.join(ROOT, "build", "fuzz")
HERE = os.path.join(ROOT, "tests", "fuzz")
SHOWN = 2000  # bytes of an input

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--only", default="")


def targets():
    """(name, folder of its seeds)"""
    with open(os.path.join(HERE, "targets.def"), encoding="utf-8") as file:
        return [(row[0], row[1].strip('"')) for row in tables.macro_rows(file.read(), "HIDET_FUZZ_TARGET")]


def seeds_of(kind):
    """The corpus, and the sources of the tree, which are too many to be kept twice."""
    if kind != "scripts":
        return [os.path.join(HERE, "corpus", kind)]
    return [os.path.join(HERE, "corpus", kind), *sorted({os.path.dirname(path) for path in glob.glob(os.path.join(ROOT, "tests", "run", "*", "*.py"))})]


def fuzz(name, kind, seconds):
    """What broke: [path]."""
    learned, broken = os.path.join(BUILD, "learned", name), os.path.join(BUILD, "broken", name)
    os.makedirs(learned, exist_ok=True)
    os.makedirs(broken, exist_ok=True)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
    command = [os.path.join(BUILD, "bin", f"fuzz_{name}"), f"-max_total_time={int(seconds)}", "-timeout=25", "-rss_limit_mb=3000",
               "-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1", f"-artifact_prefix={broken}/", learned, *seeds_of(kind)]
    before = set(os.listdir(broken))
    said = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace").stderr
    runs = re.findall(r"^#(\d+): ", said, re.MULTILINE)
    print(f"{name}: {runs[-1] if runs else 0} inputs in {seconds:.0f} seconds", flush=True)
    return [os.path.join(broken, each) for each in sorted(set(os.listdir(broken)) - before)]


def main():
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    if not shutil.which("clang"):
        print("libFuzzer comes with clang, which is not here")
        return 0
    subprocess.run(["cmake", "--preset", "fuzz", "-S", ROOT], check=True, stdout=subprocess.DEVNULL)
    chosen = [(name, kind) for name, kind in targets() if options.only in name]
    try:
        built = by_content.ended_by(until, ["ninja", "-C", BUILD, "--quiet", *(f"fuzz_{name}" for name, _ in chosen)])
    except by_content.TimeIsOver:
        print("the build goes on with the next run")
        return 0
    if built.returncode:
        return 1
    broken = 0
    for number, (name, kind) in enumerate(chosen):
        for path in fuzz(name, kind, max(10, (until - time.monotonic()) / (len(chosen) - number))):
            broken += 1
            with open(path, "rb") as file:
                print(f"{name} {os.path.basename(path)}:\n{file.read()[:SHOWN].decode('utf-8', 'backslashreplace')}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
