# SPDX-License-Identifier: Apache-2.0
"""What a golden file cannot show of hidetc: Ctrl-C, input from a pipe, files it writes, valid JSON whatever is printed."""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "onnx"))
import wide_test  # noqa: E402

HIDETC = os.path.join(sys.argv[sys.argv.index("--bin") + 1], "hidetc")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
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


def processes():
    """The fields of /proc/PID/stat behind the name, by PID."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                found[int(pid)] = file.read().rpartition(")")[2].split()
        except OSError:  # it has ended
            pass
    return found


def processor_time(pid):
    """Seconds that a process and those it started have computed for."""
    found = processes()
    family, grown = {pid}, True
    while grown:
        more = {child for child, fields in found.items() if int(fields[1]) in family} - family
        family, grown = family | more, bool(more)
    return sum(int(found[each][11]) + int(found[each][12]) for each in family if each in found) / os.sysconf("SC_CLK_TCK")


def interrupted(script, *options):
    """Exit code and seconds of a script that never ends, after Ctrl-C."""
    running = subprocess.Popen([HIDETC, "run", *options, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running.stdin.write(script)
    running.stdin.close()
    running.stdin = None
    while processor_time(running.pid) < 0.5 and running.poll() is None:  # what it printed comes at its end only
        time.sleep(0.01)
    start = time.time()
    running.send_signal(signal.SIGINT)
    try:
        output, errors = running.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        running.kill()
        return None, 30, "", ""
    return running.returncode, time.time() - start, output, errors


# Machine code: nothing in it hears of a signal. Long enough to be compiled before the signal comes.
SPIN = """
import hidet
from hidet.lang import attrs, i32
with hidet.script_module() as m:
    @hidet.script
    def spin(x: i32[4]):
        attrs.func_kind = 'cpu_kernel'
        while x[0] != 7:
            x[0] = x[0] * 3 + 2
module = m.build()
print('before')
module(hidet.zeros([4], dtype='int32'))
"""
hidetc("run", "-", "--timeout", "0.01", text=SPIN)  # compiles it

for name, script, options in (("host code", ENDLESS, []), ("a kernel", KERNEL + "module(100000)\n", []), ("machine code", SPIN, [])):
    code, seconds, _, errors = interrupted(script, *options)
    expect(code == 130, f"Ctrl-C in {name}: exit {code}, expected 130: {errors}")
    expect("stopped by Ctrl-C" in errors, f"Ctrl-C in {name} is said: {errors}")
    expect(seconds < 5, f"Ctrl-C in {name} took {seconds:.1f} s")
    expect("internal" not in errors, f"Ctrl-C in {name} is not an error of ours: {errors}")

code, _, output, errors = interrupted(SPIN, "--json")
expect(code == 130 and json.loads(output)["output"] == "before\n", f"the document is whole after Ctrl-C: exit {code} {output} {errors}")
ids = [each["id"] for each in json.loads(output)["diagnostics"]] if output else []
expect(ids == ["native-call-failed"], f"the document says what was stopped: {ids}")

# ---- compiled code that ends its process ----

WILD = """
import hidet
from hidet.lang import attrs, f32, i32
with hidet.script_module() as m:
    @hidet.script
    def fill(x: f32[4], far: i32):
        attrs.func_kind = 'cpu_kernel'
        x[far] = 1.0
