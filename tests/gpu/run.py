#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every sample and test on a GPU, then kernels that go wrong, then (with --bench) the benchmarks; prints a table last.

Needs Python's standard library only, and runs from an unpacked bundle as well as from a checkout. Exit codes: 0 all passed,
1 something did not, 2 wrong usage, 77 there is no GPU here.
"""

import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import benchmarks
import cases
import compare
import pipelines
import replaced
import report
from process import call, taken_memory

SKIP = 77


class Runner:
    def __init__(self, options):
        self.options = options
        self.start = time.monotonic()
        self.done = 0

    def seconds(self):
        return time.monotonic() - self.start

    def seconds_left(self):
        return self.options.limit - self.seconds()

    def is_selected(self, case):
        return not self.options.only or any(word in case.name for word in self.options.only)

    def hidetc(self, *words):
        return call(self.options.hidetc, [*words, "--json"], min(self.options.seconds, self.seconds_left()))

    def guarded(self, case, run):
        """A row for the case, whatever happens."""
        if self.seconds_left() <= 1:
            return report.Row(case.name, "not run", note=f"the limit of {self.options.limit:.0f} s was reached")
        try:
            row = run(case)
        except Exception as error:  # a mistake of the runner must not hide the other results
            row = report.Row(case.name, "failed", note=f"{type(error).__name__}: {error}")
        self.done += 1
        report.progress(f"[{self.done}] {report.row_line(row)}")
        return row

    def script(self, case):
        """A script that checks itself; what it prints is what it prints on the emulator."""
        target = self.options.target
        done = self.hidetc("run", case.path, "--target", target)
        ms = done.seconds * 1000
        if done.code != 0 or done.timed_out:
            return report.Row(case.name, "failed", ms, done.why())
        if target == "cuda" and done.summary.get("emulated"):
            return report.Row(case.name, "failed", ms, "ran on the emulator")
        if target == "cuda" and done.output.strip():
            emulated = self.hidetc("run", case.path, "--target", "emulate")
            if emulated.code != 0 or emulated.timed_out:
                return report.Row(case.name, "failed", ms, f"on the emulator: {emulated.why()}")
            differs = compare.difference(done.output, emulated.output)
            if differs:
                return report.Row(case.name, "failed", ms, differs)
        return report.Row(case.name, "ok", ms, launches_text(done.summary))

    def pipeline(self, case):
        """Marks in a kernel, which computes what it did."""
        done = self.hidetc("run", case.path, "--target", self.options.target, "--markers")
        ms = done.seconds * 1000
        if done.code != 0 or done.timed_out:
            return report.Row(case.name, "failed", ms, done.why())
        wrong = pipelines.wrong(os.path.basename(case.name), done.summary, self.options.target)
        return report.Row(case.name, "failed" if wrong else "ok", ms, wrong or pipelines.note(done.summary))

    def replaced(self, case):
        """A kernel from a text in the place of the generated one."""
        start = time.monotonic()
        emit = lambda *words: call(self.options.hidetc, list(words), min(self.options.seconds, self.seconds_left()))
        wrong = replaced.wrong(self.hidetc, emit, case.path, case.name.rpartition("/")[2])
        return report.Row(case.name, "failed" if wrong else "ok", (time.monotonic() - start) * 1000, wrong)

    def fault(self, case):
        """A script that has to fail: its exit code, and what the first error says."""
        with taken_memory(self.options.hidetc, case.leave, self.options.seconds):
            done = self.hidetc("run", case.path, "--target", "cuda", *case.options)
        ms = done.seconds * 1000
        if done.timed_out or done.code != case.exit:
            why = done.why() if done.timed_out or done.code != 0 else "it passed"
            return report.Row(case.name, "failed", ms, f"exit code {case.exit} was expected, but {why}")
        errors = [f"{found.get('message', '')} [{found.get('id', '')}]" for found in done.diagnostics]
        if done.output:
            return report.Row(case.name, "failed", ms, f"the script went on after its error: {done.output}")
        for words in case.says:
            if not any(words in text for text in errors):
                return report.Row(case.name, "failed", ms, f"'{words}' was expected, but {(errors or ['nothing'])[0]}")
        return report.Row(case.name, "ok", ms, done.why())

    def kernel_bench(self, case):
        """One function with arguments of its own: what is said of its results, and that it was measured."""
        done = self.hidetc("try", case.path, "--target", self.options.target, *case.options)
        ms = done.seconds * 1000
        found = done.document.get("kernelBench") or {}
        verdict = found.get("verdict") or {}
        said = f"{verdict.get('kind', '')}: {verdict.get('sentence', '')}"
        if done.timed_out or verdict.get("kind") != case.verdict or case.says not in verdict.get("sentence", ""):
            return report.Row(case.name, "failed", ms, f"'{case.verdict}' was expected, but {said if verdict else done.why()}")
        if not found.get("measured"):
            return report.Row(case.name, "failed", ms, "it was not measured")
        for kernel in found.get("kernels", []):
            if not kernel.get("occupancy") and not kernel.get("unavailable"):
                return report.Row(case.name, "failed", ms, f"no occupancy of '{kernel.get('name')}', and no reason")
        return report.Row(case.name, "ok", ms, verdict["sentence"])

    def model(self, case):
        """A whole model: its recorded results, and that a run can be measured."""
        request = [case.path, "--target", self.options.target, "--data", os.path.dirname(case.path), *case.options()]
        done = self.hidetc("model", "run", *request)
        ms = done.seconds * 1000
        if done.code != 0 or done.timed_out:
            return report.Row(case.name, "failed", ms, done.why())
        compared = [found.get("comparison") or {} for found in done.document.get("outputs", [])]
        if not compared or not all(found.get("isRight") for found in compared):
            return report.Row(case.name, "failed", ms, "its results were not compared")
        note = f"differs by at most {max(found['maxAbsolute'] for found in compared):.2g}"
        if self.options.target == "cuda":
            measured = self.hidetc("model", "bench", *request)
            facts, seconds = measured.document.get("model") or {}, measured.document.get("seconds") or {}
            if measured.code != 0 or measured.timed_out:
                return report.Row(case.name, "failed", ms, f"measured: {measured.why()}")
            if not measured.document.get("isReplayed") and not facts.get("hostSteps"):
                return report.Row(case.name, "failed", ms, "it was not replayed as a CUDA graph")
            note += f", {seconds.get('median', 0) * 1e6:.1f} us"
        return report.Row(case.name, "ok", ms, note)

    def package(self, case):
        """A model as a package, run by the library that runs packages: the bytes that running the model gives."""
        target = self.options.target
        with tempfile.TemporaryDirectory() as folder:
            package, direct, packaged = (os.path.join(folder, name) for name in ("model.hidet", "direct", "packaged"))
            inputs = ["--data", inputs_alone(os.path.dirname(case.path), folder)]
            for words in (["export", case.path, "--target", target, *case.options(), "-o", package],
                          ["model", "run", case.path, "--target", target, *inputs, *case.options(), "--output", direct],
                          ["model", "run", package, "--target", target, *inputs, "--output", packaged]):
                done = self.hidetc(*words)
                if "cannot be in a package" in done.why():
                    return report.Row(case.name, "skipped", done.seconds * 1000, done.why())
                if done.code != 0 or done.timed_out:
                    return report.Row(case.name, "failed", done.seconds * 1000, f"{words[0]}: {done.why()}")
            if not contents(direct) or contents(direct) != contents(packaged):
                return report.Row(case.name, "failed", done.seconds * 1000, "the package gives other bytes than the model")
        return report.Row(case.name, "ok", done.seconds * 1000, "the same bytes")

    def node(self, case):
        """One operator of ONNX: its recorded results."""
        data = os.path.join(os.path.dirname(case.path), "test_data_set_0")
        done = self.hidetc("model", "run", case.path, "--target", self.options.target, "--data", data)
        ms = done.seconds * 1000
        if done.code != 0 or done.timed_out:
            return report.Row(case.name, "failed", ms, done.why())
        compared = [found.get("comparison") or {} for found in done.document.get("outputs", [])]
        if not compared or not all(found.get("isRight") for found in compared):
            return report.Row(case.name, "failed", ms, "its results were not compared")
        return report.Row(case.name, "ok", ms)

    def nodes(self):
        """Several at a time, as scripts."""
        found = cases.nodes()
        if found is None:
            report.progress("the node tests of ONNX are not here: python3 compiler/graph/onnx/fetch_onnx.py tests .cache/onnx")
        selected = [case for case in [*(found or []), *cases.runtime_nodes()] if self.is_selected(case)]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            return list(pool.map(lambda case: self.guarded(case, self.node), selected))

    def models(self):
        return [self.guarded(case, self.model) for case in cases.models() if self.is_selected(case)]

    def packages(self):
        """The emulator runs no packages."""
        if self.options.target != "cuda":
            return []
        return [self.guarded(case, self.package) for case in cases.packages() if self.is_selected(case)]

    def pipelines(self):
        """One at a time, as their times are looked at."""
        return [self.guarded(case, self.pipeline) for case in cases.pipelines() if self.is_selected(case)]

    def replaced_kernels(self):
        """The emulator runs IR alone."""
        if self.options.target != "cuda":
            return []
        return [self.guarded(case, self.replaced) for case in cases.replaced() if self.is_selected(case)]

    def kernel_benches(self):
        wanted = [case for case in cases.kernel_benches() if case.only in ("", self.options.target)]
        return [self.guarded(case, self.kernel_bench) for case in wanted if self.is_selected(case)]

    def scripts(self):
        """Several at a time: the compiler takes most of it, and every process has a context of its own."""
        selected = [case for case in cases.scripts() if self.is_selected(case)]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            return list(pool.map(lambda case: self.guarded(case, self.script), selected))

    def faults(self):
        """One at a time, after all that has to pass: some machines reset a GPU for all when one kernel hangs it."""
        if self.options.target != "cuda":
            return []
        return [self.guarded(case, self.fault) for case in cases.faults() if self.is_selected(case)]


def inputs_alone(data, folder):
    """The data set without its results, in a folder below the one given."""
    inputs = os.path.join(folder, "inputs")
    os.mkdir(inputs)
    for name in os.listdir(data):
        if name.startswith("input_"):
            shutil.copy(os.path.join(data, name), inputs)
    return inputs


def contents(folder):
    """Of all its files, by name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def launches_text(summary):
    kernels, launches = summary.get("kernels", 0), summary.get("launches", 0)
    if not launches:
        return "no kernels"
    return f"{kernels} kernel{'s'[:kernels != 1]}, {launches} launch{'es'[:2 * (launches != 1)]}"


