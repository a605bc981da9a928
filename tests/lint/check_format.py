# SPDX-License-Identifier: Apache-2.0
"""C++ is formatted as .clang-format says."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house
from harness import formatting

if formatting.find_tool() is None:
    house.skip(f"clang-format {formatting.VERSION} is not installed")
house.finish(formatting.run(house.files(".cpp", ".h"), check=True)[1])