module = m.build()
print('before')
module(hidet.zeros([4]), 500000000)
"""
# Checked and unchecked code of one script are compiled and kept apart, in whatever order they are asked for.
for options, wanted in (([], "out-of-bounds"), (["--unchecked"], "native-fault"), ([], "out-of-bounds")):
    done = hidetc("run", "-", "--json", *options, text=WILD)
    document = json.loads(done.stdout)
    ids = [each["id"] for each in document["diagnostics"]]
    expect(done.returncode == 1 and ids == [wanted], f"a wild index with {options}: {ids}", done)
    expect(document["output"] == "before\n" and "summary" in document, "the document is whole after a crash", done)

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
        lines = file.read().splitlines(keepends=True)
    while lines[0].startswith("# "): # how it came about
        lines.pop(0)
    expect(again.stdout == "".join(lines), "IR that was emitted reads back as itself", again)
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

# ---- who is killed leaves nothing behind, or the next one removes it ----

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
                                   stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        running.stdin.write(CPU % number)
        running.stdin.close()
        running.stdin = None
        return running

    def left():
        return [name for name in os.listdir(folder) if name.startswith("hidet-work-")]

    def wait_until(is_so, running=None):
        end = time.monotonic() + 30
        while not is_so() and time.monotonic() < end and (running is None or running.poll() is None):
            time.sleep(0.01)

    killed = on_the_cpu(1)
    wait_until(left, killed)
    killed.kill()
    killed.communicate()
    wait_until(lambda: not left())
    expect(left() == [], f"the workers of a run that is killed clean up: {left()}")
    killed = on_the_cpu(4)  # what its like has compiled may be in the cache
    wait_until(left, killed)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    abandoned = left()
    beside = on_the_cpu(2)
    wait_until(lambda: set(left()) - set(abandoned), beside)
    own = set(left()) - set(abandoned)
    third = on_the_cpu(3)
    expect(third.communicate(timeout=60)[0] == "6\n" and beside.communicate(timeout=60)[0] == "5\n", "runs beside each other")
    expect(bool(abandoned) or shutil.which("c++") is None, "a run that is killed with its workers leaves a folder behind")
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
    os.symlink("turn.py", os.path.join(inside, "round.py"))
    os.symlink("round.py", os.path.join(inside, "turn.py"))
    os.symlink("nothing.py", os.path.join(inside, "lost.py"))
    for statement, why in (("import pipe", "is not a regular file"), ("import device", "leads out of"), ("import link", "leads out of"),
                           ("from up import other", "leads out of"), ("import up.other", "leads out of"),
                           ("import round", "is a link that leads to no file"), ("import lost", "is a link that leads to no file")):
        path = os.path.join(inside, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(statement + "\n")
        for verb in ("run", "check"):
            done = hidetc(verb, path)
            expect(done.returncode == 1 and why in done.stderr, f"{verb}: {statement} is refused", done)

# ---- what models read, and what they ask for ----

def within_a_gibibyte(*words):
    return subprocess.run([HIDETC, *words], capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))

with tempfile.TemporaryDirectory() as folder:
    for name in ("input_0.pb", "output_0.pb"):
        shutil.copy(os.path.join(os.path.dirname(MLP), name), folder)
    given, recorded = os.path.join(folder, "input_0.pb"), os.path.join(folder, "output_0.pb")

    def run_data(*more):
        return hidetc("model", "run", MLP, "--target", "emulate", "--data", folder, *more)

    expect(run_data().returncode == 0, "a data set", run_data())
    for damaged in (recorded, given):
        with open(damaged, "rb") as file:
            whole = file.read()
        with open(damaged, "wb") as file:
            file.write(whole[:20])
        done = run_data()
        expect(done.returncode == 1 and f"cannot read '{damaged}'" in done.stderr, "a damaged tensor is named", done)
        with open(damaged, "wb") as file:
            file.write(whole)
    os.rename(given, os.path.join(folder, "elsewhere.pb"))
    done = run_data()
    expect(done.returncode == 1 and "has no input_0.pb for 'x'" in done.stderr, "a data set that lacks an input is not made up", done)
    done = run_data("--input", "x=" + os.path.join(folder, "elsewhere.pb"))
    expect(done.returncode == 0 and "as recorded" in done.stdout, "an input that the data set lacks can be given", done)
    os.symlink("round.onnx", os.path.join(folder, "turn.onnx"))
    os.symlink("turn.onnx", os.path.join(folder, "round.onnx"))
    done = hidetc("model", "show", os.path.join(folder, "turn.onnx"))
    expect(done.returncode != 0 and "Too many levels of symbolic links" in done.stderr, "a link that leads to itself", done)

done = within_a_gibibyte("model", "run", MLP, "--target", "emulate", "--dim", "batch=100000000")
expect(done.returncode == 3 and "3200000000 bytes for the input 'x', float32[100000000, 8] were asked for" in done.stderr,
       "memory that an input lacks names it and its size", done)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "square.onnx")
    with open(path, "wb") as file:
        file.write(wide_test.model([wide_test.node("Mul", ["x", "y"], ["square"]), wide_test.node("Softmax", ["square"], ["s"], wide_test.axis(0)),
                                    wide_test.node("Softmax", ["s"], ["z"], wide_test.axis(1))],
                                   [wide_test.tensor("x", 30000, 1), wide_test.tensor("y", 1, 30000)], [wide_test.tensor("z", 30000, 30000)]))
    done = within_a_gibibyte("model", "run", path, "--target", "emulate")
    said = "bytes for what operators hand to each other, '" in done.stderr and "[30000, 30000] of them" in done.stderr
    expect(done.returncode == 3 and said, "memory that results lack names the largest and its extents", done)

with tempfile.TemporaryDirectory() as folder:
    package = os.path.join(folder, "tokens.hidet")
    tokens = os.path.join(os.path.dirname(os.path.dirname(MLP)), "indices", "tokens.onnx")
    if shutil.which("c++"):
        done = hidetc("model", "compile", tokens, "--target", "cpu", "-o", package)
        expect(done.returncode == 0, "a package of a model with indices", done)
        done = hidetc("model", "run", package, "--trust")
        expect(done.returncode == 1 and "is outside of the extent 1" in done.stderr, "a package looks at its inputs itself", done)

# The examples of --help: their files are not here, and nothing else is wrong with them.
with tempfile.TemporaryDirectory() as folder:
    known = re.findall(r'^HIDET_EXAMPLE\("([^"]+)"', open(os.path.join(ROOT, "app", "cli", "examples.def"), encoding="utf-8").read(), re.M)
    for example in known:
        done = subprocess.run([HIDETC, *shlex.split(example)], cwd=folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder, "HOME": folder})
        expect(done.returncode == 0 or "cannot find '" in done.stderr, f"the example 'hidetc {example}' is a command", done)
    verbs = re.findall(r"^  ([a-z]+)  +", hidetc("--help").stdout.split("Subcommands:")[1].split("Examples:")[0], re.M)
    for verb in set(verbs) - {"lsp", "worker"}:
        expect(f"hidetc {verb} " in hidetc(verb, "--help").stdout.split("Examples:")[-1], f"the help of '{verb}' ends with an example")
    model = os.path.join(folder, "m.onnx")
    shutil.copy(MLP, model)
    done = hidetc("emit", model, "--kind", "cuda")
    expect(done.returncode == 2 and "it is a model, which 'hidetc model'" in done.stderr, "a model in a script's place is named", done)

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
