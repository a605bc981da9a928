# SPDX-License-Identifier: Apache-2.0
"""torch.compile(backend='hidet') on the CPU: the modules of tests/torch/cases.py, and architectures of torchvision and transformers,
small and full (tests/torch/models.py). Needs what `./studio python-env` makes.

    torch_compile.py [--build build/dev]"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "build", "python-env", "bin", "python")

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
options = parser.parse_args()
if not os.path.exists(PYTHON):
    print("there is no build/python-env: './studio python-env' makes it")
    sys.exit(1)
environment = {**os.environ, "PYTHONPATH": os.path.join(options.build, "python")}
codes = []
for words in (["torch_test.py"], ["layers_test.py"], ["models.py", "--small"], ["models.py"]):
    print(" ".join(words), flush=True)
    program = os.path.join(ROOT, "tests", "torch", words[0])
    codes.append(subprocess.run([PYTHON, "-B", program, *words[1:]], env=environment).returncode)
sys.exit(max(codes))
