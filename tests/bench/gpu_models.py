#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole models on a GPU beside PyTorch: eager in a CUDA graph, and Inductor (reduce-overhead). Ours from exported files and,
where hidet is installed, through torch.compile.

    gpu_models.py HIDETC FOLDER [NAME...]     with a Python that has torch, torchvision, transformers, onnx and onnxscript;
                                              --no-peers, --levels 0,1,2, --precision tf32, --kernels, --json FILE
    gpu_models.py … --sizes 1,8,32,1x17       batches, or batches x tokens; without, the model as it is exported
    gpu_models.py … --open                    and one model for all sizes, batch and tokens left open, beside its own for each size;
                                              from a package, as `hidetc export` writes it, too

Models have random weights and are exported into the folder (samples/models/export_onnx.py), where they stay. All times are those
of one run after the other with warm caches, by events of the GPU, behind a wait that hides the launch: medians of hundreds.
Rounds go through ours, eager and Inductor in turns. Of a level of tuning from 1 on: what the kernels take together with the
schedules that were found, and the seconds of finding them, from no records at all. Before it is timed each is run on random data
and compared with PyTorch's result in float32.
"""

import argparse
import functools
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["resnet50", "resnet18", "mobilenet_v2", "inception_v3", "bert", "gpt2"]
BY_DYNAMO = ("gpt2", "llama")  # the older exporter cannot write them
ROUNDS = 3
THROUGH = "ours through PyTorch"
HIDING = 4_000_000  # cycles: longer than the host takes for a call of any of them
TOLERANCE = "2e-1,5e-2"
COLUMNS = ["eager in a graph", "Inductor", "ours", THROUGH, "one for all"]

sys.path.insert(0, str(ROOT / "samples" / "models"))


def exported(name, options):
    exporter, opset = ("dynamo", 18) if name.startswith(BY_DYNAMO) else ("torchscript", 17)
    dynamic = ["--dynamic"] if options.sizes else []
    made = options.folder / f"{name}-{exporter}-{opset}{'-dynamic' if dynamic else ''}"
    if not (made / "test_data_set_0" / "output_0.pb").exists():
        subprocess.run([sys.executable, ROOT / "samples" / "models" / "export_onnx.py", options.folder, name, "--size", "full",
                        "--exporter", exporter, "--opset", str(opset), *dynamic], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made


def hidetc(arguments, precision):
    done = subprocess.run([*map(str, arguments), *(["--precision", precision] if precision else []), "--target", "cuda", "--json"],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr + done.stdout)[-600:])
    return json.loads(done.stdout)


def settled(name):
    """The model as it is exported, and inputs of it."""
    import export_onnx
    import torch

    torch.manual_seed(export_onnx.SEED)
    model, inputs = export_onnx.made(name, "full")
    return export_onnx.settle(model), inputs


def data_of(name, size, folder):
    """Inputs of this size, and PyTorch's results, as an ONNX test data set."""
    import export_onnx
    import torch

    data = folder / ("data-" + "x".join(map(str, size.values())))
    model, inputs = settled(name)
    torch.manual_seed(export_onnx.SEED)
    shape = [size["batch"], *([size["sequence"]] if "sequence" in size else inputs[0].shape[1:])]
    given = torch.randn(shape) if inputs[0].is_floating_point() else torch.randint(0, 1000, shape)
    data.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        results = model.cuda()(given.cuda())
    export_onnx.write_tensors(data, "input", [given])
    export_onnx.write_tensors(data, "output", [each.cpu() for each in (results if isinstance(results, (tuple, list)) else [results])])
    return data, given


def microseconds(function, calls=200, hiding=HIDING):
    import torch

    times = []
    for _ in range(calls):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.no_grad():
            torch.cuda._sleep(hiding)
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


def peers(name, precision, given):
    """Functions to time, and the seconds that Inductor took. `ours through PyTorch`, in f16, where hidet is installed."""
    import torch

    torch.backends.cudnn.benchmark = True
    model, inputs = settled(name)
    inputs = inputs if given is None else [given]
    if hasattr(model, "model") and hasattr(model.model, "set_attn_implementation"):
        model.model.set_attn_implementation("sdpa")  # eager attention makes its mask on the host, which no graph takes
    is_half = precision == "float16"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = not is_half
    model = model.cuda().half() if is_half else model.cuda()
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


def clear_cache(options):
    subprocess.run([options.hidetc, "cache", "--clear"], check=True, stdout=subprocess.DEVNULL)


def compile_times(model, options, ask):
    clear_cache(options)
    start = time.time()
    ask([options.hidetc, "model", "compile", model])
    cold = time.time() - start
    compiled = ask([options.hidetc, "model", "compile", model])
    return {"cold": cold, "cached": sum(each["ms"] for each in compiled["stages"]) * 1e-3, "kernels": compiled["model"]["launches"]}


