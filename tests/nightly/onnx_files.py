# SPDX-License-Identifier: Apache-2.0
"""Damages ONNX files, shows and runs them (tests/harness/attack.py says what is asked of it): fields that are gone, doubled, of
other values, of another model; graphs in graphs; bytes. The files are the models of the tests and, where they have been
fetched, the node tests of ONNX.

    onnx_files.py [--count N] [--seed 1] [--minutes 30] [--verb show|run] [--keep FOLDER [NUMBER ...]]
"""

import copy
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import attack  # noqa: E402

VERBS = [attack.Verb("model show FILE --target cpu", 40000), attack.Verb("model run FILE --target emulate", 4000, may_run_on=True)]
# Which fields of a message of onnx.proto hold which messages.
MESSAGES = {
    "model": {7: "graph", 8: "opset", 25: "function"},
    "graph": {1: "node", 5: "tensor", 11: "value", 12: "value", 13: "value", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 14: "type", 22: "sparse"},
    "function": {7: "node", 9: "opset", 11: "attribute"},
    "value": {2: "type"},
    "type": {1: "tensor_type", 4: "sequence_type", 9: "sequence_type"},
    "tensor_type": {2: "shape"},
    "sequence_type": {1: "type"},
    "shape": {1: "dimension"},
    "sparse": {1: "tensor", 2: "tensor"},
}
NUMBERS = [0, 1, 2, 3, 7, 11, 16, 127, 200, 4000, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**64 - 1, 2**64 - 2, 2**64 - 128, 2**63]
TEXTS = [b"", b"x", b"Relu", b"Loop", b"If", b"Scan", b"Conv", b"Reshape", b"Unsqueeze", b"NOTSET", b"SAME_UPPER", b"ai.onnx", b"com.microsoft", b"x" * 5000,
         b"\xe2\x80\xae\x1b[31m", b"\xff\xfe", b"a + b", b"../../etc/passwd", b"\x00" * 64, b"\xff" * 64]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def write_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read(data, kind):
    """[number, what] of each field in order; what: a number, bytes (also of 4 and 8), or the fields of a message."""
    fields, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            fields.append([number, 0, value])
            continue
        size = {1: 8, 5: 4}.get(wire)
        if size is None:
            size, at = varint(data, at)
        value, at = data[at:at + size], at + size
        inner = MESSAGES.get(kind, {}).get(number)
        fields.append([number, wire, read(value, inner) if inner else value])
    return fields


def write(fields):
    out = bytearray()
    for number, wire, value in fields:
        out += write_varint(number << 3 | wire)
        if wire == 0:
            out += write_varint(value % 2**64)
            continue
        value = write(value) if isinstance(value, list) else value
        out += (write_varint(len(value)) if wire == 2 else b"") + value
    return bytes(out)


def messages(fields, kind):
    """The messages in this one, each with what it is."""
    yield fields, kind
    for number, _, value in fields:
        if isinstance(value, list):
            yield from messages(value, MESSAGES[kind][number])


def files():
    models = glob.glob(os.path.join(ROOT, "tests", "models", "*", "*.onnx")) + glob.glob(os.path.join(ROOT, "tests", "onnx", "odd", "*", "model.onnx"))
    models += glob.glob(os.path.join(ROOT, ".cache", "onnx", "node", "*", "model.onnx"))
    found = []
    for path in sorted(models):
        if os.path.getsize(path) < 100_000:
            with open(path, "rb") as file:
                found.append(read(file.read(), "model"))
    return found


def other_value(wire, value, rng):
    if wire == 0:
        return rng.choice((rng.choice(NUMBERS), value + 1, value + 2**64 - 1, value * 2))
    if wire in (1, 5):
        return bytes(rng.randrange(256) for _ in value) if rng.random() < 0.5 else rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff" * 4))[:4] * (len(value) // 4)
    if isinstance(value, list) or rng.random() < 0.5:
        return rng.choice(TEXTS)
    return value[:rng.randrange(len(value) + 1)] + bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 8))))


def damage(model, pool, rng):
    """One change of the fields."""
    inside = [each for each in messages(model, "model") if each[0]]
    if not inside:  # an earlier change has left nothing of it
        return
    fields, kind = rng.choice(inside)
    at = rng.randrange(len(fields))
    number, wire, value = fields[at]
    what = rng.randrange(8)
    if what == 0:
        del fields[at]
    elif what == 1:
        fields.insert(at, copy.deepcopy(rng.choice(fields)))
    elif what == 2:
        other = rng.randrange(len(fields))
        fields[at], fields[other] = fields[other], fields[at]
    elif what == 3:  # a message of this kind from another model, in whole or one field of it
        found = [each for each, its in messages(rng.choice(pool), "model") if its == kind and each]
        if found:
            fields.insert(at, copy.deepcopy(rng.choice(rng.choice(found))))
    elif what == 4 and kind in ("node", "attribute"):  # a body that is the whole graph, some times over
        graph = next((each[2] for each in model if each[0] == 7 and isinstance(each[2], list)), [])
        for _ in range(rng.choice((1, 3))):
            graph = [*copy.deepcopy(graph), [1, 2, [[4, 2, b"If"], [5, 2, [[1, 2, b"then_branch"], [6, 2, copy.deepcopy(graph)], [20, 0, 5]]]]]]
        if len(write(graph)) < 1_000_000:
            fields.append([5 if kind == "node" else 6, 2, [[1, 2, b"body"], [6, 2, graph], [20, 0, 5]] if kind == "node" else graph])
    else:
        fields[at] = [number, wire, other_value(wire, value, rng)]


def damaged(pool, rng):
    """The bytes of one damaged model."""
    model = copy.deepcopy(rng.choice(pool))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        damage(model, pool, rng)
    data = bytearray(write(model))
    if data and rng.random() < 0.1:
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)):]
        for _ in range(rng.choice((1, 3, 20)) if data else 0):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def main():
    pool = files()
    attack.main("onnx_files", __doc__, VERBS, lambda rng: damaged(pool, rng), ".onnx", salt=repr(pool))


if __name__ == "__main__":
    main()
