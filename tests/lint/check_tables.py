# SPDX-License-Identifier: Apache-2.0
"""Tables in READMEs say what the .def files say."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import tables

sys.exit(tables.main([]))