def default_hidetc():
    """Of the bundle, or of the build."""
    places = [os.path.join(cases.ROOT, *inner, "hidetc") for inner in (("bin",), ("build", "portable", "bin"), ("build", "dev", "bin"))]
    return next((place for place in places if os.path.exists(place)), places[0])


def machine(options):
    """The name of the GPU, or why there is none, and whether there is one."""
    path = os.path.join(cases.ROOT, "samples", "kernels", "vector_addition.py")
    done = call(options.hidetc, ["run", path, "--json", "--target", options.target], options.seconds)
    if done.code == 127:
        return done.errors, False
    if options.target != "cuda":
        return "the emulator", True
    if any(found.get("id") == "no-gpu" for found in done.diagnostics):
        return done.why(), False
    return done.summary.get("device") or "a GPU", True


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORD", action="append", help="cases whose name holds the word; may be repeated")
    parser.add_argument("--target", choices=["cuda", "emulate"], default="cuda", help="where kernels run (default cuda)")
    parser.add_argument("--bench", action="store_true", help="run the benchmarks too")
    parser.add_argument("--hidetc", metavar="PATH", default=default_hidetc(), help="the program to test")
    parser.add_argument("--jobs", metavar="N", type=int, default=max(2, min(8, os.cpu_count() or 2)), help="processes at a time")
    parser.add_argument("--seconds", metavar="N", type=float, default=120, help="of one process (default 120)")
    parser.add_argument("--limit", metavar="N", type=float, default=3600, help="seconds of everything; what has not begun by then is not run")
    parser.add_argument("--json", metavar="OUT", help="write the results to this file")
    return parser.parse_args()


def main():
    options = parse()
    options.hidetc = os.path.abspath(options.hidetc)
    where, is_there = machine(options)
    if not is_there:
        print(f"skipped: {where}")
        return SKIP
    report.progress(f"{where}; {options.hidetc}")
    runner = Runner(options)
    rows = runner.scripts() + runner.nodes() + runner.models() + runner.packages() + runner.pipelines() + runner.replaced_kernels() + runner.kernel_benches() + runner.faults()
    figures = benchmarks.measure(runner, rows) if options.bench else []
    if not rows:
        print(f"no case has {' or '.join(options.only or [])} in its name")
        return 2
    print(where)
    report.show(rows, figures, runner.seconds())
    if options.json:
        report.write(options.json, where, rows, figures, runner.seconds())
    return 0 if all(row.status == "ok" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
