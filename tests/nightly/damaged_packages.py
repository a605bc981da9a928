# SPDX-License-Identifier: Apache-2.0
"""Packages whose plans were damaged, with checksums that are right: described, loaded and run under AddressSanitizer, 20,000 of
them. The build is that of sanitizers.py.

    damaged_packages.py [--count 20000]
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "asan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20000)
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "asan", "-S", ROOT, "-DHIDET_STUDIO=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "--quiet", "unit_base"], check=True)
    program = [os.path.join(BUILD, "bin", "unit_base"), "--source-file=*host_steps_test*,*damaged_test*,*read_test*"]
    return subprocess.run(program, env={**os.environ, "HIDET_DAMAGED_PLANS": str(options.count)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
