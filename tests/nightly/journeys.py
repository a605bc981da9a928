#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Journeys through the window by real keys, in four sizes: tests/ui/journeys.py, whose options it takes."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "ui", "journeys.py"), *sys.argv[1:]]).returncode)
