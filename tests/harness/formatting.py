# SPDX-License-Identifier: Apache-2.0
"""clang-format over the C++ of the tree, with the version whose output the house has agreed on.

Version 14 has two habits to know: it breaks `requires` clauses oddly, and it pulls the directive after a macro that ends in a
one-line `case` into the macro. Put such places between `// clang-format off` and `// clang-format on`; a file that
the second would break is left alone and reported."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lint"))
VERSION = 14  # other versions break lines elsewhere


def find_tool():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if f"version {VERSION}." in said:
                return path
    return None


def directives(text):
    """How many preprocessor lines there are that no backslash above swallows."""
    lines = text.split("\n")
    return sum(line.lstrip().startswith("#") and not above.endswith("\\") for above, line in zip([""] + lines, lines))


def format_file(tool, path, check):
    """'' if nothing is to change, else 'changed' or 'broken'."""
    full = os.path.join(ROOT, path)
    with open(full, encoding="utf-8") as file:
        before = file.read()
    after = subprocess.run([tool, full], capture_output=True, text=True, check=True).stdout
    if after == before:
        return ""
    if directives(after) != directives(before):
        return "broken"
    if not check:
        with open(full, "w", encoding="utf-8") as file:
            file.write(after)
    return "changed"


def changed_files():
    """What differs from the main branch, committed or not."""
    base = subprocess.run(["git", "-C", ROOT, "merge-base", "HEAD", "main"], capture_output=True, text=True).stdout.strip()
    listing = subprocess.run(["git", "-C", ROOT, "diff", "--name-only", "--diff-filter=d", base or "HEAD"], capture_output=True,
                             text=True).stdout.split("\n")
    return [path for path in listing if path.endswith((".cpp", ".h"))]


def run(paths, check):
    """(exit code, lines to print)."""
    tool = find_tool()
    if tool is None:
        return 3, [f"clang-format {VERSION} is not installed: apt-get install clang-format-{VERSION}"]
    if others := [path for path in paths if not path.endswith((".cpp", ".h"))]:
        return 2, [f"{path}: not C++" for path in others]
    lines = []
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for path, status in zip(paths, pool.map(lambda path: format_file(tool, path, check), paths)):
            if status == "broken":
                lines.append(f"{path}: clang-format would swallow a directive; guard the macro with '// clang-format off'")
            elif status:
                lines.append(f"{path}: {'is not formatted; run tests/dev.py fmt' if check else 'formatted'}")
    failed = any("guard" in line or check for line in lines)
    return (1 if failed else 0), lines


def main(arguments):
    import house

    check, paths = "--check" in arguments, [path for path in arguments if not path.startswith("--")]
    if paths:
        paths = [os.path.relpath(os.path.abspath(path), ROOT) for path in paths]
    elif "--all" in arguments:
        paths = house.files(".cpp", ".h")
    else:
        paths = changed_files()
    code, lines = run(paths, check)
    for line in lines:
        print(line)
    return code
