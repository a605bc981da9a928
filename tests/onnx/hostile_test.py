# SPDX-License-Identifier: Apache-2.0
"""Models that have to be refused, in little time and memory, each with the words of hostile/said.txt; and damaged ones, of which
it is asked that the importer ends as it should.

    hostile_test.py --program PATH [--update]      PATH: import_model
"""

import os
import random
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "hostile")
SAID = os.path.join(FOLDER, "said.txt")
SECONDS = 10
BYTES = 1 << 30


def is_sanitized(program):
    """Such a program reserves terabytes of addresses."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(program, path, limit):
    """The exit code (None: no end in time) and what was said."""
    try:
        done = subprocess.run([program, path], capture_output=True, text=True, errors="replace", timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout.replace(FOLDER + os.sep, "")


def damaged():
    """Names and bytes: every model of the other tests, cut off at each twentieth, and with bits that are turned."""
    chance = random.Random(0)
    for model in ("attention", "mlp", "residual"):
        with open(os.path.join(os.path.dirname(HERE), "models", model, f"{model}.onnx"), "rb") as file:
            whole = file.read()
        for part in range(20):
            yield f"{model} up to {part}/20", whole[:len(whole) * part // 20]
        for number in range(20):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 3, 20))):
                data[chance.randrange(min(len(data), 700 if number % 2 else len(data)))] ^= 1 << chance.randrange(8)
            yield f"{model} with bits turned, {number}", bytes(data)


def check_damaged(program, limit):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "damaged.onnx")
        for name, data in damaged():
            with open(path, "wb") as file:
                file.write(data)
            code, _ = run(program, path, limit)
            if code not in (0, 1):
                failures.append(f"{name}: exit code {code}")
    return failures


def main():
    program = sys.argv[sys.argv.index("--program") + 1]
    limit = None if is_sanitized(program) else limits
    said, failures = [], []
    models = [os.path.relpath(os.path.join(folder, file), FOLDER) for folder, _, files in os.walk(FOLDER) for file in files]
    for name in sorted(file for file in models if file.endswith(".onnx")):
        code, text = run(program, os.path.join(FOLDER, name), limit)
        if code != 1:
            failures.append(f"{name}: exit code {code}, not 1")
        said.append(f"{name[:-5]}: {' / '.join(line.strip() for line in text.splitlines())}")
    if "--update" in sys.argv:
        with open(SAID, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in said)
    with open(SAID, encoding="utf-8") as file:
        expected = file.read().splitlines()
    failures += [f"says      {line}" for line in said if line not in expected]
    failures += [f"not said  {line}" for line in expected if line not in said]
    failures += check_damaged(program, limit)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
