# SPDX-License-Identifier: Apache-2.0
"""A FIFO, a device, a folder and a socket in the place of each file that hidetc and hidet-run take: none is waited for or read
without end, and each is refused by its name. Files of tuning records
that are hostile do no harm. strange_files_test.py --bin FOLDER"""

import os
import socket
import sqlite3
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv[sys.argv.index("--bin") + 1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 60  # seconds of the clock, which also pass while others are at work; what hangs does so for ever

SCRIPT = b"""
import hidet
from hidet.lang import attrs, f32
with hidet.script_module() as halves:
    @hidet.script
    def scale(a: f32[4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = 1
        attrs.cuda.grid_dim = 1
        a[0] = a[0] * 0.5
halves.build()(hidet.ones([4], device='cuda'))
"""
ARRAY = b"\x93NUMPY\1\0v\0" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n" + bytes(16)
BESIDE = {
    "script.py": SCRIPT,
    "races.py": SCRIPT.replace(b"block_dim = 1", b"block_dim = 64"),
    "mapping.py": b"from hidet.lang.mapping import spatial\nmap = spatial(4, 8)\n",
    "array.npy": ARRAY,
    "uses_import.py": b"import strange\n",
    "uses_onnx.py": b"import hidet\nmodel = hidet.graph.frontend.from_onnx('strange.onnx')\n",
    "uses_array.py": b"import numpy\narray = numpy.load('strange.npy')\n",
    "uses_package.py": b"import hidet\nmodel = hidet.runtime.load_compiled_graph('strange.hidet')\n",
}
# `@` is the strange file; `.x` behind it an ending that it needs.
READ = """
run @.py
check @.py
check @.cu
check @.ptx
check @.ir
lower @.py
emulate @.py
emit @.py --kind ir
bench @.py --target emulate
try @.py --target emulate
explain @.py
map @.py --at 10:9
reduce @.py
tune @.py
profile @.py
report @.py -o out.html
export @.py -o out
try script.py --target emulate --arg a=@.npy
try script.py --target emulate --reference @.py
try script.py --target emulate --against @.py
try script.py --target cuda --replace scale=@.cu
try script.py --target cuda --replace scale=@.ptx
try script.py --target emulate --history @
bench script.py --target emulate --against @.py
report script.py -o out.html --history @
export script.py -o out --history @
history @
tensor @.npy
tensor array.npy --against @.npy
tensor array.npy --written @.npy
records export out.jsonl --records @
records merge @ --records out.db
model show @.onnx
model show @.json
model compile @.onnx
model run @.onnx
model run @.hidet --trust
model bench @.onnx
model compare @.onnx mlp/mlp.onnx
model compare mlp/mlp.onnx @.onnx
model kept @
model show mlp/mlp.onnx --choices @.json
model show mlp/mlp.onnx --with @.py
model show mlp/mlp.onnx --numbers @.csv
model run mlp/mlp.onnx --input x=@.npy
model run mlp/mlp.onnx --input x=@.pb
model bench mlp/mlp.onnx --against @
model bench mlp/mlp.onnx --keep @
export mlp/mlp.onnx --key @ -o out.hidet
export @.onnx -o out.hidet
run uses_import.py
check uses_import.py
run uses_onnx.py --target cpu
run uses_array.py --target cpu
run uses_package.py --target cpu
"""
WRITTEN = """
emit script.py --kind ir -o @
report script.py -o @
reduce races.py -o @
map mapping.py --at 2:5 --svg @
model emit mlp/mlp.onnx --kind ir -o @
model compile mlp/mlp.onnx -o @.hidet
model run mlp/mlp.onnx --target cpu --trace @
export script.py -o @
export mlp/mlp.onnx -o @.hidet
records export @ --records out.db
try script.py --target emulate --history @
model bench mlp/mlp.onnx --keep @
"""
TOOL = """
describe @.hidet
run @.hidet --trust
verify @.hidet --key @.hex
verify whole.hidet --key @.hex
"""
BESIDE_PATHS = {"uses_import.py": "strange.py", "uses_onnx.py": "strange.onnx", "uses_array.py": "strange.npy", "uses_package.py": "strange.hidet"}
failures = []


def make(kind, path):
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        os.symlink("/dev/zero", path)
    elif kind == "folder":
        os.mkdir(path)
    else:
        socket.socket(socket.AF_UNIX).bind(path)


def run(program, words, folder, seconds=PATIENCE):
    try:
        done = subprocess.run([os.path.join(BIN, program), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds, env={**os.environ, "HIDET_CACHE_DIR": folder + "/cache", "HIDET_LIBCUDA": "/nowhere"})
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, "it hangs"


def attempt(program, line, kind):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in BESIDE.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        os.symlink(os.path.join(ROOT, "tests/models/mlp"), os.path.join(folder, "mlp"))
        os.symlink(os.path.join(ROOT, "tests/packages/version_1.hidet"), os.path.join(folder, "whole.hidet"))
        words = [word.replace("@", "strange") for word in line.split()]
        path = next((word.split("=")[-1] for word in words if "strange" in word), None) or BESIDE_PATHS[words[1]]
        make(kind, os.path.join(folder, path))
        code, said = run(program, words, folder)
        if code not in (1, 2, 3) or "strange" not in said:
            failures.append(f"{program} {line} with a {kind}: exit {code}\n  {said[:600]}")


# What a file of tuning records may do to whoever opens it.
MEASUREMENT = "measurement (operator text, machine text, source text, schedule text, seconds real, spread real, problem text)"
ENDLESS = "with recursive r(n) as (select 1 union all select n + 1 from r) select"
HOSTILE = {
    "endless view": [f"create view measurement as {ENDLESS} 'a' operator, n machine, n source, n schedule, 1 seconds, 1 spread, n problem from r"],
    "endless operators": ["create table " + MEASUREMENT, "insert into measurement values ('a', 'b', 'c', 'd', 1, 1, '')",
                          f"create view operator as {ENDLESS} 'a' id, n signature from r"],
    "no spread": ["create table " + MEASUREMENT, "create table operator (id text, signature text)", "insert into operator values ('a', x'ff')",
                  "insert into measurement values ('a', x'fe', 'c', 'd', null, null, null)"],
    "large": ["create table " + MEASUREMENT, "create table operator (id text, signature text)", "insert into operator values ('a', 's')",
              "insert into measurement values ('a', zeroblob(100000000), 'c', 'd', 1, 1, '')"],
    "generated": ["create table operator (id text, signature text as (hex(zeroblob(100000000))))", "insert into operator values ('a')",
                  "create table " + MEASUREMENT, "insert into measurement values ('a', 'b', 'c', 'd', 1, 1, '')"],
}


def attempt_records(name, statements, damage=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hostile.db")
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        if damage is not None:
            with open(path, "r+b") as file:
                for place in damage:
                    file.seek(place % os.path.getsize(path))
                    file.write(bytes([place % 251]))
        code, said = run("hidetc", ["records", "export", "out.jsonl", "--records", "hostile.db"], folder, 30)
        if code not in (0, 3):
            failures.append(f"records, {name}: exit {code}\n  {said[:600]}")


for name, statements in HOSTILE.items():
    attempt_records(name, statements)
rows = [f"insert into measurement values ('a', '{i}', '{'s' * 50}', '{i}', 1, 1, '')" for i in range(300)]
for seed in range(20):
    places = [hash((seed, i)) for i in range(1 + seed)]
    attempt_records(f"damage {seed}", ["create table " + MEASUREMENT, "create table operator (id text, signature text)",
                                       "insert into operator values ('a', 's')", *rows], places)

for kind in ("fifo", "device", "folder", "socket"):
    for line in READ.strip().splitlines():
        attempt("hidetc", line, kind)
    for line in TOOL.strip().splitlines():
        attempt("hidet-run", line, kind)
    if kind != "device": # which takes all that is written to it
        for line in WRITTEN.strip().splitlines():
            if kind == "folder" and line.startswith("export script.py"):
                continue # which makes its files in one
            attempt("hidetc", line, kind)
print("\n".join(failures))
sys.exit(1 if failures else 0)
