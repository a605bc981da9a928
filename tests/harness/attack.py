# SPDX-License-Identifier: Apache-2.0
"""Attacks on hidetc by damaged input: it ends with an exit code that is expected, in 10 seconds and 1 GiB, and says what is
wrong in lines that are printable and short. Input number N of a seed is always the same one. What was found fine is
remembered for the program that took it and the inputs that it was damaged from, so that a run that its time ends is taken up
by the next one."""

import argparse
import hashlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from harness import by_content

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")
SECONDS = 10
SECONDS_TO_STOP = 2
ROUNDS = 4  # of these seconds, on a machine that has had too little time for the program so far
BYTES = 1 << 30
CHUNK = 100  # inputs
LONGEST = 400  # characters of a line: a message of 300, and where it is
MARKS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # turn the direction of writing


class Verb(NamedTuple):
    """What takes the inputs; FILE stands for the path. `may_run_on`: input may well ask for more time than there is, and
    then the program has to hear an interrupt."""
    words: str
    count: int
    may_run_on: bool = False


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def is_shown(text):
    return all(c == "\t" or unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") and unicodedata.bidirectional(c) not in MARKS for c in text)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_of(process, verb):
    """What was said, or None: no end in time, or none after an interrupt."""
    seconds = SECONDS - SECONDS_TO_STOP if verb.may_run_on else SECONDS
    for rounds in range(1, ROUNDS + 1):
        try:
            return process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            if rounds == ROUNDS or processor_seconds(process.pid) > 0.8 * seconds:
                break
    process.send_signal(signal.SIGINT if verb.may_run_on else signal.SIGKILL)
    try:
        said = process.communicate(timeout=SECONDS_TO_STOP)[1]
        return said if verb.may_run_on else None
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None


def judged(code, said):
    if code not in (0, 1) and not (code == 3 and "[out-of-memory]" in said):
        return f"exit {code}: {said.strip()[:300]}"
    for line in said.splitlines():
        if len(line) > LONGEST or not is_shown(line):
            return f"a message that is not fit to be shown: {line[:120]!r}"
    return ""


def verdict(path, verb):
    """What is wrong with how the program takes this file, or ''."""
    command = [path if word == "FILE" else word for word in verb.words.split()]
    process = subprocess.Popen([HIDETC, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               cwd=os.path.dirname(path), preexec_fn=limits)
    said = end_of(process, verb)
    if said is None:
        return f"no end after {SECONDS} seconds"
    if verb.may_run_on and process.returncode in (130, -signal.SIGINT):
        return ""
    return judged(process.returncode, said.decode("utf-8", "replace").replace(path, "FILE"))


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0, help="inputs, of each verb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--verb", default="", help="only those with this word")
    parser.add_argument("--keep", default="", help="a folder for the files; numbers of files after it are the only ones tried")
    parser.add_argument("only", type=int, nargs="*")
    return parser.parse_args()


class Attack:
    """damaged(random) -> the bytes of an input; suffix: ".json"; judge(path, verb) -> what is wrong, or ''; shown(data, is_wrong)
    -> how the input is told, if at all."""

    def __init__(self, name, options, damaged, suffix, *, salt="", judge=verdict, shown=None, program=""):
        with open(program or HIDETC, "rb") as file:
            self._program = hashlib.sha256(file.read() + salt.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._name, self._options, self._damaged, self._suffix = name, options, damaged, suffix
        self._judge, self._shown, self._seen = judge, shown, set()
        self._until = time.monotonic() + 60 * options.minutes

    def data(self, index):
        return self._damaged(random.Random(f"{self._options.seed}/{index}"))

    def tried(self, folder, data, name, verb):
        path = os.path.join(folder, name + self._suffix)
        with open(path, "wb") as file:
            file.write(data)
        wrong = self._judge(path, verb)
        if not self._options.keep:
            os.remove(path)
        return wrong

    def one(self, folder, index, verb):
        """Nothing: there was no time for it."""
        if time.monotonic() >= self._until:
            return None
        return self.tried(folder, self.data(index), f"damaged{index}", verb)

    def tell(self, folder, index, wrong, verb):
        """Of each kind of trouble the first input."""
        if not wrong:
            return
        kind = re.sub(r"\d+|'[^']*'", "N", wrong)
        if kind in self._seen:
            return
        self._seen.add(kind)
        print(f"{index}: {wrong}", flush=True)
        if self._shown and not wrong.startswith("no end"):
            print(self._shown(self.data(index), lambda data: self.tried(folder, data, f"smaller{index}", verb) != ""), flush=True)

    def attack(self, pool, folder, verb):
        """A chunk is remembered as fine in whole; of one that is not, what is wrong in it, which alone is tried again."""
        total = self._options.count or verb.count
        known = by_content.Done(os.path.join(self._name, f"{self._program}-{self._options.seed}-{verb.words.replace(' ', '_')}"))
        left = 0
        for first in range(0, total, CHUNK):
            size = min(CHUNK, total - first)
            row = f"{first}+{size}"
            if row in known:
                continue
            last = next((line for line in known.lines() if line.startswith(row + " but ")), None)
            indices = range(first, first + size) if last is None else map(int, last.split()[2:])
            wrongs = list(pool.map(lambda index: (index, self.one(folder, index, verb)), indices))
            for index, wrong in wrongs:
                self.tell(folder, index, wrong, verb)
            if any(wrong is None for _, wrong in wrongs):
                left += size
            elif bad := [str(index) for index, wrong in wrongs if wrong]:
                known.add(f"{row} but {' '.join(bad)}")
            else:
                known.add(row)
        print(f"{verb.words}: {total - left} damaged inputs" + (f", {left} left for the next run" if left else ""), flush=True)

    def run(self, verbs):
        """The exit code."""
        with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            folder = os.path.abspath(self._options.keep or temporary)
            os.makedirs(folder, exist_ok=True)
            for verb in verbs:
                for index in self._options.only:
                    self.tell(folder, index, self.one(folder, index, verb), verb)
                if not self._options.only:
                    self.attack(pool, folder, verb)
        print(f"{len(self._seen)} kinds of trouble")
        return 1 if self._seen else 0


def main(name, description, verbs, damaged, suffix, **more):
    options = arguments(description)
    sys.exit(Attack(name, options, damaged, suffix, **more).run([verb for verb in verbs if options.verb in verb.words]))
