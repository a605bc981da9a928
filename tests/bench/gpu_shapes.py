#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of 40 architectures on a GPU, f16, each beside the library of PyTorch that is fastest at it: cuBLAS, cuDNN with
its algorithms tried out, every backend of scaled_dot_product_attention.

    gpu_shapes.py HIDETC [choosing|judging]     with a Python that has torch and numpy; shapes.json beside this, which shapes.py makes
                                                --kind product, --case REGEX, --json FILE, --seconds N, --rounds N, --with SCRIPT, --folder FOLDER
                                                --sample 60 --space 2

With --json, rows that are there already are not measured again, and each new one is added at once: a set takes several sittings,
and any part of it is a fair sample. --seconds: nothing new is begun after that. --sample N: these N of the half, which are always the
same. Untuned, or with --space each shape tuned at this level first, for --deadline seconds. How each kind is measured say gpu_templates.py,
gpu_layers.py and gpu_attention.py; of reductions the peers are PyTorch's own kernels.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import gpu_attention
import gpu_layers
import gpu_templates
from gpu_layers import Layer, Matrix, TENSOR_BYTES
from gpu_templates import Document, Product, answer, document_of, seeded

SHAPES = pathlib.Path(__file__).with_name("shapes.json")
FLOORS = {"product": 1.0, "convolution": 1.1, "attention": 1.05, "reduction": 1.0}  # geometric means that are wanted
LEAST, LEAST_TUNED = 0.8, 0.92  # of any shape, untuned; at level 2
KEPT = 6  # schedules of a tuned kernel, in --json
WRONG = {"product": 1, "convolution": 4, "attention": 4, "reduction": 4}


