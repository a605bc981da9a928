# SPDX-License-Identifier: Apache-2.0
"""Runs the node tests of ONNX and compares what does not pass with a table.

    node_tests.py --program PATH [--target reference|vm|cpu|emulate|cuda] [--update] [--all]

The tests are those of the wheel onnx 1.22.0, the newest that has them, fetched once into .cache/onnx. The table of a target is not_passed_TARGET.txt,
or that of the reference. --update rewrites it; --all prints the verdicts of all tests. Exit code 77: the tests cannot be fetched.
"""

import argparse
import collections
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.path.join(ROOT, ".cache", "onnx")
VERDICTS = ("passed", "checked", "wrong", "refused", "failed")
# What the product does not take on: training, strings, sequences and optionals.
EXCLUDED = ("string", "sequence", "optional", "Sequence", "Optional", "training")


def fetch():
    script = os.path.join(ROOT, "compiler", "graph", "onnx", "fetch_onnx.py")
    return subprocess.run([sys.executable, "-I", "-S", "-B", script, "tests", CACHE], check=False).returncode == 0


def run(program, target):
    command = [program, os.path.join(CACHE, "node"), "--target", target]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.split(" ")[0] in VERDICTS and "test_" in line]
    return lines, done


def is_excluded(line):
    return line.split()[0] in ("refused", "failed") and any(word in line for word in EXCLUDED)


def report(lines):
    """How many of those that count pass, with what counts: a refusal counts as a failure, but for what the product does not take on."""
    counts = collections.Counter(line.split()[0] for line in lines)
    counted = len(lines) - sum(map(is_excluded, lines))
    right = counts["passed"] + counts["checked"]
    print(f"{len(lines)} tests: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS))
    print(f"{len(lines) - counted} are refused because they are of training, strings, sequences or optionals, and do not count")
    print(f"of the other {counted}, {100 * right / max(counted, 1):.1f} % are right: {counts['passed']} with the recorded results, "
          f"{counts['checked']} checked otherwise, because the recorded results are not the standard's (recorded.def)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--target", default="reference")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if not fetch():
        print("the node tests of ONNX cannot be fetched")
        return 77
    lines, done = run(options.program, options.target)
    if options.all:
        print("\n".join(lines))
    report(lines)
    if done.returncode != 0:
        print(f"the program ended with {done.returncode} after {lines[-1] if lines else 'nothing'}")
        print(done.stderr[-2000:])
        return 1
    own = os.path.join(HERE, f"not_passed_{options.target}.txt")
    table = own if os.path.exists(own) else os.path.join(HERE, "not_passed_reference.txt")
    is_now = [line for line in lines if not line.startswith("passed")]
    if options.update:
        with open(own, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in is_now)
        return 0
    with open(table, encoding="utf-8") as file:
        expected = file.read().splitlines()
    for line in sorted(set(is_now) - set(expected)):
        print("is now       " + line)
    for line in sorted(set(expected) - set(is_now)):
        print("is no longer " + line)
    return 0 if is_now == expected else 1


if __name__ == "__main__":
    sys.exit(main())
