#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models whose batch and sequence are left open, at several sizes, beside the same models compiled for each size alone: what one
package costs that serves all sizes.

    gpu_dynamic.py HIDETC FOLDER [NAME...]     with a Python that has torch, torchvision, transformers and onnx; --kernels, --json FILE

Models have random weights and are exported into the folder (samples/models/export_onnx.py), where they stay; f16. The times are
medians of what the GPU takes, of one run after the other with warm caches, in two rounds that take turns. Every size is first
run on random data and compared with PyTorch's result in float32, from the file of an export (`model export`) as well.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCHES = [{"batch": size} for size in (1, 2, 3, 8, 32)]
TOKENS = [{"batch": batch, "sequence": sequence} for batch, sequence in ((1, 1), (1, 17), (1, 128), (1, 1000), (2, 128), (3, 128), (8, 128), (32, 128))]
LONGEST = {"bert": 512}  # of its table of positions
ROUNDS = 2
TOLERANCE = "2e-1,5e-2"


def sizes_of(name):
    rows = BATCHES if name.startswith(("resnet", "mobilenet", "inception", "vit", "unet")) else TOKENS
    return [{key: min(value, LONGEST.get(name, value)) for key, value in row.items()} for row in rows]


def exported(name, folder):
    exporter, opset = ("dynamo", 18) if name in ("gpt2", "llama") else ("torchscript", 17)
    made = folder / f"{name}-{exporter}-{opset}-dynamic"
    if not (made / "model.onnx").exists():
        subprocess.run([sys.executable, ROOT / "samples" / "models" / "export_onnx.py", folder, name, "--size", "full", "--exporter",
                        exporter, "--opset", str(opset), "--dynamic"], check=True, stdout=subprocess.DEVNULL)
    return made


def write_data(name, size, folder):
    """Inputs of this size, and PyTorch's results, as an ONNX test data set."""
    sys.path.insert(0, str(ROOT / "samples" / "models"))
    import export_onnx
    import torch

    torch.manual_seed(export_onnx.SEED)
    model, inputs = export_onnx.MODELS[name]("full")
    export_onnx.settle(model)
    shape = [size["batch"], *([size["sequence"]] if "sequence" in size else inputs[0].shape[1:])]
    given = torch.randn(shape) if inputs[0].is_floating_point() else torch.randint(0, 1000, shape)
    folder.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        model, given = model.cuda(), given.cuda()
        results = model(given)
    export_onnx.write_tensors(folder, "input", [given.cpu()])
    export_onnx.write_tensors(folder, "output", [each.cpu() for each in (results if isinstance(results, (tuple, list)) else [results])])


def dims(size):
    return [word for key, value in size.items() for word in ("--dim", f"{key}={value}")]


def hidetc(arguments):
    done = subprocess.run([*map(str, arguments), "--target", "cuda", "--json"], capture_output=True, text=True)
    if done.returncode:
        return {"error": (done.stderr + done.stdout)[-600:]}
    return json.loads(done.stdout)


def print_kernels(result):
    steps = sorted((each for each in result.get("steps", []) if each.get("seconds")), key=lambda each: -each["seconds"])
    for each in steps[:12]:
        print(f"    {each['seconds'] * 1e6:8.1f} µs  {each.get('kernel', '')}", flush=True)
    print(flush=True)


def measure(name, options):
    folder = exported(name, options.folder)
    model, given = folder / "model.onnx", ["--precision", "float16"]
    package = folder / "model.hidet"
    made = subprocess.run([options.hidetc, "export", model, "-o", package, "--target", "cuda", "--arch", "sm_90a", *given], capture_output=True, text=True)
    if made.returncode:
        print(f"{name}: no package: {made.stderr[-600:]}", flush=True)
    rows = []
    for size in sizes_of(name):
        label = " x ".join(map(str, size.values()))
        data = folder / f"data-{label.replace(' ', '')}"
        write_data(name, size, data)
        right = []
        for each in [model, package] if not made.returncode else [model]:
            precision = given if each is model else []
            result = hidetc([options.hidetc, "model", "run", each, "--data", data, "--tolerance", TOLERANCE, *precision])
            right.append("right" if "error" not in result else result["error"])
        times = {"dynamic": [], "static": []}
        for _ in range(ROUNDS):
            for kind, extra in (("dynamic", []), ("static", ["--specialise"])):
                result = hidetc([options.hidetc, "model", "bench", model, *given, *dims(size), *extra])
                times[kind].append(result["seconds"]["median"] * 1e6 if "error" not in result else float("nan"))
                if "error" in result:
                    right.append(result["error"])
                elif options.kernels and not times[kind][1:]:
                    print_kernels(result)
        dynamic, static = (statistics.median(times[kind]) for kind in ("dynamic", "static"))
        said = "right" if set(right) == {"right"} else "; ".join(right)
        rows.append({"model": name, "size": label, "dynamic": dynamic, "static": static, "results": said})
        print(f"| {name} | {label} | {dynamic:.0f} | {static:.0f} | {dynamic / static:.2f} | {said} |", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", default=["resnet18", "bert", "gpt2"])
    parser.add_argument("--kernels", action="store_true", help="the longest of each run")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| model | size | one for all, µs | for this size alone, µs | ratio | results |\n|---|---|--:|--:|--:|---|", flush=True)
    rows = [row for name in options.models for row in measure(name, options)]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
