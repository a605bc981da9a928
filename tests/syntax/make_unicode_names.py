# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of lang/parse/unicode_names.cpp with what Python 3.11 takes as names; with --write, writes them.

    make_unicode_names.py            exit code 1 if a range differs, 77 under another version of Python
    make_unicode_names.py --write    then `tests/dev.py fmt`"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "lang", "parse", "unicode_names.cpp")


def ranges(accepts):
    """(first, last) of each run of accepted characters above ASCII; one more character ends the last run."""
    found, begin = [], None
    for code in range(0x80, 0x110001):
        fine = code < 0x110000 and not 0xD800 <= code <= 0xDFFF and accepts(chr(code))
        if fine and begin is None:
            begin = code
        elif not fine and begin is not None:
            found.append((begin, code - 1))
            begin = None
    return found


def main():
    if sys.version_info[:2] != (3, 11):
        print("the tables are those of Python 3.11")
        return 77
    tables = {
        "starts": ranges(str.isidentifier),
        "only_continues": ranges(lambda c: ("a" + c).isidentifier() and not c.isidentifier()),
    }
    with open(PATH, encoding="utf-8") as file:
        text = file.read()
    wrong = []
    for name, expected in tables.items():
        body = re.search(r"%s\[\] = \{(.*?)\};" % name, text, re.DOTALL)
        written = [tuple(int(n, 16) for n in pair) for pair in re.findall(r"\{(0x\w+), (0x\w+)\}", body.group(1))]
        if written != expected:
            wrong.append(name)
        items = ", ".join(f"{{0x{first:X}, 0x{last:X}}}" for first, last in expected)
        text = text[: body.start(1)] + items + text[body.end(1) :]
    if "--write" in sys.argv[1:]:
        with open(PATH, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    print("\n".join(f"{name}: not the ranges of Python" for name in wrong) or "equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
