# SPDX-License-Identifier: Apache-2.0
"""What 'hidetc explain' says of accesses is what the emulator counts, to the sector and the wavefront.

For each line of each kernel of the samples, and of the scripts of tests/accesses/kernels and tests/run, the sums over the accesses of the line are
compared with the emulator's counters. agreement.txt has the lines of which explain itself says that it does not know them
exactly, with its reason; a line that differs without such a reason fails the test. A script that launches a kernel several
times has several times the counts of one launch, and the emulator does equal loads of an unrolled loop once: both are whole
factors, the same for requests, sectors and wavefronts. A kernel with dynamic sizes is explained for those of its first call.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = os.path.join(HERE, "agreement.txt")
FOLDERS = ["samples/kernels", "tests/accesses/kernels", "tests/run/cuda", "tests/run/layouts", "tests/run/mappings"]
FIGURES = ("requests", "units", "least")


def document(hidetc, *arguments):
    run = subprocess.run([hidetc, *arguments, "--json"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    if run.returncode not in (0, 1):
        sys.exit(f"hidetc {' '.join(arguments)} ended with {run.returncode}:\n{run.stderr}")
    return json.loads(run.stdout)


def counted(script, hidetc):
    """(kernel, line, memory) -> the emulator's figures."""
    sums = defaultdict(lambda: [0, 0, 0])
    for line in (document(hidetc, "emulate", script, "--counters").get("summary") or {}).get("counters", []):
        for access in line["accesses"]:
            figures = sums[line["kernel"], line["line"], access["memory"]]
            for i, name in enumerate(("requests", "count", "least")):
                figures[i] += access[name]
    return sums


def explained(script, hidetc):
    """(kernel, line, memory) -> the figures of explain, and why they are not exact."""
    sums, reasons, sizes = defaultdict(lambda: [0, 0, 0]), {}, {}
    for kernel in document(hidetc, "explain", script, "--no-compile", "--no-fixes")["kernels"]:
        if kernel["sizes"]:
            sizes[kernel["name"]] = kernel["sizes"]
        for access in kernel["accesses"]:
            key = kernel["name"], access["line"], access["memory"]
            for i, name in enumerate(FIGURES):
                sums[key][i] += access[name]
            if access["counted"] != "exact":
                reasons[key] = f"{access['counted']}: {access['why']}"
    return sums, reasons, sizes


def factor_of(mine, theirs):
    """By which all figures differ; None: there is no one such factor."""
    factors = {Fraction(b) / Fraction(a) for a, b in zip(mine, theirs) if a}
    if any(b and not a for a, b in zip(mine, theirs)) or len(factors) > 1:
        return None
    return factors.pop() if factors else Fraction(1)


def differences(script, hidetc):
    theirs = counted(script, hidetc)
    if not theirs:
        return [], 0
    mine, reasons, sizes = explained(script, hidetc)
    factors = {key: factor_of(mine[key], theirs[key]) for key in theirs if key not in reasons}
    launches = {}
    for (kernel, _, _), factor in factors.items():
        launches[kernel] = max(launches.get(kernel, 0), factor or 0)
    lines = []
    for key in sorted(set(theirs) | {key for key in mine if any(mine[key])}):
        kernel, line, memory = key
        # Shared memory of another block counts as global memory there.
        reason = reasons.get(key) or reasons.get((kernel, line, "shared"))
        if reason:
            lines.append(f"  {line} {kernel}, {memory}: {reason}")
            continue
        if key not in theirs:
            lines.append(f"  {line} {kernel}, {memory}: {mine[key]}, and the emulator nothing: WRONG")
            continue
        factor, times = factors[key], launches[kernel]
        if factor == times:
            continue
        once = times / factor if factor else 0
        if kernel in sizes:
            lines.append(f"  {line} {kernel}, {memory}: it is called with other sizes, too, than {sizes[kernel]}")
        elif factor and once.denominator == 1:
            lines.append(f"  {line} {kernel}, {memory}: the emulator does {once} equal loads at once")
        else:
            lines.append(f"  {line} {kernel}, {memory}: {mine[key]} times {times}, and the emulator {theirs[key]}: WRONG")
    return lines, len(theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidetc", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    text, compared = [], 0
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            script = f"{folder}/{name}"
            if not name.endswith(".py") or options.only not in script:
                continue
            lines, count = differences(script, options.hidetc)
            compared += count
            text += [script, *lines] if lines else []
    text = "\n".join(text) + "\n"
    print(f"{compared} lines of kernels compared")
    if options.update and "WRONG" not in text:
        with open(EXPECTED, "w") as file:
            file.write(text)
        return
    expected = ""
    if os.path.exists(EXPECTED):
        with open(EXPECTED) as file:
            expected = file.read()
    if text != expected and not options.only or "WRONG" in text:
        print(text)
        sys.exit("this is not what agreement.txt says; --update accepts it, but for what is WRONG")


main()
