# SPDX-License-Identifier: Apache-2.0
"""What a call and an import cost: hidet beside Triton, tvm-ffi and PyTorch, in one run, interleaved.

    call_cost.py [--rounds 20]

Microseconds of the host for a call with three tensors, which is not waited for: median of the rounds of 1000 calls, and the least and most.
Tensors on a GPU where there is one; else the emulator would be measured, and only imports are. Of these, seconds and MiB in a process
of its own."""

import argparse
import statistics
import subprocess
import sys
import time

IMPORTS = {"python": "pass", "hidet": "import hidet", "tvm_ffi": "sys.modules['torch'] = None; import tvm_ffi", "torch": "import torch",
           "torch, hidet": "import torch, hidet", "torch, triton": "import torch, triton"}
MEASURED = """
import sys, time
began = time.perf_counter()
{}
took = time.perf_counter() - began
print(took, next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024)
"""


def imports(rounds):
    print(f"{'import':16} {'s':>8} {'MiB':>8}")
    for name, line in IMPORTS.items():
        runs = []
        for _ in range(rounds):
            done = subprocess.run([sys.executable, "-c", MEASURED.format(line)], capture_output=True, text=True)
            if done.returncode:
                print(f"{name:16} {done.stderr.splitlines()[-1]}")
                break
            runs.append([float(each) for each in done.stdout.split()])
        else:
            print(f"{name:16} {statistics.median(run[0] for run in runs):8.3f} {statistics.median(run[1] for run in runs):8.1f}")


def built():
    import hidet
    from hidet.lang import attrs, f32
    from hidet.lang.cuda import blockIdx, threadIdx

    n = hidet.symbol_var("n")
    with hidet.script_module() as module:

        @hidet.script
        def add(a: f32[n], b: f32[n], c: f32[n]):
            attrs.cuda.grid_dim = (n + 127) // 128
            attrs.cuda.block_dim = 128
            i = blockIdx.x * 128 + threadIdx.x
            if i < n:
                c[i] = a[i] + b[i]

    return module.build()


def ways():
    """name -> a function of three tensors, and whether it adds."""
    import torch
    import triton
    import triton.language as tl
    import tvm_ffi

    @triton.jit
    def add(a, b, c, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(c + i, tl.load(a + i, i < n) + tl.load(b + i, i < n), i < n)

    nothing = tvm_ffi.get_global_func("testing.nop")
    return {
        "hidet": (built(), True),
        "Triton": (lambda a, b, c: add[((a.shape[0] + 127) // 128,)](a, b, c, a.shape[0], BLOCK=128), True),
        "PyTorch": (lambda a, b, c: torch.add(a, b, out=c), True),
        "tvm-ffi, nothing": (lambda a, b, c: nothing(a, b, c), False),
    }


def calls(rounds):
    import torch

    if not torch.cuda.is_available():
        return print("calls are not measured: there is no GPU")
    a, b = torch.randn(4096, device="cuda"), torch.randn(4096, device="cuda")
    known, times = ways(), {}
    for name, (way, adds) in known.items():
        c = torch.zeros(4096, device="cuda")
        for _ in range(100):
            way(a, b, c)
        if adds and not torch.equal(c, a + b):
            return print(f"{name}: wrong")
    for _ in range(rounds):
        for name, (way, _) in known.items():
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(1000):
                way(a, b, c)
            times.setdefault(name, []).append((time.perf_counter() - began) * 1e3)
    print(f"{'call':16} {'us':>8} {'least':>8} {'most':>8}")
    for name, each in times.items():
        print(f"{name:16} {statistics.median(each):8.2f} {min(each):8.2f} {max(each):8.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    calls(options.rounds)
    imports(min(options.rounds, 5))
