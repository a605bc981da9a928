# SPDX-License-Identifier: Apache-2.0
"""Of the small kernels of ordered.txt the right ones are proved free of races; the wrong ones are not, and the emulator finds what is
wrong with them."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
FOUND_AS = {"race", "missing-wait", "missing-fence", "async-copy", "barrier-misuse", "unwritten-memory", "deadlock"}
HEAD = """import hidet
from hidet.lang import attrs, f16, f32, grid, register_tensor, shared_tensor, u64
from hidet.lang.cuda import WgmmaConfig, blockIdx, cp_async, cp_async_commit_group, cp_async_wait_all, cp_async_wait_group
from hidet.lang.cuda import cvta_generic_to_shared, make_wgmma_desc
from hidet.lang.cuda import syncthreads, syncwarp, this_cluster, threadIdx, wgmma_async, wgmma_commit_group, wgmma_fence, wgmma_wait_group
from hidet.ir.primitives.cuda import barrier_arrive, barrier_sync, copy_bulk_commit_group, copy_bulk_g2s, copy_bulk_s2g
from hidet.ir.primitives.cuda import copy_bulk_wait_group, cp_async_barrier_arrive, fence_barrier_init, fence_view_async_shared
from hidet.ir.primitives.cuda import mbarrier_arrive, mbarrier_arrive_and_expect_tx, mbarrier_init, mbarrier_test_wait, mbarrier_wait

n = hidet.symbol_var('n')
products = WgmmaConfig.get(64, 8, 16, f16, f16, f32)
"""


def read(path):
    """(is right, title, rows) of each kernel."""
    with open(path, encoding="utf-8") as file:
        rows = [row for row in file.read().split("\n") if row.strip() and not row.startswith("#")]
    starts = [i for i, row in enumerate(rows) if row.startswith("= ")] + [len(rows)]
    titles = [rows[begin][2:].partition(": ") for begin in starts[:-1]]
    return [(kind == "right", title, rows[begin + 1:end]) for (kind, _, title), begin, end in zip(titles, starts, starts[1:])]


def script_of(kernels):
    script = [HEAD]
    for number, (_, _, (shape, *body)) in enumerate(kernels, 1):
        grid, block, *cluster = shape.split(", ")
        script += [f"with hidet.script_module() as module{number}:", "    @hidet.script",
                   f"    def kernel{number}(x: f32[n], y: f32[64], z: f32[256]):", "        attrs.func_kind = 'cuda_kernel'",
                   f"        attrs.cuda.grid_dim = {grid}", f"        attrs.cuda.block_dim = {block}"]
        script += [f"        attrs.cuda.cluster_dim = {each}" for each in cluster] + ["        t = threadIdx.x"]
        script += [f"        {row}" for row in body] + [f"module{number}.build()"]
    return "\n".join(script) + "\n"


def answer(command, folder):
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
    return json.loads(run.stdout)


def problem_of(is_right, proof, number, hidetc, folder):
    """What is wrong with this one, as text; empty: nothing."""
    verdict = {claim["claim"]: claim["verdict"] for claim in proof["claims"]}["races"]
    found = answer([hidetc, "try", "kernels.py", "--json", "--check-only", "--target", "emulate", "--module", str(number), "--dim", "n=64"],
                   folder)["diagnostics"]
    errors = [f"{each['id']}: {each['message']}" for each in found if each["severity"] == "error"]
    if is_right and errors:
        return f"the emulator says {errors}"
    if is_right:
        return "" if verdict == "proved" else f"{verdict}: {[(each['line'], each['sentence']) for each in proof['doubts'] if each['claim'] == 'races']}"
    if verdict == "proved":
        return "proved"
    return "" if any(each["id"] in FOUND_AS for each in found) else f"the emulator finds nothing: {errors}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidetc", required=True)
    hidetc = os.path.abspath(parser.parse_args().hidetc)
    kernels = read(os.path.join(HERE, "ordered.txt"))
    with tempfile.TemporaryDirectory(prefix="ordered.") as folder:
        with open(os.path.join(folder, "kernels.py"), "w", encoding="utf-8") as file:
            file.write(script_of(kernels))
        document = answer([hidetc, "prove", "kernels.py", "--json"], folder)
        if len(document["kernels"]) != len(kernels):
            sys.exit(f"{len(document['kernels'])} kernels instead of {len(kernels)}: {document['diagnostics']}")
        with ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda job: problem_of(job[1][0], document["kernels"][job[0]], job[0] + 1, hidetc, folder),
                                     enumerate(kernels)))
    for (is_right, title, _), problem in zip(kernels, problems):
        if problem:
            print(f"{'right' if is_right else 'wrong'}: {title}: {problem}")
    print(f"{sum(is_right for is_right, _, _ in kernels)} right kernels, {sum(not is_right for is_right, _, _ in kernels)} wrong ones, "
          f"{sum(bool(problem) for problem in problems)} judged otherwise")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
