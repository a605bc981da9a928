# SPDX-License-Identifier: Apache-2.0
"""Wrong variants of right kernels: each has to be found by the emulator, at the right line; the file as it is has no findings.

A table (tests/variants/*.txt) names a script and says how to make it wrong:

    file: samples/kernels/hopper_matmul.py
    with: 400, 520, 328 -> 200, 328, 328       changes of the script itself, that is right afterwards too

    = the wait for the last products is missing
    @ step > 0                                 looked for behind this, and behind the next @; not needed where it is unique
    - wgmma_wait_group(0)
    + wgmma_wait_group(1)                      missing: the words go; a statement that is gone becomes `pass`
    ! missing-wait: cast(sums[ < wgmma_async   id: words of the line < words of the line of one of its notes
    ! ...                                      and what follows from it
    $ --seed 3                                 options of `hidetc emulate` that this variant needs

Every listed finding has to be there, and without the last row no other one. Words are of the variant, and of one line of it;
behind the words of a line `@ words` says, as above, what comes before; so may several. A variant may have several changes.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENDED_WITH_FINDINGS = 1


class TableError(Exception):
    """The table itself is wrong."""


class Variant:
    def __init__(self, name):
        self.name = name
        self.changes = []  # (what comes before, old, new)
        self.findings = []  # (id, words, words of a note or None)
        self.has_more = False
        self.options = []


def parse(text):
    """The script, the changes that leave it right, the variants."""
    script, always, variants, before = "", [], [], []
    for number, line in enumerate(text.split("\n"), 1):
        mark, rest = line[:2], line[2:]
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("file: "):
            script = line[6:].strip()
        elif line.startswith("with: "):
            old, _, new = line[6:].partition(" -> ")
            always.append(([], old.strip(), new.strip()))
        elif mark == "= ":
            variants.append(Variant(rest.strip()))
        elif mark == "@ ":
            before = before + [rest.strip()]
            continue
        elif mark == "- ":
            variants[-1].changes.append([before, rest.strip(), ""])
        elif mark == "+ ":
            variants[-1].changes[-1][2] = rest.strip()
        elif mark == "$ ":
            variants[-1].options = rest.split()
        elif line == "! ...":
            variants[-1].has_more = True
        elif mark == "! ":
            kind, _, places = rest.partition(": ")
            words, _, first = places.partition(" < ")
            variants[-1].findings.append((kind.strip(), words.strip(), first.strip() or None))
        else:
            raise TableError(f"line {number}: '{line}' is none of file, with, =, @, -, +, $ and !")
        before = []
    return script, always, variants


def place_of(source, before, words):
    """Where the words begin: the only place, or the first one behind all of `before`, one after the other."""
    start = 0
    for each in before:
        start = source.find(each, start)
        if start < 0:
            raise TableError(f"'{each}' is not in the script")
        start += len(each)
    at = source.find(words, start)
    if at < 0:
        raise TableError(f"'{words}' is not in the script")
    if not before and source.find(words, at + 1) >= 0:
        raise TableError(f"'{words}' is in the script more than once: name with @ what comes before")
    return at


def changed(source, changes):
    for before, old, new in changes:
        at = place_of(source, before, old)
        source = source[:at] + new + source[at + len(old):]
        first, last = source.rfind("\n", 0, at) + 1, source.find("\n", at)
        line = source[first:last]
        if not line.partition("#")[0].strip():
            source = source[:first] + line[:len(line) - len(line.lstrip())] + "pass" + source[last:]
    return source


def line_of(source, words):
    words, *before = (each.strip() for each in words.split(" @ "))
    return source.count("\n", 0, place_of(source, before, words)) + 1


def findings_of(program, source, name, options):
    """(id, line, lines of its notes, message) of each."""
    with tempfile.TemporaryDirectory(prefix="variants.") as folder:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
        done = subprocess.run([program, "emulate", name, "--json", *options], cwd=folder, timeout=100, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
    if done.returncode not in (0, ENDED_WITH_FINDINGS):
        return [("exit", done.returncode, [], done.stdout + done.stderr)]
    document = json.loads(done.stdout)
    out = []
    for each in document["diagnostics"]:
        notes = [note["line"] for note in each["notes"] if note["line"] and note["message"] != "called here"]
        out.append((each["id"], each["line"], notes, each["message"]))
    return out


def words_of(source, line):
    """Words that name a line: what stands in it, and where that is not enough, behind which other one."""
    lines = source.split("\n")
    candidates = [part.strip() for part in re.split(r" < | @ |  #", lines[line - 1]) if part.strip()]
    for words in candidates:
        for before in [None] + [each.strip() for each in reversed(lines[:line - 1]) if each.strip()]:
            text = words if before is None else f"{words} @ {before}"
            try:
                if line_of(source, text) == line and " < " not in text:
                    return text
            except TableError:
                pass
    raise TableError(f"no words name line {line}")


def filled(text, findings):
    """The table with what was found in the place of the rows that say so. findings: by the name of the variant."""
    out, name = [], ""
    rows = text.rstrip("\n").split("\n")
    for number, row in enumerate(rows):
        if row.startswith("= "):
            name = row[2:].strip()
        if not row.startswith("! "):
            out.append(row)
        is_last = number + 1 == len(rows) or not rows[number + 1].strip()
        if name and is_last:
            out += findings.pop(name, [])
    return "\n".join(out) + "\n"


def rows_of(source, found, most=3):
    """The rows of what was found, the first ones."""
    rows = []
    for kind, line, notes, _ in found[:most]:
        first = f" < {words_of(source, notes[0])}" if notes else ""
        rows.append(f"! {kind}: {words_of(source, line)}{first}")
    return rows + (["! ..."] if len(found) > most else [])


def shown(source, finding):
    kind, line, notes, message = finding
    lines = [""] + source.split("\n")
    text = f"{kind}: {lines[line].strip() if line < len(lines) else line}"
    for note in notes:
        text += f" < {lines[note].strip()}"
    return f"    ! {text}\n        {message}"


def compare(source, variant, found):
    """What is wrong, as text; empty: nothing."""
    left = list(found)
    missing = []
    for kind, words, first in variant.findings:
        line = line_of(source, words)
        note = first and line_of(source, first)
        match = [each for each in left if each[:2] == (kind, line) and (not note or note in each[2])]
        if match:
            left.remove(match[0])
        else:
            missing.append(f"    not found: {kind} at line {line}, {words}")
    if variant.has_more:
        left = left if missing else []
    return "\n".join(missing + [shown(source, each) for each in left])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the folder of hidetc")
    parser.add_argument("--only", default="", help="variants whose name holds the word")
    parser.add_argument("--update", action="store_true", help="write what is found into the table, then read the diff")
    parser.add_argument("--list", action="store_true", help="print each variant with what is found")
    parser.add_argument("table")
    arguments = parser.parse_args()
    with open(arguments.table, encoding="utf-8") as file:
        script, always, variants = parse(file.read())
    with open(os.path.join(ROOT, script), encoding="utf-8") as file:
        right = changed(file.read(), always)
    program, name = os.path.join(os.path.abspath(arguments.bin), "hidetc"), os.path.basename(script)
    failed, rows = 0, {}
    for variant in [Variant("as it is")] + [each for each in variants if arguments.only in each.name]:
        try:
            if variant.name != "as it is" and not (variant.findings or arguments.list or arguments.update):
                raise TableError("no finding is listed")
            source = changed(right, variant.changes)
            found = findings_of(program, source, name, variant.options)
            problem = compare(source, variant, found)
            if arguments.update and found and variant.name != "as it is":
                problem, rows[variant.name] = "", rows_of(source, found)
        except TableError as error:
            source, found, problem = "", [], f"    {error}"
        failed += bool(problem)
        if problem or arguments.list:
            print(f"{script}: {variant.name}: {'WRONG' if problem else 'found' if found else 'silent'}")
            print("\n".join(shown(source, each) for each in found) if not problem else problem)
    if arguments.update:
        with open(arguments.table, encoding="utf-8") as file:
            text = file.read()
        with open(arguments.table, "w", encoding="utf-8") as file:
            file.write(filled(text, rows))
    print(f"{len(variants)} variants of {script}, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
