# SPDX-License-Identifier: Apache-2.0
"""No figure that 'hidetc explain' gives contradicts another of it: of an access, of a kernel, of a function that launches.

Each kernel of the samples and of tests/accesses/kernels is explained, as JSON and as text, and what follows from the figures is
compared with what is said.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDERS = ["samples/kernels", "tests/accesses/kernels"]
SECTOR = 32


def answer(hidetc, script, *options):
    run = subprocess.run([hidetc, "explain", script, "--no-compile", "--no-fixes", *options], cwd=ROOT, capture_output=True, text=True,
                         timeout=600)
    if run.returncode not in (0, 1):
        sys.exit(f"hidetc explain {script} ended with {run.returncode}:\n{run.stderr}")
    return run.stdout


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)


def of_access(access):
    """Sentences that do not hold of it."""
    units, least, verdict, finding = access["units"], access["least"], access["verdict"], access["finding"]
    moves_more = units > least
    if units < least:
        yield f"moves {units}, fewer than the {least} that would do"
    if least and not near(access["ratio"], units / least):
        yield f"the ratio of {units} to {least} is said to be {access['ratio']}"
    if units and access["worst"] + 1e-9 < access["ratio"]:
        yield f"the worst request moves {access['worst']} times what would do, and all together {access['ratio']} times"
    if ("as few" in verdict) != (units > 0 and not moves_more):
        yield f"'{verdict}' of {units}, where {least} would do"
    if ("times" in verdict) != moves_more:
        yield f"'{verdict}' of {units}, where {least} would do"
    if finding and not moves_more:
        yield f"'{finding}' of {units}, where {least} would do"
    if access["cure"] and not finding:
        yield "a cure of no finding"
    if (access["counted"] == "exact") != (not access["why"]):
        yield f"'{access['counted']}', because '{access['why']}'"
    if access["bytes"] > units * (128 if access["memory"] == "shared" else SECTOR * 32):
        yield f"{access['bytes']} bytes in {units} {access['unit']}"
    lanes = access["lanes"]
    if lanes["units"] < lanes["least"] or lanes["units"] > access["worst"] * lanes["least"]:
        yield f"its picture moves {lanes['units']} for {lanes['least']}, and its worst request {access['worst']} times what would do"


def of_kernel(kernel):
    accesses, cost = kernel["accesses"], kernel["cost"]
    of_global = [a for a in accesses if a["memory"] == "global"]
    of_shared = [a for a in accesses if a["memory"] == "shared"]
    sectors, least = sum(a["units"] for a in of_global), sum(a["least"] for a in of_global)
    if not near(cost["sectorBytes"], sectors * SECTOR):
        yield f"{cost['sectorBytes']} bytes in {sectors} sectors"
    if sectors and not near(kernel["coalesced"], least / sectors):
        yield f"of {sectors} sectors {least} would do, and not {kernel['coalesced']} of them"
    if not near(kernel["conflicts"], sum(a["units"] - a["least"] for a in of_shared)):
        yield f"{kernel['conflicts']} wavefronts beyond those that would do"
    if kernel["isAllCounted"] != all(a["counted"] == "exact" for a in accesses) or kernel["isAllCounted"] != (not cost["bytesUnknown"]):
        yield "whether all is counted"
    if cost["atLeast"] and (cost["ofRoof"] is not None or "point" in json.dumps(cost["roofline"].get("reached") or "")):
        yield f"a share of the roof, {cost['ofRoof']}, though {cost['atLeast']} is not known"
    if cost["flops"] is None and cost["ofRoof"] is not None:
        yield "a share of the roof of operations that are not known"
    if cost["ofRoof"] is not None and not 0 <= cost["ofRoof"] <= 1.0001:
        yield f"{cost['ofRoof']} of the roof"
    if (cost["flops"] is None) != bool(cost["flopsUnknown"]):
        yield f"{cost['flops']} operations, {cost['flopsUnknown']!r}"
    cycles = [pipe["cycles"] for pipe in cost["pipes"]]
    if cycles != sorted(cycles, reverse=True):
        yield "the busiest unit is not the first"
    if not kernel["allSeconds"] + 1e-12 >= cost["predictedSeconds"] * min(kernel["launches"], 1):
        yield "one launch takes longer than all"


def of_text(text):
    for line in text.split("\n"):
        for moved, least in re.findall(r"(\d+) for (\d+) ", line):
            if int(moved) <= int(least):
                yield f"'{moved} for {least}' in: {line.strip()}"
        if "at least" in line and "of the roof" in line:
            yield f"a share of what is not known: {line.strip()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidetc", required=True)
    options = parser.parse_args()
    wrong, count = [], 0
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            script = f"{folder}/{name}"
            if not name.endswith(".py"):
                continue
            explained = json.loads(answer(options.hidetc, script, "--json"))
            for kernel in explained.get("kernels") or []:
                for access in kernel["accesses"]:
                    count += 1
                    wrong += [f"{script}:{access['line']}: {access['kind']} of '{access['tensor']}': {what}" for what in of_access(access)]
                wrong += [f"{script}: '{kernel['name']}': {what}" for what in of_kernel(kernel)]
            for total in explained.get("totals") or []:
                parts = [k for k in explained["kernels"] if k["module"] == total["module"]]
                if not total["predictedSeconds"] <= sum(k["allSeconds"] for k in parts) * (1 + 1e-9):
                    wrong.append(f"{script}: '{total['function']}' takes longer than what it launches")
            wrong += [f"{script}: {what}" for what in of_text(answer(options.hidetc, script))]
    print(f"{count} accesses looked at")
    if wrong:
        sys.exit("\n".join(wrong))


main()
