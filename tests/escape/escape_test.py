# SPDX-License-Identifier: Apache-2.0
"""No text of a script gets out of the literal, comment or name that it belongs to in generated code, and nothing runs it.

    escape_test.py --hidetc PROGRAM [--share N] [--seed N]     one of N attempts; all doors are among them, and all tricks

Each attempt is one trick of doors.py at one of its doors. Either a diagnostic refuses it, or the generated code has it in literals,
comments and longer names alone; NVRTC and the C++ compiler take that code where they are there. Some attempts are traced: they start
nothing but compilers, and open no file outside of the system's, the cache and their own folder.
"""

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from doors import MARKER, SCRIPTS, TEXTS, TRICKS, WORD  # noqa: E402

SECRET = "root:x:0:0"
TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
COMPILERS = re.compile(r"/(c\+\+|g\+\+|gcc|cc|clang|clang\+\+|cc1plus|as|ld|collect2|ptxas|nvdisasm|hidetc|ccache|lto-wrapper)"
                       r"[-\d.a-z]*$|^/proc/self/exe$")


def attempts():
    """(name, file name, text, forms that are asked for) of every door and trick."""
    for trick, payload in TRICKS.items():
        for door, text in SCRIPTS.items():
            yield f"{door}: {trick}", "script.py", text.replace("PAYLOAD", repr(payload)), ("cuda", "cpp")
        name = payload.translate({0: None, ord("/"): "_"})[:100] + ".py"
        if is_file_name(name):
            yield f"file name: {trick}", name, SCRIPTS["loop name"].replace("PAYLOAD", "'i'"), ("cuda", "cpp")
        for door, text in TEXTS.items():
            literal = repr(payload.encode()).removeprefix("b") if payload.isascii() else repr(payload)
            for kind, launch in (("cpu_kernel", ""), ("cuda_kernel", "\n    attrs.cuda.grid_dim = 1, 1, 1"
                                                                      "\n    attrs.cuda.block_dim = 1, 1, 1")):
                made = text.replace("KIND", kind).replace("LAUNCH", launch).replace("PAYLOAD", literal)
                yield f"IR, {door}, {kind}: {trick}", "module.ir", made, ("cpp" if kind == "cpu_kernel" else "cuda",)


def is_file_name(name):
    return len(name.encode()) <= 255 and not name.startswith(("-", "."))


def escaped_text(code):
    """What of a trick stands in the code outside of literals and comments, or nothing."""
    joined = re.sub(r"\\[ \t\v\f]*\n", "", code)  # as the compiler that joins most
    if "??/" in joined or "??=" in joined:
        return "a trigraph"
    bare = TOKENS.sub(" ", joined)
    found = re.search(rf"\b{WORD}\b|\b{MARKER}\b|/etc/passwd|\bsystem\b|[^\n]*\\$", bare, re.MULTILINE)
    return found.group(0) if found else None


class Attempt:
    def __init__(self, hidetc, folder, name, file, text):
        self.hidetc, self.folder, self.name, self.file = hidetc, folder, name, file
        os.makedirs(folder)
        with open(os.path.join(folder, file), "w", encoding="utf-8", newline="") as out:
            out.write(text)

    def run(self, *words, before=()):
        done = subprocess.run([*before, self.hidetc, *words], cwd=self.folder, capture_output=True, timeout=120,
                              errors="replace", text=True, env=dict(os.environ, HIDET_CACHE_DIR=os.path.join(self.folder, "cache"),
                                       HIDET_RECORDS=os.path.join(self.folder, "records.db")))
        if SECRET in done.stdout + done.stderr:
            return done, "a foreign file is shown"
        if done.returncode < 0 or done.returncode == 70:
            return done, f"exit code {done.returncode}: {done.stderr[-400:]}"
        for folder, _, files in os.walk(os.path.dirname(self.folder)):
            if MARKER in files and "cache" not in folder:
                return done, "the file of the trick was made"
        return done, None

    def generated(self, kinds):
        """What went wrong, or nothing."""
        for kind in kinds:
            done, problem = self.run("emit", self.file, "--kind", kind)
            if problem is None and done.returncode == 0:
                problem = escaped_text(done.stdout)
            if problem:
                return f"emit --kind {kind}: {problem}"
        return None

    def exported(self):
        """The same of what is made for other programs: headers, launchers, files of CMake."""
        for form in ("cuda", "cpu"):
            _, problem = self.run("export", self.file, "--format", form, "-o", f"out-{form}")
            for folder, _, files in os.walk(os.path.join(self.folder, f"out-{form}")):
                for file in files:
                    if file.endswith((".c", ".h", ".cpp", ".hpp", ".cu")) and not problem:
                        with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as text:
                            # what every launcher begins with includes headers of C
                            problem = escaped_text(re.sub(r"#include <[a-z_./]*>", "", text.read()))
            if problem:
                return f"export --format {form}: {problem}"
        return None

    def executed(self):
        _, problem = self.run("run" if self.file.endswith(".py") else "check", self.file, "--target", "cpu")
        return f"run: {problem}" if problem else None

    def traced(self, strace):
        log = os.path.join(self.folder, "trace.txt")
        _, problem = self.run("run", self.file, "--target", "cpu", before=(
            strace, "-f", "-qq", "-e", "trace=execve,openat,socket,connect", "-o", log))
        if problem:
            return f"traced: {problem}"
        with open(log, encoding="utf-8", errors="replace") as file:
            for line in file:
                problem = self.judged(line)
                if problem:
                    return f"traced: {problem}: {line.strip()}"
        return None

    def judged(self, line):
        started = re.search(r'execve\("([^"]*)".*= 0$', line)
        if started and not COMPILERS.search(started.group(1)) and not started.group(1).startswith("/bin/sh"):
            return "starts a program"
        if "connect(" in line and "AF_UNIX" not in line:
            return "connects"
        opened = re.search(r'openat\([^,]*, "([^"]*)", ([A-Z_|]*)', line)
        if opened and "= -1" not in line:
            path, flags = opened.groups()
            if path == "/etc/passwd":
                return "reads a foreign file"
            is_own = not path.startswith("/") or path.startswith((self.folder, "/tmp", "/dev", "/proc", "/var/tmp"))
            if ("O_WRONLY" in flags or "O_RDWR" in flags) and not is_own:
                return "writes a foreign file"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hidetc", required=True)
    parser.add_argument("--share", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    hidetc = os.path.abspath(arguments.hidetc)
    everything = list(attempts())
    random.Random(arguments.seed).shuffle(everything)
    chosen = everything[::arguments.share]
    doors = {name.split(":")[0] for name, *_ in everything}
    for door in sorted(doors - {name.split(":")[0] for name, *_ in chosen}):
        chosen.append(next(each for each in everything if each[0].startswith(door + ":")))
    strace = shutil.which("strace")
    if not strace:
        print("not traced: there is no strace")
    problems = []
    with tempfile.TemporaryDirectory(prefix="escape-") as root:
        def attempt(number):
            name, file, text, kinds = chosen[number]
            one = Attempt(hidetc, os.path.join(root, f"{number}", "here"), name, file, text)
            problem = one.generated(kinds)
            if not problem and (number % 6 == 1 or "name" in name):
                problem = one.exported()
            is_run = file.endswith(".py") and number % 8 == 0
            if not problem and is_run:
                problem = one.traced(strace) if strace and number % 32 == 0 else one.executed()
            return f"{name}: {problem}" if problem else None
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = [each for each in pool.map(attempt, range(len(chosen))) if each]
    print(f"{len(chosen)} of {len(everything)} attempts at {len(doors)} doors, {len(problems)} got out")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
