# SPDX-License-Identifier: Apache-2.0
"""Random programs as scripts: many of them in one module, which is one translation unit where it is compiled. The script
compares what each stores with a checksum of what it has to store."""

import os
import re
import subprocess
import tempfile

from generated.generator import Generator
from generated.reference import INTEGERS, THREADS, reference

HEAD = f"""import hidet
from hidet.lang import attrs, grid, register_tensor, shared_tensor
from hidet.lang.types import f32, {", ".join(INTEGERS)}
from hidet.lang.mapping import repeat, spatial
from hidet.lang.cuda import shfl_xor_sync, threadIdx, syncthreads

with hidet.script_module() as script_module:
    @hidet.script
    def bump(at: ~i32) -> i32:
        attrs.func_kind = '$KIND'
        at[0] = at[0] + 1
        return at[0]
"""
TAIL = """
module = script_module.build()
wrong = 0
for seed, expected in $EXPECTED:
    out = hidet.empty([$THREADS], dtype='int32', device='$DEVICE')
    module[f'launch{seed}'](out)
    got = 0
    for value in out.cpu().tolist():
        got = (got * 33 + value) % 1000000007
    if got != expected:
        print(f'seed {seed}: stored {got}, expected {expected}')
        wrong += 1
assert wrong == 0, f'{wrong} programs went wrong'
"""


def checksum(values):
    """Of what the threads stored, in their order."""
    made = 0
    for value in values:
        made = (made * 33 + value) % 1000000007
    return made


class Program:
    """A kernel, or with is_host functions of the host that do the same for every thread in a loop."""

    def __init__(self, seed, is_host):
        self.seed, self.is_host = seed, is_host
        generator = Generator(seed)
        self.body = generator.host_functions() if is_host else generator.kernel()
        self.functions = generator.functions

    def expected(self):
        return checksum(reference(self.body, self.functions))

    def lines(self):
        """Of the module: functions of a program have names of their own."""
        own = lambda line: re.sub(r"\bg(\d+)\b", rf"g{self.seed}_\1", line)
        body = [own(line) for line in self.body]
        functions = [own(line) for line in self.functions]
        if self.is_host:
            kind = ["    attrs.func_kind = 'cpu_internal'"]
            functions = [line for text in functions for line in ([text, *kind] if text.startswith("def ") else [text])]
            return [*functions, "@hidet.script", f"def launch{self.seed}(out: i32[{THREADS}]):", "    attrs.func_kind = 'public'",
                    f"    for t in range({THREADS}):", *("        " + line for line in body if line != "t = threadIdx.x")]
        return [*functions, "@hidet.script", f"def kernel{self.seed}(out: i32[{THREADS}]):", *("    " + line for line in body),
                "@hidet.script", f"def launch{self.seed}(out: i32[{THREADS}]):", "    attrs.func_kind = 'public'",
                f"    kernel{self.seed}(out)"]


def script(programs, expected):
    """Of programs of one kind; expected: a checksum for each."""
    is_host = programs[0].is_host
    lines = "".join(f"    {line}\n" for program in programs for line in program.lines())
    tail = TAIL.replace("$EXPECTED", repr([(program.seed, value) for program, value in zip(programs, expected)]))
    tail = tail.replace("$THREADS", str(THREADS)).replace("$DEVICE", "cpu" if is_host else "cuda")
    return HEAD.replace("$KIND", "cpu_internal" if is_host else "cuda_internal") + lines + tail


def run(hidetc, verb, text, seconds=600):
    """(exit code, what was said); verb: 'run --target cpu'"""
    words = verb.split()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "programs.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run([hidetc, words[0], path, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            return 124, f"no end after {seconds} seconds"
    return done.returncode, done.stdout + done.stderr


def failures(hidetc, verb, programs, expected):
    """[(program, what was said)] of those that went wrong: of a batch that does not run at all they are looked for one by one."""
    code, said = run(hidetc, verb, script(programs, expected))
    if code == 0:
        return []
    stored = {int(seed): line for line, seed in re.findall(r"^(seed (\d+): stored .*)$", said, re.MULTILINE)}
    if stored:
        return [(program, stored[program.seed]) for program in programs if program.seed in stored]
    if len(programs) == 1:
        return [(programs[0], f"exit {code}\n{said[:1500]}")]
    half = len(programs) // 2
    return (failures(hidetc, verb, programs[:half], expected[:half])
            + failures(hidetc, verb, programs[half:], expected[half:])) or [(programs[0], f"all of its batch together: exit {code}\n{said[:1500]}")]
