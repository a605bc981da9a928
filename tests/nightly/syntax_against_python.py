# SPDX-License-Identifier: Apache-2.0
"""Python's whole library and thousands of mutations of it, read by our parser and by Python's. Minutes.

    syntax_against_python.py [--bin FOLDER] [options of tests/syntax/differential.py]"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

parser = argparse.ArgumentParser()
parser.add_argument("--bin", default=os.path.join(ROOT, "build", "dev", "bin"))
options, rest = parser.parse_known_args()
program = os.path.join(ROOT, "tests", "syntax", "differential.py")
for how in (["--tokens", os.path.join(options.bin, "token_tool")], ["--tool", os.path.join(options.bin, "syntax_tool")]):
    code = subprocess.run([sys.executable, program, *how, "--all", *rest]).returncode
    if code:
        sys.exit(code)
