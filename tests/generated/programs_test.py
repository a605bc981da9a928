# SPDX-License-Identifier: Apache-2.0
"""500 random programs in batches of 100: kernels and functions of the host, on the emulator and, of kernels some, as compiled
C++. What they have to store stands in recorded.txt, which --update makes by the reference (minutes); a few rows are computed again here.

    programs_test.py --hidetc PROGRAM [--update]
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from generated import batch  # noqa: E402

RECORD = os.path.join(HERE, "recorded.txt")
COUNT, BATCH, COMPILED = 500, 100, 10  # kernels take a compiler half a second each
COMPUTED_AGAIN = (7, 208, 412)
NO_COMPILER = 3


def is_host(seed):
    """Batches are of one kind: the last of the five."""
    return seed > COUNT - BATCH


def recorded():
    with open(RECORD, encoding="utf-8") as file:
        return {int(seed): int(value) for seed, value in map(str.split, file)}


def update():
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(os.cpu_count() or 2) as pool:
        values = pool.map(value_of, range(1, COUNT + 1), chunksize=10)
        with open(RECORD, "w", encoding="utf-8") as file:
            file.writelines(f"{seed} {value}\n" for seed, value in enumerate(values, 1))


def value_of(seed):
    return batch.Program(seed, is_host(seed)).expected()


def main():
    hidetc = os.path.abspath(sys.argv[sys.argv.index("--hidetc") + 1])
    if "--update" in sys.argv:
        update()
    expected, wrong = recorded(), []
    for seed in COMPUTED_AGAIN:
        if value_of(seed) != expected[seed]:
            wrong.append(f"recorded.txt is not what the reference computes for seed {seed}; renew it with --update")
    for first in range(1, COUNT + 1, BATCH):
        programs = [batch.Program(seed, is_host(seed)) for seed in range(first, first + BATCH)]
        for verb in ("run --target emulate", "run --target cpu"):
            if "cpu" in verb and batch.run(hidetc, verb, batch.script(programs[:1], [expected[first]]))[0] == NO_COMPILER:
                continue
            some = programs[:COMPILED] if "cpu" in verb and not programs[0].is_host else programs
            found = batch.failures(hidetc, verb, some, [expected[program.seed] for program in some])
            wrong += [f"seed {program.seed}, {verb}: {said}" for program, said in found[:5]]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
