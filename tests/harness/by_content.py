# SPDX-License-Identifier: Apache-2.0
"""A check of every C++ file that takes longer than anybody waits: what was found fine is remembered by the content of the
file and of all of ours that it includes, and a run that its time ends is taken up by the next one where it stopped."""

import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


class Contents:
    """Digests of files with everything of the tree that they include."""

    def __init__(self):
        self._own, self._reached = {}, {}

    def _read(self, path):
        if path not in self._own:
            try:
                with open(os.path.join(ROOT, path), "rb") as file:
                    text = file.read()
            except OSError:  # generated: it follows from what is not
                text = b""
            self._own[path] = (hashlib.sha256(text).digest(), [name.decode() for name in INCLUDE.findall(text)])
        return self._own[path]

    def reached(self, path):
        if path not in self._reached:
            seen, waiting = set(), [path]
            while waiting:
                here = waiting.pop()
                if here not in seen:
                    seen.add(here)
                    waiting += [name for name in self._read(here)[1] if "/" in name]
            self._reached[path] = sorted(seen)
        return self._reached[path]

    def digest(self, path, salt):
        made = hashlib.sha256(salt.encode())
        for each in self.reached(path):
            made.update(each.encode() + b"\0" + self._read(each)[0])
        return made.hexdigest()


def configure(build):
    """A folder whose compile_commands.json names every file alone, with what is generated in place and nothing built."""
    options = ["-DHIDET_UNITS=OFF", "-DCMAKE_AUTOGEN_ORIGIN_DEPENDS=OFF"]
    subprocess.run(["cmake", "--preset", "dev", "-S", ROOT, "-B", build, *options], check=True, stdout=subprocess.DEVNULL)
    targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
    made = re.findall(r"^(\S*generated/\S+\.(?:h|cc|cpp)|\S*_autogen|\S*prelude_text\.cpp): ", targets, re.MULTILINE)
    made = [name for name in made if not os.path.isabs(name)]
    subprocess.run(["ninja", "-C", build, *made], check=True, stdout=subprocess.DEVNULL)


def commands(build):
    """path below the root -> its compiler command and folder."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    found = {os.path.relpath(row["file"], ROOT): row for row in rows}
    return {path: row for path, row in sorted(found.items()) if not path.startswith(("..", "build"))}


class Done:
    """Lines that an earlier run left in a file of the build folder; a new one is on the disk at once."""

    def __init__(self, name):
        self._path = os.path.join(ROOT, "build", name)
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        try:
            with open(self._path, encoding="utf-8") as file:
                self._lines = set(file.read().split("\n"))
        except OSError:
            self._lines = set()

    def __contains__(self, line):
        return line in self._lines

    def add(self, line):
        self._lines.add(line)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def check_all(name, build, salt, check, minutes, word=""):
    """Calls check(path, row) -> text of what is wrong, for files that are not known to be fine. Returns an exit code."""
    contents, until, known = Contents(), time.monotonic() + 60 * minutes, Done(f"{name}.fine")
    rows = {path: row for path, row in commands(build).items() if word in path}
    digests = {path: contents.digest(path, salt) for path in rows}
    waiting = [path for path in rows if digests[path] not in known]
    wrong = left = 0

    def one(path):
        return (path, check(path, rows[path])) if time.monotonic() < until else (path, None)

    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for path, text in pool.map(one, waiting):
            if text is None:
                left += 1
            elif text:
                wrong += 1
                print(f"{path}:\n{text}", flush=True)
            else:
                known.add(digests[path])
    fine = len(rows) - wrong - left
    print(f"{fine} of {len(rows)} files fine, {wrong} wrong" + (f", {left} left for the next run" if left else ""))
    return 1 if wrong else 0


def main(name, description, check, salt=""):
    """The whole of a program that checks every file: check(build, path, row) as check_all() wants it, and what else its
    results depend on."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    build = os.path.join(ROOT, "build", "alone")
    configure(build)
    sys.exit(check_all(name, build, salt, functools.partial(check, build), options.minutes, options.word))
