# SPDX-License-Identifier: Apache-2.0
"""The benchmarks compute what they should: each one runs on the emulator, with the sizes that it names for that
(`sizes = [4096]  # on the emulator: [256]`)."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases

BIN = sys.argv[sys.argv.index("--bin") + 1]
SIZES = re.compile(r"^(.* = ).*  # on the emulator: (.*)$", re.MULTILINE)


def run(case):
    with open(case.path, encoding="utf-8") as file:
        text, found = SIZES.subn(r"\1\2", file.read())
    if not found:
        return f"{case.name}: no line says '# on the emulator: ...'"
    with open(case.path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([os.path.join(BIN, "hidetc"), "run", "--target", "emulate", case.path], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        return f"{case.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        failures = [failure for failure in map(run, cases.benchmarks(folder)) if failure]
    print("\n".join(failures) or "fine")
    return bool(failures)


sys.exit(main())
