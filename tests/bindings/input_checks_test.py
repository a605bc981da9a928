# SPDX-License-Identifier: Apache-2.0
"""The plan of a package for GPUs says what the indices among the inputs of its model may be.

    input_checks_test.py PROGRAMS      the folder of hidetc
"""

import os
import subprocess
import sys
import tempfile
import zipfile

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models")


def checks(hidetc, model, folder):
    package = os.path.join(folder, "model.hidet")
    done = subprocess.run([hidetc, "export", os.path.join(MODELS, *model), "--target", "cuda", "--arch", "sm_90a", "-o", package],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print("there is no NVRTC")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with zipfile.ZipFile(package) as archive:
        plan = archive.read("plans/main.cuda.sm_90a.bin")
    return plan.count(b"from_end")


def main():
    hidetc = os.path.join(sys.argv[1], "hidetc")
    with tempfile.TemporaryDirectory() as folder:
        found = {name: checks(hidetc, name, folder) for name in (("indices", "tokens.onnx"), ("residual", "residual.onnx"))}
    if list(found.values()) != [1, 0]:
        sys.exit(f"other checks than of the indices: {found}")


main()
