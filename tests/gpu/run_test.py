# SPDX-License-Identifier: Apache-2.0
"""The runner of the GPU tests, tried without a GPU: on the emulator, on the driver of the tests, and with programs in the place of
hidetc that misbehave."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = sys.argv[sys.argv.index("--bin") + 1]
FAULTS = ("fault=write_outside:700;fault=read_between:716;fault=check_1:710;fault=check:710;fault=stop:715;hang=wait")
failures = []


def expect(condition, what, done):
    if not condition:
        failures.append(f"{what}\n  exit {done.returncode}\n{done.stdout}\n{done.stderr}")


def run(*words, environment=None):
    return subprocess.run([sys.executable, "-I", os.path.join(HERE, "run.py"), "--hidetc", os.path.join(BIN, "hidetc"), *words],
                          env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=100)


def fake_gpu(settings=""):
    """A GPU whose kernels do nothing, and a compiler whose kernels nobody looks into."""
    return {"HIDET_LIBCUDA": os.path.join(BIN, "libfake_cuda.so"), "HIDET_NVRTC": os.path.join(BIN, "libfake_nvrtc.so"),
            "FAKE_NVRTC": "module", "HIDET_LIBNVML": "/nowhere/libnvidia-ml.so", "HIDET_FAKE_CUDA": settings}


def check_emulator():
    done = run("--target", "emulate", "--only", "softmax", "--only", "run/cuda/", "--only", "run/control")
    lines = done.stdout.splitlines()
    expect(done.returncode == 0, "what checks itself passes on the emulator", done)
    expect(any(line.startswith("ok       samples/softmax ") and "1 kernel, 1 launch" in line for line in lines), "a line a script", done)
    expect(lines and lines[-1].startswith("15 passed, 0 failed in "), "the totals come last", done)


def check_fake_gpu(folder):
    out = os.path.join(folder, "results.json")
    done = run("--only", "_addition", "--json", out, environment=fake_gpu())
    expect(done.returncode == 1, "a kernel that does nothing is caught by its script", done)
    expect("failed   samples/vector_addition" in done.stdout and "line 37, tensors-differ: " in done.stdout, "the line says why", done)
    expect("ok       samples/scalar_addition" in done.stdout and "1 passed, 1 failed" in done.stdout, "the others pass", done)
    with open(out, encoding="utf-8") as file:
        document = json.load(file)
    expect(document["machine"] == "Fake GPU" and document["totals"] == {"ok": 1, "failed": 1, "not run": 0}, "JSON", done)
    done = run("--only", "_addition", environment=fake_gpu("devices=0"))
    expect(done.returncode == 77 and "sees no GPU" in done.stdout, "a machine without a GPU is skipped, with the reason", done)


def check_faults():
    done = run("--only", "faults/", environment=fake_gpu(FAULTS))
    expect(done.returncode == 0 and " 0 failed" in done.stdout, "faults are reported as their headers say", done)
    done = run("--only", "faults/trap", environment=fake_gpu())
    expect(done.returncode == 1 and "exit code 1 was expected, but it passed" in done.stdout, "a fault that passes is caught", done)
    done = run("--only", "faults/trap", environment=fake_gpu("fail=cuLaunchKernelEx:1:701"))
    expect(done.returncode == 0, "the code and the words are what counts", done)


def stand_in(folder, body):
    """A program in the place of hidetc; `words` are its arguments."""
    path = os.path.join(folder, "hidetc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable}\nimport json, os, sys, time\nwords = sys.argv[1:]\nhere = {folder!r}\n{body}\n")
    os.chmod(path, 0o755)
    return path


def answer(output):
    return f"print(json.dumps({{'output': {output}, 'diagnostics': [], 'summary': {{'device': 'Mock', 'launches': 1, 'kernels': 1}}}}))"


def check_stand_ins(folder):
    hangs = stand_in(folder, f"if 'hello_world' in words[1]: time.sleep(60)\n{answer('str()')}")
    done = run("--hidetc", hangs, "--only", "hello_world", "--only", "scalar_addition", "--seconds", "1")
    expect(done.returncode == 1 and "no end within 1 s" in done.stdout and "1 passed, 1 failed" in done.stdout, "a time limit", done)
    done = run("--hidetc", hangs, "--only", "samples/", "--limit", "1")
    expect(done.returncode == 1 and "15 not run" in done.stdout, "the limit of everything", done)
    done = run("--hidetc", stand_in(folder, answer("'1.5 of ' + words[words.index('--target') + 1]")), "--only", "hello_world")
    expect(done.returncode == 1 and "printed '1.5 of cuda', the emulator '1.5 of emulate'" in done.stdout, "what is printed differs", done)
    done = run("--hidetc", stand_in(folder, answer("'1.5 b\\n2 a' if 'cuda' in words else '2 a\\n1.50001 b'")), "--only", "hello_world")
    expect(done.returncode == 0, "lines in another order, and numbers that are close", done)
    done = run("--hidetc", stand_in(folder, "os.abort()"), "--only", "hello_world")
    expect(done.returncode == 1 and "ended by SIGABRT" in done.stdout, "a crash", done)
    # Each waits for another: they must run at the same time.
    meets = f"""
open(os.path.join(here, 'seen-' + str(os.getpid())), 'w').close()
if 'vector_addition' not in words[1]:
    end = time.time() + 20
    while sum(name.startswith('seen-') for name in os.listdir(here)) < 3:
        time.sleep(0.01)
        if time.time() > end: sys.exit(1)
{answer('str()')}"""
    done = run("--hidetc", stand_in(folder, meets), "--only", "hello_world", "--only", "scalar_addition", "--jobs", "2")
    expect(done.returncode == 0, "several at a time", done)


with tempfile.TemporaryDirectory() as scratch:
    check_emulator()
    check_fake_gpu(scratch)
    check_faults()
    check_stand_ins(scratch)
    finished = run("--target", "emulate", "--only", "nothing-is-called-so")
    expect(finished.returncode == 2 and "no case has" in finished.stdout, "a word that nothing has", finished)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
