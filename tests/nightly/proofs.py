#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much 'hidetc prove' proves of the samples, of kernels of others and of those of tests/run, in which time, and what stops it.

A kernel is within reach unless atomics or flags in memory order what it does, or data decides where it writes. Of those within
reach GOAL per cent are to be proved in all claims, in LIMIT seconds each: processor time of a script, solver and all, shared among
its kernels, so that other work on the machine does not count. Kernels of a script that have one name and one outcome are a row, with
how many they are.

    proofs.py [--build FOLDER] [--only WORD] [--jobs 2]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["samples/kernels", "tests/accesses/elsewhere"] + [f"tests/run/{name}" for name in sorted(os.listdir(os.path.join(ROOT, "tests", "run")))
                                  if not name.endswith(".txt")]
GOAL, LIMIT = 80, 5
OUT_OF_REACH = ["a value in memory", "the result of an atomic operation", "ordered by acquire and release"]


class Kernel:
    """One kernel of a script, or several alike that a function made."""

    def __init__(self, script, document, seconds):
        self.script, self.name = script, document["name"]
        self.questions, self.seconds = document["questions"], seconds
        verdicts = {claim["verdict"] for claim in document["claims"]}
        self.verdict = next(each for each in ("refuted", "open", "proved if", "proved") if each in verdicts | {"proved"})
        self.stopped_by = sorted({doubt["sentence"].removeprefix("depends on ").partition(";")[0]
                                  for doubt in document["doubts"] if doubt["verdict"] == "open"})
        self.alike = 1

    def is_proved(self):
        return self.verdict in ("proved", "proved if")

    def is_within_reach(self):
        return not any(word in each for word in OUT_OF_REACH for each in self.stopped_by)

    def key(self):
        return self.script, self.name, self.verdict, tuple(self.stopped_by)


def kernels_of(hidetc, script, answers):
    """`answers`: the folder of a cache that nobody has filled."""
    with tempfile.TemporaryFile() as said:
        run = subprocess.Popen([hidetc, "prove", script, "--json"], cwd=ROOT, stdout=said, stderr=subprocess.DEVNULL,
                               env=os.environ | {"XDG_CACHE_HOME": answers})
        patience = threading.Timer(900, run.kill)
        patience.start()
        _, status, used = os.wait4(run.pid, 0)
        patience.cancel()
        run.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if run.returncode < 0:
        print(f"{script}: not ended after 900 s", flush=True)
    if run.returncode not in (0, 1):
        return []  # no kernels of its own, or none for a GPU
    documents = json.loads(text)["kernels"]
    found = {}
    for document in documents:
        kernel = Kernel(script, document, (used.ru_utime + used.ru_stime) / len(documents))
        known = found.setdefault(kernel.key(), kernel)
        if known is not kernel:
            known.alike += 1
            known.questions = max(known.questions, kernel.questions)
    return list(found.values())


def table(kernels):
    """A row of each folder."""
    print(f"\n{'':28} {'kernels':>8} {'in reach':>9} {'proved':>7} {'questions':>10} {'most':>5} {'seconds':>8} {'slowest':>8}")
    for folder in sorted({os.path.dirname(kernel.script) for kernel in kernels}):
        own = [kernel for kernel in kernels if os.path.dirname(kernel.script) == folder]
        reached = [kernel for kernel in own if kernel.is_within_reach()]
        print(f"{folder:28} {len(own):8} {len(reached):9} {sum(map(Kernel.is_proved, reached)):7} {sum(kernel.questions for kernel in own):10} "
              f"{max(kernel.questions for kernel in own):5} {sum(kernel.seconds for kernel in own):8.1f} {max(kernel.seconds for kernel in own):8.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--only", default="", help="scripts whose path holds the word")
    parser.add_argument("--jobs", type=int, default=2, help="scripts at the same time")
    options = parser.parse_args()
    hidetc = os.path.join(os.path.abspath(options.build), "bin", "hidetc")
    scripts = [f"{folder}/{name}" for folder in FOLDERS
               for name in sorted(os.listdir(os.path.join(ROOT, folder)))
               if name.endswith(".py") and options.only in f"{folder}/{name}"]
    kernels = []
    with tempfile.TemporaryDirectory(prefix="proofs.") as answers, ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda script: kernels_of(hidetc, script, answers), scripts):
            for kernel in found:
                print(f"{kernel.verdict:9} {kernel.seconds:6.2f} s {kernel.questions:4} questions {kernel.alike:3} x  "
                      f"{kernel.script} {kernel.name}  {'; '.join(kernel.stopped_by)}", flush=True)
            kernels += found
    reached = [kernel for kernel in kernels if kernel.is_within_reach()]
    proved = [kernel for kernel in reached if kernel.is_proved()]
    quick = [kernel for kernel in proved if kernel.seconds <= LIMIT]
    refuted = [kernel for kernel in kernels if kernel.verdict == "refuted"]
    stops = Counter(each for kernel in kernels for each in kernel.stopped_by)
    for stop, count in stops.most_common():
        print(f"{count:4} kernels stopped by {stop}")
    table(kernels)
    share = 100 * len(quick) / max(1, len(reached))
    print(f"{len(kernels)} kernels, {len(reached)} of them within reach; {len(proved)} of these proved, {len(quick)} in {LIMIT} s "
          f"({share:.0f} %, goal {GOAL} %); {len(refuted)} refuted")
    return 1 if refuted or (not options.only and share < GOAL) else 0


if __name__ == "__main__":
    sys.exit(main())
