# SPDX-License-Identifier: Apache-2.0
"""Every .cpp is named once by the CMakeLists.txt of its folder or of one above it, every name exists, and lists are sorted."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

problems = []
listed = {}
for path in house.files("CMakeLists.txt"):
    text = re.sub(r"#[^\n]*", "", house.read(path))
    for found in re.finditer(r"SOURCES\b([^()]*?)(?=\bUSES\b|\))", text):
        names = [name for name in found.group(1).split() if "$" not in name]
        wrong = next((b for a, b in zip(names, names[1:]) if b < a), None)
        if wrong:
            problems.append(f"{path}: sources are sorted; '{wrong}' is out of place")
    for name in re.findall(r"(?<![\w/.${}-])[\w/.-]+\.cpp\b", text):
        source = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if path == listed.get(source):
            problems.append(f"{path}: lists {name} twice")
        listed[source] = path
sources = set(house.files(".cpp"))
problems += [f"{path}: no CMakeLists.txt lists it" for path in sorted(sources - listed.keys())]
problems += [f"{listed[path]}: lists {path}, which does not exist" for path in sorted(listed.keys() - sources)]
house.finish(problems)
