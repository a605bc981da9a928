# SPDX-License-Identifier: Apache-2.0
"""Damages graph documents, shows and runs them (tests/harness/attack.py says what is asked of it). The documents are those of the
models of the tests.

    graph_documents.py [--count N] [--seed 1] [--minutes 30] [--verb show|run] [--keep FOLDER [NUMBER ...]]
"""

import copy
import glob
import json
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from harness import attack  # noqa: E402

sys.setrecursionlimit(20000)  # documents are nested on purpose
VERBS = [attack.Verb("model show FILE --target cpu", 20000), attack.Verb("model run FILE --target emulate", 2000, may_run_on=True)]
ODD = [0, 1, -1, 2, 7, 127, 2**31, 2**32, 2**63 - 1, -2**63, 2**64 - 1, 2**64, 0.5, -0.0, 1e300, "", "nan", "inf", "?", "x" * 5000, "\u202e\x1b[31m", None,
       True, False, [], {}, [[]], [0], [-1], [2**40, 2**40], "n", "n - 1", "n // 0", "0 % 0", "min(n, 1)", "(n if n < 2 else 3)", "float16", "float32x4", "int4b",
       "bool", "int64", "complex64", "uint64", "float8_e4m3", "cuda", {"ints": []}, {"ints": [2**62, 2]}, {"texts": ["float99"]}, {"shape": [-1]},
       {"dtype": "float64"}, {"tensor": {"dtype": "float32", "shape": [2]}}, {"tensor": {"dtype": "int64", "shape": [1], "elements": [-7]}},
       {"graph": {"inputs": [], "outputs": [], "values": [], "nodes": []}}, {"float": "inf"}, {"floats": ["nan"]}]


def documents():
    """The graphs of the models of the tests, as documents that are shown without their weights."""
    models = sorted(glob.glob(os.path.join(ROOT, "tests", "models", "*", "*.onnx")) + glob.glob(os.path.join(ROOT, "tests", "onnx", "odd", "*", "model.onnx")))
    found = []
    for model in models:
        shown = subprocess.run([attack.HIDETC, "model", "show", model, "--json", "--target", "cpu"], capture_output=True, text=True, check=False)
        try:
            found.append({key: value for key, value in json.loads(shown.stdout).items() if key in ("format", "version", "imported", "graph")})
        except ValueError:
            continue
    return found


def places(value, path=()):
    """The paths of everything in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from places(each, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def nested(depth, inner):
    for _ in range(depth):
        inner = {"inputs": [], "outputs": [], "values": [], "nodes": [{"id": 0, "op": "OnnxIf", "inputs": [], "outputs": [], "attributes": {"then_branch": {"graph": inner}}}]}
    return inner


def damage(document, pool, rng):
    """One change of the tree of the document."""
    graph = rng.choice([key for key in ("imported", "graph") if key in document])
    where = [path for path in places(document[graph]) if path]
    path = rng.choice(where)
    parent, key = at(document[graph], path[:-1]), path[-1]
    kind = rng.randrange(10)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[rng.randrange(len(parent))]))
    elif kind == 2 and isinstance(parent, list):
        other = rng.randrange(len(parent))
        parent[key], parent[other] = parent[other], parent[key]
    elif kind == 3:  # what stands in the same place of another document
        other = rng.choice(pool)
        other = other.get(graph, other["graph"])
        same = [each for each in places(other) if each and each[-1] == key]
        parent[key] = copy.deepcopy(at(other, rng.choice(same))) if same else rng.choice(ODD)
    elif kind == 4 and isinstance(parent[key], (int, float)) and not isinstance(parent[key], bool):
        parent[key] += rng.choice((-1, 1, 2, -3, 1000))
    elif kind == 5 and document[graph].get("nodes"):
        node = rng.choice(document[graph]["nodes"])
        if isinstance(node, dict):
            other = rng.choice(rng.choice(pool)["graph"]["nodes"] or [{"op": "Relu"}])
            node["op"] = rng.choice((other["op"], "OnnxLoop", "OnnxIf", "OnnxNode", "Cast", "NonZero", "TopK", "Concat", "Take", "Reshape", "Conv2d", "Scan"))
    elif kind == 6:
        parent[key] = nested(rng.choice((1, 3, 20, 200)), copy.deepcopy(document[graph]))
    else:
        parent[key] = copy.deepcopy(rng.choice(ODD))


def damaged(pool, rng):
    """The text of one damaged document."""
    document = copy.deepcopy(rng.choice(pool))
    if rng.random() < 0.3:  # the graph after all passes
        document.pop("imported", None)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        try:
            damage(document, pool, rng)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change has taken away what this one wants
    text = json.dumps(document).encode()
    if rng.random() < 0.1:
        cut = bytearray(text[:rng.randrange(len(text))] if rng.random() < 0.5 else text)
        for _ in range(rng.choice((0, 1, 5)) if cut else 0):
            cut[rng.randrange(len(cut))] = rng.randrange(256)
        text = bytes(cut)
    elif rng.random() < 0.02:
        text = text.replace(b"[", b"[" * rng.choice((100, 100000)), 1)
    return text


def main():
    pool = documents()
    attack.main("graph_documents", __doc__, VERBS, lambda rng: damaged(pool, rng), ".json", salt=repr(pool))


if __name__ == "__main__":
    main()
