# SPDX-License-Identifier: Apache-2.0
"""Scripts that are written to break their evaluator, each through `hidetc check`: it ends by itself, with an exit code that says
something of the script, within SECONDS of processor time (more on a slow machine: seconds_here) and BYTES of memory, and its
evaluator ends nothing.

    hostile_test.py --bin FOLDER [--only WORD] [--every N] [--made N [--seed 1]] [--unlimited] [--through check|lsp|window]

--every takes about one script in N, by their titles, so that a new one moves no other; --made adds scripts of
make_scripts.py; --unlimited measures neither time nor memory, for a sanitizer's build. Through `lsp` one
server takes all of them, one after the other, and through `window` one window does (tests/ui/hostile_test.cpp).
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "lsp")]
import client  # noqa: E402
import make_scripts  # noqa: E402


def seconds_here():
    """10 seconds of the machine that the budgets were made on, which takes 0.4 s for the first loop, and 0.3 s to get the memory of the second."""
    began, total = time.process_time(), 0
    for i in range(10_000_000):
        total += i
    between = time.process_time()
    for _ in range(10):
        b"a" * 10**8
    return 10 * max(1, (between - began) / 0.4, (time.process_time() - between) / 0.3)


SECONDS = seconds_here()
BYTES = 3 << 29
TABLES = ("budgets.txt", "containers.txt", "deep.txt", "odd.txt")
ENDED = "evaluation-ended"  # what is said where a process of its own was the end of it
HEAD = re.compile(r"^#: (.*)$", re.M)


def written():
    """(title, text) of each script of the tables."""
    for name in TABLES:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            parts = HEAD.split(file.read())
        for i in range(1, len(parts), 2):
            yield f"{name}: {parts[i]}", parts[i + 1].lstrip("\n")


def made(count, seed):
    pool = [text for _, text in written()]
    for i in range(count):
        yield f"made {seed}/{i}", make_scripts.script(random.Random(f"{seed}/{i}"), pool)


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(4 * SECONDS),) * 2)


def trouble(program, folder, number, text, unlimited):
    """What is wrong with how the program takes this script, or ''."""
    path = os.path.join(folder, f"script{number}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    said_path = path + ".said"
    with open(said_path, "wb") as said:
        process = subprocess.Popen([program, "check", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                   preexec_fn=None if unlimited else limits)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(said_path, encoding="utf-8", errors="replace") as said:
        text = said.read(20000)
    last = text.strip().split("\n")[0]
    os.remove(path)
    os.remove(said_path)
    if process.returncode < 0:
        return f"signal {-process.returncode}"
    if process.returncode not in (0, 1):
        return f"exit code {process.returncode}: {last[:200]}"
    if ENDED in text or "runtime error: " in text or "AddressSanitizer: " in text:
        return last[:200]
    if unlimited:
        return ""
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    if seconds > SECONDS:
        return f"{seconds:.1f} s of processor time"
    return f"{memory / (1 << 30):.2f} GiB" if memory > BYTES else ""


def through_check(options, scripts):
    """(title, text, what is wrong with it) of all."""
    program = os.path.join(options.bin, "hidetc")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        found = threads.map(lambda job: trouble(program, folder, job[0], job[1][1], options.unlimited), enumerate(scripts))
        for (title, text), what in zip(scripts, found):
            yield title, text, what


def family(process):
    """The process and all below it."""
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [process, *(each for child in file.read().split() for each in family(int(child)))]


def used(process):
    """(seconds of processor time, the most bytes that one of them had) of the process and all below it, also of those that ended."""
    ticks, most = 0, 0
    for each in family(process):
        try:
            with open(f"/proc/{each}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            with open(f"/proc/{each}/status", encoding="utf-8") as file:
                most = max(most, *(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")))
        except (FileNotFoundError, ProcessLookupError, TypeError):
            continue  # it ended meanwhile
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK"), most


def through_lsp(options, scripts):
    client.SECONDS = 60 * SECONDS if options.unlimited else 20 * SECONDS  # of the clock: others may be at work
    most = BYTES
    with client.Client(os.path.join(options.bin, "hidetc")) as server:
        for number, (title, text) in enumerate(scripts):
            uri = client.uri_of(f"/nowhere/script{number}.py")
            before, _ = used(server.process.pid)
            server.open(uri, text)
            try:
                codes = {each["code"] for each in server.diagnostics(uri, 1)}
            except AssertionError as error:
                yield title, text, str(error)
                return
            server.about("hover", uri, (0, 0))
            server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            seconds, memory = used(server.process.pid)
            what = ", ".join(sorted(codes & {ENDED, "internal-error"}))
            if not what and not options.unlimited and seconds - before > 2 * SECONDS:  # there are two evaluations of it
                what = f"{seconds - before:.1f} s of processor time"
            elif not what and not options.unlimited and memory > most:
                what, most = f"{memory / (1 << 30):.2f} GiB", memory
            yield title, text, what


def through_window(options, scripts):
    """One program takes the table of all, and says by title what went wrong."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as table:
        table.write("".join(f"#: {title}\n{text}\n" for title, text in scripts))
        table.flush()
        began = time.monotonic()
        process = subprocess.Popen([os.path.join(options.bin, "ui_hostile")], stdout=subprocess.PIPE, text=True, errors="replace",
                                   env={**os.environ, "HIDET_HOSTILE_SCRIPTS": table.name, "QTEST_FUNCTION_TIMEOUT": "100000000"})
        said, taken = {}, 0
        for line in process.stdout:
            wrong = re.match(r"wrong: (.*?): ([^:]*)$", line.rstrip())
            took = re.match(r"took: (\d+) (.*)$", line.rstrip())
            taken += took is not None
            if wrong:
                said[wrong[1]] = wrong[2]
            elif took and not options.unlimited and int(took[1]) > BYTES:
                said[took[2]] = f"{int(took[1]) / (1 << 30):.2f} GiB"
        process.wait()
    for number, (title, text) in enumerate(scripts):
        yield title, text, said.get(title, "" if number < taken else "it was not reached" if number > taken else "the window ended")
    whole = f"exit code {process.returncode}" if process.returncode and not said else ""
    yield f"the window, {time.monotonic() - began:.0f} s", "", whole


THROUGH = {"check": through_check, "lsp": through_lsp, "window": through_window}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--made", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unlimited", action="store_true")
    parser.add_argument("--through", choices=THROUGH, default="check")
    parser.add_argument("--show", action="store_true", help="the scripts that went wrong")
    options = parser.parse_args()
    scripts = [(title, text) for title, text in [*written(), *made(options.made, options.seed)] if options.only in title and zlib.crc32(title.encode()) % options.every == 0]
    wrong = 0
    for title, text, what in THROUGH[options.through](options, scripts):
        if not what:
            continue
        wrong += 1
        print(f"{title}: {what}", flush=True)
        if options.show or title.startswith("made"):
            print("".join(f"    {line}\n" for line in text.splitlines()), flush=True)
    print(f"{len(scripts)} scripts, {wrong} wrong")
    return 1 if wrong or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
