#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports every sample kernel, builds what was exported with nvcc, and runs it on this GPU; prints a table last.

    python3 tests/gpu/exports.py --hidetc PATH [--python PYTHON]

PYTHON has PyTorch, and what else it has is used: apache-tvm-ffi, jax with jax-tvm-ffi, cupy, triton. Exit codes: 0 all passed, 1
something did not, 77 there is no GPU here.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLES = os.path.join(ROOT, "samples", "kernels")
SCRIPTS = os.path.join(ROOT, "tests", "export", "scripts")
SKIP = 77


def call(*words, folder=None, seconds=300):
    try:
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 124, f"took longer than {seconds} s"
    return done.returncode, done.stdout.decode(errors="replace")


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Table:
    def __init__(self):
        self.rows = []

    def add(self, name, state, note=""):
        self.rows.append((name, state, note))
        print(f"{name}: {state} {note}", file=sys.stderr, flush=True)

    def show(self):
        width = max(len(name) for name, _, _ in self.rows)
        for name, state, note in self.rows:
            print(f"{name:{width}}  {state:7}  {note}".rstrip())
        states = [state for _, state, _ in self.rows]
        print(", ".join(f"{states.count(state)} {state}" for state in ("passed", "failed", "skipped")))
        return 1 if "failed" in states else 0


def export(options, name, form, out, *more):
    path = os.path.join(SAMPLES, name + ".py")
    if not os.path.exists(path):
        path = os.path.join(SCRIPTS, name + ".py")
    return call(options.hidetc, "export", path, "--format", form, "-o", out + os.sep, *more,
                *(word for arch in options.arch for word in ("--arch", arch)))


def project(options, table, name, folder, form="cmake", *more):
    row, out = " ".join((f"{form}/{name}", *more[1::2])), os.path.join(folder, "-".join((form, name, *more[1::2])))
    code, text = export(options, name, form, out, *more)
    if code == 1 and ("it has no kernel for a GPU" in text or "[kernel-needs-gpu]" in text):
        return table.add(row, "skipped", "no kernel for a GPU" if form == "cmake" else "only a GPU runs it")
    for words in (() if code else (("cmake", "-B", "build"), ("cmake", "--build", "build"), ("build/check", "data"))):
        code, text = call(*words, folder=out)
        if code:
            break
    return table.add(row, "failed" if code else "passed", last_line(text))


def python(options, table, folder):
    for name, form in (("vector_addition", "tvm-ffi"), ("vector_addition", "torch"), ("dynamic_matmul", "torch"),
                       ("dynamic_matmul", "tvm-ffi"), ("softmax", "hf-kernel"), ("few_rows_matmul", "torch"), ("both", "tvm-ffi"),
                       ("both", "torch"), ("short_numbers", "tvm-ffi"), ("short_numbers", "torch")):
        code, text = export(options, name, form, os.path.join(folder, form))
        if code:
            table.add(f"{form}/{name}", "failed", last_line(text))
    code, text = call(options.python, os.path.join(HERE, "exports_python.py"), folder, seconds=600)
    rows = [line for line in text.splitlines() if line.startswith("{")]
    for row in rows:
        table.add(**json.loads(row))
    if code or not rows:
        table.add("python", "failed", last_line(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidetc", default=os.path.join(ROOT, "build", "dev", "bin", "hidetc"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--arch", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    options.hidetc = os.path.abspath(options.hidetc)
    if call("nvidia-smi", "-L")[0]:
        print("skipped: there is no GPU here")
        return SKIP
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        if shutil.which("cmake"):
            names = [file.removesuffix(".py") for file in sorted(os.listdir(SAMPLES)) if file.endswith(".py")]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(lambda name: project(options, table, name, os.path.join(folder, "cmake")), names))
                list(pool.map(lambda name: project(options, table, name, os.path.join(folder, "cmake"), "cpu"), names))
                # The driver takes the code that fits this GPU.
                project(options, table, "vector_addition", folder, "cmake", "--arch", "sm_80", "--arch", "sm_90a")
                project(options, table, "vector_addition", folder, "cmake", "--arch", "sm_90a", "--arch", "sm_80")
                project(options, table, "short_numbers", folder, "cmake", "--function", "launch")
            table.rows.sort()
        else:
            table.add("cmake", "skipped", "there is no cmake")
        python(options, table, folder)
    return table.show()


if __name__ == "__main__":
    sys.exit(main())
