#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch exports, run on the CPU and compared with what PyTorch computes: every model of samples/models/export_onnx.py
by both exporters, and two of them at every opset.

    exported_models.py [--python PYTHON] [--keep FOLDER] [--target TARGET] [--only WORD]

PyTorch comes into an environment of its own (tests/harness/pytorch.py), unless PYTHON has it.
"""

import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))

from harness import pytorch  # noqa: E402

HIDETC = os.path.join(ROOT, "build", "dev", "bin", "hidetc")
EXPORTER = os.path.join(ROOT, "samples", "models", "export_onnx.py")
MODELS = "resnet18 resnet50 mobilenet_v2 inception_v3 vit unet bert gpt2 llama llama_decode".split()
AT_EVERY_OPSET = ["unet", "bert"]
OPSETS = {"torchscript": range(11, 21), "dynamo": range(18, 21)}  # what the exporters can write
DEFAULT = {"torchscript": 14, "dynamo": 18}


def cases():
    for model in MODELS:
        for exporter, opsets in OPSETS.items():
            for opset in opsets if model in AT_EVERY_OPSET else [DEFAULT[exporter]]:
                yield model, exporter, opset


def export(python, folder, model, exporter, opset):
    """What the exporter says when it makes no model; else nothing."""
    done = subprocess.run([python, EXPORTER, folder, model, "--exporter", exporter, "--opset", str(opset)],
                          capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "2"})
    made = os.path.join(folder, f"{model}-{exporter}-{opset}", "model.onnx")
    if os.path.exists(made):
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1] if lines else f"exit {done.returncode}"


def run(folder, name, target):
    case = os.path.join(folder, name)
    done = subprocess.run([HIDETC, "model", "run", os.path.join(case, "model.onnx"), "--data", os.path.join(case, "test_data_set_0"),
                           "--target", target], capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", help="an interpreter with PyTorch")
    parser.add_argument("--keep", help="a folder for the models; what is there is not exported again")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    arguments = parser.parse_args()
    python = pytorch.python(arguments.python)
    if not python:
        return 1
    failed = refused = passed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        for model, exporter, opset in cases():
            name = f"{model}-{exporter}-{opset}"
            if arguments.only not in name:
                continue
            if not os.path.exists(os.path.join(folder, name, "model.onnx")):
                complaint = export(python, folder, model, exporter, opset)
                if complaint:
                    refused += 1
                    print(f"  not exported {name}: {complaint[:160]}", flush=True)
                    continue
            code, output = run(folder, name, arguments.target)
            passed += code == 0
            failed += code != 0
            print(f"  {'passed' if code == 0 else 'FAILED'} {name}", flush=True)
            if code != 0:
                print(output)
    print(f"{passed} passed, {failed} failed, {refused} that the exporter did not write")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
