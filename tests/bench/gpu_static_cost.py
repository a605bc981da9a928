#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the samples and of tests/accesses/kernels at eight sizes each: how long they take on a GPU, beside what is predicted without one.

    gpu_static_cost.py HIDETC measure TIMES.json [SAMPLE...]    on a machine with a GPU
    gpu_static_cost.py HIDETC compare TIMES.json                anywhere: rank correlation, median error; 1 where a kernel took less than its least

A size is the sample with other numbers in its first lines, or another call of its factory, and without the lines that run and check
it: those are tests, and take long where matrices are large. Times are medians of `hidetc try` with random inputs.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "kernels"
OWN = ROOT / "tests" / "accesses" / "kernels"  # of what no sample has: bank conflicts, several kernels a launch, while loops
SQUARES = [(n, n, n) for n in (128, 256, 512, 1024, 2048)] + [(256, 1024, 4096), (4096, 1024, 256), (1024, 4096, 1024)]
ROWS = [(64, 256), (1024, 128), (1024, 1024), (4096, 512), (4096, 2048), (16384, 256), (16384, 1024), (65536, 512)]
ATTENTION = [(heads, length, d, causal) for heads, length, d in ((2, 256, 64), (12, 512, 64), (12, 2048, 64), (16, 1024, 128))
             for causal in (False, True)]
DEEP = [(64, 1024, 4096), (128, 768, 3072), (256, 256, 8192), (512, 512, 4096)]
FEW_ROWS = [(m, 4096, 4096) for m in (1, 8, 16, 64)] + [(16, 4096, 11008), (16, 11008, 4096), (8, 768, 768), (1, 3072, 768)]
TURNED = [(256, 256), (1000, 1000), (1024, 1024), (512, 8192), (4096, 4096), (4000, 4100), (8192, 8192), (8192, 2048)]
ASSIGNED = {  # the names that are assigned, and their numbers
    "vector_addition": ("length", [(1 << n,) for n in (10, 13, 16, 18, 20, 22, 24, 26)]),
    "softmax": ("rows, columns", ROWS),
    "warp_reduction": ("rows, columns", ROWS),
    "histogram": ("length, bins", [(1 << n, bins) for n in (14, 18, 22, 25) for bins in (32, 96)]),
    "swizzled_transpose": ("m, n", TURNED),
}
CALLED = {
    "naive_matmul": ("matmul_kernel", SQUARES),
    "shared_matmul": ("matmul_kernel", SQUARES),
    "double_buffered_matmul": ("matmul_kernel", SQUARES),
    "tensor_core_matmul": ("matmul_kernel", SQUARES),
    "multistage_matmul": ("matmul_module", [(256, 256, 128), *SQUARES[1:]]),
    "hopper_matmul": ("matmul_module", SQUARES),
    "int4_matmul": ("matmul_module", SQUARES),
    "split_k_matmul": ("matmul_module", [(*size, split) for size in DEEP for split in (2, 8)]),
    "few_rows_matmul": ("matmul_module", FEW_ROWS),
    "welford": ("layer_norm_module", ROWS),
    "tensor_core_attention": ("attention_module", ATTENTION),
    "hopper_attention": ("attention_module", ATTENTION),
    "bank_conflicts": ("column_module", [(pad, turns) for pad in (0, 1, 2, 4) for turns in (100, 1000)]),
    "several_kernels": ("chain_module", [(1 << n, rounds) for n in (12, 18, 22, 26) for rounds in (1, 20)]),
    "while_loops": ("stride_module", [(1 << n, blocks) for n in (14, 18, 22, 26) for blocks in (132, 1056)]),
    "cluster_histogram": ("histogram_module", [(1 << n, bins) for n in (14, 18, 22, 25) for bins in (512, 2000)]),
}
# Numbers of a histogram are places in it.
ARGUMENTS = {"histogram": ["--arg", "values=:uniform"], "cluster_histogram": ["--arg", "values=:uniform"]}


def definitions(text):
    """What stands before the sample's first statement that runs something: behind the last function or `build()`."""
    lines = text.split("\n")
    ends = [i for i, line in enumerate(lines) if re.match(r"(def |with |@)|\w+ = script_module\.build\(\)", line)]
    last = ends[-1] + 1
    while last < len(lines) and (not lines[last] or lines[last].startswith((" ", ")"))):
        last += 1
    return "\n".join(lines[:last])


