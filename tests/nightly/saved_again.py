#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as ONNX Runtime's optimiser and quantiser write them: the models of samples and tests, and with PyTorch what it exports,
each saved again at the second level, as it is and quantised in four ways, run on the CPU and compared with ONNX Runtime.

    saved_again.py [--python PYTHON] [--keep FOLDER] [--target TARGET] [--only WORD] [--minutes 30]

PYTHON has onnxruntime, and PyTorch for the exports; without one, an environment is made (tests/harness/pytorch.py). A model may be
refused by the name of an operator, which is printed; another result or another end is a failure. It ends
after its minutes; the next run leaves out what passed.
"""

import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))

from harness import pytorch  # noqa: E402

HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")
SAVER = os.path.join(ROOT, "tests", "onnx", "save_again.py")
EXPORTERS = [os.path.join(ROOT, "samples", "models", "export_onnx.py"), os.path.join(ROOT, "tests", "onnx", "export_more.py")]
# Where ONNX Runtime's own result is none.
NO_MASK = "up to version 11 its mask of what was kept is zero"
NO_DIGITS = "a large mean, rounded, hides what elements are apart"
LEFT_OUT = {"odd_empty_matmul-static": "of a product over no elements it gives what stood in memory before",
            "odd_dropout_mask_7-level2": NO_MASK, "odd_dropout_mask_10-level2": NO_MASK,
            "odd_normal_far_from_zero-level2": NO_DIGITS, "odd_normal_far_from_zero-qdq": NO_DIGITS}
# Whole numbers round to a neighbour where sums are added up in another order, and what follows moves with them.
TOLERANCE = {"level2": "1e-4,1e-3", "transformers": "1e-4,1e-3", "blocks": "1e-4,1e-3"}
OF_QUANTA = "5e-2,5e-2"
REFUSED = re.compile(r"operator '([^']+)'")


def sources(folder, python):
    """(name, model, folder of its inputs or None)."""
    for path in sorted(glob.glob(os.path.join(ROOT, "samples", "models", "*.onnx"))):
        yield "sample_" + os.path.basename(path)[:-5], path, None
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "models", "*", "*.onnx"))):
        inputs = os.path.dirname(path)
        yield "model_" + os.path.basename(path)[:-5], path, inputs if os.path.exists(os.path.join(inputs, "input_0.pb")) else None
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "onnx", "odd", "*", "model.onnx"))):
        inputs = os.path.join(os.path.dirname(path), "test_data_set_0")
        yield "odd_" + os.path.basename(os.path.dirname(path)), path, inputs
    exports = os.path.join(folder, "exports")
    if subprocess.run([python, "-c", "import torch, torchvision, transformers"], capture_output=True).returncode != 0:
        print("without PyTorch: no exports")
        return
    if not os.path.isdir(exports):
        os.makedirs(exports)
        for exporter in EXPORTERS:
            subprocess.run([python, exporter, exports], stderr=subprocess.DEVNULL)
    for path in sorted(glob.glob(os.path.join(exports, "*", "model.onnx"))):
        inputs = os.path.join(os.path.dirname(path), "test_data_set_0")
        if os.path.exists(os.path.join(inputs, "input_0.pb")):
            yield os.path.basename(os.path.dirname(path)), path, inputs


def run(case, target):
    """The verdict, and why."""
    tolerance = TOLERANCE.get(case.rsplit("-", 1)[1], OF_QUANTA)
    done = subprocess.run([HIDETC, "model", "run", os.path.join(case, "model.onnx"), "--data", os.path.join(case, "test_data_set_0"),
                           "--target", target, "--tolerance", tolerance], capture_output=True, text=True, errors="replace")
    said = (done.stdout + done.stderr).strip()
    if done.returncode == 0:
        return "passed", ""
    refused = REFUSED.findall(said)
    return ("refused", ", ".join(refused)) if refused else ("FAILED", said[-600:])


def known_results(path):
    """What passed before; the rest is run again."""
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as file:
        return set(file.read().split())


def cases(folder, python, only):
    """Folders of models that are saved again; each is made when it comes."""
    saved = os.path.join(folder, "saved")
    for name, model, inputs in sources(folder, python):
        if only not in name and name not in only:
            continue
        if not glob.glob(os.path.join(saved, name + "-*")):
            subprocess.run([python, SAVER, saved, name, model, *([inputs] if inputs else [])], stderr=subprocess.DEVNULL)
        for case in sorted(glob.glob(os.path.join(saved, name + "-*", "test_data_set_0"))):
            if only in case and os.path.basename(os.path.dirname(case)) not in LEFT_OUT:
                yield os.path.dirname(case)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", help="an interpreter with onnxruntime, and with PyTorch for the exports")
    parser.add_argument("--keep", default=os.path.join(ROOT, "build", "saved_again"), help="a folder for the models and what passed")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--minutes", type=float, default=30)
    arguments = parser.parse_args()
    python = arguments.python or pytorch.python()
    if not python:
        return 1
    end = time.monotonic() + arguments.minutes * 60
    results = os.path.join(arguments.keep, f"passed_{arguments.target}.txt")
    passed = known_results(results)
    counts, missing = collections.Counter(), collections.Counter()
    for case in cases(arguments.keep, python, arguments.only):
        name = os.path.basename(case)
        if time.monotonic() > end:
            print("the time is over; the next run goes on from here")
            break
        verdict, why = ("passed", "") if name in passed else run(case, arguments.target)
        counts[verdict] += 1
        missing.update(why.split(", ") if verdict == "refused" else [])
        print(f"  {verdict} {name}{': ' + why if why else ''}", flush=True)
        if verdict == "passed" and name not in passed:
            with open(results, "a", encoding="utf-8") as file:
                file.write(name + "\n")
    for operator, count in sorted(missing.items()):
        print(f"not supported: {operator} in {count}")
    print(", ".join(f"{counts[verdict]} {verdict.lower()}" for verdict in ("passed", "refused", "FAILED")))
    return 1 if counts["FAILED"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
