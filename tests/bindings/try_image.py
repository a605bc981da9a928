# SPDX-License-Identifier: Apache-2.0
"""Tries the steps of a Containerfile where no image can be built: COPY and RUN, in the root that this runs in, which they change. For a
bare root: try_image.py FOLDER, the folder that holds the Containerfile and what it copies."""

import glob
import os
import re
import shutil
import subprocess
import sys


def copy(folder, sources, target):
    for pattern in sources:
        found = glob.glob(os.path.join(folder, pattern))
        if not found:
            sys.exit(f"COPY: there is no {pattern}")
        for path in found:
            into = os.path.join(target, os.path.basename(path)) if target.endswith("/") else target
            os.makedirs(os.path.dirname(into), exist_ok=True)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, into)


def main(folder):
    with open(os.path.join(folder, "Containerfile"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for line in text.splitlines():
        step = re.match(r"(\w+)\s+(.*)", line)
        if not step:
            continue
        print(line, flush=True)
        if step.group(1) == "COPY":
            *sources, target = step.group(2).split()
            copy(folder, sources, target)
        elif step.group(1) == "RUN":
            subprocess.run(["sh", "-c", step.group(2)], check=True)


main(sys.argv[1])
