#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The protocol's own Python SDK drives `hidetc mcp`: every tool is called, and a slow softmax is made fast by calls alone. The SDK
comes from PyPI into an environment of its own."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")

with tempfile.TemporaryDirectory() as folder:
    python = os.path.join(folder, "bin", "python")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mcp>=1.9"], check=True)
    test = os.path.join(ROOT, "tests", "mcp", "sdk_client.py")
    sys.exit(subprocess.run([python, "-B", test, HIDETC]).returncode)
