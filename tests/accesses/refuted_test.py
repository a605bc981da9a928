# SPDX-License-Identifier: Apache-2.0
"""What is wrong in the small kernels of refuted.txt is refuted at its line, and the emulator finds it there, at the sizes of the
example."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
FOUND_AS = {"bounds": {"out-of-bounds"}, "races": {"race", "missing-wait", "async-copy"}, "barriers": {"divergent-barrier", "deadlock"},
            "alignment": {"misaligned-access"}}
HEAD = """import hidet
from hidet.lang import attrs, f16, f32, register_tensor, shared_tensor, tensor_pointer, u32, view
from hidet.lang.cuda import MmaConfig, blockIdx, cp_async, cp_async_commit_group, cp_async_wait_all, cp_async_wait_group
from hidet.lang.cuda import dynamic_shared_memory, ldmatrix, mma_sync, syncthreads, syncwarp, threadIdx

n = hidet.symbol_var('n')
"""
SIZE = re.compile(r"for n = (\d+)")


class Wrong:
    def __init__(self, title, rows):
        self.claim, _, self.title = title.partition(": ")
        self.shape, self.body = rows[0], rows[1:]
        self.lines = set()  # of the script, that are to be refuted

    def add_to(self, script, number):
        grid, block = self.shape.rsplit(", ", 1)
        script += ["", f"with hidet.script_module() as module{number}:", "    @hidet.script",
                   f"    def wrong{number}(x: f32[n], y: f32[n], z: f32[256]):", "        attrs.func_kind = 'cuda_kernel'",
                   f"        attrs.cuda.grid_dim = {grid}", f"        attrs.cuda.block_dim = {block}", "        t = threadIdx.x",
                   f"        i = blockIdx.x * {block} + t"]
        for row in self.body:
            script.append(f"        {row}")
            if row.endswith("# !"):
                self.lines.add(len(script))
        script.append(f"module{number}.build()")


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = [row for row in file.read().split("\n") if row.strip() and not row.startswith("#")]
    starts = [i for i, row in enumerate(rows) if row.startswith("= ")] + [len(rows)]
    return [Wrong(rows[begin][2:], rows[begin + 1:end]) for begin, end in zip(starts, starts[1:])]


def answer(command, folder):
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
    return json.loads(run.stdout)


def problem_of(wrong, number, kernel, hidetc, folder):
    """What is wrong with this one, as text; empty: nothing."""
    doubts = [doubt for doubt in kernel["doubts"] if doubt["claim"] == wrong.claim and doubt["verdict"] == "refuted"
              and doubt["line"] in wrong.lines]
    if not doubts:
        return f"not refuted at line {sorted(wrong.lines)}: {kernel['claims']}, {kernel['doubts']}"
    size = SIZE.search(doubts[0]["sentence"])
    found = answer([hidetc, "try", "wrong.py", "--json", "--check-only", "--target", "emulate", "--module", str(number), "--dim",
                    f"n={size.group(1) if size else 64}"], folder)["diagnostics"]
    if not any(each["id"] in FOUND_AS[wrong.claim] and each["line"] in wrong.lines for each in found):
        return f"refuted ({doubts[0]['sentence']}), but the emulator says {[(each['id'], each['line'], each['message']) for each in found]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidetc", required=True)
    hidetc = os.path.abspath(parser.parse_args().hidetc)
    all_wrong, script = read(os.path.join(HERE, "refuted.txt")), HEAD.split("\n")[:-1]
    for number, wrong in enumerate(all_wrong, 1):
        wrong.add_to(script, number)
    with tempfile.TemporaryDirectory(prefix="refuted.") as folder:
        with open(os.path.join(folder, "wrong.py"), "w", encoding="utf-8") as file:
            file.write("\n".join(script) + "\n")
        document = answer([hidetc, "prove", "wrong.py", "--json"], folder)
        if len(document["kernels"]) != len(all_wrong):
            sys.exit(f"{len(document['kernels'])} kernels instead of {len(all_wrong)}: {document['diagnostics']}")
        with ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda job: problem_of(job[1], job[0], document["kernels"][job[0] - 1], hidetc, folder),
                                     enumerate(all_wrong, 1)))
    for wrong, problem in zip(all_wrong, problems):
        if problem:
            print(f"{wrong.claim}: {wrong.title}: {problem}")
    print(f"{len(all_wrong)} wrong kernels, {sum(not problem for problem in problems)} refuted and found")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
