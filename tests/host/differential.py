# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of tests/host/programs in Python and in our evaluator: what they print must be the same.

A file holds many programs, each headed by a line `#: what it is about`.
"""
import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

HEAD = re.compile(r"^#: (.*)$", re.M)


def programs(path):
    with open(path, encoding="utf-8") as file:
        parts = HEAD.split(file.read())
    return [(parts[i].strip(), parts[i + 1].lstrip("\n")) for i in range(1, len(parts), 2)]


def in_python(text):
    out = io.StringIO()
    failed = False
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(text, "program", "exec"), {"__name__": "__main__"})
        except SystemExit as exit:
            failed = exit.code not in (None, 0)
        except BaseException:
            failed = True
    return out.getvalue(), failed


def in_ours(tool, path):
    done = subprocess.run([tool, path], capture_output=True, text=True, timeout=60)
    return done.stdout, done.returncode != 0, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
    count = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(os.listdir(folder)):
            for title, text in programs(os.path.join(folder, name)):
                if options.only not in f"{name}: {title}":
                    continue
                count += 1
                path = os.path.join(scratch, "program.py")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                expected, expected_failure = in_python(text)
                ours, our_failure, errors = in_ours(options.tool, path)
                if (ours, our_failure) == (expected, expected_failure):
                    continue
                wrong += 1
                print(f"== {name}: {title}")
                print(f"-- Python{' (fails)' if expected_failure else ''}:\n{expected}"
                      f"-- ours{' (fails)' if our_failure else ''}:\n{ours}{errors}")
    print(f"{count} programs, {wrong} differ")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
