#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators alone on a GPU beside PyTorch's libraries: what the templates of compiler/schedule/templates reach.

    gpu_templates.py HIDETC [KIND...]     with a Python that has torch and numpy; kinds are the tables of CASES below
                                          --case WORD, --rounds N, --with SCRIPT, --json FILE, --folder FOLDER

A case is a model of one operator, several times over: each time with weights of its own, so that they come from memory, as in a
model. Both sides are one CUDA graph with all of them, replayed again and again, and a figure is the median of the time of one
operator. Ours and theirs take turns, round by round, because clocks and power drift.
The first and the last result are compared with PyTorch's in float32, on the same inputs and weights.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SEED = 0
SAMPLE_MS = 200  # of replays, behind as many that only warm up
WEIGHT_BYTES = 128 << 20  # of all copies, at most: more than twice the cache, and soon made; less where arithmetic is the limit
MASK = (1 << 64) - 1


@dataclasses.dataclass
class Product:
    """x times w, `copies` times; with a fused ending a bias and GELU, which the peer does not compute."""

    m: int
    n: int
    k: int
    dtype: str = "float16"
    fused: bool = False
    tf32: bool = False  # of both sides, with dtype float32
    quantize: str = ""  # ours alone: weights of few bits

    @property
    def name(self):
        stored = f", weights of {self.quantize}" if self.quantize else ""
        return f"{self.m} x {self.n} x {self.k} {'tf32' if self.tf32 else self.dtype}" + (", bias and GELU" if self.fused else "") + stored

    @property
    def copies(self):
        weights = self.n * self.k * (4 if self.dtype == "float32" else 0.5 if self.quantize == "int4" else 1 if self.quantize else 2)
        return max(4 if self.m <= 256 else 1, min(48, int(WEIGHT_BYTES // (weights * (1 if self.m <= 256 else 2)))))

    @property
    def flops(self):
        return 2.0 * self.m * self.n * self.k

    def build(self, document, i):
        x = document.inputs[0] if document.inputs else document.input("x", [self.m, self.k])
        y = document.node("Matmul", [x, document.weight(f"w{i}", [self.k, self.n])], [self.m, self.n])
        if self.fused:
            y = document.node("Add", [y, document.weight(f"b{i}", [self.n])], [self.m, self.n])
            y = document.node("Gelu", [y], [self.m, self.n])
        return y

    def peer(self, torch, x, weights, out):
        torch.matmul(x, weights["w"], out=out)

    def expected(self, torch, x, weights):
        y = torch.matmul(x.float(), rounded(torch, weights["w"].float(), self.quantize))
        return torch.nn.functional.gelu(y + weights["b"].float()) if self.fused else y

    def weights(self):
        return {"w": [self.k, self.n]} | ({"b": [self.n]} if self.fused else {})


def large(dtype, fused=False):
    return [Product(size, size, size, dtype, fused) for size in (4096, 8192)]


BATCH_1 = [
    (128, 768, 768), (128, 2304, 768), (128, 3072, 768), (128, 768, 3072), (196, 256, 1024), (196, 1024, 256), (49, 512, 2048),
    (49, 512, 4608), (196, 256, 2304), (784, 128, 1152), (3136, 64, 576), (128, 4096, 4096), (1024, 1024, 1024),
]
FEW_ROWS = [
    (1, 4096, 4096), (8, 4096, 4096), (16, 4096, 4096), (32, 4096, 4096), (64, 4096, 4096), (16, 6144, 4096), (16, 4096, 11008),
    (16, 11008, 4096), (1, 11008, 4096), (8, 768, 768), (1, 3072, 768),
]
FLOAT32 = [
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (16, 4096, 4096), (128, 4096, 4096),
    (1, 4096, 4096), (128, 768, 3072), (128, 3072, 768), (128, 768, 768), (4096, 128, 11008),
]
TF32 = [(4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024), (128, 4096, 4096), (128, 768, 3072), (196, 256, 2304)]
FEW_BITS = [(4096, 4096), (14336, 4096), (4096, 14336), (2048, 8192)]
CASES = {
    "large": large("float16") + [Product(2048, 2048, 2048), Product(4096, 4096, 16384)],
    "large-fused": large("float16", True),
    "batch-1": [Product(*shape) for shape in BATCH_1],
    "few-rows": [Product(*shape) for shape in FEW_ROWS],
    "float32": [Product(*shape, "float32") for shape in FLOAT32],
    "few-bits": [Product(m, n, k, quantize=kind) for n, k in FEW_BITS for m in (1, 8, 32) for kind in ("", "int4", "int8", "fp8")]
    + [Product(512, 4096, 4096, quantize=kind) for kind in ("", "int4", "int8", "fp8")],
    "tf32": [Product(*shape, "float32", tf32=True) for shape in TF32],
}
KINDS = {"products": list(CASES)}  # names for several tables


class Document:
    """A graph without its weights: the program makes them from a seed (app/session/model/stages.cpp)."""

    def __init__(self, dtype):
        self.dtype, self.values, self.nodes, self.inputs, self.outputs = dtype, [], [], [], []

    def value(self, shape, **rest):
        self.values.append({"id": len(self.values), "dtype": self.dtype, "shape": shape, **rest})
        return len(self.values) - 1

    def input(self, name, shape):
        self.inputs.append(self.value(shape, name=name))
        return self.inputs[-1]

    def weight(self, name, shape):
        return self.value(shape, name=name, constant={"hash": name})

    def node(self, op, inputs, shape, **attributes):
        out = self.value(shape)
        self.nodes.append({"id": len(self.nodes), "op": op, "inputs": inputs, "outputs": [out], "attributes": attributes})
        return out

    def write(self, path):
        graph = {"name": path.stem, "inputs": self.inputs, "outputs": self.outputs, "values": self.values, "nodes": self.nodes}
        path.write_text(json.dumps({"format": "hidet-graph", "version": 1, "graph": graph}), encoding="utf-8")


def seeded(torch, name, dtype, shape):
    """What the program makes of a weight without contents; the numbers are unsigned, torch's are not. It rounds once, torch to float
    in between: few bits would tell the difference."""
    key = SEED
    for c in name.encode():
        key = ((key ^ c) * 0x100000001B3) & MASK

    def signed(number):
        number &= MASK
        return number - (1 << 64) if number >> 63 else number

    def shifted(z, bits):
        return (z >> bits) & ((1 << (64 - bits)) - 1)

    count = math.prod(shape)
    z = torch.arange(1, count + 1, dtype=torch.int64, device="cuda") * signed(0x9E3779B97F4A7C15) + signed(key)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    numbers = shifted(z ^ shifted(z, 31), 11).double() * 2.0**-53
    if len(shape) < 2:
        return (0.5 + numbers).to(dtype).reshape(shape)
    numbers = (2 * numbers - 1) * math.sqrt(3 / (count // shape[0]))
    if dtype == torch.float16:
        numbers = torch.from_numpy(numbers.cpu().numpy().astype("float16")).cuda()
    return numbers.to(dtype).reshape(shape)


def rounded(torch, w, kind):
    """[k, n] as `--quantize` leaves it, of weights in half precision (compiler/graph/passes/packed_weight.cpp)."""
    if not kind:
        return w
    group, largest = {"int4": (128, 7), "int8": (w.shape[0], 127), "fp8": (w.shape[0], 448)}[kind]
    groups = w.reshape(-1, group, w.shape[1])
    scale = groups.abs().amax(1, keepdim=True) / largest
    if (scale >= 2.0**-14).all():
        scale = scale.half().float()
    numbers = groups / scale
    numbers = numbers.to(torch.float8_e4m3fn).float() if kind == "fp8" else numbers.round()
    return (numbers * scale).reshape(w.shape)


def answer(command, options):
    precision = ["--precision", "tf32"] if options.tf32 else []
    precision += ["--quantize", options.quantize] if options.quantize else []
    done = subprocess.run([options.hidetc, "model", *command, "--target", "cuda", "--json", *precision, *options.scripts],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}:\n{done.stderr[-1500:]}{done.stdout[-1500:]}")
    return json.loads(done.stdout)


def graph_of(torch, calls):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        calls()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        calls()
    return graph


def milliseconds(torch, replay, sample_ms=SAMPLE_MS):
    """The median of one replay, as `hidetc model bench` finds it: without waits in between."""

    def events(count):
        pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
        for begin, end in pairs:
            begin.record()
            replay()
            end.record()
        torch.cuda.synchronize()
        return [begin.elapsed_time(end) for begin, end in pairs]

    once = statistics.median(events(3))
    count = min(max(int(sample_ms / once), 10), 1000)
    events(count)
    return statistics.median(events(count))


def wrong_by(torch, numpy, case, path, options):
    """How far the first and the last result are from PyTorch's in float32, over what rounding may do."""
    dtype = getattr(torch, case.dtype)
    numbers = sorted({0, case.copies - 1})
    torch.manual_seed(1)
    x = torch.randn(case.m, case.k, device="cuda").to(dtype)
    numpy.save(path.parent / "x.npy", x.cpu().numpy())
    answer(["run", path, "--output", path.parent, "--input", f"x={path.parent / 'x.npy'}"], options)
    worst = 0.0
    for i in numbers:
        weights = {name: seeded(torch, f"{name}{i}", dtype, shape) for name, shape in case.weights().items()}
        want = case.expected(torch, x, weights)
        found = torch.from_numpy(numpy.load(path.parent / f"output_{i}.npy")).cuda().float()
        if case.tf32:
            allowed = 6e-3 + 2e-3 * want.abs()
        elif dtype == torch.float32:
            allowed = 4e-6 * math.sqrt(case.k) + 4e-6 * want.abs()
        else:
            allowed = 2e-3 + 3e-3 * want.abs()
        worst = max(worst, ((found - want).abs() / allowed).max().item() if found.shape == want.shape else math.inf)
        if torch.isnan(found).any():
            worst = math.inf
    return worst


def document_of(case):
    document = Document(case.dtype)
    document.outputs = [case.build(document, i) for i in range(case.copies)]
    return document


def measure(torch, numpy, case, options):
    path = options.folder / "case.json"
    document_of(case).write(path)
    row = {"case": case.name, "copies": case.copies, "wrong by": wrong_by(torch, numpy, case, path, options)}
    dtype = getattr(torch, case.dtype)
    x = torch.randn(case.m, case.k, device="cuda").to(dtype)
    weights = [{"w": (torch.randn(case.k, case.n, device="cuda") / math.sqrt(case.k)).to(dtype)} for _ in range(case.copies)]
    outs = [torch.empty(case.m, case.n, device="cuda", dtype=dtype) for _ in range(case.copies)]

    def calls():
        for each, out in zip(weights, outs):
            case.peer(torch, x, each, out)

    torch.backends.cuda.matmul.allow_tf32 = case.tf32
    theirs = graph_of(torch, calls)
    torch.backends.cuda.matmul.allow_tf32 = False
    ours, peers = [], []
    for _ in range(options.rounds):
        bench = answer(["bench", path], options)
        row["kernels"] = sorted({step["kernel"] for step in bench["steps"]})
        ours.append(bench["seconds"]["median"] * 1e6 / case.copies)
        peers.append(milliseconds(torch, theirs.replay) * 1e3 / case.copies)
    row |= {"ours": statistics.median(ours), "theirs": statistics.median(peers), "all of ours": ours, "all of theirs": peers}
    row["ratio"] = statistics.median(b / a for a, b in zip(ours, peers))
    return row


def spread(numbers):
    return 100 * (max(numbers) - min(numbers)) / statistics.median(numbers)


def text_of(case, row):
    rates = [case.flops / row[who] * 1e-6 for who in ("ours", "theirs")]
    wrong = "" if row["wrong by"] <= 1 else f" WRONG by {row['wrong by']:.3g}"
    return (f"| {case.name} | {row['ours']:.2f} ({spread(row['all of ours']):.0f}) | {row['theirs']:.2f} ({spread(row['all of theirs']):.0f})"
            f" | {rates[0]:.0f} / {rates[1]:.0f} | {row['ratio']:.3f}{wrong} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("kinds", nargs="*", default=list(CASES), metavar="KIND", help=", ".join([*KINDS, *CASES]))
    parser.add_argument("--case", default="", help="only cases whose names have this word")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--with", dest="scripts", action="append", default=[], metavar="SCRIPT")
    parser.add_argument("--folder", type=pathlib.Path, default=tempfile.gettempdir())
    parser.add_argument("--json")
    options = parser.parse_args()
    options.scripts = [word for script in options.scripts for word in ("--with", script)]
    import numpy
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    rows, failed = [], False
    for kind in [name for each in options.kinds for name in KINDS.get(each, [each])]:
        print(f"\n{kind}: µs of one operator (spread of rounds, %)\n\n| case | ours | theirs | TFLOP/s | theirs over ours |\n|---|--:|--:|--:|--:|",
              flush=True)
        ratios = []
        for case in CASES[kind]:
            if options.case not in case.name:
                continue
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                case_options = argparse.Namespace(**vars(options) | {"folder": pathlib.Path(folder), "tf32": case.tf32, "quantize": case.quantize})
                try:
                    row = {"kind": kind} | measure(torch, numpy, case, case_options)
                except RuntimeError as error:
                    print(f"| {case.name} | | | | failed: {error} |", flush=True)
                    failed = True
                    continue
            rows.append(row)
            ratios.append(row["ratio"])
            failed = failed or row["wrong by"] > 1
            print(text_of(case, row), flush=True)
            torch.cuda.empty_cache()
        if ratios:
            print(f"| geometric mean | | | | {math.exp(statistics.mean(map(math.log, ratios))):.3f} |")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
