# SPDX-License-Identifier: Apache-2.0
"""Scripts that are written to break their evaluator, each through `hidetc check`: it ends by itself, with an exit code that says
something of the script, within SECONDS of processor time and BYTES of memory.

    hostile_test.py --bin FOLDER [--only WORD] [--made N [--seed 1]] [--unlimited]

--made adds scripts of make_scripts.py; --unlimited measures neither time nor memory, for a sanitizer's build.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import make_scripts  # noqa: E402

SECONDS = 10
BYTES = 3 << 29
TABLES = ("budgets.txt", "containers.txt", "deep.txt", "odd.txt")
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
    resource.setrlimit(resource.RLIMIT_CPU, (4 * SECONDS, 4 * SECONDS))


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
        last = said.read(2000).strip().split("\n")[0]
    os.remove(path)
    os.remove(said_path)
    if process.returncode < 0:
        return f"signal {-process.returncode}"
    if process.returncode not in (0, 1):
        return f"exit code {process.returncode}: {last[:200]}"
    if unlimited:
        return ""
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    if seconds > SECONDS:
        return f"{seconds:.1f} s of processor time"
    return f"{memory / (1 << 30):.2f} GiB" if memory > BYTES else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--made", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unlimited", action="store_true")
    parser.add_argument("--show", action="store_true", help="the scripts that went wrong")
    options = parser.parse_args()
    program = os.path.join(options.bin, "hidetc")
    scripts = [(title, text) for title, text in [*written(), *made(options.made, options.seed)] if options.only in title]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        found = threads.map(lambda job: trouble(program, folder, job[0], job[1][1], options.unlimited), enumerate(scripts))
        for (title, text), what in zip(scripts, found):
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
