# SPDX-License-Identifier: Apache-2.0
"""What 'hidetc explain --bounds' proves and refutes is what the emulator finds.

Of the samples and the scripts of tests/run, which the emulator finds right, no access may leave its tensor; bounds.txt has how many
of each script are proved, and why others are not decided. Of the wrong variants of tests/variants, a line in which the emulator
finds an access outside of its tensor may not be proved in whole, and each counter-example is such a line.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = os.path.join(HERE, "bounds.txt")
FOLDERS = ["samples/kernels", "tests/run/cuda", "tests/run/layouts", "tests/run/mappings", "tests/run/order"]

sys.path.insert(0, os.path.join(ROOT, "tests", "harness"))
import variants  # noqa: E402


def bounds_of(hidetc, script, folder):
    """The accesses of all kernels, with the kernel of each."""
    run = subprocess.run([hidetc, "explain", script, "--no-compile", "--no-fixes", "--bounds", "--json"], cwd=folder,
                         capture_output=True, text=True, timeout=600)
    if run.returncode not in (0, 1):
        sys.exit(f"hidetc explain {script} ended with {run.returncode}:\n{run.stderr}")
    return [(kernel["name"], access) for kernel in json.loads(run.stdout)["kernels"]
            for access in (kernel.get("bounds") or {}).get("accesses", [])]


def of_right_script(script, hidetc):
    accesses = bounds_of(hidetc, script, ROOT)
    if not accesses:
        return []
    proved = sum(access["verdict"] == "proved" for _, access in accesses)
    lines = [f"{script}: {proved} of {len(accesses)}"]
    open_ones = Counter((kernel, access["line"], access["why"]) for kernel, access in accesses if access["verdict"] == "not decided")
    lines += [f"  {line} {kernel}: {why}" for kernel, line, why in sorted(open_ones)]
    return lines + [f"  {access['line']} {kernel}: {access['example']}: WRONG" for kernel, access in accesses
                    if access["verdict"] == "leaves"]


def of_variant(hidetc, source, name, variant):
    """What is wrong, as text."""
    found = {variants.line_of(source, words) for kind, words, _ in variant.findings if kind == "out-of-bounds"}
    with tempfile.TemporaryDirectory(prefix="bounds.") as folder:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        accesses = bounds_of(hidetc, name, folder)
    verdicts = {}
    for _, access in accesses:
        verdicts.setdefault(access["line"], set()).add(access["verdict"])
    out = [f"line {line} is proved, and the emulator finds an access outside" for line in sorted(found)
           if verdicts.get(line, set()) <= {"proved"}]
    # The emulator stops at the first one.
    if not found:
        out += [f"line {access['line']}: {access['example']}, of which the emulator says nothing" for _, access in accesses
                if access["verdict"] == "leaves"]
    refuted = any(verdict == "leaves" for line in found for verdict in verdicts.get(line, ()))
    return out, bool(found), refuted


def of_table(path, hidetc):
    with open(path, encoding="utf-8") as file:
        script, always, rows = variants.parse(file.read())
    with open(os.path.join(ROOT, script), encoding="utf-8") as file:
        right = variants.changed(file.read(), always)
    lines, outside, refuted = [], 0, 0
    for variant in rows:
        wrong, is_outside, is_refuted = of_variant(hidetc, variants.changed(right, variant.changes), os.path.basename(script), variant)
        lines += [f"{os.path.basename(path)}: {variant.name}: {each}: WRONG" for each in wrong]
        outside, refuted = outside + is_outside, refuted + is_refuted
        if is_outside and not is_refuted:
            lines.append(f"{os.path.basename(path)}: {variant.name}: not decided")
    return lines, outside, refuted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scripts and tables whose path holds the word")
    parser.add_argument("--update", action="store_true", help="write what is proved into bounds.txt, then read the diff")
    parser.add_argument("--hidetc", required=True)
    options = parser.parse_args()
    hidetc = os.path.abspath(options.hidetc)
    scripts = [f"{folder}/{name}" for folder in FOLDERS for name in sorted(os.listdir(os.path.join(ROOT, folder)))
               if name.endswith(".py") and options.only in f"{folder}/{name}"]
    tables = [os.path.join(ROOT, "tests", "variants", name) for name in sorted(os.listdir(os.path.join(ROOT, "tests", "variants")))
              if name.endswith(".txt") and options.only in name]
    with ThreadPoolExecutor(2) as pool:
        text = [line for lines in pool.map(lambda each: of_right_script(each, hidetc), scripts) for line in lines]
        results = list(pool.map(lambda each: of_table(each, hidetc), tables))
    text += [line for lines, _, _ in results for line in lines]
    print(f"{len(scripts)} scripts; {sum(found for _, found, _ in results)} variants with accesses outside, "
          f"{sum(refuted for _, _, refuted in results)} of them with a counter-example")
    text = "\n".join(text) + "\n"
    if options.update and "WRONG" not in text:
        with open(EXPECTED, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(EXPECTED, encoding="utf-8") as file:
        expected = file.read()
    if options.only:
        print(text)
    elif text != expected:
        import difflib
        sys.exit("".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), "bounds.txt", "now")))
    if "WRONG" in text:
        sys.exit(text)


if __name__ == "__main__":
    main()
