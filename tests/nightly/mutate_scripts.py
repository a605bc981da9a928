# SPDX-License-Identifier: Apache-2.0
"""Damages scripts in ways that people and editors do, checks and runs them (tests/harness/attack.py says what is asked of it).
What hidetc trips over is shown, reduced to as few lines as still show it.

    mutate_scripts.py [--count N] [--seed 1] [--minutes 30] [--verb check|run] [--keep FOLDER [NUMBER ...]]
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import attack, golden  # noqa: E402

VERBS = [attack.Verb("check FILE", 20000), attack.Verb("run FILE --target emulate", 10000, may_run_on=True)]
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


def reduced(data, is_wrong):
    """Fewer lines that still go wrong, by leaving out ever smaller runs of lines."""
    lines = data.split(b"\n")
    size, tries = len(lines) // 2, 0
    while size >= 1 and tries < 100:
        at = 0
        while at < len(lines) and tries < 100:
            shorter = lines[:at] + lines[at + size:]
            tries += 1
            if is_wrong(b"\n".join(shorter)):
                lines = shorter
            else:
                at += size
        size //= 2
    return "".join(f"    {line.decode('utf-8', 'backslashreplace')}\n" for line in lines)


def damaged(pool, rng):
    """The bytes of one damaged script."""
    return mutate(rng.choice(pool), pool, rng).encode("utf-8", "surrogateescape")


def main():
    pool = sources()
    attack.main("mutate_scripts", __doc__, VERBS, lambda rng: damaged(pool, rng), ".py", salt=repr(pool), shown=reduced)


if __name__ == "__main__":
    main()
