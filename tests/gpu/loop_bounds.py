# SPDX-License-Identifier: Apache-2.0
"""Loops of samples: what a turn costs at least, by `hidetc machine`, beside what it takes on this GPU. A kernel runs with a sum of
K and of 2 K elements; the difference of the two is K / (sum of a turn) turns, whatever a launch costs. The grid is so small that an SM
has one block. --bin FOLDER (of hidetc), --bounds (without a GPU), --clock MHZ (else what nvidia-smi sees meanwhile), --only WORD"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NO_GPU = 77
SCHEDULERS = 4
SUM = 8192
# A sample, the call of its factory, threads of a block, the pipe whose instructions count the turn, and how many of these a warp has
# for each element of the sum.
LOOPS = [
    ("naive_matmul", "matmul_kernel(128, 128, {k})", 256, "FMA", 1),
    ("shared_matmul", "matmul_kernel(1024, 1024, {k})", 256, "FMA", 64),
    ("double_buffered_matmul", "matmul_kernel(1024, 1024, {k})", 256, "FMA", 64),
    ("tensor_core_matmul", "matmul_kernel(1024, 1024, {k})", 128, "tensor", 2),
    ("multistage_matmul", "matmul_module(1024, 1024, {k})", 256, "tensor", 2),
]


class Failed(Exception):
    pass


def document(hidetc, *words):
    done = subprocess.run([hidetc, *words, "--json"], capture_output=True, text=True, timeout=300)
    try:
        found = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Failed((done.stderr or done.stdout)[:300]) from None
    if done.returncode != 0:
        raise Failed("; ".join(one["message"] for one in found.get("diagnostics", []))[:300])
    return found


def pipe(turn, name):
    return next((row["instructions"] for row in turn["pipes"] if row["name"] == name), 0)


def script_of(folder, sample, call):
    """A script whose last module is what the sample's factory makes; a sample may build others as it is imported."""
    shutil.copy(os.path.join(ROOT, "samples/kernels", sample + ".py"), folder)
    path = os.path.join(folder, sample + "_loop.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"from {sample} import {call.split('(')[0]}\nmodule = {call}\n")
    return path


def loop_of(hidetc, path, counted):
    """The turn with most of what is counted, and the number of the module."""
    module = document(hidetc, "machine", path)["modules"][-1]
    turns = [loop["most"] or loop["least"] for function in module["sass"]["machine"]["functions"] for loop in function["loops"]]
    turns = [turn for turn in turns if pipe(turn, counted)]
    if not turns:
        raise Failed("no loop has what is counted")
    return max(turns, key=lambda turn: pipe(turn, counted)), module["number"]


def bound_of(turn, warps):
    """The same as sass/bound.cpp: cycles, and what binds."""
    bounds = [(turn["latency"], "latency"), (warps * turn["instructions"], "issue")]
    bounds += [(warps * row["cycles"], row["name"]) for row in turn["pipes"][:1]]
    return max(bounds, key=lambda bound: bound[0])


class Clock:
    """The highest clock of the SMs that nvidia-smi sees until it is asked, in MHz."""

    def __init__(self):
        self.highest = 0.0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ends.wait(0.05):
            done = subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"], capture_output=True, text=True)
            if done.returncode == 0:
                self.highest = max(self.highest, float(done.stdout.split()[0]))

    def stop(self):
        self.ends.set()
        self.thread.join()
        return self.highest


def seconds(options, path, module):
    found = document(options.hidetc, "try", path, "--module", str(module), "--target", options.target)["kernelBench"]
    if not found["measured"]:
        raise Failed("it was not measured")
    return found["measured"]["seconds"]["median"]


def measure(options, folder, sample, call, module, turns):
    """Cycles of a turn on this GPU."""
    clock = None if options.clock else Clock()
    try:
        times = [seconds(options, script_of(folder, sample, call.format(k=k)), module) for k in (SUM, 2 * SUM)]
    finally:
        mhz = options.clock or clock.stop()
    if not mhz:
        raise Failed("nvidia-smi says no clock: --clock MHZ")
    return (times[1] - times[0]) * mhz * 1e6 / turns


def row_of(options, folder, sample, call, threads, counted, each):
    turn, module = loop_of(options.hidetc, script_of(folder, sample, call.format(k=SUM)), counted)
    warps = threads // 32 // SCHEDULERS
    bound, by = bound_of(turn, warps)
    cells = [sample, str(turn["instructions"]), str(warps), f"{bound:.0f}", by]
    if options.bounds:
        return cells
    turns = SUM / (pipe(turn, counted) / each)
    measured = measure(options, folder, sample, call, module, turns)
    return cells + [f"{measured:.0f}", f"{measured / bound:.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/dev/bin"))
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("--clock", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="cuda", help="another one tries the script, no GPU's cycles")
    options = parser.parse_args()
    options.hidetc = os.path.join(options.bin, "hidetc")
    if not options.bounds and options.target == "cuda" and subprocess.run(["sh", "-c", "command -v nvidia-smi"], capture_output=True).returncode:
        print("there is no GPU here; --bounds prints the bounds alone")
        return NO_GPU
    head = ["sample", "instructions", "warps", "bound", "by"] + ([] if options.bounds else ["measured", "of bound"])
    rows, failed = [head], 0
    for loop in LOOPS:
        if options.only not in loop[0]:
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(row_of(options, folder, *loop))
        except (Failed, subprocess.TimeoutExpired) as problem:
            failed += 1
            rows.append([loop[0], f"failed: {problem}"])
    for row in rows:
        print("".join(f"{cell:<24}" if i == 0 else f"{cell:>14}" for i, cell in enumerate(row)).rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
