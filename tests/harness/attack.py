# SPDX-License-Identifier: Apache-2.0
"""Attacks on hidetc by damaged files: it ends with 0 or 1, in 10 seconds and 1 GiB, and says what is wrong in lines that are
printable and short. File number N of a seed is always the same one. What was found fine is remembered for the program that
took it, so that a run that its time ends is taken up by the next one."""

import argparse
import hashlib
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from harness import by_content

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")
SECONDS = 10
BYTES = 1 << 30
CHUNK = 100  # files
LONGEST = 400  # characters of a line: a message of 300, and where it is


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def verdict(path, verb):
    """What is wrong with how the program takes this file, or ''."""
    command = [HIDETC, *verb.split(), path, "--target", "cpu"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} seconds"
    said = done.stderr.decode("utf-8", "replace").replace(path, "FILE")
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {said.strip()[:300]}"
    for line in said.splitlines():
        if len(line) > LONGEST or not line.isprintable():
            return f"a message that is not fit to be shown: {line[:120]!r}"
    return ""


def arguments(description, count):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--verb", default="model show")
    parser.add_argument("--keep", default="", help="a folder for the files; numbers of files after it are the only ones tried")
    parser.add_argument("only", type=int, nargs="*")
    return parser.parse_args()


class Attack:
    """damaged(random) -> the bytes of a file; suffix: ".json"."""

    def __init__(self, name, options, damaged, suffix):
        with open(HIDETC, "rb") as file:
            program = hashlib.sha256(file.read() + options.verb.encode()).hexdigest()[:16]
        self._known = by_content.Done(os.path.join(name, f"{program}-{options.seed}"))
        self._options, self._damaged, self._suffix = options, damaged, suffix
        self._seen = set()

    def one(self, folder, index):
        path = os.path.join(folder, f"damaged{index}{self._suffix}")
        with open(path, "wb") as file:
            file.write(self._damaged(random.Random(f"{self._options.seed}/{index}")))
        wrong = verdict(path, self._options.verb)
        if not self._options.keep:
            os.remove(path)
        return wrong

    def tell(self, index, wrong):
        """Of each kind of trouble the first file."""
        kind = re.sub(r"\d+|'[^']*'", "N", wrong)
        if wrong and kind not in self._seen:
            self._seen.add(kind)
            print(f"{index}: {wrong}", flush=True)

    def chunk(self, pool, folder, first):
        size = min(CHUNK, self._options.count - first)
        if f"{first}+{size}" in self._known:
            return size
        wrongs = list(pool.map(lambda index: self.one(folder, index), range(first, first + size)))
        for index, wrong in enumerate(wrongs, first):
            self.tell(index, wrong)
        if not any(wrongs):
            self._known.add(f"{first}+{size}")
        return size

    def run(self):
        """The exit code."""
        until, count = time.monotonic() + 60 * self._options.minutes, 0
        with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            folder = self._options.keep or temporary
            os.makedirs(folder, exist_ok=True)
            for index in self._options.only:
                self.tell(index, self.one(folder, index))
            for first in range(0, 0 if self._options.only else self._options.count, CHUNK):
                if time.monotonic() < until:
                    count += self.chunk(pool, folder, first)
        left = self._options.count - count
        print(f"{count} damaged files, {len(self._seen)} kinds of trouble" + (f", {left} left for the next run" if left else ""))
        return 1 if self._seen else 0


def main(name, description, count, damaged, suffix):
    sys.exit(Attack(name, arguments(description, count), damaged, suffix).run())
