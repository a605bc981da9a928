# SPDX-License-Identifier: Apache-2.0
"""1,500 scripts that are written to break their evaluator, of which a seed makes most (tests/hostile), through `hidetc check`,
the language server and the window; --through takes one of them.

    hostile.py [--bin FOLDER] [options of tests/hostile/hostile_test.py]"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

parser = argparse.ArgumentParser()
parser.add_argument("--bin", default=os.path.join(ROOT, "build", "dev", "bin"))
parser.add_argument("--through", default="")
options, rest = parser.parse_known_args()
program = os.path.join(ROOT, "tests", "hostile", "hostile_test.py")
ways = [options.through] if options.through else ["check", "lsp", "window"]
codes = []
for way in ways:
    print(f"through {way}:", flush=True)
    command = [sys.executable, "-B", program, "--bin", options.bin, "--made", "1200", "--through", way, *rest]
    codes.append(subprocess.run(command).returncode)
sys.exit(max(codes))
