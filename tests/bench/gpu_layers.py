#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of models alone on a GPU beside PyTorch, f16: what memory limits, and convolutions with bias and ReLU.

    gpu_layers.py HIDETC [KIND...]      with a Python that has torch and numpy; kinds are the tables of CASES below
                                        --case REGEX, --rounds N, --with SCRIPT, --json FILE, --folder FOLDER

As gpu_templates.py does it: a case is a model of one layer many times over, each time with tensors (weights, of convolutions) of
its own that do not fit into the second-level cache together, one CUDA graph on both sides, in turns. The peers are PyTorch as it
is, Inductor, a copy of the same tensor, and cuDNN, channels last, with and without bias and ReLU.
"""

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile

from gpu_templates import Document, answer, graph_of, milliseconds, seeded

TENSOR_BYTES = 128 << 20  # read and written, at least: more than twice the cache
WEIGHT_BYTES = 80 << 20


class Layer:
    """`copies` times the same, on inputs of its own each time."""

    def __init__(self, name, inputs, bytes_of_one, copies=None):
        self.name, self.shapes, self.bytes = name, inputs, bytes_of_one
        self.copies = copies or max(1, TENSOR_BYTES // bytes_of_one)

    def document(self):
        document = Document("float16")
        for i in range(self.copies):
            inputs = [document.input(f"x{i}", list(shape)) for shape in self.shapes]
            document.outputs.append(self.build(document, inputs[0]))
        return document

    def tensors(self, torch):
        return [torch.randn(self.shapes[0], device="cuda").half() for _ in range(self.copies)]

    def inputs(self, tensors):
        return {f"x{i}": tensor for i, tensor in enumerate(tensors)}

    def expected(self, torch, tensors):
        """Of the first result."""
        return self.compute(torch, torch.float32)(tensors[0].float())

    def peers(self, torch, tensors, inductor):
        """What to record as a graph; what is returned must live as long as the graph."""
        eager = self.compute(torch, torch.float16)
        outs = [torch.empty_like(x) for x in tensors]
        peers = {"PyTorch": lambda: [eager(x) for x in tensors], "copy": lambda: [out.copy_(x) for x, out in zip(tensors, outs)]}
        if inductor:
            torch._dynamo.reset()
            compiled = torch.compile(eager, dynamic=False)
            peers["Inductor"] = lambda: [compiled(x) for x in tensors]
        return peers


class Matrix(Layer):
    def __init__(self, operator, rows, columns):
        size = rows * columns * 2
        super().__init__(f"{operator} {rows}x{columns}", [(rows, columns)], size if operator == "reduce_sum" else 2 * size)
        self.operator = operator

    def build(self, document, x):
        shape = list(self.shapes[0])
        if self.operator == "layernorm":
            y = document.node("Normalize", [x], shape, dims={"ints": [1]}, epsilon=1e-5)
            y = document.node("Multiply", [y, document.weight("scale", shape[1:])], shape)
            return document.node("Add", [y, document.weight("shift", shape[1:])], shape)
        if self.operator == "reduce_sum":
            return document.node("ReduceSum", [x], shape[:1], dims={"ints": [-1]}, keepdims=False)
        op, attributes = {"softmax": ("Softmax", {"axis": -1}), "gelu": ("Gelu", {"approximate": False}), "negative": ("Negative", {})}[self.operator]
        return document.node(op, [x], shape, **attributes)

    def compute(self, torch, dtype):
        columns = self.shapes[0][1]
        if self.operator == "layernorm":
            scale, shift = (seeded(torch, name, torch.float16, [columns]).to(dtype) for name in ("scale", "shift"))
            return lambda x: torch.nn.functional.layer_norm(x, (columns,), scale, shift)
        return {"softmax": lambda x: torch.softmax(x, -1), "gelu": torch.nn.functional.gelu, "negative": torch.neg,
                "reduce_sum": lambda x: torch.sum(x, -1)}[self.operator]


class Permutation(Layer):
    def __init__(self, shape, axes):
        super().__init__(f"permute {'x'.join(map(str, shape))} to {axes}", [shape], 4 * math.prod(shape))
        self.axes = axes

    def build(self, document, x):
        return document.node("PermuteDims", [x], [self.shapes[0][axis] for axis in self.axes], axes={"ints": list(self.axes)})

    def compute(self, torch, dtype):
        return lambda x: x.permute(self.axes).contiguous()


class Convolutions(Layer):
    """All layers of a list, one after the other, `turns` times: height, channels, features, filter, stride, groups."""

    def __init__(self, name, layers, turns):
        super().__init__(name, [], 0, turns)
        self.layers = layers
        self.images = sorted({(height, channels) for height, channels, *_ in layers})

    def places(self):
        return [(f"{turn}-{i}", layer) for turn in range(self.copies) for i, layer in enumerate(self.layers)]

    def document(self):
        document = Document("float16")
        images = {image: document.input(f"x{image[0]}-{image[1]}", [1, image[0], image[0], image[1]]) for image in self.images}
        for place, (height, channels, features, taps, stride, groups) in self.places():
            pad, rows = taps // 2, height // stride
            w = document.weight(f"w{place}", [features, channels // groups, taps, taps])
            shape = [1, rows, rows, features]
            y = document.node("Conv2dChannelLast", [images[height, channels], w], shape, stride={"ints": [stride] * 2},
                              padding={"ints": [pad] * 4}, dilations={"ints": [1, 1]}, groups=groups)
            y = document.node("Add", [y, document.weight(f"b{place}", [features])], shape)
            document.outputs.append(document.node("Relu", [y], shape))
        return document

    def tensors(self, torch):
        return [torch.randn(1, height, height, channels, device="cuda").half() for height, channels in self.images]

    def inputs(self, tensors):
        return {f"x{height}-{channels}": x for (height, channels), x in zip(self.images, tensors)}

    def rows(self, torch, tensors):
        last = torch.channels_last
        images = {image: x.permute(0, 3, 1, 2) for image, x in zip(self.images, tensors)}
        for place, (height, channels, features, taps, stride, groups) in self.places():
            w = seeded(torch, f"w{place}", torch.float16, [features, channels // groups, taps, taps]).to(memory_format=last)
            b = seeded(torch, f"b{place}", torch.float16, [features])
            yield images[height, channels], w, b, (stride, stride), (taps // 2, taps // 2), (1, 1), groups

    def expected(self, torch, tensors):
        x, w, b, *rest = next(self.rows(torch, tensors))
        return torch.relu(torch.conv2d(x.float(), w.float(), b.float(), *rest)).permute(0, 2, 3, 1)

    def peers(self, torch, tensors, inductor):
        torch.backends.cudnn.benchmark = True
        rows = list(self.rows(torch, tensors))
        return {"cuDNN": lambda: [torch.cudnn_convolution_relu(*row) for row in rows],
                "cuDNN without bias": lambda: [torch.conv2d(x, w, None, *rest) for x, w, _, *rest in rows]}


SHAPES = [(4096, 1024), (4096, 4096), (16384, 4096), (128, 32768)]
RESNET_50 = [  # all but the first, and how often
    (56, 64, 64, 1, 1, 1), (56, 64, 64, 3, 1, 3), (56, 64, 256, 1, 1, 4), (56, 256, 64, 1, 1, 2), (56, 256, 128, 1, 1, 1),
    (56, 128, 128, 3, 2, 1), (28, 128, 128, 3, 1, 3), (28, 128, 512, 1, 1, 4), (56, 256, 512, 1, 2, 1), (28, 512, 128, 1, 1, 3),
    (28, 512, 256, 1, 1, 1), (28, 256, 256, 3, 2, 1), (14, 256, 256, 3, 1, 5), (14, 256, 1024, 1, 1, 6), (28, 512, 1024, 1, 2, 1),
    (14, 1024, 256, 1, 1, 5), (14, 1024, 512, 1, 1, 1), (14, 512, 512, 3, 2, 1), (7, 512, 512, 3, 1, 2), (7, 512, 2048, 1, 1, 3),
    (14, 1024, 2048, 1, 2, 1), (7, 2048, 512, 1, 1, 2),
]
GROUPED = [(56, 256, 256, 3, 1, 32), (28, 512, 512, 3, 1, 32), (14, 1024, 1024, 3, 1, 32), (28, 128, 128, 3, 1, 8), (14, 320, 320, 3, 2, 8)]


def alone(height, channels, features, taps, stride, groups=1, often=1):
    turns = min(48, max(8, WEIGHT_BYTES // (features * channels // groups * taps * taps * 2)))
    name = f"{height}: {channels} to {features}, {taps}x{taps}/{stride}" + (f", {groups} groups" if groups > 1 else f" ({often})")
    return Convolutions(name, [(height, channels, features, taps, stride, groups)], turns)


CASES = {
    "memory": [Matrix(operator, *shape) for shape in SHAPES for operator in ("negative", "softmax", "layernorm", "gelu", "reduce_sum")],
    "moves": [Permutation((4096, 4096), (1, 0)), Permutation((8, 2048, 32, 128), (0, 2, 1, 3)), Permutation((32, 256, 3136), (0, 2, 1))],
    "resnet50": [Convolutions("all 52", [(*row[:5], 1) for row in RESNET_50 for _ in range(row[5])], 2)],
    "convolutions": [alone(*row[:5], often=row[5]) for row in RESNET_50],
    "groups": [alone(*row) for row in GROUPED],
}


def wrong_by(torch, found, wanted):
    """The greatest difference over the greatest element, in units of what f16 resolves."""
    if found.shape != wanted.shape or not torch.isfinite(found).all():
        return math.inf
    return ((found.float() - wanted).abs().max() / wanted.abs().max()).item() * 2048


def measure(torch, numpy, case, options):
    path = options.folder / "case.json"
    case.document().write(path)
    tensors = case.tensors(torch)
    given = []
    for name, tensor in case.inputs(tensors).items():
        numpy.save(options.folder / f"{name}.npy", tensor.cpu().numpy())
        given += ["--input", f"{name}={options.folder / f'{name}.npy'}"]
    answer(["run", path, *given, "--output", options.folder], options)
    found = torch.from_numpy(numpy.load(options.folder / "output_0.npy")).cuda()
    row = {"case": case.name, "wrong by": wrong_by(torch, found, case.expected(torch, tensors)), "bytes": case.bytes}
    graphs, kept = {}, []
    with torch.no_grad():
        for name, calls in case.peers(torch, tensors, options.inductor).items() if options.peers else []:
            calls()
            graphs[name] = graph_of(torch, lambda calls=calls: kept.append(calls()))
    for _ in range(options.rounds):
        bench = answer(["bench", path, *given], options)
        row.setdefault("times", {}).setdefault("ours", []).append(bench["seconds"]["median"] * 1e6 / case.copies)
        for name, graph in graphs.items():
            row["times"].setdefault(name, []).append(milliseconds(torch, graph.replay) * 1e3 / case.copies)
    row["kernels"] = sorted({step["kernel"] for step in bench["steps"]})
    row["times"] = {name: statistics.median(times) for name, times in row["times"].items()}
    return row


def text_of(row):
    ours = row["times"]["ours"]
    cells = [f"{ours:.2f}" + (f" ({row['bytes'] / ours * 1e-3:.0f} GB/s)" if row["bytes"] else "")]
    cells += [f"{name} {time:.2f}: {time / ours:.2f}" for name, time in row["times"].items() if name != "ours"]
    wrong = "" if row["wrong by"] <= 4 else f" WRONG by {row['wrong by']:.3g}"
    return f"| {row['case']} | {' | '.join(cells)} |{wrong}"


def of_a_copy(rows):
    """What softmax and LayerNorm reach of a copy of the same tensor, geometric mean."""
    ratios = [row["times"]["copy"] / row["times"]["ours"] for row in rows
              if row["case"].split()[0] in ("softmax", "layernorm") and "copy" in row["times"]]
    return math.exp(statistics.mean(map(math.log, ratios))) if ratios else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("kinds", nargs="*", default=list(CASES), metavar="KIND", help=", ".join(CASES))
    parser.add_argument("--case", default="", help="only cases in whose names this regular expression is found")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--with", dest="scripts", action="append", default=[], metavar="SCRIPT")
    parser.add_argument("--no-inductor", dest="inductor", action="store_false", help="it takes seconds to compile each")
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--folder", type=pathlib.Path, default=tempfile.gettempdir())
    parser.add_argument("--json")
    options = parser.parse_args()
    options.scripts = [word for script in options.scripts for word in ("--with", script)]
    import numpy
    import torch

    rows, failed = [], False
    for kind in options.kinds:
        print(f"\n{kind}: µs of one; peers, and their time over ours\n", flush=True)
        for case in CASES[kind]:
            if not re.search(options.case, case.name):
                continue
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                case_options = argparse.Namespace(**vars(options) | {"folder": pathlib.Path(folder)})
                try:
                    rows.append({"kind": kind} | measure(torch, numpy, case, case_options))
                except RuntimeError as error:
                    print(f"| {case.name} | failed: {error} |", flush=True)
                    failed = True
                    continue
            failed = failed or rows[-1]["wrong by"] > 4
            print(text_of(rows[-1]), flush=True)
            torch.cuda.empty_cache()
    if (share := of_a_copy(rows)) is not None:
        print(f"\nsoftmax and LayerNorm reach {share:.3f} of a copy")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
