#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole models on the CPU beside ONNX Runtime, in alternation on the same threads.

    cpu_models.py make FOLDER [NAME...]             exports the models with random weights; with a Python that has torch,
                                                    torchvision and transformers
    cpu_models.py bench HIDETC FOLDER [NAME...]     with one that has onnxruntime and numpy; --rounds N, --threads N, --json FILE

A round is a run of `hidetc model bench` and as many runs of ONNX Runtime in a process of its own, one after the other. The
figure is the median of the rounds' medians, its spread the distance of the quarters. Results are compared in the same run.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

IMAGE = (1, 3, 224, 224)
VISION = {  # inputs by model; names of torchvision
    "resnet50": IMAGE,
    "resnext50_32x4d": IMAGE,
    "inception_v3": (1, 3, 299, 299),
    "convnext_tiny": IMAGE,
    "swin_t": IMAGE,
    "r3d_18": (1, 3, 16, 112, 112),
    "wide_resnet50_2": IMAGE,
    "densenet121": IMAGE,
    "mobilenet_v2": IMAGE,
    "efficientnet_b0": IMAGE,
}
TEXT = ["bert", "distilbert", "gpt2"]
TOKENS = 128
TOLERANCE = 2e-3  # of the largest magnitude: sums of thousands of terms in another order, through some fifty layers


def make_vision(torch, name):
    import torchvision

    extra = {"init_weights": False, "transform_input": False} if name == "inception_v3" else {}
    models = torchvision.models.video if name == "r3d_18" else torchvision.models
    return getattr(models, name)(weights=None, **extra), torch.randn(VISION[name])


def make_text(torch, name):
    import transformers

    class Only(torch.nn.Module):
        """One result, of the tokens alone."""

        def __init__(self, model, result):
            super().__init__()
            self.model, self.result = model, result

        def forward(self, tokens):
            positions = torch.arange(TOKENS)[None]
            extra = {"position_ids": positions} if name == "gpt2" else {}
            return getattr(self.model(tokens, **extra), self.result)

    eager = {"attn_implementation": "eager"}
    made = {
        "bert": lambda: Only(
            transformers.BertModel(transformers.BertConfig(**eager), add_pooling_layer=False), "last_hidden_state"
        ),
        "distilbert": lambda: Only(transformers.DistilBertModel(transformers.DistilBertConfig(**eager)), "last_hidden_state"),
        "gpt2": lambda: Only(transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False, **eager)), "logits"),
    }
    return made[name](), torch.randint(0, 30000, (1, TOKENS))


def make(options):
    import torch

    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or [*VISION, *TEXT]:
        path = folder / f"{name}.onnx"
        if path.exists():
            continue
        torch.manual_seed(0)
        model, example = (make_vision if name in VISION else make_text)(torch, name)
        torch.onnx.export(model.eval(), (example,), str(path), input_names=["x"], output_names=["y"], opset_version=18,
                          dynamo=name == "gpt2", **({"external_data": False} if name == "gpt2" else {}))
        print(f"{path}: {path.stat().st_size >> 20} MiB", flush=True)


ONNX_RUNTIME = """
import sys, time, json, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[3])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feed = {session.get_inputs()[0].name: numpy.load(sys.argv[2])}
result = session.run(None, feed)[0]
if len(sys.argv) > 4:
    numpy.save(sys.argv[4], result)
    sys.exit()
times, end = [], time.perf_counter() + 2
while len(times) < 5 or (len(times) < 100 and time.perf_counter() < end):
    start = time.perf_counter()
    session.run(None, feed)
    times.append(time.perf_counter() - start)
print(json.dumps(sorted(times)[len(times) // 2]))
"""


def run(words, threads):
    words = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads])), *map(str, words)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[3:6])}: {done.stderr[-400:]}")
    return done.stdout


def input_of(numpy, name, path):
    random = numpy.random.default_rng(0)
    x = random.integers(0, 30000, (1, TOKENS)) if name in TEXT else random.standard_normal(VISION[name], numpy.float32)
    numpy.save(path, x)


def measured(options, model, work):
    import numpy

    input_of(numpy, model.stem, work / "x.npy")
    onnx_runtime = [sys.executable, "-c", ONNX_RUNTIME, model, work / "x.npy", options.threads]
    run([*onnx_runtime, work / "theirs.npy"], options.threads)
    run([options.hidetc, "model", "run", model, "--target", "cpu", "--input", f"x={work / 'x.npy'}", "--output", work], options.threads)
    theirs, ours = numpy.load(work / "theirs.npy"), numpy.load(work / "output_0.npy")
    error = float(numpy.abs(ours - theirs).max() / numpy.abs(theirs).max())
    times = {"ours": [], "theirs": []}
    for _ in range(options.rounds):
        bench = [options.hidetc, "model", "bench", model, "--target", "cpu", "--input", f"x={work / 'x.npy'}", "--json"]
        times["ours"].append(json.loads(run(bench, options.threads))["seconds"]["median"])
        times["theirs"].append(json.loads(run(onnx_runtime, options.threads)))
    row = {"model": model.stem, "error": error}
    for who, seconds in times.items():
        quarters = statistics.quantiles(seconds, n=4) if len(seconds) > 1 else [seconds[0]] * 3
        row[who] = quarters[1] * 1e3
        row[f"{who}_spread"] = (quarters[2] - quarters[0]) / quarters[1]
    row["ratio"] = row["ours"] / row["theirs"]
    return row


def bench(options):
    rows, failed = [], 0
    print("| model | ours, ms (spread) | ONNX Runtime, ms (spread) | ratio | largest error |\n|---|--:|--:|--:|--:|")
    for name in options.names or [*VISION, *TEXT]:
        with tempfile.TemporaryDirectory() as work:
            try:
                row = measured(options, pathlib.Path(options.folder) / f"{name}.onnx", pathlib.Path(work))
            except (RuntimeError, OSError) as error:
                print(f"| {name} | {error} |", flush=True)
                failed += 1
                continue
        rows.append(row)
        is_right = row["error"] <= TOLERANCE
        failed += not is_right
        print(f"| {name} | {row['ours']:.1f} ({row['ours_spread']:.0%}) | {row['theirs']:.1f} ({row['theirs_spread']:.0%}) | "
              f"{row['ratio']:.2f} | {row['error']:.1e}{'' if is_right else ' WRONG'} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("make")
    benching = verbs.add_parser("bench")
    benching.add_argument("hidetc")
    for verb in (making, benching):
        verb.add_argument("folder")
        verb.add_argument("names", nargs="*")
    benching.add_argument("--rounds", type=int, default=5)
    benching.add_argument("--threads", type=int, default=2)
    benching.add_argument("--json")
    options = parser.parse_args()
    return make(options) if options.verb == "make" else bench(options)


if __name__ == "__main__":
    sys.exit(main())
