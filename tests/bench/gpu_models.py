#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole models on a GPU beside PyTorch, f16 or tf32, batch 1: eager in a CUDA graph, and Inductor (reduce-overhead). Ours from
exported files and, where hidet is installed, through torch.compile.

    gpu_models.py HIDETC FOLDER [NAME...]     with a Python that has torch, torchvision, transformers, onnx and onnxscript;
                                              --no-peers, --levels 0,1,2, --precision tf32, --json FILE

Models have random weights and are exported into the folder (samples/models/export_onnx.py), where they stay. All times are those
of one run after the other with warm caches, by events of the GPU, behind a wait that hides the launch: medians of hundreds.
Rounds go through ours, eager and Inductor in turns. Of a level of tuning from 1 on: what the kernels take together with the
schedules that were found, and the seconds of finding them, from no records at all. Results are compared with PyTorch's in float32.
"""

import argparse
import functools
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["resnet50", "resnet18", "mobilenet_v2", "inception_v3", "bert", "gpt2"]
ROUNDS = 3
THROUGH = "ours through PyTorch"
HIDING = 4_000_000  # cycles: longer than the host takes for a call of any of them
TOLERANCE = "2e-1,5e-2"


def exported(name, folder):
    exporter, opset = ("dynamo", 18) if name == "gpt2" else ("torchscript", 17)
    made = folder / f"{name}-{exporter}-{opset}"
    if not (made / "model.onnx").exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([sys.executable, ROOT / "samples" / "models" / "export_onnx.py", folder, name, "--size", "full", "--exporter",
                        exporter, "--opset", str(opset)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made


def hidetc(arguments, precision):
    done = subprocess.run([*arguments, "--precision", precision, "--target", "cuda", "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}:\n{done.stderr[-2000:]}{done.stdout[-2000:]}")
    return json.loads(done.stdout)


def microseconds(function):
    import torch

    times = []
    for _ in range(200):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.no_grad():
            torch.cuda._sleep(HIDING)
            begin.record()
            function()
            end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def graph_of(torch, function):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph


def peers(name, precision):
    """Functions to time, and the seconds that Inductor took. `ours through PyTorch`, in f16, where hidet is installed."""
    import torch

    sys.path.insert(0, str(ROOT / "samples" / "models"))
    import export_onnx

    torch.backends.cudnn.benchmark = True
    model, inputs = export_onnx.MODELS[name]("full")
    if name in ("bert", "gpt2"): # eager attention makes its mask on the host, which no graph takes
        model.model.set_attn_implementation("sdpa")
    is_half = precision == "float16"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = not is_half
    model = model.eval().cuda()
    model = model.half() if is_half else model
    if inputs[0].dtype.is_floating_point:
        model = model.to(memory_format=torch.channels_last)
    dtype = torch.float16 if is_half else torch.float32
    given = [each.cuda().to(dtype, memory_format=torch.channels_last) if each.dtype.is_floating_point else each.cuda() for each in inputs]
    with torch.no_grad():
        eager = graph_of(torch, lambda: model(*given))
        torch._dynamo.reset()
        torch.backends.cudnn.benchmark = False  # Inductor's calls are faster so: MobileNet-V2 253 and not 319 us
        compiled, took = compiled_by("inductor", model, given)
        functions = {"eager in a graph": eager.replay, "Inductor": lambda: compiled(*given)}
        if is_half and importlib.util.find_spec("hidet"):
            torch._dynamo.reset()
            ours, _ = compiled_by("hidet", model, given)
            functions[THROUGH] = lambda: ours(*given)
    return functions, took


def compiled_by(backend, model, given):
    """And the seconds of three calls."""
    import torch

    start = time.time()
    compiled = torch.compile(model, backend=backend, mode="reduce-overhead")
    for _ in range(3):
        compiled(*given)
    torch.cuda.synchronize()
    return compiled, time.time() - start


def at(level, folder):
    return [] if level == 0 else ["--space", str(level), "--records", folder / f"records-{level}.db"]


def seconds(tuned):
    """Of an operator: without tuning, and with the schedule that was found."""
    known = {each["schedule"]: each["seconds"] for each in tuned["candidates"] if each.get("seconds")}
    first = known.get(tuned["candidates"][0]["schedule"])
    return [first, known.get(tuned.get("best", ""), first)]


def measure(name, options):
    folder = exported(name, options.folder)
    model = [options.hidetc, "model"]
    ask = functools.partial(hidetc, precision=options.precision)
    subprocess.run([options.hidetc, "cache", "--clear"], check=True, stdout=subprocess.DEVNULL)
    start = time.time()
    ask([*model, "compile", folder / "model.onnx"])
    row = {"model": name, "cold": time.time() - start}
    compiled = ask([*model, "compile", folder / "model.onnx"])
    row["cached"] = sum(each["ms"] for each in compiled["stages"]) * 1e-3
    row["kernels"] = compiled["model"]["launches"]
    ask([*model, "run", folder / "model.onnx", "--data", folder / "test_data_set_0", "--tolerance", TOLERANCE])
    levels = [int(level) for level in options.levels.split(",")]
    for level in [level for level in levels if level > 0]:
        for each in folder.glob(f"records-{level}.db*"):
            each.unlink()
        subprocess.run([options.hidetc, "cache", "--clear"], check=True, stdout=subprocess.DEVNULL)
        start = time.time()
        tuned = ask([options.hidetc, "tune", folder / "model.onnx", *at(level, folder)])
        row[f"tuned in, {level}"], row[f"measured, {level}"] = time.time() - start, tuned["measured"]
        row[f"operators, {level}"] = [[each["uses"], seconds(each)] for each in tuned["operators"]]
    names = {level: "ours" if level == 0 else f"ours, {level}" for level in levels}
    times = {name: [] for name in names.values()}
    functions = {}
    if options.peers:
        functions, row["Inductor compiles"] = peers(name, options.precision)
    for _ in range(ROUNDS):
        for level, name in names.items():
            times[name].append(ask([*model, "bench", folder / "model.onnx", *at(level, folder)])["seconds"]["median"] * 1e6)
        for peer, function in functions.items():
            times.setdefault(peer, []).append(microseconds(function))
    return row | {what: statistics.median(each) for what, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--levels", default="0,1,2", help="of tuning, the first is 0")
    parser.add_argument("--precision", default="float16", choices=["float16", "tf32"])
    parser.add_argument("--json")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tuned = [level for level in options.levels.split(",") if level != "0"]
    heads = "".join(f" tuned at level {level}, µs (found in s) |" for level in tuned)
    print(f"| model | eager in a graph, µs | Inductor, µs (compiled in s) | ours, µs (through `torch.compile`) |{heads} kernels "
          "| compiled in s: cold, from cache | Inductor's time over ours |")
    print("|---|--:|--:|--:|--:|--:|--:|" + "--:|" * len(tuned), flush=True)
    rows = []
    for name in options.models:
        row = measure(name, options)
        rows.append(row)
        peer = [f"{row['eager in a graph']:.0f}", f"{row['Inductor']:.0f} ({row['Inductor compiles']:.0f})"] if options.peers else ["", ""]
        ratio = f"{row['Inductor'] / row['ours']:.2f}" if options.peers else ""
        found = "".join(f" {row[f'ours, {level}']:.0f} ({row[f'tuned in, {level}']:.0f}) |" for level in tuned)
        through = f" ({row[THROUGH]:.0f})" if THROUGH in row else ""
        print(f"| {name} | {peer[0]} | {peer[1]} | {row['ours']:.0f}{through} |{found} {row['kernels']} | {row['cold']:.1f}, {row['cached']:.1f} | {ratio} |", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
