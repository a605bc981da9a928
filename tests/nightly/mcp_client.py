#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The protocol's own Python SDK drives `hidetc mcp`: every tool is called, and a slow softmax is made fast by calls alone
(tests/mcp/sdk_client.py)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
import from_pypi

TEST = os.path.join(from_pypi.ROOT, "tests", "mcp", "sdk_client.py")
sys.exit(from_pypi.run("mcp>=1.9", lambda _: [TEST, from_pypi.HIDETC]))
