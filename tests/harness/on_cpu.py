# SPDX-License-Identifier: Apache-2.0
"""A script with kernels for a GPU, as C++ on this machine: `hidetc run --target cpu`, with bounds checks. Those that ask for what
only a GPU has are rows of tests/run/not_on_cpu.txt, and have to be refused in these words.

    on_cpu.py --bin FOLDER SCRIPT
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REFUSED = os.path.join(ROOT, "tests", "run", "not_on_cpu.txt")
NO_COMPILER, SKIPPED = 3, 77


def refused():
    """Script, from the root, to the words that say why."""
    with open(REFUSED, encoding="utf-8") as file:
        rows = [line.split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {path: words.strip() for path, words in rows}


def main():
    folder, script = sys.argv[2], os.path.abspath(sys.argv[3])
    words = refused().get(os.path.relpath(script, ROOT))
    done = subprocess.run([os.path.join(folder, "hidetc"), "run", "--target", "cpu", script], capture_output=True, text=True)
    if done.returncode == NO_COMPILER:
        print("there is no C++ compiler")
        return SKIPPED
    is_refused = done.returncode == 1 and "[kernel-needs-gpu]" in done.stderr
    if words is None and done.returncode == 0:
        return 0
    if words is not None and is_refused and words in done.stderr:
        return 0
    print(done.stdout + done.stderr)
    print("expected: " + ("exit code 0" if words is None else f"refused, because it {words}"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
