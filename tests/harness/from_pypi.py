# SPDX-License-Identifier: Apache-2.0
"""A client that comes from PyPI drives hidetc: a package in an environment of its own, which goes with the run."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")


def run(package, words_in):
    """The exit code of what `words_in(folder)` says behind Python, with HIDETC in its environment."""
    with tempfile.TemporaryDirectory() as folder:
        python = os.path.join(folder, "bin", "python")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], check=True)
        return subprocess.run([python, "-B", *words_in(folder)], env=dict(os.environ, HIDETC=HIDETC)).returncode
