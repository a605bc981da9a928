#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 comparisons of a script with itself, as 'hidetc compare' makes them: at most 2 % may say that one is faster or slower.

    same_twice.py [--build FOLDER] [--comparisons N] [--target cpu|cuda] [--jobs 1]

What else the machine does meanwhile must not matter, so with several at a time it holds as well.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = {"cpu": ["cpu_softmax", "cpu_matmul", "naive_matmul", "softmax"], "cuda": ["naive_matmul", "softmax", "shared_matmul", "warp_reduction"]}
MOST = 2  # per cent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--target", choices=SCRIPTS, default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="comparisons at the same time")
    options = parser.parse_args()
    hidetc = os.path.join(os.path.abspath(options.build), "bin", "hidetc")

    def compared(number):
        script = SCRIPTS[options.target][number % len(SCRIPTS[options.target])] + ".py"
        command = [hidetc, "compare", script, script, "--target", options.target, "--json"]
        run = subprocess.run(command, cwd=os.path.join(ROOT, "samples", "kernels"), capture_output=True, text=True)
        answer = json.loads(run.stdout)
        if "compared" not in answer:
            sys.exit(f"{' '.join(command)}: {answer.get('diagnostics')}")
        return script, answer["compared"]

    words = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for script, said in pool.map(compared, range(options.comparisons)):
            words[said["word"]] += 1
            if said["word"] != "no difference":
                print(f"{script}: {said['word']}: {said['why']}", flush=True)
    print(", ".join(f"{word} {count}" for word, count in words.most_common()))
    different = options.comparisons - words["no difference"]
    return 1 if different * 100 > options.comparisons * MOST else 0


if __name__ == "__main__":
    sys.exit(main())
