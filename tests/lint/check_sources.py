# SPDX-License-Identifier: Apache-2.0
"""Every .cpp is named by the CMakeLists of its folder or of one above it, every name exists, and lists are sorted."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

listed = {}
problems = []
for path in house.files("CMakeLists.txt"):
    folder = os.path.dirname(path)
    text = re.sub(r"#[^\n]*", "", house.read(path))
    for found in re.finditer(r"SOURCES\b([^()]*?)(?=\bUSES\b|\))", text):
        names = [name for name in found.group(1).split() if name.endswith(".cpp") and "$" not in name]
        if names != sorted(names):
            wrong = next(b for a, b in zip(names, names[1:]) if b < a)
            problems.append(f"{path}: sources are sorted; '{wrong}' is out of place")
        for name in names:
            source = os.path.normpath(os.path.join(folder, name))
            if source in listed:
                problems.append(f"{source} is listed by {listed[source]} and by {path}")
            listed[source] = path
sources = set(house.files(".cpp"))
# Programs with one source file may name it in add_executable.
for path in house.files("CMakeLists.txt"):
    for found in re.finditer(r"add_(?:executable|library)\(\s*\S+\s([^()]*)\)", re.sub(r"#[^\n]*", "", house.read(path))):
        for name in found.group(1).split():
            if name.endswith(".cpp") and "$" not in name:
                listed.setdefault(os.path.normpath(os.path.join(os.path.dirname(path), name)), path)
problems += [f"{path}: no CMakeLists.txt lists it" for path in sorted(sources - listed.keys())]
problems += [f"{listed[path]}: lists {path}, which does not exist" for path in sorted(listed.keys() - sources)]
house.finish(problems)
