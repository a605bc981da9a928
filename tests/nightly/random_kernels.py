# SPDX-License-Identifier: Apache-2.0
"""Random programs against Python itself (tests/generated): 20,000 kernels on the emulator, and functions of the host and
kernels in batches of 100 as one translation unit each, for C++ and for CUDA; of kernels both. What they store must be, to the bit, what Python
computes, which rounds a product before it is added to; NVRTC is told to. What goes wrong is shown, reduced. Batches that were fine are remembered for the program that ran them.

    random_kernels.py [--build FOLDER] [--count N] [--seed N] [--minutes 30] [--only emulate|cpp|cpu|cuda] [--keep FOLDER]
"""

import argparse
import hashlib
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from generated import batch, reducer  # noqa: E402
from harness import by_content  # noqa: E402

BATCH = 100
# name: (how it is run, whether functions of the host are, how many programs)
RUNS = {"emulate": ("run --target emulate", False, 20000), "cpp": ("run --target cpu", True, 4000),
        "cpu": ("run --target cpu", False, 4000), "cuda": ("run --target cuda --no-contraction", False, 4000)}
NO_ENVIRONMENT = 3  # an exit code of hidetc

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
parser.add_argument("--count", type=int, default=0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--only", default="")
parser.add_argument("--keep", default="", help="a folder for the reduced scripts")


def made(seed, is_host):
    program = batch.Program(seed, is_host)
    return program, program.expected()


def tell(hidetc, verb, program, said, keep):
    smaller = reducer.reduced(hidetc, verb, program)
    text = batch.script([smaller], [smaller.expected()])
    print(f"seed {program.seed}, {verb}: {said}\n" + "".join(f"    {line}\n" for line in smaller.lines()), flush=True)
    if keep:
        os.makedirs(keep, exist_ok=True)
        with open(os.path.join(keep, f"program{program.seed}.py"), "w", encoding="utf-8") as file:
            file.write(text)


def run_all(options, name, pool, until):
    """How many programs went wrong."""
    verb, is_host, count = RUNS[name]
    count, hidetc = options.count or count, os.path.join(options.build, "bin", "hidetc")
    with open(hidetc, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:16]
    known, wrong, left = by_content.Done(os.path.join("random_kernels", f"{digest}-{name}")), 0, 0
    for first in range(options.seed, options.seed + count, BATCH):
        seeds = range(first, min(first + BATCH, options.seed + count))
        row = f"{first}+{len(seeds)}"
        if row in known:
            continue
        if time.monotonic() > until:
            left += len(seeds)
            continue
        programs, expected = zip(*pool.map(made, seeds, [is_host] * len(seeds), chunksize=5))
        if name == "cuda" and batch.run(hidetc, verb, batch.script(programs[:1], expected[:1]))[0] == NO_ENVIRONMENT:
            print("cuda: no GPU here")
            return 0
        bad = batch.failures(hidetc, verb, programs, expected)
        if not bad:
            known.add(row)
        for program, said in bad[:2]:
            tell(hidetc, verb, program, said, options.keep)
        wrong += len(bad)
    print(f"{name}: {count - left} programs, {wrong} went wrong" + (f", {left} left for the next run" if left else ""), flush=True)
    return wrong


def main():
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    with ProcessPoolExecutor(os.cpu_count() or 2) as pool:
        return 1 if sum(run_all(options, name, pool, until) for name in RUNS if options.only in name) else 0


if __name__ == "__main__":
    sys.exit(main())
