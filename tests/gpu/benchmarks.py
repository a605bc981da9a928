# SPDX-License-Identifier: Apache-2.0
"""The benchmarks: kernels through `hidetc bench`, compilation and launches through what hidetc says of its own times. They run alone,
after the tests."""

import concurrent.futures
import os
import re
import tempfile
import time

import cases
import report
from process import call

# What a kernel is meant to reach of cuBLAS, at the size where that is measured.
SHARE_OF_BASELINE = {("shared_matmul", 4096): 0.55, ("tensor_core_matmul", 4096): 0.2,
                     ("multistage_matmul", 4096): 0.55,
                     ("hopper_matmul", 4096): 0.97, ("hopper_matmul", 8192): 0.97}
SPREAD_OF_SIZES = 1.1
PTX_MS, CACHED_MS, LAUNCH_US = 50, 2, 3
COMPILED = ["vector_addition", "softmax", "shared_matmul", "tensor_core_matmul"]


def measure(runner, rows):
    """Figures; a benchmark that fails, or whose script does, becomes a row."""
    with tempfile.TemporaryDirectory() as folder:
        return measure_all(runner, rows, cases.benchmarks(folder))


def measure_all(runner, rows, kernels):
    figures = []
    parts = [(case.name, lambda case=case: kernel(runner, case)) for case in kernels]
    parts += [("bench/launches", lambda: launches(runner))]
    if runner.options.target != "cuda":
        parts = []
    parts += [("bench/compile_one", lambda: compile_one(runner)), ("bench/compile_all", lambda: compile_all(runner))]
    for name, part in parts:
        def run(case, part=part):
            start = time.monotonic()
            found, why = part()
            figures.extend(found)
            return report.Row(case.name, "failed" if why else "ok", (time.monotonic() - start) * 1000, why)

        case = cases.Case(name, "")
        if runner.is_selected(case):
            rows.append(runner.guarded(case, run))
    return figures


# ---- kernels


def kernel(runner, case):
    with open(case.path, encoding="utf-8") as file:
        baseline = re.search(r"^# against: (\w+)$", file.read(), re.MULTILINE)
    done = runner.hidetc("bench", case.path, "--target", "cuda", *(["--against", baseline.group(1)] if baseline else []))
    note = ""
    if done.code != 0 and baseline and not done.timed_out and "cublas" in done.why().lower():
        note = done.why()
        done = runner.hidetc("bench", case.path, "--target", "cuda")
    if done.code != 0 or done.timed_out:
        return [], done.why()
    name = case.name.split("/")[-1]
    found = done.document.get("rows") or []
    figures = [figure for row in found for figure in figures_of(name, row, note)]
    return figures + spread_of_sizes(name, found), "" if found else "it measured nothing"


def median(times):
    return (times or {}).get("median") or None


def extent(row):
    """The first number of the shapes: 4096 of 'f32[4096, 4096], ...'."""
    found = re.search(r"\[(\d+)", row.get("shapes") or "")
    return int(found.group(1)) if found else 0


def figures_of(name, row, note):
    seconds = median(row.get("seconds"))
    if not seconds:
        return []
    shown = f"{name} {extent(row)}"
    notes = [f"{seconds * 1e3:.4g} ms, spread {100 * (row['seconds'].get('spread') or 0):.1f} %"]
    if median(row.get("hotSeconds")):
        notes.append(f"again and again {median(row['hotSeconds']) * 1e3:.4g} ms")
    if row.get("roofline"):
        notes.append(f"{100 * row['roofline']:.0f} % of roofline ({row.get('bound', '')})")
    if note:
        notes.append(note)
    notes += row.get("notes") or []
    baseline = row.get("baseline") or {}
    is_matmul = bool(baseline) or "matmul" in name
    if is_matmul and row.get("flops"):
        yield_rate = report.Figure(shown, row["flops"] / seconds * 1e-12, "TFLOP/s", note="; ".join(notes))
    else:
        yield_rate = report.Figure(shown, (row.get("bytes") or 0) / seconds * 1e-9, "GB/s", note="; ".join(notes))
    figures = [yield_rate]
    if baseline.get("ratio"):
        goal = SHARE_OF_BASELINE.get((name, extent(row)))
        theirs = median(baseline.get("seconds"))
        note = f"{theirs * 1e3:.4g} ms" if theirs else ""
        figures.append(report.Figure(f"{shown} of {baseline.get('name', 'the baseline')}", baseline["ratio"], "x", goal, note=note))
    return figures


