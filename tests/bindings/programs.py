# SPDX-License-Identifier: Apache-2.0
"""Programs that a test runs."""

import subprocess
import sys


def run(*words, folder=None):
    """What it prints. A failure ends the test, which is skipped where there is no compiler."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode == 3 and "compiler" in done.stderr:
        print(done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ends with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
