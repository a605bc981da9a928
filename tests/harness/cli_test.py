# SPDX-License-Identifier: Apache-2.0
"""What a golden file cannot show of hidetc: Ctrl-C, input from a pipe, files it writes, valid JSON whatever is printed."""

import json
import os
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

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
