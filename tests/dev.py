#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The developer's one tool: everything about the tests and the house that is not building.

    dev.py test [FILTER]             runs the suite (what ./studio test does after building)
    dev.py golden [--update] [...]   runs or rewrites golden files (tests/harness/README.md)
    dev.py screens [--update] [STATE...]  the states of the window against their accepted structure (tests/ui/screens)
    dev.py fmt [--check] [FILE...]   formats C++ with clang-format: what differs from main, these files, or --all
    dev.py lint [NAME]               the checks of the house
    dev.py tables [--update]         tables in READMEs that are generated from .def files
    dev.py bench [NAME] [--json]     benchmarks, as ratios to their goals
    dev.py gpu [OPTIONS]             the tests on this machine's GPU (tests/gpu/README.md)
    dev.py nightly [NAME [OPTIONS]]  what is too long for the suite
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests"))


def command_test(arguments):
    from harness import suite

    return suite.main(arguments)


def command_golden(arguments):
    from harness import golden

    return golden.main(arguments)


def command_screens(arguments):
    """--update rewrites the files of these states, or of all, unless something is cut off, overlaps or is empty in them."""
    import subprocess

    program = os.path.join(ROOT, "build", "dev", "bin", "ui_screens")
    states = [f"looksAsAccepted:{name}" for name in arguments if name != "--update"]
    return subprocess.run([program, *states, *(["--update"] if "--update" in arguments else [])]).returncode


def command_fmt(arguments):
    from harness import formatting

    return formatting.main(arguments)


def command_lint(arguments):
    """All checks, or those whose name holds the word. Nothing is built: what needs programs takes those that are there."""
    import glob
    import subprocess

    word = arguments[0] if arguments else ""
    failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "lint", f"check_*{word}*.py"))):
        done = subprocess.run([sys.executable, "-I", "-B", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{os.path.basename(path)[6:-3]}: {({0: 'fine', 77: 'skipped'}).get(done.returncode, 'failed')}")
        failed += done.returncode not in (0, 77)
        if done.returncode != 0 or word:
            print("".join(f"    {line}\n" for line in done.stdout.splitlines()), end="")
    return 1 if failed else 0


def command_tables(arguments):
    from harness import tables

    return tables.main(arguments)


def command_bench(arguments):
    from harness import benchmarks

    return benchmarks.main(arguments)


def command_gpu(arguments):
    import subprocess

    return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tests", "gpu", "run.py"), *arguments]).returncode


def command_nightly(arguments):
    """Programs of tests/nightly whose name holds the word, each with its own defaults."""
    import glob
    import subprocess

    word = arguments[0] if arguments else ""
    failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "nightly", f"*{word}*.py"))):
        print(f"{os.path.basename(path)[:-3]}:", flush=True)
        failed += subprocess.run([sys.executable, "-B", path, *arguments[1:]]).returncode != 0
    return 1 if failed else 0


COMMANDS = {"test": command_test, "golden": command_golden, "screens": command_screens, "fmt": command_fmt, "lint": command_lint,
            "tables": command_tables, "bench": command_bench, "gpu": command_gpu,
            "nightly": command_nightly}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(__doc__.strip())
        return 0 if sys.argv[1:] in ([], ["-h"], ["--help"]) else 2
    return COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
