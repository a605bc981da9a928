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
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

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
    made = re.findall(r"^(\w\S*generated/\S+\.cpp|\w\S*\.pb\.cc|\w\S*(?:prelude|manual)_text\.cpp): ", targets, re.MULTILINE)
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


class TimeIsOver(Exception):
    """Of what was begun, which is then as if it had not been."""


GRACE = 20  # seconds that a program gets to end


def ended_by(until, command, **more):
    """subprocess.run() with all that the command starts in a group of its own, which is ended when the time is over."""
    process = subprocess.Popen(command, start_new_session=True, text=True, errors="replace", **more)
    try:
        output, errors = process.communicate(timeout=max(1, until - GRACE - time.monotonic()))
        return subprocess.CompletedProcess(command, process.returncode, output, errors)
    except BaseException as stopped:
        for how in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, how)
                try:
                    process.communicate(timeout=GRACE / 2)
                except subprocess.TimeoutExpired:
                    pass
        if isinstance(stopped, subprocess.TimeoutExpired):
            raise TimeIsOver from None
        raise


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

    def lines(self):
        return sorted(self._lines)

    def add(self, line):
        self._lines.add(line)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def in_turn(name, things, check, until, jobs=0):
    """Calls check(thing) -> text of what is wrong, for things (text: digest) that are not known to be fine; begins none after
    `until`. What was wrong the last time comes last: it shall not keep the rest from its turn. Counts of those that are fine,
    wrong and left."""
    fine, wrong = Done(f"{name}.fine"), Done(f"{name}.wrong")
    waiting = sorted((thing for thing, digest in things.items() if digest not in fine), key=lambda thing: things[thing] in wrong)
    counts = {"fine": len(things) - len(waiting), "wrong": 0, "left": 0}

    def one(thing):
        try:
            return check(thing) if time.monotonic() < until - GRACE else None
        except TimeIsOver:
            return None

    with ThreadPoolExecutor(jobs or os.cpu_count() or 2) as pool:
        begun = {pool.submit(one, thing): thing for thing in waiting}
        for ended in as_completed(begun):
            thing, text = begun[ended], ended.result()
            if text:
                print(f"{thing}:\n{text}", flush=True)
                wrong.add(things[thing])
            elif text is not None:
                fine.add(things[thing])
            counts["left" if text is None else "wrong" if text else "fine"] += 1
            if text is None and things[thing] in wrong:
                print(f"{thing}: wrong the last time", flush=True)
    return counts


def told(counts, what):
    """Prints the counts; an exit code."""
    total = sum(counts.values())
    print(f"{counts['fine']} of {total} {what} fine, {counts['wrong']} wrong" +
          (f", {counts['left']} left for the next run" if counts["left"] else ""))
    return 1 if counts["wrong"] else 0


def check_all(name, build, salt, check, until, word="", jobs=0):
    """in_turn() for the files of the build whose path holds the word: check(path, row of compile_commands.json)."""
    contents = Contents()
    rows = {path: row for path, row in commands(build).items() if word in path}
    digests = {path: contents.digest(path, salt + row["command"]) for path, row in rows.items()}
    return told(in_turn(name, digests, lambda path: check(path, rows[path], until), until, jobs), "files")


def main(name, description, check, salt=""):
    """The whole of a program that checks every file: check(build, path, row, until) as check_all() wants it, and what else its
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
