# SPDX-License-Identifier: Apache-2.0
"""READMEs do not lie: commands of ```console blocks are run, and what follows them is what they print.

A line that begins with '$ ' is a command for the shell at the root of the tree; the lines below it are its output, where a
line '...' stands for any lines, and '…' for anything within a line. Commands that would run this test again are only
looked up."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

NOT_RUN = re.compile(r"^(\./studio test|\.ci/run|\./studio$|tests/dev\.py (test|bench|nightly)|git clone)")


def examples(path):
    """(line number, command, expected output) of each command of the file."""
    inside, command, at, expected = False, None, 0, []
    for number, line in enumerate(house.read(path).split("\n"), 1):
        if line.startswith("```"):
            if inside and command:
                yield at, command, expected
            inside, command = line == "```console" and not inside, None
        elif inside and line.startswith("$ "):
            if command:
                yield at, command, expected
            command, at, expected = line[2:], number, []
        elif inside and command:
            expected.append(line)


def matches(expected, actual):
    """`...` lines match any number of lines."""
    pattern = ""
    for line in expected:
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, actual) is not None


def check(path, preset):
    for number, command, expected in examples(path):
        if NOT_RUN.match(command):
            program = command.split()[0]
            if program.startswith((".", "tests/")) and not os.access(os.path.join(house.ROOT, program), os.X_OK):
                yield f"{path}:{number}: {program} cannot be run"
            continue
        if preset != "dev":
            command = re.sub(r"\./studio (?!--preset)", f"./studio --preset {preset} ", command)
        done = subprocess.run(["bash", "-c", command], cwd=house.ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if not matches(expected, done.stdout):
            yield f"{path}:{number}: '{command}' (exit {done.returncode}) prints something else:\n{done.stdout}"


problems = []
preset = os.path.basename(os.path.normpath(house.build_folder()))
for path in house.files(".md"):
    problems += check(path, preset)
house.finish(problems)
