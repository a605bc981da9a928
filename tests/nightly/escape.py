# SPDX-License-Identifier: Apache-2.0
"""All attempts of tests/escape, of which the suite makes a share.

    escape.py [--bin build/dev/bin]
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--bin", default=os.path.join(ROOT, "build", "dev", "bin"))
arguments = parser.parse_args()
sys.exit(subprocess.call([sys.executable, "-B", os.path.join(ROOT, "tests", "escape", "escape_test.py"), "--hidetc",
                          os.path.join(arguments.bin, "hidetc"), "--share", "1"]))
