# SPDX-License-Identifier: Apache-2.0
"""What a golden file cannot show of hidetc: Ctrl-C, input from a pipe, files it writes, valid JSON whatever is printed."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
failures = []


def expect(condition, what, done=None):
    if not condition:
        failures.append(what + (f"\n  exit {done.returncode}\n  {done.stdout}\n  {done.stderr}" if done else ""))


def hidetc(*words, text=""):
    return subprocess.run([HIDETC, *words], input=text, capture_output=True, text=True, timeout=60)


KERNEL = """
import hidet
from hidet.lang import attrs, i32
with hidet.script_module() as m:
    @hidet.script
    def launch(n: i32) -> i32:
        attrs.func_kind = 'public'
        total = 0
        i = 0
        while i < n:
            total += i % 7
            i += 1
            if i == n - 1 and n > 1000:
                i = 1
        return total
module = m.build()
"""

# Slow enough a step that no budget ends it before the signal comes.
ENDLESS = """
import torch
a = torch.zeros(64, 64)
while True:
    b = a @ a
"""


def processor_time(pid):
    """Seconds that a process has computed for."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(script):
    """Exit code and seconds of a script that never ends, after Ctrl-C."""
    running = subprocess.Popen([HIDETC, "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running.stdin.write(script)
    running.stdin.close()
    running.stdin = None
    while processor_time(running.pid) < 0.5 and running.poll() is None:  # what it printed comes at its end only
        time.sleep(0.01)
    start = time.time()
    running.send_signal(signal.SIGINT)
    try:
        _, errors = running.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        running.kill()
        return None, 30, ""
    return running.returncode, time.time() - start, errors


for name, script in (("host code", ENDLESS), ("a kernel", KERNEL + "module(100000)\n")):
    code, seconds, errors = interrupted(script)
    expect(code == 130, f"Ctrl-C in {name}: exit {code}, expected 130: {errors}")
    expect(seconds < 5, f"Ctrl-C in {name} took {seconds:.1f} s")
    expect("internal" not in errors, f"Ctrl-C in {name} is no error of ours: {errors}")

done = hidetc("run", "-", text=KERNEL + "print(module(10))\n")
expect(done.returncode == 0 and done.stdout == "24\n", "a script on standard input", done)

done = hidetc("run", "-", "--json", text="print('\\x01 \\u00e9 \\U0001F600 \"quoted\"')\n")
expect(json.loads(done.stdout)["output"] == '\x01 \u00e9 \U0001F600 "quoted"\n', "JSON holds what was printed", done)

# Below the budget of host code, above what the process may have.
done = subprocess.run([HIDETC, "run", "-"], input="import torch\nn = 20000\nx = torch.zeros(n, n)\ny = x + 1\n", capture_output=True,
                      text=True, timeout=60, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
said = "<stdin>:3:1: error: the machine has no memory left while running the script: 1.49 GiB were asked for" in done.stderr
expect(done.returncode == 3 and said, "memory that runs out names the line and what was asked for", done)

with tempfile.TemporaryDirectory() as folder:
    script, ir = os.path.join(folder, "k.py"), os.path.join(folder, "k.ir")
    with open(script, "w", encoding="utf-8") as file:
        file.write(KERNEL)
    done = hidetc("emit", script, "--kind", "ir", "-o", ir)
    expect(done.returncode == 0 and done.stdout == "" and os.path.exists(ir), "emit -o writes a file and prints nothing", done)
    again = hidetc("emit", ir, "--kind", "ir")
    with open(ir, encoding="utf-8") as file:
        expect(again.stdout == file.read(), "IR that was emitted reads back as itself", again)
    lowered, from_ir = hidetc("lower", script), hidetc("lower", ir)
    expect(lowered.stdout != "" and lowered.stdout == from_ir.stdout, "a script and its IR lower to the same text", from_ir)
    os.chmod(folder, 0o755)
    done = hidetc("check", script + "/nothing.py")
    expect(done.returncode == 2, "a path through a file is wrong usage", done)

# ---- long expressions ----

def added(count):
    sum_text = " + ".join(["n"] * count)
    return f"""
import hidet
from hidet.lang import attrs, i64
with hidet.script_module() as m:
    @hidet.script
    def launch(n: i64) -> i64:
        attrs.func_kind = 'public'
        return {sum_text}
n = 3
print(m.build()(n), {sum_text})
"""

done = hidetc("run", "-", text=added(400))
expect(done.returncode == 0 and done.stdout == "1200 1200\n", "a sum of 400 values", done)
done = hidetc("check", "-", text=added(3000))
expect(done.stderr.count("error: ") == 2, "one message for each of two sums that are too long", done)

# ---- a device that is full ----

KERNEL_AND_CALL = KERNEL + "print(module(10))\n"
MLP = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models", "mlp", "mlp.onnx")
WRITES = (
    ("--help",), ("--version",), ("run", "--help"), ("run", "-"), ("run", "-", "--json"), ("check", "-", "--json"), ("lower", "-"),
    ("lower", "-", "--passes"), ("emit", "-", "--kind", "ir"), ("emulate", "-", "--json"), ("bench", "-"), ("try", "-"),
    ("doctor",), ("doctor", "--machines"), ("cache",), ("worker",), ("model", "show", MLP), ("model", "show", MLP, "--json"),
    ("model", "run", MLP), ("model", "compile", MLP), ("model", "emit", MLP, "--kind", "ir"), ("model", "bench", MLP, "--json"),
)
for words in WRITES:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([HIDETC, *words], input=KERNEL_AND_CALL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    said = "cannot write" in done.stderr and "No space left on device" in done.stderr
    expect(done.returncode == 3 and said, f"{' '.join(words)} on a full device", done)
for words in (
    ("emit", "-", "--kind", "ir", "-o", "/dev/full"),
    ("model", "emit", MLP, "--kind", "ir", "-o", "/dev/full"),
    ("model", "run", MLP, "--trace", "/dev/full"),
):
    done = hidetc(*words, text=KERNEL_AND_CALL)
    said = "cannot write" in done.stderr and "No space left on device" in done.stderr
    expect(done.returncode == 3 and said, f"{' '.join(words)}", done)

# ---- what is left behind by who was killed, the next one removes ----

CPU = """
import hidet
from hidet.lang import attrs, i32
with hidet.script_module() as m:
    @hidet.script
    def launch(a: i32, b: i32) -> i32:
        attrs.func_kind = 'public'
        return a + b + %d
print(m.build()(1, 2))
"""
with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, "TMPDIR": folder, "HIDET_CACHE_DIR": os.path.join(folder, "cache")}

    def on_the_cpu(number):
        running = subprocess.Popen([HIDETC, "run", "-", "--target", "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment)
        running.stdin.write(CPU % number)
        running.stdin.close()
        running.stdin = None
        return running

    def left():
        return [name for name in os.listdir(folder) if name.startswith("hidet-work-")]

    killed = on_the_cpu(1)
    while not left() and killed.poll() is None:
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    abandoned = left()
    beside = on_the_cpu(2)
    while set(left()) <= set(abandoned) and beside.poll() is None:
        time.sleep(0.01)
    own = set(left()) - set(abandoned)
    third = on_the_cpu(3)
    expect(third.communicate(timeout=60)[0] == "6\n" and beside.communicate(timeout=60)[0] == "5\n", "runs beside each other")
    expect(bool(abandoned) or shutil.which("c++") is None, "a run that is killed leaves a folder behind")
    expect(left() == [], f"what was left behind is removed: {left()}")
    expect(bool(own) or shutil.which("c++") is None, "a run on the CPU has a folder of its own")
with tempfile.TemporaryDirectory() as folder:
    inside, outside = os.path.join(folder, "scripts"), os.path.join(folder, "other.py")
    os.makedirs(inside)
    with open(outside, "w", encoding="utf-8") as file:
        file.write("secret = 1\n")
    os.mkfifo(os.path.join(inside, "pipe.py"))
    os.symlink("/dev/zero", os.path.join(inside, "device.py"))
    os.symlink(outside, os.path.join(inside, "link.py"))
    os.symlink(folder, os.path.join(inside, "up"))
    for statement, why in (("import pipe", "is no regular file"), ("import device", "leads out of"), ("import link", "leads out of"),
                           ("from up import other", "leads out of"), ("import up.other", "leads out of")):
        path = os.path.join(inside, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(statement + "\n")
        for verb in ("run", "check"):
            done = hidetc(verb, path)
            expect(done.returncode == 1 and why in done.stderr, f"{verb}: {statement} is refused", done)

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
