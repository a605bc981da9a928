# SPDX-License-Identifier: Apache-2.0
"""Models whose operators take or make thousands of tensors run in seconds, on the CPU and in the emulator.

    wide_test.py --program PATH [--count 4000] [--only WORD]     PATH: hidetc
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

SECONDS = 60  # a busy machine; what is quadratic takes hours


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """A number, a text, or a message as its bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(op, inputs, outputs, *attributes):
    return b"".join([field(1, each) for each in inputs] + [field(2, each) for each in outputs] + [field(3, op), field(4, op), *attributes])


def axis(value):
    return field(5, field(1, "axis") + field(3, value) + field(20, 2))


def equation(text):
    return field(5, field(1, "equation") + field(4, text) + field(20, 3))


def tensor(name, *extents):
    shape = b"".join(field(1, field(1, extent)) for extent in extents)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def model(nodes, inputs, outputs):
    graph = b"".join([field(1, each) for each in nodes] + [field(2, "wide")] + [field(11, each) for each in inputs] +
                     [field(12, each) for each in outputs])
    return field(1, 8) + field(8, field(1, "") + field(2, 17)) + field(7, graph)


def cases(count):
    """name -> model. The operands come from one input, so that a command line is short."""
    names = [f"x{i}" for i in range(count)]
    x, each = [tensor("x", 3)], [node("Identity", ["x"], [name]) for name in names]
    apart = [node("Split", ["wide"], names, axis(0))]
    wide = [tensor("wide", count * 3)]
    for op in ("Sum", "Max", "Min", "Mean"):
        yield op, model([*apart, node(op, names, ["y"])], wide, [tensor("y", 3)])
    yield "Concat", model([*apart, node("Concat", names[::-1], ["y"], axis(0))], wide, [tensor("y", count * 3)])
    yield "Concat of inputs", model([node("Concat", names, ["y"], axis(0))], [tensor(name, 3) for name in names], [tensor("y", count * 3)])
    yield "Split", model([*apart, *(node("Relu", [name], ["y" + name]) for name in names)], wide, [tensor("y" + name, 3) for name in names])
    yield "Einsum", model([*each, node("Einsum", names, ["y"], equation(",".join(["i"] * count) + "->i"))], x, [tensor("y", 3)])
    yield "Sequence", model([*apart, node("SequenceConstruct", names, ["s"]), node("ConcatFromSequence", ["s"], ["y"], axis(0))], wide,
                            [tensor("y", count * 3)])


def check(program, folder, name, data, target):
    path = os.path.join(folder, "wide.onnx")
    with open(path, "wb") as file:
        file.write(data)
    start = time.monotonic()
    try:
        done = subprocess.run([program, "model", "run", path, "--target", target], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} seconds"
    print(f"{name} on {target}: {time.monotonic() - start:.1f} s", flush=True)
    return "" if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[:500]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, data in cases(options.count):
            for target in ("emulate", "cpu"):
                if options.only in name and (wrong := check(options.program, folder, name, data, target)):
                    failed += 1
                    print(f"{name} on {target}: {wrong}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
