# SPDX-License-Identifier: Apache-2.0
"""A model answers from its package what it answers in this process, to the bit: models with branches, loops, sorting, parameters that
are data, and what else is done by the host.

    same_answers_test.py PROGRAMS      the folder of hidetc
"""

import os
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of tests/models and tests/onnx/odd: those that a plan does more for than to call kernels, and some that it does not.
MODELS = [os.path.join(TESTS, "models", name) for name in ("residual", "attention", "branches", "folded", "loops", "mlp", "positions")]
ODD = os.path.join(TESTS, "onnx", "odd")
MODELS += [os.path.join(ODD, name) for name in ("lstm_clipped", "none_positive", "one_of_two_extents_is_1", "positives_only")]


def only(folder, end):
    return next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(end))


def data_of(folder):
    inside = os.path.join(folder, "test_data_set_0")
    return inside if os.path.isdir(inside) else folder


def answers(hidetc, model, data, output, *options):
    subprocess.run([hidetc, "model", "run", model, "--target", "cpu", "--data", data, "--output", output, *options], check=True,
                   stdout=subprocess.DEVNULL)
    made = {}
    for name in sorted(os.listdir(output)):
        with open(os.path.join(output, name), "rb") as file:
            made[name] = file.read()
    return made


def main():
    hidetc = os.path.join(sys.argv[1], "hidetc")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            name, file, data = os.path.basename(model), only(model, ".onnx"), data_of(model)
            package = os.path.join(folder, name + ".hidet")
            subprocess.run([hidetc, "export", file, "--target", "cpu", "-o", package], check=True, stdout=subprocess.DEVNULL)
            here = answers(hidetc, file, data, os.path.join(folder, name + ".here"))
            there = answers(hidetc, package, data, os.path.join(folder, name + ".there"), "--trust")
            if not here or here != there:
                failed.append(name)
    if failed:
        sys.exit("other answers from the package: " + ", ".join(failed))


main()
