# SPDX-License-Identifier: Apache-2.0
"""What the checks of the house share: the list of files, and how a check reports. One check is one check_*.py beside this."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77
# Without sources of their own: what runs packages may include them, though it links nothing of the folders.
RUNTIME_HEADERS = [
    "compiler/artifact/host_table.h",
    "lang/base/elements.inl",
    "lang/base/numeric.inl",
    "lang/base/scalar.h",
    "lang/base/whole.h",
    "lang/tensor/random.inl",
    "runtime/cuda/driver_api.h",
    "runtime/cuda/driver_functions.def",
    "runtime/cuda/results.def",
]


def files(*suffixes, under=""):
    """Paths of the tree relative to the root, sorted: what git tracks or would track."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listing.returncode == 0:
        paths = {path for path in listing.stdout.split("\0") if path and os.path.isfile(os.path.join(ROOT, path))}
    else:  # an unpacked archive
        paths = set()
        for parent, folders, names in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in ("build", ".git", ".cache", "__pycache__")]
            paths |= {os.path.relpath(os.path.join(parent, name), ROOT) for name in names}
    return sorted(path for path in paths if path.startswith(under) and (not suffixes or path.endswith(suffixes)))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def finish(problems, fine="", cure=""):
    """Prints what is wrong, one line each, and exits."""
    for problem in problems:
        print(problem)
    if problems and cure:
        print(cure)
    if not problems and fine:
        print(fine)
    sys.exit(1 if problems else 0)


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def build_folder():
    """Where the programs lie: --build FOLDER, or the dev preset's."""
    if "--build" in sys.argv:
        return sys.argv[sys.argv.index("--build") + 1]
    return os.path.join(ROOT, "build", "dev")
