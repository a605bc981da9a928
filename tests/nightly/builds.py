# SPDX-License-Identifier: Apache-2.0
"""Every preset builds in a clean clone, with the system's compiler and with clang where that is there, and without a warning; the
bundle is made and runs.

    builds.py [--presets dev,release,asan,portable] [--compilers g++,clang++] [--warnings]     --warnings: they are no errors
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as file:
    PRESETS = [each["name"] for each in json.load(file)["configurePresets"] if not each.get("hidden")]
parser.add_argument("--presets", default=",".join(name for name in PRESETS if name != "fuzz"))  # that is nightly fuzz
parser.add_argument("--compilers", default="g++,clang++")
parser.add_argument("--warnings", action="store_true")
options = parser.parse_args()


def built(clone, preset, compiler):
    """What went wrong, or nothing."""
    folder = os.path.join(clone, "build", preset)
    shutil.rmtree(folder, ignore_errors=True)
    configure = ["cmake", "--preset", preset, "-S", clone, f"-DCMAKE_CXX_COMPILER={compiler}",
                 f"-DHIDET_WERROR={'OFF' if options.warnings else 'ON'}"]
    for words in (configure, ["cmake", "--build", "--preset", preset]):
        done = subprocess.run(words, cwd=clone, capture_output=True, text=True, errors="replace")
        if done.returncode:
            return "\n".join((done.stdout + done.stderr).splitlines()[-30:])
    if preset == "portable":
        done = subprocess.run([os.path.join(folder, "bin", "hidetc"), "run", os.path.join(clone, "samples/kernels/naive_matmul.py")],
                              capture_output=True, text=True, errors="replace")
        return done.stderr if done.returncode else ""
    return ""


failed = 0
with tempfile.TemporaryDirectory() as work:
    clone = os.path.join(work, "clone")
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    for compiler in filter(shutil.which, options.compilers.split(",")):
        for preset in options.presets.split(","):
            problem = built(clone, preset, compiler)
            failed += bool(problem)
            print(f"{preset} by {compiler}: {'failed' if problem else 'built'}", problem, sep="\n" if problem else "", flush=True)
sys.exit(1 if failed else 0)
