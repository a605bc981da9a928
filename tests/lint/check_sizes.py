# SPDX-License-Identifier: Apache-2.0
"""Files stay small: 600 lines at most, a remark from 450 on; and so do folders: 60 files. Prints the totals of the folders."""

import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

CAP, REMARK, FILES = 600, 450, 60
SUFFIXES = (".cpp", ".h", ".def", ".py", ".g4", ".cmake", "CMakeLists.txt")

lengths = {path: house.read(path).count("\n") for path in house.files(*SUFFIXES)}
totals = {}
for path, length in lengths.items():
    folder = "/".join(path.split("/")[:2]) if path.count("/") > 1 else path.split("/")[0]
    count, lines = totals.get(folder, (0, 0))
    totals[folder] = (count + 1, lines + length)
for folder, (count, lines) in sorted(totals.items()):
    print(f"{folder:24} {count:4} files {lines:7} lines")
for path, length in sorted(lengths.items(), key=lambda item: -item[1]):
    if REMARK < length <= CAP:
        print(f"remark: {path} has {length} lines; above {REMARK} a file usually holds two topics")
long = [f"{path}: {length} lines, the cap is {CAP}" for path, length in sorted(lengths.items()) if length > CAP]
held = collections.Counter(os.path.dirname(path) for path in house.files())
house.finish(long + [f"{folder}: {count} files, the cap is {FILES}" for folder, count in sorted(held.items()) if count > FILES])
