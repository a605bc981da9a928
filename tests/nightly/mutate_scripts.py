# SPDX-License-Identifier: Apache-2.0
"""Damages scripts in ways that people and editors do, and checks that hidetc survives: it ends with 0 or 1 in time, and never
reports a bug of its own. What it trips over is kept, reduced to as few lines as still show it.

    mutate_scripts.py [--build FOLDER] [--count N] [--seed N] [--verb check] [--keep FOLDER]
"""

import glob
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "harness"))
import golden  # noqa: E402

TIME_LIMIT = 20
TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
ODD = """( ) [ ] { } : , . = == * ** @ - -> \\ ' " f'{ # ; lambda yield await async match None True 0 -1 10**30 1e400 0x for if else while
def class return import with try assert global hidet.lang f32 int32[3] 9223372036854775807 [[]]*99999999 range(10**12) ... % // << ~ not
in is""".split() + ['"""', "\t", "    ", "\n", "\r", "\0", "\x0c", "\ufeff", "é"]


def sources():
    """Every script of the tree: samples, tests, benchmarks, and the sources of golden files."""
    found = []
    for pattern in ("samples/**/*.py", "tests/run/**/*.py", "tests/bench/**/*.py"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            with open(path, encoding="utf-8", newline="") as file:
                found.append(file.read())
    for path in golden.all_files(os.path.join(ROOT, "tests", "golden")):
        try:
            cases = golden.Runner("", path).cases
        except (golden.GoldenError, ValueError):
            continue
        found += ["".join(line + "\n" for line in case.source) for case in cases]
    return [text for text in found if text.strip()]


def mutate(text, pool, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        kind = rng.randrange(9)
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if kind == 0:  # a line lost
            del lines[at]
        elif kind == 1:  # a line twice
            lines.insert(at, lines[at])
        elif kind == 2:  # indentation
            lines[at] = rng.choice(("", " ", "    ", "\t")) + (lines[at].lstrip() if rng.random() < 0.5 else lines[at])
        elif kind == 3:  # a line of another script
            lines.insert(at, rng.choice(rng.choice(pool).split("\n")))
        elif kind == 4:  # cut short
            text = text[:rng.randrange(len(text) + 1)]
            continue
        else:
            tokens = TOKEN.findall(text)
            if not tokens:
                return text
            at = rng.randrange(len(tokens))
            if kind == 5:
                del tokens[at]
            elif kind == 6:
                tokens[at] = rng.choice(ODD)
            elif kind == 7:
                tokens.insert(at, rng.choice(ODD))
            else:
                other = rng.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            text = "".join(tokens)
            continue
        text = "\n".join(lines)
    return text


class Trial:
    def __init__(self, hidetc, verb, folder):
        self.command, self.folder = [hidetc, *verb.split()], folder

    def wrong(self, text, name):
        """What went wrong with this text, or ''."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        try:
            done = subprocess.run([self.command[0], self.command[1], path, *self.command[2:]], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            return f"no end after {TIME_LIMIT} seconds"
        if done.returncode in (0, 1) and b"[internal-error]" not in done.stderr + done.stdout:
            return ""
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"exit {done.returncode}: {said[0] if said else ''}"

    def reduced(self, text):
        """Fewer lines that still go wrong, by leaving out ever smaller runs of lines."""
        lines = text.split("\n")
        size = len(lines) // 2
        tries = 0
        while size >= 1 and tries < 300:
            at = 0
            while at < len(lines) and tries < 300:
                shorter = lines[:at] + lines[at + size:]
                tries += 1
                if self.wrong("\n".join(shorter), "reduce.py"):
                    lines = shorter
                else:
                    at += size
            size //= 2
        return "\n".join(lines)


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def main():
    hidetc = os.path.join(option("--build", os.path.join(ROOT, "build", "dev")), "bin", "hidetc")
    count, seed, keep = int(option("--count", "2000")), int(option("--seed", "1")), option("--keep", "")
    pool = sources()
    rng = random.Random(seed)
    trials = [(index, mutate(rng.choice(pool), pool, rng)) for index in range(count)]
    seen = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count() or 2) as threads:
        trial = Trial(hidetc, option("--verb", "check"), folder)
        found = threads.map(lambda item: trial.wrong(item[1], f"script{item[0]}.py"), trials)
        for (index, text), wrong in zip(trials, found):
            kind = re.sub(r"script\d+|\d+", "N", wrong)
            if not wrong or kind in seen:
                continue
            seen[kind] = index
            small = trial.reduced(text)
            print(f"{wrong}\n" + "".join(f"    {line}\n" for line in small.split("\n")))
            if keep:
                os.makedirs(keep, exist_ok=True)
                with open(os.path.join(keep, f"trip{index}.py"), "w", encoding="utf-8", errors="surrogateescape") as file:
                    file.write(small)
    print(f"{count} damaged scripts, {len(seen)} kinds of trouble")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
