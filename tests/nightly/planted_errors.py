#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors of one per cent, planted into each weight, each operator and each kernel of exported models, one at a time: how many
the tolerances in use catch, and by what. The small models of tests/models have this in the suite.

    planted_errors.py FOLDER [--only WORD]     FOLDER: what exported_models.py --keep left
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "dev", "bin", "unit_session")
CASE = "--test-case=every error of one per cent in a large model is caught"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    if not arguments.folder:
        print("  skipped: no folder of exported models is named")
        return 0
    failed = 0
    for name in sorted(os.listdir(arguments.folder)):
        case = os.path.join(arguments.folder, name)
        if arguments.only in name and os.path.exists(os.path.join(case, "model.onnx")):
            chosen = {"HIDET_PLANTED_MODEL": os.path.join(case, "model.onnx"), "HIDET_PLANTED_DATA": os.path.join(case, "test_data_set_0")}
            failed += subprocess.run([PROGRAM, "--no-skip", CASE], env=os.environ | chosen).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
