#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pytest-lsp drives `hidetc lsp` (tests/lsp/pytest_client.py)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
import from_pypi

TEST = os.path.join(from_pypi.ROOT, "tests", "lsp", "pytest_client.py")
sys.exit(from_pypi.run("pytest-lsp>=1.0", lambda folder: ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, TEST]))
