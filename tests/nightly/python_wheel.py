# SPDX-License-Identifier: Apache-2.0
"""The wheel hidet-studio: made, given the libraries that it needs, small enough, installed beside nothing else, and used: the README's
example, and the tests of the package. Needs what `./studio python-env` makes (auditwheel), and the network (tvm-ffi).

    python_wheel.py [--build build/dev]"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "build", "python-env", "bin")
MOST_BYTES = 40 << 20

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
build = parser.parse_args().build
if not os.path.exists(os.path.join(TOOLS, "auditwheel")):
    print("there is no build/python-env with auditwheel: './studio python-env' makes it")
    sys.exit(1)
folder = os.path.join(build, "python_wheel")
shutil.rmtree(folder, ignore_errors=True)
subprocess.run(["ninja", "-C", build, "python_wheel"], check=True, stdout=subprocess.DEVNULL)
made = glob.glob(os.path.join(folder, "*.whl"))[0]
library = glob.glob(os.path.join(ROOT, "build", "python-env", "lib", "python*", "site-packages", "tvm_ffi", "lib"))[0]
environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "LD_LIBRARY_PATH": library}
subprocess.run([os.path.join(TOOLS, "auditwheel"), "repair", "--exclude", "libtvm_ffi.so", "-w", os.path.join(folder, "repaired"), made],
               check=True, env=environment, capture_output=True)
wheel = glob.glob(os.path.join(folder, "repaired", "*.whl"))[0]
size = os.path.getsize(wheel)
print(f"{os.path.basename(wheel)}: {size / (1 << 20):.1f} MiB")
with tempfile.TemporaryDirectory() as work:
    subprocess.run([sys.executable, "-m", "venv", work], check=True)
    python = os.path.join(work, "bin", "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, "-B", os.path.join(ROOT, "tests", "python", "values_test.py")], env=alone)
sys.exit(1 if done.returncode or size > MOST_BYTES else 0)