def scripts():
    """(sample, size, text)."""
    for sample, (names, sizes) in ASSIGNED.items():
        text = definitions((SAMPLES / f"{sample}.py").read_text(encoding="utf-8"))
        for size in sizes:
            numbers = ", ".join(map(str, size))
            found, count = re.subn(rf"^{re.escape(names)} = [0-9, ]+", f"{names} = {numbers}", text, flags=re.M)
            assert count == 1, sample
            yield sample, numbers, found
    for sample, (factory, sizes) in CALLED.items():
        folder = OWN if (OWN / f"{sample}.py").exists() else SAMPLES
        text = definitions((folder / f"{sample}.py").read_text(encoding="utf-8"))
        for size in sizes:
            numbers = ", ".join(map(str, size))
            yield sample, numbers, f"{text}\nmodule = {factory}({numbers})\n"


def asked(hidetc, words, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.py"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([hidetc, words[0], path, *words[1:], "--json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"failed": done.stderr[-400:]}


def measure(options):
    rows = []
    for sample, size, text in scripts():
        if options.samples and sample not in options.samples:
            continue
        answer = asked(options.hidetc, ["try", "--target", options.target, *ARGUMENTS.get(sample, [])], text)
        bench = answer.get("kernelBench") or {}
        seconds = ((bench.get("measured") or {}).get("seconds") or {}).get("median")
        rows.append({"sample": sample, "size": size, "seconds": seconds, "bench": bench})
        why = "" if seconds else str(answer.get("failed") or answer.get("diagnostics"))[:200]
        print(f"| {sample} | {size} | {seconds * 1e6 if seconds else 0:.2f} | {why}", flush=True)
        options.times.write_text(json.dumps(rows), encoding="utf-8")


def ranks(numbers):
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    found = [0.0] * len(numbers)
    for rank, i in enumerate(order):
        found[i] = rank
    return found


def least_seconds(kernel):
    """What the device's memory and arithmetic allow: its share of the prediction."""
    cost = kernel["cost"]
    return (cost.get("ofRoof") or 0) * cost["predictedSeconds"] * kernel["launches"]


def compare(options):
    known = {(row["sample"], row["size"]): row["seconds"] for row in json.loads(options.times.read_text(encoding="utf-8"))}
    rows, above = [], []
    for sample, size, text in scripts():
        seconds = known.get((sample, size))
        if not seconds or (options.samples and sample not in options.samples):
            continue
        answer = asked(options.hidetc, ["explain"], text)
        kernels = answer.get("kernels") or []
        predicted = sum(each["allSeconds"] for each in kernels) if kernels else None
        rows.append((sample, size, seconds, predicted))
        least = sum(map(least_seconds, kernels))
        if least > seconds:
            above.append(f"{sample} {size}: {seconds * 1e6:.2f} us, at least {least * 1e6:.2f}")
        wrong = str(answer.get("diagnostics") or answer)[:150]
        shown = f"{predicted * 1e6:.2f} | {100 * (predicted / seconds - 1):+.0f} %" if predicted else f" | {wrong}"
        print(f"| {sample} | {size} | {seconds * 1e6:.2f} | {shown} |")
    both = [(seconds, predicted) for _, _, seconds, predicted in rows if predicted]
    if len(both) < 2:
        sys.exit("too few predictions")
    errors = sorted(abs(predicted / seconds - 1) for seconds, predicted in both)
    correlation = statistics.correlation(ranks([a for a, _ in both]), ranks([b for _, b in both]))
    print(f"\n{len(both)} of {len(rows)} kernels: rank correlation {correlation:.3f}, median error {100 * statistics.median(errors):.0f} %, "
          f"90th percentile {100 * errors[len(errors) * 9 // 10]:.0f} %")
    if above:
        sys.exit("measured below the least: " + "; ".join(above))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hidetc")
    parser.add_argument("action", choices=["measure", "compare"])
    parser.add_argument("times", type=pathlib.Path)
    parser.add_argument("samples", nargs="*")
    parser.add_argument("--target", default="cuda")
    options = parser.parse_args()
    {"measure": measure, "compare": compare}[options.action](options)


if __name__ == "__main__":
    main()
