# SPDX-License-Identifier: Apache-2.0
"""A Python with PyTorch, for what exports models: a virtual environment below build/, made when it is first needed."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "pytorch")
WHEELS_FOR_CPU = "https://download.pytorch.org/whl/cpu"
TORCH = ["torch", "torchvision"]
OTHERS = ["transformers", "onnx", "onnxscript", "onnxruntime", "numpy"]


def is_complete(python):
    probe = "import torch, torchvision, transformers, onnx, onnxscript, onnxruntime"
    return os.path.exists(python) and subprocess.run([python, "-c", probe], capture_output=True).returncode == 0


def install(python, arguments):
    return subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]).returncode == 0


def python(given=None):
    """The path of an interpreter; `given` is one that the user has. None: it cannot be made, which was said."""
    if given:
        if is_complete(given):
            return given
        print(f"{given} lacks one of {', '.join(TORCH + OTHERS)}")
        return None
    made = os.path.join(FOLDER, "bin", "python")
    if is_complete(made):
        return made
    print(f"making an environment with PyTorch in {os.path.relpath(FOLDER, ROOT)}", flush=True)
    if subprocess.run([sys.executable, "-m", "venv", FOLDER]).returncode != 0:
        return None
    # Wheels without CUDA are a tenth of the size, but only PyTorch's own index has them.
    if not install(made, ["--index-url", WHEELS_FOR_CPU, *TORCH]) and not install(made, TORCH):
        return None
    return made if install(made, OTHERS) and is_complete(made) else None
