#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hidet.capture() with the real JAX: its arrays are arguments like any, and what it does by itself is named as what is not heard of
(tests/python/jax_capture.py)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))
import from_pypi

BUILD = os.path.join(from_pypi.ROOT, "build")
os.environ["PYTHONPATH"] = os.pathsep.join([os.path.join(BUILD, "dev", "python"), os.path.join(BUILD, "wheels", "python")])
sys.exit(from_pypi.run("jax", lambda _: [os.path.join(from_pypi.ROOT, "tests", "python", "jax_capture.py")]))
