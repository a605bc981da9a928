# SPDX-License-Identifier: Apache-2.0
"""Plain hygiene of every file: licence line, no tabs or trailing blanks, no unfinished business, no paths of a machine."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

CODE = (".cpp", ".h", ".def", ".py", ".g4", ".cmake", "CMakeLists.txt", ".sh", "studio", ".ci/run")
TEXT = CODE + (".md", ".json", ".txt", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore")
GPL = ("app/ui/", "tests/ui/")
# Spelt in pieces, so that this file passes its own check.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b|"
                        + r"\b(not " + r"(yet )?implemented|unimple" + r"mented|for n" + r"ow\b|place" + r"holder(?!Text|\"))",  # colours of Qt, nodes of PyTorch
                        re.IGNORECASE)
MACHINE = re.compile(r"(?<![\w.])/(work|root|Users|mnt|farm)/\w|(?<![\w.])/home/(?!user\b|me\b)\w")


def check(path):
    text = house.read(path)
    is_code = path.endswith(CODE) or path.startswith("samples/") and path.endswith(".py")
    lines = text.split("\n")
    if is_code and text:
        licence = "GPL-3.0-only" if path.startswith(GPL) else "Apache-2.0"
        if not any(f"SPDX-License-Identifier: {licence}" in line for line in lines[:2]):
            yield f"{path}:1: the first line is 'SPDX-License-Identifier: {licence}'"
    if "\0" in text:
        return
    if text and not text.endswith("\n"):
        yield f"{path}:{len(lines)}: the last line has no end"
    if text.endswith("\n\n"):
        yield f"{path}:{len(lines)}: empty lines at the end"
    for number, line in enumerate(lines, 1):
        if line.endswith((" ", "\t", "\r")):
            yield f"{path}:{number}: blanks at the end of the line"
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        # Rows of tables and grammar rules stay on one line.
        if is_code and len(line) > 180 and not path.endswith((".def", ".g4")):
            yield f"{path}:{number}: {len(line)} columns; 120 are meant, 180 the limit"
        found = UNFINISHED.search(line)
        if found:
            yield f"{path}:{number}: '{found.group()}': finish it, or say plainly what the limit is"
        if MACHINE.search(line):
            yield f"{path}:{number}: a path of one machine"


def is_checked(path):
    if path.startswith(("tests/golden/", "tests/host/programs/", "LICENSES/")) or path.startswith("tests/") and path.endswith((".expected", ".txt")):
        return path.endswith("CMakeLists.txt")  # data may hold any bytes
    return path.endswith(TEXT)


house.finish([text for path in house.files() if is_checked(path) for text in check(path)])
