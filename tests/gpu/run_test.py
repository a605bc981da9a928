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
    done = run("--target", "emulate", "--only", "softmax", "--only", "run/cuda/", "--only", "run/control", "--only", "kernel_benches/", "--only", "models/")
    lines = done.stdout.splitlines()
    expect(done.returncode == 0, "what checks itself passes on the emulator", done)
    expect(any(line.startswith("ok       samples/softmax ") and "1 kernel, 1 launch" in line for line in lines), "a line a script", done)
    count = sum(line.startswith("ok ") for line in lines)
    expect(count > 10 and lines[-1].startswith(f"{count} passed, 0 failed in "), "the totals come last", done)


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


def check_replaced():
    done = run("--only", "replaced/cuda", environment=fake_gpu())
    expect(done.returncode == 1 and "failed   replaced/cuda" in done.stdout, "a kernel that does nothing is caught", done)


def check_pipelines():
    done = run("--target", "emulate", "--only", "pipelines/")
    rows = [line for line in done.stdout.splitlines() if line.startswith("ok       pipelines/")]
    expect(done.returncode == 0 and len(rows) == 3 and all("marks in the kernel" in row for row in rows), "marks on the emulator", done)
    done = run("--only", "pipelines/tensor_core", environment=fake_gpu())
    expect(done.returncode == 1 and "failed   pipelines/tensor_core_matmul" in done.stdout, "kernels that write no marks are caught", done)


def check_packages():
    done = run("--only", "packages/", environment=fake_gpu())
    rows = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "failed "))]
    compared = all(line.endswith(("the same bytes", "the package gives other bytes than the model")) for line in rows)
    expect(done.returncode == 1 and len(rows) > 10 and compared, "packages run, and kernels that do nothing are caught by their bytes", done)


def is_sanitized():
    """Python cannot load such a library, and the runner takes the device's memory through Python."""
    with open(os.path.join(BIN, "libfake_cuda.so"), "rb") as file:
        return b"__asan_init" in file.read()


def check_faults():
    faults = sorted(name[:-3] for name in os.listdir(os.path.join(HERE, "faults")) if name.endswith(".py"))
    chosen = [f"faults/{name}" for name in faults if name != "device_memory" or not is_sanitized()]
    done = run(*[word for name in chosen for word in ("--only", name)], environment=fake_gpu(FAULTS))
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
    samples = sum(name.endswith(".py") for name in os.listdir(os.path.join(HERE, "..", "..", "samples", "kernels")))
    expect(done.returncode == 1 and f"{samples} not run" in done.stdout, "the limit of everything", done)
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


def check_benchmarks(folder):
    """What bench prints becomes figures with their goals; fields that are not there are no error."""
    body = f"""
def row(size, ms, **more):
    return {{'function': 'matmul', 'shapes': f'f32[{{size}}, {{size}}]', 'seconds': {{'median': ms / 1e3}}, 'flops': 2.0 * size**3, **more}}
verb, path = words[0], words[1]
rows = []
if verb == 'bench' and path.endswith('/shared_matmul.py'):
    rows = [row(4096, 4.0, baseline={{'name': 'cuBLAS 13', 'ratio': 0.6, 'seconds': {{'median': 0.0024}}}})]
elif verb == 'bench' and 'double' in path:
    rows = [row(2048, 1.0), row(2039, 1.2)]
if verb == 'emit':
    print(json.dumps({{'modules': [{{words[words.index('--kind') + 1]: {{'ms': 1.5}}}}]}}))
elif verb == 'bench':
    print(json.dumps({{'rows': rows or [row(64, 1.0)], 'diagnostics': []}}))
else:
    times = int(path.split('_')[-1].split('.')[0]) if 'launches_' in path else 1
    print(json.dumps({{'output': '', 'diagnostics': [], 'summary': {{'device': 'Mock', 'launches': times, 'ms': times * 0.002}}}}))"""
    done = run("--hidetc", stand_in(folder, body), "--bench", "--only", "bench/")
    expect(done.returncode == 0 and "0 failed" in done.stdout, "benchmarks pass", done)
    lines = {" ".join(line.split()) for line in done.stdout.splitlines()}
    for line in ("shared_matmul 4096 of cuBLAS 13 0.6 x goal >= 0.55: met 2.4 ms",
                 "compile softmax to ptx, cached 1.5 ms goal <= 2: met",
                 "a launch 2 us goal <= 3: met of 50000 in a loop, host or GPU, whichever is slower"):
        expect(line in lines, f"the line '{line}'", done)
    expect(any("time per operation, worst size to best 1.216 x goal <= 1.1: missed" in line for line in lines), "sizes compared", done)
    failing = stand_in(folder, "if words[0] == 'bench': sys.exit(1)\n" + answer("str()"))
    done = run("--hidetc", failing, "--bench", "--only", "bench/elementwise")
    expect(done.returncode == 1 and "failed   bench/elementwise" in done.stdout, "a benchmark that fails", done)


with tempfile.TemporaryDirectory() as scratch:
    check_emulator()
    check_fake_gpu(scratch)
    check_pipelines()
    check_replaced()
    check_packages()
    check_faults()
    check_stand_ins(scratch)
    check_benchmarks(scratch)
    finished = run("--target", "emulate", "--only", "nothing-is-called-so")
    expect(finished.returncode == 2 and "no case has" in finished.stdout, "a word that nothing has", finished)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
