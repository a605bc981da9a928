# SPDX-License-Identifier: Apache-2.0
"""Runs the suite through ctest: shows what failed in full, what was skipped with its reason, and ends with one plain line."""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARNING = re.compile(r"(\S+?):\d+(?::\d+)?: warning: ")
LINE = re.compile(r"\s*(\d+)/(\d+) Test\s+#\d+: (\S+) ")


def run_ctest(build, pattern, jobs, report):
    """Runs ctest to its end, with a progress line on terminals. ctest's own exit code is not needed: the report has it all."""
    command = ["ctest", "--test-dir", build, "-j", str(jobs), "--output-junit", report, "--no-tests=ignore"]
    if pattern:
        command += ["-R", pattern]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    tail = []
    for line in process.stdout:
        tail = (tail + [line])[-20:]
        found = LINE.match(line)
        if found and sys.stderr.isatty():
            done, total, name = found.groups()
            print(f"\r\x1b[K{done}/{total} {name}", end="", file=sys.stderr, flush=True)
    process.wait()
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return "".join(tail)


def results(report):
    """(name, 'passed' | 'failed' | 'skipped', output) of each test."""
    for case in xml.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        status = case.get("status")
        if status == "run":
            yield case.get("name"), "passed", output
        elif status in ("notrun", "disabled"):
            skipped = case.find("skipped")
            reason = "" if skipped is None else skipped.get("message", "")
            # A program that is missing is also "not run" for ctest; only exit code 77 is a skip.
            is_skip = reason.startswith("SKIP_") or status == "disabled"
            yield case.get("name"), "skipped" if is_skip else "failed", output or reason
        else:
            yield case.get("name"), "failed", output or status or ""


def reason_of(output):
    """Why a test was skipped: what C++ tests say of it (skip.h), each reason once; else all that was printed."""
    said = dict.fromkeys(line.removeprefix("skipped: ") for line in output.splitlines() if line.startswith("skipped: "))
    return "; ".join(said) or " ".join(output.split())


def warnings_of(build):
    """What compilers have warned of in files that did not change since; `./studio` writes down what builds print."""
    found, begun = {}, 0
    try:
        with open(os.path.join(build, "warnings.log"), encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        if line.startswith("# built at "):
            begun = int(line.split()[-1])
        elif match := WARNING.match(line):
            path = os.path.join(build, match.group(1))
            if os.path.exists(path) and os.path.getmtime(path) <= begun:
                found[line] = None
    return list(found)


def main(arguments):
    build, pattern, jobs = os.path.join(ROOT, "build", "dev"), "", os.cpu_count() or 2
    while arguments:
        argument = arguments.pop(0)
        if argument == "--build":
            build = arguments.pop(0)
        elif argument == "--jobs":
            jobs = int(arguments.pop(0))
        else:
            pattern = argument
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        tail = run_ctest(build, pattern, jobs, report)
        if not os.path.exists(report):
            print(tail, end="")
            return 1
        rows = list(results(report))
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, status, output in rows:
        counts[status] += 1
        if status == "skipped":
            print(f"skipped: {name}: {reason_of(output)}")
    for name, status, output in rows:
        if status == "failed":
            print(f"failed: {name}")
            print("".join(f"    {line}\n" for line in output.rstrip().splitlines()), end="")
    if not rows:
        print(f"no test matches '{pattern}'" if pattern else "there are no tests")
    warnings = [] if pattern else warnings_of(build)
    for line in warnings:
        print(line)
    counts = {**counts, **({"warnings": len(warnings)} if warnings else {})}
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    return 1 if counts["failed"] or warnings or not rows else 0
