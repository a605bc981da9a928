# SPDX-License-Identifier: Apache-2.0
"""clang-format over the C++ of the tree, with the version whose output the house has agreed on."""

import os
import shutil
import subprocess
import sys

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


def unformatted(tool, paths):
    """Those of the paths that formatting would change."""
    wrong = []
    for start in range(0, len(paths), 50):
        batch = [os.path.join(ROOT, path) for path in paths[start:start + 50]]
        said = subprocess.run([tool, "--dry-run", "--ferror-limit=0", *batch], capture_output=True, text=True).stderr
        named = {line.split(":")[0] for line in said.splitlines() if "[-Wclang-format-violations]" in line}
        wrong += [path for path in paths[start:start + 50] if os.path.join(ROOT, path) in named]
    return wrong


def main(arguments):
    import house

    check = "--check" in arguments
    named = [os.path.relpath(os.path.abspath(path), ROOT) for path in arguments if not path.startswith("--")]
    tool = find_tool()
    if tool is None:
        print(f"clang-format {VERSION} is not installed: apt-get install clang-format-{VERSION}")
        return 3
    wrong = unformatted(tool, named or house.files(".cpp", ".h"))
    for path in wrong:
        print(path)
        if not check:
            subprocess.run([tool, "-i", os.path.join(ROOT, path)], check=True)
    return 1 if check and wrong else 0