class Convolution(Layer):
    def __init__(self, batch, height, width, channels, features, rows, columns, stride, pad_h, pad_w, groups):
        self.filter = [features, channels // groups, rows, columns]
        self.result = [batch, (height + 2 * pad_h - rows) // stride + 1, (width + 2 * pad_w - columns) // stride + 1, features]
        self.how = (stride, stride), (pad_h, pad_w), (1, 1), groups
        image = (batch, height, width, channels)
        size = 2 * (math.prod(image) + math.prod(self.result) + math.prod(self.filter))
        name = f"{batch} x {height} x {width}: {channels} to {features}, {rows}x{columns}/{stride}" + (f", {groups} groups" if groups > 1 else "")
        super().__init__(name, [image], size, min(16, max(1, TENSOR_BYTES // size)))

    def document(self):
        strides, (pad_h, pad_w), _, groups = self.how
        document = Document("float16")
        for i in range(self.copies):
            inputs = [document.input(f"x{i}", list(self.shapes[0])), document.weight(f"w{i}", self.filter)]
            document.outputs.append(document.node("Conv2dChannelLast", inputs, self.result, stride={"ints": list(strides)},
                                                  padding={"ints": [pad_h, pad_w] * 2}, dilations={"ints": [1, 1]}, groups=groups))
        return document

    def weight(self, torch, i):
        return seeded(torch, f"w{i}", torch.float16, self.filter).to(memory_format=torch.channels_last)

    def expected(self, torch, tensors):
        w = self.weight(torch, 0)
        return torch.conv2d(tensors[0].permute(0, 3, 1, 2).float(), w.float(), None, *self.how).permute(0, 2, 3, 1)

    def peers(self, torch, tensors, inductor):
        torch.backends.cudnn.benchmark = True
        rows = [(x.permute(0, 3, 1, 2), self.weight(torch, i)) for i, x in enumerate(tensors)]
        return {"cuDNN": lambda: [torch.conv2d(x, w, None, *self.how) for x, w in rows]}


def case_of(shape):
    dims = {name: each for name, each in shape.items() if name not in ("kind", "of")}
    if shape["kind"] == "product":
        return Product(**dims)
    if shape["kind"] == "attention":
        case = gpu_attention.Attention(**dims | {"causal": bool(dims["causal"])})
        case.copies = int(min(16, max(1, gpu_attention.BYTES // case.bytes)))
        return case
    return Convolution(**dims) if shape["kind"] == "convolution" else Matrix(**dims)


def document(shape):
    case = case_of(shape)
    return document_of(case) if shape["kind"] == "product" else case.document()


def measured(torch, numpy, shape, options):
    """Microseconds of one, ours and theirs; their time over ours; by how much the result is wrong."""
    case = case_of(shape)
    if shape["kind"] == "product":
        row = gpu_templates.measure(torch, numpy, case, options)
        return {**row, "peer": "cuBLAS"}
    if shape["kind"] == "attention":
        inputs = gpu_attention.save_inputs(numpy, case, case.tensors(torch), options.folder)
        run = gpu_attention.Run(torch, numpy, case, options.folder, inputs)
        run.ready(options)
        if run.error:
            raise RuntimeError(run.error)
        return gpu_attention.measure(torch, numpy, run, options)
    row = gpu_layers.measure(torch, numpy, case, options)
    times = {name: each for name, each in row["times"].items() if name not in ("ours", "copy")}
    peer = min(times, key=times.get)
    return {**row, "ours": row["times"]["ours"], "theirs": times[peer], "peer": peer, "ratio": times[peer] / row["times"]["ours"]}


def compile_all(shapes, options):
    """Into the cache, several at a time: the machine is quiet while times are taken."""

    def one(numbered):
        number, shape = numbered
        path = options.folder / f"{number}.json"
        document(shape).write(path)
        try:
            answer(["run", path], options)
        except RuntimeError:
            pass  # told where it is measured

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, enumerate(shapes)))


def tune(shape, options):
    """The schedules of its kernels that are fastest, each with its microseconds, behind the untuned one."""
    path = options.folder / "tuned.json"
    document(shape).write(path)
    command = [options.hidetc, "tune", path, "--target", "cuda", "--json", *options.scripts, "--deadline", str(options.deadline)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:] + done.stdout[-1500:])
    kernels = []
    for each in json.loads(done.stdout)["operators"]:
        first, *others = [(one["schedule"], one["seconds"] * 1e6) for one in each["candidates"] if one.get("seconds")] or [("", 0)]
        kernels.append([first, *sorted(others, key=lambda one: one[1])[:KEPT]])
    return kernels


def sampled(shapes, count):
    return [shapes[i * len(shapes) // count] for i in range(count)] if count < len(shapes) else shapes


def summary(rows, least):
    print(f"\n| kind | shapes | geometric mean of theirs over ours | wanted | below {least} | slower |\n|---|--:|--:|--:|--:|--:|")
    for kind, floor in FLOORS.items():
        ratios = [row["ratio"] for row in rows if row["kind"] == kind and "ratio" in row]
        if ratios:
            mean = math.exp(statistics.mean(map(math.log, ratios)))
            print(f"| {kind} | {len(ratios)} | {mean:.3f} | {floor} | {sum(each < least for each in ratios)} | {sum(each < 1 for each in ratios)} |")
    print("\nthe slowest:\n")
    for row in sorted((row for row in rows if "ratio" in row), key=lambda row: row["ratio"])[:25]:
        print(f"{row['ratio']:.2f}  {row['case']}  {row['ours']:.2f} µs, {row['peer']} {row['theirs']:.2f}  [{', '.join(row['kernels'])}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("half", nargs="?", choices=["choosing", "judging"], default="judging")
    parser.add_argument("--kind", choices=FLOORS)
    parser.add_argument("--case", default="", help="only shapes in whose names this regular expression is found")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=12, help="shapes that are compiled at the same time")
    parser.add_argument("--sample", type=int, default=math.inf, metavar="N")
    parser.add_argument("--space", type=int, choices=[1, 2], help="tuned at this level; untuned otherwise")
    parser.add_argument("--deadline", type=float, default=10, help="seconds that a shape may be tuned for")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--with", dest="scripts", action="append", default=[], metavar="SCRIPT")
    parser.add_argument("--folder", type=pathlib.Path, default=tempfile.gettempdir())
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.scripts = [word for script in options.scripts for word in ("--with", script)]
    options.tf32, options.quantize, options.inductor, options.peers = False, "", False, True
    import numpy
    import torch
    import torch.nn.attention

    warnings.filterwarnings("ignore")  # why a backend of attention does not take a case
    begin, card = time.time(), torch.cuda.get_device_name()
    rows = json.loads(options.json.read_text(encoding="utf-8")) if options.json and options.json.exists() else []
    known = [row["shape"] for row in rows]
    shapes = [each for each in json.loads(SHAPES.read_text(encoding="utf-8"))[options.half]
              if options.kind in (None, each["kind"]) and re.search(options.case, case_of(each).name)]
    shapes = sampled(shapes, options.sample)
    wanted = [each for each in shapes if each not in known]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        options.folder = pathlib.Path(folder)
        if options.space:
            options.scripts += ["--space", str(options.space), "--records", str(options.folder / "records")]
        else:
            compile_all(wanted, options)
        print(f"{card}: {len(wanted)} of {len(shapes)} shapes, compiled and run after {time.time() - begin:.0f} s", flush=True)
        for shape in wanted:
            if time.time() - begin > options.seconds:
                break
            row = {"shape": shape, "kind": shape["kind"], "case": case_of(shape).name, "card": card}
            try:
                if options.space:
                    row["schedules"] = tune(shape, options)
                with torch.no_grad():
                    row |= measured(torch, numpy, shape, options)
                wrong = "" if row["wrong by"] <= WRONG[row["kind"]] else f" WRONG by {row['wrong by']:.3g}"
                print(f"{row['ratio']:.2f}  {row['kind']} {row['case']}: {row['ours']:.2f} µs, {row['peer']} {row['theirs']:.2f}{wrong}", flush=True)
            except RuntimeError as error:
                row["error"] = str(error)
                print(f"failed: {row['kind']} {row['case']}: {str(error)[-400:]}", flush=True)
            rows.append(row)
            torch.cuda.empty_cache()
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    summary(rows, LEAST_TUNED if options.space else LEAST)
    is_wrong = any("error" in row or row["wrong by"] > WRONG[row["kind"]] for row in rows)
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
