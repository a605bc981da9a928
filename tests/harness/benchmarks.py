# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the benchmarks and shows each figure as a ratio to its goal: 1.00 and above is met."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def collect(program):
    """(name, value, unit, goal, better) of each line that a benchmark prints; other lines are shown as they are."""
    process = subprocess.Popen([program, ROOT], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        words = line.rstrip("\n").split("\t")
        if words[0] == "figure":
            yield words[1], float(words[2]), words[3], float(words[4]), words[5]
        else:
            print(line, end="", file=sys.stderr)
    if process.wait() != 0:
        raise RuntimeError(f"{os.path.basename(program)} ended with {process.returncode}")


def ratio(value, goal, better):
    if goal == 0 or value == 0:
        return None
    return goal / value if better == "less" else value / goal


def main(arguments):
    as_json = "--json" in arguments
    words = [word for word in arguments if not word.startswith("--")]
    preset = "release" if "--release" in arguments else "dev"
    build = os.path.join(ROOT, "build", preset)
    subprocess.run(["cmake", "--build", build, "--target", "benchmarks", "--", "--quiet"], check=True)
    programs = sorted(name for name in os.listdir(os.path.join(build, "bin")) if name.startswith("bench_"))
    rows, failed = [], []
    for name in programs:
        if words and not any(word in name for word in words):
            continue
        try:
            for figure in collect(os.path.join(build, "bin", name)):
                rows.append(figure)
                if not as_json:
                    show(figure)
        except RuntimeError as error:
            failed.append(str(error))
    if as_json:
        print(json.dumps([dict(zip(("name", "value", "unit", "goal", "better", "ratio"), (*row, ratio(row[1], *row[3:]))))
                          for row in rows], indent=1))
    for text in failed:
        print(text)
    return 1 if failed or not rows else 0


def show(figure):
    name, value, unit, goal, better = figure
    met = ratio(value, goal, better)
    sign = "<=" if better == "less" else ">="
    aim = f"goal {sign} {goal:g} {unit}   {met:.2f}x" if met is not None else ""
    print(f"{name:52} {value:10.4g} {unit:9} {aim}".rstrip(), flush=True)