def spread_of_sizes(name, rows):
    """Time an operation at the worst of several sizes around 2048, over that at the best."""
    costs = {extent(row): median(row.get("seconds")) / extent(row) ** 3
             for row in rows if 2000 < extent(row) <= 2048 and median(row.get("seconds"))}
    if len(costs) < 2:
        return []
    worst, best = max(costs, key=costs.get), min(costs, key=costs.get)
    return [report.Figure(f"{name}: time per operation, worst size to best", costs[worst] / costs[best], "x", SPREAD_OF_SIZES, "less",
                          f"{len(costs)} sizes from {min(costs)} to {max(costs)}; best {best}, worst {worst}")]


# ---- launches


def launches(runner):
    """Time of a launch: a host function launches an empty kernel many times, and many times more. It is the host's, or the GPU's where
    that takes longer to start a kernel."""
    with open(os.path.join(cases.ROOT, "tests", "gpu", "launches.py"), encoding="utf-8") as file:
        text = file.read()
    counts, ms = (2000, 52000), []
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            path = os.path.join(folder, f"launches_{count}.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("count = 1\n", f"count = {count}\n"))
            done = min((runner.hidetc("run", path, "--target", "cuda") for _ in range(3)),
                       key=lambda done: (done.code != 0, done.summary.get("ms") or 0))
            if done.code != 0 or done.summary.get("launches") != count:
                return [], done.why()
            ms.append(done.summary["ms"])
    microseconds = (ms[1] - ms[0]) / (counts[1] - counts[0]) * 1000
    return [report.Figure("a launch", microseconds, "us", LAUNCH_US, "less", f"of {counts[1] - counts[0]} in a loop, host or GPU, whichever is slower")], ""


# ---- compilation


def forms(done, kind):
    return [module[kind] for module in done.document.get("modules") or [] if module.get(kind)]


def emit(runner, path, kind, cache):
    """What hidetc says of each module; an empty list where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["emit", path, "--json", "--kind", kind, "--module", "1"]
        words += ["-o", os.path.join(folder, "out")] if kind == "cubin" else []
        return call(runner.options.hidetc, words, runner.options.seconds, {"HIDET_CACHE_DIR": cache})


def compile_one(runner):
    """NVRTC's time by kind of kernel, best of three, and that of a cache hit."""
    figures = []
    for name in COMPILED:
        path = os.path.join(cases.ROOT, "samples", "kernels", f"{name}.py")
        for kind in ("ptx", "cubin"):
            times, cached = [], []
            for _ in range(3):
                with tempfile.TemporaryDirectory() as cache:
                    for found in (times, cached):
                        done = emit(runner, path, kind, cache)
                        if done.code != 0 or not forms(done, kind):
                            return figures, f"{name}, {kind}: {done.why()}"
                        found.append(forms(done, kind)[0].get("ms") or 0.0)
            goal = PTX_MS if kind == "ptx" else None
            figures.append(report.Figure(f"compile {name} to {kind}", min(times), "ms", goal, "less"))
            figures.append(report.Figure(f"compile {name} to {kind}, cached", min(cached), "ms", CACHED_MS, "less"))
    return figures, ""


def compile_all(runner):
    """Every sample to machine code, by one process at a time and by as many as there are cores; each in an empty cache."""
    paths = [case.path for case in cases.scripts_below("samples/kernels", "samples") if not has_no_kernels(case.path)]
    figures = []
    for jobs in sorted({1, os.cpu_count() or 1}):
        with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            start = time.monotonic()
            done = list(pool.map(lambda path: emit(runner, path, "cubin", cache), paths))
            seconds = time.monotonic() - start
        failed = [(path, one) for path, one in zip(paths, done) if one.code != 0]
        if failed:
            return figures, f"{os.path.basename(failed[0][0])}: {failed[0][1].why()}"
        figures.append(report.Figure(f"compile {len(paths)} samples, {jobs} at a time", seconds * 1000, "ms",
                                     note="whole processes, script to cubin, empty cache"))
    return figures, ""


def has_no_kernels(path):
    with open(path, encoding="utf-8") as file:
        return "cuda_kernel" not in file.read()
