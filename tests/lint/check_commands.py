# SPDX-License-Identifier: Apache-2.0
"""READMEs do not lie: their commands are run by the shell, at the root of the tree.

Each line of a ```sh block is a command that succeeds, or ends with the exit code of what this machine lacks. In ```console
blocks a command begins with '$ ', and what follows it is what it prints, where a line '...' stands for any lines, and '…' for
anything within a line. Commands that would run this test again, or build for minutes, are only looked up.

Without --build FOLDER nothing is built: commands are those of the programs in build/dev, and where these are missing or older
than their sources the check is skipped."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import house

NOT_RUN = re.compile(r"^(\./studio test|\.ci/run|\./studio$|tests/dev\.py (test|bench|nightly)|git clone|cmake --preset)")
BUILDS = re.compile(r"cmake --build|build/dev/bin/hidet-run")  # which hangs on it
IS_BY_HAND = "--build" not in sys.argv
LACKING = 3  # no GPU, no compiler for it: see the exit codes of hidetc


def examples(path):
    """(line number, command, expected output or None) of each command of the file."""
    block, command, at, expected = None, None, 0, []
    for number, line in enumerate(house.read(path).split("\n"), 1):
        if line.startswith("```"):
            if command:
                yield at, command, expected
            block, command = None if block is not None else line[3:], None
        elif block == "sh" and line:
            yield number, line, None
        elif block == "console" and line.startswith("$ "):
            if command:
                yield at, command, expected
            command, at, expected = line[2:], number, []
        elif command:
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


def why_not_now():
    """Empty: the programs are there, and no source of theirs is newer."""
    folder = os.path.join(house.build_folder(), "bin")
    build = "'./studio test lint/commands' builds them, and runs this"
    if not os.path.exists(os.path.join(folder, "hidetc")):
        return f"there are no programs in {os.path.relpath(folder, house.ROOT)}: {build}"
    built = max(os.path.getmtime(os.path.join(folder, program)) for program in os.listdir(folder))
    sources = [path for path in house.files(".cpp", ".h", ".def", ".g4") if not path.startswith(("tests/", "app/ui/"))]
    newer = [path for path in sources if os.path.getmtime(os.path.join(house.ROOT, path)) > built]
    return f"{newer[0]} is newer than the programs in {os.path.relpath(folder, house.ROOT)}: {build}" if newer else ""


def check(path, preset):
    for number, command, expected in examples(path):
        if NOT_RUN.match(command) or (IS_BY_HAND and BUILDS.match(command)):
            program = command.split()[0]
            if program.startswith((".", "tests/")) and not os.access(os.path.join(house.ROOT, program), os.X_OK):
                yield f"{path}:{number}: {program} cannot be run"
            continue
        if IS_BY_HAND:
            command = re.sub(r"\./studio (?=[a-z])", "build/dev/bin/hidetc ", command)
        if preset != "dev":
            command = command.replace("build/dev", f"build/{preset}")
            command = re.sub(r"\./studio (?!--preset)", f"./studio --preset {preset} ", command)
        done = subprocess.run(["bash", "-c", command], cwd=house.ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode in (0, LACKING) if expected is None else matches(expected, done.stdout):
            continue
        if expected is None:
            yield f"{path}:{number}: '{command}' (exit {done.returncode}):\n{done.stdout}"
        else:
            yield f"{path}:{number}: '{command}' (exit {done.returncode}) prints something else:\n{done.stdout}"


if IS_BY_HAND and (reason := why_not_now()):
    house.skip(reason)
problems = []
preset = os.path.basename(os.path.normpath(house.build_folder()))
for path in house.files(".md"):
    problems += check(path, preset)
house.finish(problems)
