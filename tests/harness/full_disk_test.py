# SPDX-License-Identifier: Apache-2.0
"""Writing where no space is left: each verb and format that writes a file leaves the old one, ends with 3 and names the file.
The disk is a small one where it may be mounted; else files may have no byte. full_disk_test.py --bin FOLDER"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[sys.argv.index("--bin") + 1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLD = b"what was there before"

SCRIPT = b"""
import hidet
from hidet.lang import attrs, f32
with hidet.script_module() as doubles:
    @hidet.script
    def double(x: f32[8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim, attrs.cuda.block_dim = 1, 1
        x[0] = x[0] + x[0]
m = doubles.build()
x = hidet.ones([8], device='cuda')
m(x)
"""
RACE = SCRIPT.replace(b"block_dim = 1, 1", b"block_dim = 1, 64")
MAPPING = b"from hidet.lang.mapping import spatial\nmap = spatial(4, 8)\n"
RECORD = (b'{"operator":"Matmul","machine":"a GPU","source":"0","schedule":"matmul_wgmma","seconds":1e-06,"spread":0.1,'
          b'"problem":""}\n')
# What is written, then the words; `@` is the full folder.
WRITTEN = """
a.ir      emit script.py --kind ir -o @/a.ir
a.html    report script.py -o @/a.html
a.py      reduce race.py -o @/a.py
a.svg     map mapping.py --at 2:5 --svg @/a.svg
a.ir      model emit mlp/mlp.onnx --kind ir -o @/a.ir
a.hidet   model compile mlp/mlp.onnx --target cpu -o @/a.hidet
a.hidet   export mlp/mlp.onnx --target cpu -o @/a.hidet
output_0.npy  model run mlp/mlp.onnx --target cpu --output @
a.json    model run mlp/mlp.onnx --target cpu --trace @/a.json
a.jsonl   records export @/a.jsonl
a.jsonl   try script.py --target emulate --history @/a.jsonl
x.npy     try script.py --target emulate --save @

"""
failures = []


def small_disk(folder):
    os.mkdir(folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    return done.returncode == 0


def fill(folder):
    with open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def no_byte():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def attempt(name, words, folder):
    full, is_mounted = os.path.join(folder, "full"), small_disk(os.path.join(folder, "full"))
    path = os.path.join(full, name)
    try:
        with open(path, "wb") as file:
            file.write(OLD)
        if is_mounted:
            fill(full)
        words = [word.replace("@", full) for word in words]
        environment = {**os.environ, "HIDET_CACHE_DIR": folder + "/cache", "HIDET_LIBCUDA": "/nowhere"}
        if words[0] == "records":
            subprocess.run([os.path.join(BIN, "hidetc"), "records", "merge", "records.txt"], cwd=folder, env=environment, check=True,
                           capture_output=True)
        done = subprocess.run([os.path.join(BIN, "hidetc"), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=100, env=environment, preexec_fn=None if is_mounted else no_byte)
        said = done.stdout + done.stderr
        with open(path, "rb") as file:
            kept = file.read() == OLD
        left = sorted(each for each in os.listdir(full) if each.endswith(".part"))
        # Without a disk of its own a run fails as well where it wants memory that is a file.
        is_named = name in said or not is_mounted
        if done.returncode != 3 or not kept or left or not is_named:
            failures.append(f"{' '.join(words)}: exit {done.returncode}, {'kept' if kept else 'LOST'}, left {left}\n  {said[:800]}")
    finally:
        if is_mounted:
            subprocess.run(["umount", full], check=False)


for line in WRITTEN.strip().splitlines():
    target, *arguments = line.split()
    with tempfile.TemporaryDirectory() as work:
        for script, text in (("script.py", SCRIPT), ("race.py", RACE), ("mapping.py", MAPPING), ("records.txt", RECORD)):
            with open(os.path.join(work, script), "wb") as written:
                written.write(text)
        os.symlink(os.path.join(ROOT, "tests/models/mlp"), os.path.join(work, "mlp"))
        attempt(target, arguments, work)
print("\n".join(failures))
sys.exit(1 if failures else 0)
