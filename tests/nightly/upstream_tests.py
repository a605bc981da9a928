#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The published package's own tests, as they are, with ours as `hidet`: a table by file, and why what does not pass does not.

    upstream_tests.py [--upstream FOLDER] [--only WORD] [--out FOLDER] [--seconds 60] [--shard I/N] [--report]

FOLDER (or HIDET_UPSTREAM; without one it is skipped) is a checkout of the published package; its folders on what is not built here (EXCLUDED)
are left out. Results are kept by case in --out, so that a run takes up where the last one stopped; a case that ends the process, or
takes longer than --seconds, is one of them. --report runs nothing. This file is also the plugin of pytest that writes them down."""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXCLUDED = ("cute_fusion", "cute_kernel", "cute_ops", "distributed", "hip", "vllm")
RESULTS = "HIDET_UPSTREAM_RESULTS"  # the file that the plugin adds lines to: [case, what came of it, why]


def lines_of(path):
    """[case, outcome, reason], the last word on each case."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.endswith("\n")]
    return {case: (outcome, why) for case, outcome, why in rows}


def write(case, outcome, why=""):
    with open(os.environ[RESULTS], "a", encoding="utf-8") as file:
        file.write(json.dumps([case, outcome, why]) + "\n")


def reason(report):
    """The exception, in one line; of one that a comparison of tensors raised, the first lines of what it says."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    if report.when == "collect":
        rows = [line[1:].strip() for line in rows if line.startswith("E ")][-1:] or rows[-1:]
    return " ".join(rows[:3])[:300]


def pytest_collectreport(report):
    if report.failed:
        write("collection", "failed", reason(report))


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.nodeid not in lines_of(os.environ[RESULTS]):
            write(item.nodeid, "collected")
    done = {case for case, (outcome, _) in lines_of(os.environ[RESULTS]).items() if outcome != "collected"}
    left = [item for item in items if item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
    items[:] = left


def pytest_runtest_logstart(nodeid, location):
    write(nodeid, "started")


def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        if report.when != "teardown":
            write(report.nodeid, report.outcome, reason(report) if report.failed else "")


def ends(process, results, seconds):
    """Whether it ends before that many seconds have passed without a word in the results; else it is ended."""
    while True:
        size = os.path.getsize(results) if os.path.exists(results) else -1
        try:
            process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            if size == (os.path.getsize(results) if os.path.exists(results) else -1):
                process.kill()
                process.wait()
                return False


def run_file(path, results, options):
    """Again and again until no case is left, each of which has its seconds."""
    environment = {**os.environ, RESULTS: results, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [options.packages, os.environ.get("PYTHONPATH", "")]))
    words = [options.python, os.path.abspath(__file__), "--pytest", path]
    while True:
        with open(results + ".log", "ab") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, env=environment, cwd=os.path.join(options.upstream, "tests"))
        stuck = not ends(process, results, options.seconds)
        running = [case for case, (outcome, _) in lines_of(results).items() if outcome == "started"]
        if not running:
            if stuck or process.returncode < 0:
                add(results, "collection", "failed", "took too long" if stuck else f"signal {-process.returncode}")
            return
        why = f"longer than {options.seconds} s" if stuck else f"the process ended with {process.returncode}"
        add(results, running[0], "failed", why)


def as_plugin(path):
    """Runs pytest in this process."""
    sys.path.pop(0)  # this folder, where a file is called typing.py
    import pytest

    return pytest.main(["-p", "no:cacheprovider", "-q", "--tb=short", path], plugins=[sys.modules[__name__]])


def add(results, case, outcome, why):
    os.environ[RESULTS] = results
    write(case, outcome, why)


def report(files, options):
    """The table, and the reasons by how often."""
    total, reasons, collected = collections.Counter(), collections.defaultdict(list), 0
    for path, results in files:
        rows = lines_of(results)
        counts = collections.Counter(outcome for case, (outcome, _) in rows.items() if case != "collection")
        problem = rows.get("collection", ("", ""))[1]
        collected += os.path.exists(results) and not problem
        total += counts
        for case, (outcome, why) in rows.items():
            if outcome == "failed":
                reasons[why].append(case if case != "collection" else os.path.relpath(path, options.upstream))
        said = problem or ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
        print(f"{os.path.relpath(path, os.path.join(options.upstream, 'tests')):60} {said or 'not run'}")
    print("\nwhy not:")
    for why, cases in sorted(reasons.items(), key=lambda each: -len(each[1])):
        print(f"{len(cases):5}  {why}\n       {cases[0]}")
    ran = total["passed"] + total["failed"]
    print(f"\n{len(files)} files, {collected} collect; of {ran} cases that ran {total['passed']} passed"
          f" ({100 * total['passed'] / max(ran, 1):.1f} %), {total['skipped']} skipped by themselves")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--upstream", default=os.environ.get("HIDET_UPSTREAM", ""))
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "upstream"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--report", action="store_true")
    own = os.path.join(ROOT, "build", "python-env", "bin", "python")
    parser.add_argument("--python", default=own if os.path.exists(own) else sys.executable)
    parser.add_argument("--packages", default=os.path.join(ROOT, "build", "dev", "python"))
    options = parser.parse_args()
    if not options.upstream:
        print("skipped: HIDET_UPSTREAM names no checkout of the published package")
        return 0
    tests = os.path.join(options.upstream, "tests")
    found = sorted(glob.glob(os.path.join(tests, "**", "test_*.py"), recursive=True))
    found = [path for path in found if not {*EXCLUDED} & {*os.path.relpath(path, tests).split(os.sep)} and options.only in path]
    index, of = map(int, options.shard.split("/"))
    os.makedirs(options.out, exist_ok=True)
    files = []
    for number, path in enumerate(found):
        results = os.path.join(options.out, os.path.relpath(path, tests).replace(os.sep, "-") + ".jsonl")
        files.append((path, results))
        if not options.report and number % of == index:
            run_file(path, results, options)
    report(files, options)
    return 0


if __name__ == "__main__":
    sys.exit(as_plugin(sys.argv[2]) if sys.argv[1:2] == ["--pytest"] else main())
