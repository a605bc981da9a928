#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pytest-lsp drives `hidetc lsp` (tests/lsp/pytest_client.py). It comes from PyPI into an environment of its own."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")

with tempfile.TemporaryDirectory() as folder:
    python = os.path.join(folder, "bin", "python")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest-lsp>=1.0"], check=True)
    test = os.path.join(ROOT, "tests", "lsp", "pytest_client.py")
    words = [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, test]
    sys.exit(subprocess.run(words, env=dict(os.environ, HIDETC=HIDETC)).returncode)
