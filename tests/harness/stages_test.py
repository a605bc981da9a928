# SPDX-License-Identifier: Apache-2.0
"""Every sample at every stage: CUDA, PTX and SASS, each instruction with its place in the script. --bin FOLDER"""

import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
SKIP = 77
# Of the instructions of a stage, those with a place. Compilers make some for nobody's sake.
LINKED = {"ptx": 0.9, "sass": 0.98}


def emit(path, kind, folder):
    environment = {**os.environ, "HIDET_CACHE_DIR": folder}
    return subprocess.run([HIDETC, "emit", path, "--kind", kind, "--lines"], env=environment, capture_output=True, text=True,
                          timeout=120)


def instructions(text):
    """(place, instruction) of each line that has one."""
    for line in text.splitlines():
        place, bar, code = line.partition("| ")
        if bar and code.startswith("    ") and not code.strip().startswith((".", "{", "}", "//")) and not code.endswith((":", ",", "(")):
            yield place.strip(), code.strip()


def check(path, kind, folder):
    """What is wrong, or ''; None: this machine cannot make this stage."""
    done = emit(path, kind, folder)
    if done.returncode == 3:
        return None
    if done.returncode != 0:
        return f"exit {done.returncode}\n{done.stderr}"
    found = list(instructions(done.stdout))
    if not found and "def " in done.stdout:
        return "no instruction"
    linked = sum(1 for place, _ in found if place.startswith(os.path.basename(path) + ":") or ".py:" in place)
    if linked < LINKED[kind] * len(found):
        return f"{linked} of {len(found)} instructions lead back to the script"
    return ""


def main():
    failed = made = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(ROOT, "samples/kernels/*.py"))):
            for kind in LINKED:
                problem = check(path, kind, folder)
                made += problem is not None
                if problem:
                    failed += 1
                    print(f"FAILED: {os.path.relpath(path, ROOT)} as {kind}: {problem}")
    if failed:
        return 1
    if not made:
        print("this machine has no NVRTC")
        return SKIP
    return 0


if __name__ == "__main__":
    sys.exit(main())
