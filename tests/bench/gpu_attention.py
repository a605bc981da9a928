#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention alone on a GPU, f16, beside every backend of PyTorch's scaled_dot_product_attention that takes the shape.

    gpu_attention.py HIDETC [KIND...]   with a Python that has torch and numpy; kinds are the tables of CASES below
                                        --case REGEX, --rounds N, --with SCRIPT, --jobs N, --json FILE, --folder FOLDER

As gpu_templates.py does it: a case is a model of one operator, `copies` times with tensors of its own, one CUDA graph on both
sides, in turns. All cases are compiled and run first, several at a time; what they return is compared with float32. Then each
backend is timed roughly, and those that are nearly the fastest take turns with ours: the fastest one counts.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
import warnings

from gpu_layers import wrong_by
from gpu_templates import Document, answer, graph_of, milliseconds

BYTES = 128 << 20  # of keys and values of all copies, where memory is the limit: more than twice the cache
BACKENDS = ["CUDNN_ATTENTION", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"]
MOST_SCORES = 1 << 28  # of MATH, which keeps all of them
NEARLY = 1.15  # times as long as the fastest


@dataclasses.dataclass
class Attention:
    """Of `heads` heads each `shared` read the same keys and values."""

    batch: int
    heads: int
    queries: int
    keys: int
    d: int
    causal: bool = False
    shared: int = 1
    copies: int = 1

    @property
    def name(self):
        sizes = f"{self.queries}" if self.queries == self.keys else f"{self.queries} to {self.keys}"
        return (f"{self.batch} x {self.heads} x {sizes} x {self.d}" + (", causal" if self.causal else "")
                + (f", {self.heads // self.shared} of keys" if self.shared > 1 else ""))

    @property
    def flops(self):
        return 4.0 * self.batch * self.heads * self.queries * self.keys * self.d / (2 if self.causal else 1)

    @property
    def bytes(self):
        return 4.0 * self.batch * (self.heads // self.shared) * self.keys * self.d

    def tensors(self, torch):
        """Of each copy q, k and v, as PyTorch takes them."""
        generator = torch.Generator(device="cuda").manual_seed(self.queries + self.keys)
        shapes = [(self.batch, self.heads, self.queries, self.d)] + [(self.batch, self.heads // self.shared, self.keys, self.d)] * 2
        return [[torch.randn(shape, device="cuda", dtype=torch.float16, generator=generator) for shape in shapes]
                for _ in range(self.copies)]

    def shapes(self):
        """As the model has them: heads that share keys are a dimension of their own."""
        if self.shared == 1:
            return [[self.batch, self.heads, rows, self.d] for rows in (self.queries, self.keys, self.keys)]
        outer = [self.batch, self.heads // self.shared]
        return [outer + [self.shared, self.queries, self.d]] + [outer + [1, self.keys, self.d]] * 2

    def document(self):
        document = Document("float16")
        for i in range(self.copies):
            inputs = [document.input(f"{name}{i}", shape) for name, shape in zip("qkv", self.shapes())]
            document.outputs.append(document.node("Attn", inputs, self.shapes()[0], is_causal=self.causal, transpose_k=True,
                                                  scale=self.d**-0.5))
        return document

    def expected(self, torch, q, k, v):
        out = torch.empty(q.shape, device="cuda")
        seen = torch.ones(self.queries, self.keys, device="cuda", dtype=torch.bool).tril() if self.causal else None
        for b, head in [(b, head) for b in range(self.batch) for head in range(self.heads)]:
            scores = q[b, head].float() @ k[b, head // self.shared].float().T * self.d**-0.5
            if seen is not None:
                scores.masked_fill_(~seen, -math.inf)
            out[b, head] = torch.softmax(scores, -1) @ v[b, head // self.shared].float()
        return out

    def peer(self, torch, backend, tensors):
        def calls():
            with torch.nn.attention.sdpa_kernel(backend):
                for q, k, v in tensors:
                    torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=self.shared > 1)

        return calls


def both(*shape):
    batch, heads, rows, d, copies = shape
    return [Attention(batch, heads, rows, rows, d, causal, copies=copies) for causal in (False, True)]


def few_queries(heads, keys, d, shared=1):
    case = Attention(1, heads, 1, keys, d, shared=shared)
    return dataclasses.replace(case, copies=int(min(48, max(1, BYTES // case.bytes))))


CASES = {
    "long": both(4, 32, 4096, 128, 1) + both(2, 16, 16384, 128, 1) + both(1, 32, 2048, 128, 4) + both(1, 16, 4096, 128, 2)
            + both(4, 32, 4096, 64, 1) + both(1, 16, 4096, 64, 2),
    "short": both(1, 12, 1536, 64, 8) + both(1, 12, 384, 64, 12) + both(1, 12, 128, 64, 12),
    "decoding": [few_queries(12, 1024, 64), few_queries(32, 4096, 128, 4), few_queries(32, 2048, 128)],
}


def save_inputs(numpy, case, tensors, folder):
    words = []
    for i, triple in enumerate(tensors):
        for name, tensor, shape in zip("qkv", triple, case.shapes()):
            numpy.save(folder / f"{name}{i}.npy", tensor.cpu().numpy().reshape(shape))
            words += ["--input", f"{name}{i}={folder / f'{name}{i}.npy'}"]
    return words


class Run:
    """A case with its files; ours is compiled and run when this is made ready."""

    def __init__(self, torch, numpy, case, folder, given):
        self.case, self.given, self.folder = case, given, folder
        self.path = folder / "case.json"
        case.document().write(self.path)
        self.error = ""

    def ready(self, options):
        try:
            answer(["run", self.path, *self.given, "--output", self.folder], options)
        except RuntimeError as error:
            self.error = str(error)

    def wrong_by(self, torch, numpy, tensors):
        worst = 0.0
        for i in sorted({0, self.case.copies - 1}):
            q, k, v = tensors[i]
            found = torch.from_numpy(numpy.load(self.folder / f"output_{i}.npy")).cuda().reshape(q.shape)
            worst = max(worst, wrong_by(torch, found, self.case.expected(torch, q, k, v)))
        return worst

    def ours(self, options):
        bench = answer(["bench", self.path, *self.given], options)
        return bench["seconds"]["median"] * 1e6 / self.case.copies, sorted({step["kernel"] for step in bench["steps"]})


def peers_of(torch, case, tensors):
    """Graphs of the backends that take the case and are nearly the fastest, and roughly how long each takes."""
    graphs, rough = {}, {}
    for name in BACKENDS:
        if name == "MATH" and case.batch * case.heads * case.queries * case.keys > MOST_SCORES:
            continue
        try:
            graphs[name] = graph_of(torch, case.peer(torch, getattr(torch.nn.attention.SDPBackend, name), tensors))
        except RuntimeError:
            continue
        rough[name] = milliseconds(torch, graphs[name].replay, 10) * 1e3 / case.copies
    fastest = min(rough.values())
    return {name: graph for name, graph in graphs.items() if rough[name] <= NEARLY * fastest}, rough


def measure(torch, numpy, run, options):
    case, tensors = run.case, run.case.tensors(torch)
    row = {"case": case.name, "copies": case.copies, "wrong by": run.wrong_by(torch, numpy, tensors)}
    graphs, row["rough"] = peers_of(torch, case, tensors)
    ours, theirs = [], {name: [] for name in graphs}
    for _ in range(options.rounds):
        each, row["kernels"] = run.ours(options)
        ours.append(each)
        for name, graph in graphs.items():
            theirs[name].append(milliseconds(torch, graph.replay) * 1e3 / case.copies)
    best = min(theirs, key=lambda name: statistics.median(theirs[name]))
    row |= {"ours": statistics.median(ours), "peer": best, "theirs": statistics.median(theirs[best]), "all of ours": ours,
            "all of theirs": theirs, "ratio": statistics.median(b / a for a, b in zip(ours, theirs[best]))}
    return row


def text_of(case, row):
    def cell(who):
        rate = f"{case.bytes / row[who] * 1e-3:.0f} GB/s" if case.queries == 1 else f"{case.flops / row[who] * 1e-6:.0f} TFLOP/s"
        return f"{row[who]:.2f} ({rate})"

    others = ", ".join(f"{name.split('_')[0].lower()} {time:.1f}" for name, time in row["rough"].items())
    wrong = "" if row["wrong by"] <= 4 else f" WRONG by {row['wrong by']:.3g}"
    return f"| {case.name} | {cell('ours')} | {cell('theirs')}: {row['peer'].split('_')[0].lower()} | {others} | {row['ratio']:.3f}{wrong} |"


def prepare(torch, numpy, kinds, options):
    """All runs by kind, compiled and run. Plain and causal attention of a shape have the same inputs."""
    runs, inputs = {}, {}
    for number, (kind, case) in enumerate((kind, case) for kind in kinds for case in CASES[kind]):
        if not re.search(options.case, case.name):
            continue
        key = dataclasses.replace(case, causal=False).name
        if key not in inputs:
            folder = options.folder / f"inputs-{number}"
            folder.mkdir()
            inputs[key] = save_inputs(numpy, case, case.tensors(torch), folder)
        folder = options.folder / f"case-{number}"
        folder.mkdir()
        runs.setdefault(kind, []).append(Run(torch, numpy, case, folder, inputs[key]))
    torch.cuda.empty_cache()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda run: run.ready(options), [run for each in runs.values() for run in each]))
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("kinds", nargs="*", default=list(CASES), metavar="KIND", help=", ".join(CASES))
    parser.add_argument("--case", default="", help="only cases in whose names this regular expression is found")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=8, help="cases that are compiled at the same time")
    parser.add_argument("--with", dest="scripts", action="append", default=[], metavar="SCRIPT")
    parser.add_argument("--folder", type=pathlib.Path, default=tempfile.gettempdir())
    parser.add_argument("--json")
    options = parser.parse_args()
    options.scripts = [word for script in options.scripts for word in ("--with", script)]
    import numpy
    import torch
    import torch.nn.attention

    warnings.filterwarnings("ignore")  # why a backend does not take a case
    torch.backends.cuda.matmul.allow_tf32 = False
    rows, failed, start = [], False, time.time()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        options.folder = pathlib.Path(folder)
        runs = prepare(torch, numpy, options.kinds, options)
        print(f"compiled and run after {time.time() - start:.1f} s", flush=True)
        for kind, each in runs.items():
            print(f"\n{kind}: µs of one operator\n\n| case | ours | fastest of theirs | all, roughly | theirs over ours |\n|---|--:|--:|--:|--:|")
            for run in each:
                try:
                    if run.error:
                        raise RuntimeError(run.error)
                    row = {"kind": kind} | measure(torch, numpy, run, options)
                except RuntimeError as error:
                    print(f"| {run.case.name} | | | | failed: {error} |", flush=True)
                    failed = True
                    continue
                rows.append(row)
                failed = failed or row["wrong by"] > 4
                print(text_of(run.case, row), flush=True)
                torch.cuda.empty_cache()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"\nafter {time.time() - start:.1f} s")
    for kind in [*runs, None] if len(runs) > 1 else [None]:
        ratios = [row["ratio"] for row in rows if kind in (None, row["kind"])]
        if ratios:
            print(f"geometric mean of {kind or 'all'}: {math.exp(statistics.mean(map(math.log, ratios))):.3f}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
