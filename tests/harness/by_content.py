# SPDX-License-Identifier: Apache-2.0
"""A check of every C++ file that takes longer than anybody waits: what was found fine is remembered by the content of the
file and of all of ours that it includes, and a run that its time ends is taken up by the next one where it stopped."""

import argparse
import functools
import glob
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
    subprocess.run(["cmake", "--preset", "dev", "-S", ROOT, "-B", build, "-DHIDET_UNITS=OFF"], check=True,
                   stdout=subprocess.DEVNULL)
    # Not by ninja: it would build first what the programs link that generated files and mocs are made for.
    targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
    made = re.findall(r"^(\w\S*generated/\S+\.cpp|\w\S*\.pb\.cc|\w\S*prelude_text\.cpp): ", targets, re.MULTILINE)
    for name in sorted(made):
        command = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", name], check=True, capture_output=True, text=True)
        subprocess.run(command.stdout, shell=True, cwd=build, check=True, stdout=subprocess.DEVNULL)
    for info in glob.glob(os.path.join(build, "**", "*_autogen.dir", "AutogenInfo.json"), recursive=True):
        name = os.path.basename(os.path.dirname(info)).removesuffix(".dir")
        if re.search(rf"^(?:\S*/)?{name}: ", targets, re.MULTILINE):  # not of a program that the tree had once
            subprocess.run(["cmake", "-E", "cmake_autogen", info, ""], check=True, stdout=subprocess.DEVNULL)


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


def check_all(name, build, salt, check, until, word="", jobs=0):
    """Calls check(path, row) -> text of what is wrong, for files that are not known to be fine; begins none after `until`.
    Returns an exit code."""
    contents, known = Contents(), Done(f"{name}.fine")
    rows = {path: row for path, row in commands(build).items() if word in path}
    digests = {path: contents.digest(path, salt + row["command"]) for path, row in rows.items()}
    waiting = [path for path in rows if digests[path] not in known]
    wrong = left = 0

    def one(path):
        return (path, check(path, rows[path])) if time.monotonic() < until else (path, None)

    with ThreadPoolExecutor(jobs or os.cpu_count() or 2) as pool:
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
    parser.add_argument("--jobs", type=int, default=0, help="files at a time; as many as there are processors if not said")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    build = os.path.join(ROOT, "build", "alone")
    configure(build)
    sys.exit(check_all(name, build, salt, functools.partial(check, build), until, options.word, options.jobs))