def tune(level, folder, options, ask):
    for each in folder.glob(f"records-{level}.db*"):
        each.unlink()
    clear_cache(options)
    start = time.time()
    tuned = ask([options.hidetc, "tune", folder / "model.onnx", *at(level, folder)])
    return {f"tuned in, {level}": time.time() - start, f"measured, {level}": tuned["measured"],
            f"operators, {level}": [[each["uses"], seconds(each)] for each in tuned["operators"]]}


def package_of(folder, options):
    package = folder / "model.hidet"
    subprocess.run([options.hidetc, "export", folder / "model.onnx", "-o", package, "--target", "cuda", "--arch", "sm_90a", "--precision",
                    options.precision], check=True, capture_output=True)
    return package


def print_kernels(result, most=14):
    steps = sorted((each for each in result.get("steps", []) if each.get("seconds")), key=lambda each: -each["seconds"])
    same = {}
    for each in steps:
        same.setdefault(each.get("kernel", ""), []).append(each["seconds"] * 1e6)
    for kernel, took in sorted(same.items(), key=lambda pair: -sum(pair[1]))[:most]:
        print(f"    {sum(took):8.1f} µs = {len(took):3} x {statistics.mean(took):7.1f}  {kernel}", flush=True)


def measure(name, size, options):
    """A row: times in microseconds by the names of COLUMNS and of the levels, and what else is known."""
    folder = exported(name, options)
    model = folder / "model.onnx"
    ask = functools.partial(hidetc, precision=options.precision)
    row = {"model": name, "size": " x ".join(map(str, size.values()))}
    levels = [int(level) for level in options.levels.split(",")]
    ours = {"ours" if level == 0 else f"ours, {level}": at(level, folder) for level in levels}
    given, data = None, folder / "test_data_set_0"
    if size:
        data, given = data_of(name, size, folder)
        dims = [word for key, value in size.items() for word in ("--dim", f"{key}={value}")]
        ours = {key: [*more, *dims, "--specialise"] for key, more in ours.items()}
        if options.open:
            ours["one for all"] = dims
            hidetc([options.hidetc, "model", "run", package_of(folder, options), "--data", data, "--tolerance", TOLERANCE], None)
    else:
        row |= compile_times(model, options, ask)
    ask([options.hidetc, "model", "run", model, "--data", data, "--tolerance", TOLERANCE])
    for level in [level for level in levels if level > 0]:
        row |= tune(level, folder, options, ask)
    times = {key: [] for key in ours}
    functions = {}
    if options.peers:
        functions, row["Inductor compiles"] = peers(name, options.precision, given)
    for turn in range(ROUNDS):
        for key, more in ours.items():
            result = ask([options.hidetc, "model", "bench", model, *more])
            times[key].append(result["seconds"]["median"] * 1e6)
            if options.kernels and turn == 0:
                print_kernels(result)
        for peer, function in functions.items():
            times.setdefault(peer, []).append(microseconds(function))
    return row | {what: statistics.median(each) for what, each in times.items()}


def sizes_of(text):
    """1,8x128: a batch, or a batch and its tokens."""
    return [dict(zip(("batch", "sequence"), map(int, each.split("x")))) for each in text.split(",")] if text else [{}]


def line_of(row, columns):
    def cell(key):
        return f"{row[key]:.0f}" if key in row else ""

    compiled = f"{row['kernels']} | {row['cold']:.1f}, {row['cached']:.1f}" if "cold" in row else " | "
    ratio = f"{row['Inductor'] / row['ours']:.2f}" if "Inductor" in row else ""
    return f"| {row['model']} | {row['size']} | {' | '.join(map(cell, columns))} | {compiled} | {ratio} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--levels", default="0", help="of tuning, the first is 0")
    parser.add_argument("--precision", default="float16", choices=["float16", "tf32"])
    parser.add_argument("--sizes", default="", help="1,8,32 or 1x17,8x128")
    parser.add_argument("--open", action="store_true", help="one for all sizes beside one for each")
    parser.add_argument("--kernels", action="store_true", help="the longest of each run")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    columns = [*COLUMNS[:3], *(f"ours, {level}" for level in options.levels.split(",") if level != "0"), *COLUMNS[3:]]
    print(f"| model | size | {' | '.join(columns)} | kernels | compiled in s: cold, from cache | Inductor's time over ours |")
    print("|---|---|" + "--:|" * (len(columns) + 3), flush=True)
    rows = []
    for name in options.models:
        for size in sizes_of(options.sizes):
            try:
                rows.append(measure(name, size, options))
                print(line_of(rows[-1], columns), flush=True)
            except RuntimeError as error:
                print(f"{name}, {size}: {error}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
