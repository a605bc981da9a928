#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The models of tests/models/large at full size on the CPU, with weights made from a seed, beside what ONNX Runtime recorded.

    large_models.py [NAME...] [--target TARGET]
"""

import array
import ast
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests" / "models" / "large"
HIDETC = ROOT / "build" / "dev" / "bin" / "hidetc"
MASK = (1 << 64) - 1
CODES = {"float32": ("<f4", "f"), "int64": ("<i8", "q")}
TOLERANCE = 2e-4  # of the greatest magnitude: sums of thousands of float32 products in another order


def uniform(key, count):
    for i in range(1, count + 1):
        z = (key + i * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield ((z ^ (z >> 31)) >> 11) * 2.0**-53


def write_input(path, given, seed):
    key = seed
    for c in given["name"].encode():
        key = ((key ^ c) * 0x100000001B3) & MASK
    numbers = uniform(key, math.prod(given["shape"]))
    below = given["below"]
    values = [math.floor(u * below) for u in numbers] if below else [(2 * u - 1) * math.sqrt(3) for u in numbers]
    descr, code = CODES[given["dtype"]]
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(given['shape'])}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + array.array(code, values).tobytes())


def read_result(path):
    data = path.read_bytes()
    begin = 10 + int.from_bytes(data[8:10], "little")
    head = ast.literal_eval(data[10:begin].decode())
    code = {descr: code for descr, code in CODES.values()}[head["descr"]]
    return list(head["shape"]), array.array(code, data[begin:])


def complaints(got, shape, wanted):
    if shape != wanted["shape"]:
        return [f"its shape is {shape}, not {wanted['shape']}"]
    greatest = max(map(abs, got))
    found = []
    for place, element in zip(wanted["places"], wanted["elements"]):
        if not abs(got[place] - element) <= TOLERANCE * greatest:
            found.append(f"element {place} is {got[place]:.9g}, not {element:.9g}")
    sums = {"sum": math.fsum(got), "magnitude": math.fsum(map(abs, got))}
    for name, value in sums.items():
        if not abs(value - wanted[name]) <= TOLERANCE * wanted["magnitude"]:
            found.append(f"the {name} is {value:.9g}, not {wanted[name]:.9g}")
    return found


def check(name, target):
    recorded = json.loads((FOLDER / f"{name}.recorded.json").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        command = [HIDETC, "model", "run", FOLDER / f"{name}.json", "--seed", str(recorded["seed"]), "--target", target,
                   "--output", folder]
        for i, given in enumerate(recorded["inputs"]):
            write_input(folder / f"input_{i}.npy", given, recorded["seed"])
            command += ["--input", f"{given['name']}={folder / f'input_{i}.npy'}"]
        start = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.monotonic() - start
        if done.returncode != 0:
            print(f"  FAILED {name}: exit {done.returncode}\n{done.stderr}")
            return False
        found, worst = [], 0
        for i, wanted in enumerate(recorded["outputs"]):
            shape, got = read_result(folder / f"output_{i}.npy")
            found += [f"{wanted['name']}: {text}" for text in complaints(got, shape, wanted)]
            worst = max([worst] + [abs(got[p] - e) / max(map(abs, got)) for p, e in zip(wanted["places"], wanted["elements"])])
    print(f"  {'FAILED' if found else 'passed'} {name}: {seconds:.0f} s, differs by {worst:.1e} of the greatest magnitude", flush=True)
    for text in found[:10]:
        print(f"    {text}")
    return not found


def main(arguments):
    target = "cpu"
    if "--target" in arguments:
        at = arguments.index("--target")
        target = arguments[at + 1]
        arguments = arguments[:at] + arguments[at + 2:]
    names = arguments or sorted(path.name.split(".")[0] for path in FOLDER.glob("*.recorded.json"))
    return 0 if all([check(name, target) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
