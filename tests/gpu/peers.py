# SPDX-License-Identifier: Apache-2.0
"""Kernels that reach the memory of other GPUs of this machine, one process a GPU: put, get and signals with many dtypes and odd sizes, a
ring that adds up, the samples product_all_reduce and row_parallel, what is said where a process ends or asks for other sizes, and times beside cuBLAS
and NCCL in the same processes. One table at the end.

    python3 tests/gpu/peers.py --ranks 2 [--limit SECONDS]

Needs PyTorch and hidet (its wheel, or PYTHONPATH). Exit codes: 0 all right, 1 something was not."""

import argparse
import faulthandler
import importlib.util
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = {name: os.path.join(HERE, "..", "..", "samples", folder, name + ".py")
           for folder, name in (("kernels", "product_all_reduce"), ("models", "row_parallel"))}
sys.path.insert(0, HERE)

SIZES = (1, 7, 1023, 100003)
DTYPES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64")
PRODUCTS = ((16, 4096, 4096), (128, 4096, 4096), (1024, 2048, 2048))  # m, n, all of k
FEW_ROWS = ((4096, 4096), (4096, 14336), (8192, 8192))  # n, all of k
SUMS = (1 << 10, 1 << 14, 1 << 17)  # elements of f32


def joined():
    """hidet.distributed, its rank and size; PyTorch's group beside it."""
    import torch
    import hidet.distributed as dist

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("gloo", init_method="file://" + os.environ["PEERS_STORE"])
    return dist, dist.get_rank(), dist.get_world_size()


class Part:
    """Of the program: its processes, and who hears what is under way."""

    def __init__(self, heard):
        self.heard = heard
        self.dist, self.rank, self.size = joined()


def together(dist):
    import torch

    torch.cuda.synchronize()
    dist.barrier()


# ---- checks: each gives a list of what is wrong ------------------------------------------------------------------------


def neighbours(part):
    import peer_kernels as kernels
    import torch

    dist, rank, size = part.dist, part.rank, part.size
    wrong = []
    for name in DTYPES:
        for n in SIZES:
            part.heard(f"{n} of {name}")
            dtype, flag = getattr(torch, name), "int64" if n == 7 else "int32"
            of = lambda who: ((torch.arange(n, device="cuda") * 7 + 13 * who + 1) % 97).to(dtype)
            mine, came = dist.symmetric_zeros([n], dtype=name), dist.symmetric_zeros([n], dtype=name)
            flags = dist.symmetric_zeros([2, kernels.blocks(n)], dtype=flag)
            got = torch.zeros(n, dtype=dtype, device="cuda")
            swap = kernels.swap(n, name, flag)
            for turn in (1, 2):
                swap(of(rank + turn), mine, came, got, flags, turn)
                together(dist)
                if not torch.equal(came.torch(), of((rank - 1) % size + turn)):
                    wrong.append(f"put of {n} {name}, launch {turn}")
                if not torch.equal(got, of((rank + 1) % size + turn)):
                    wrong.append(f"get of {n} {name}, launch {turn}")
                together(dist)
    return wrong


def rings(part):
    import peer_kernels as kernels
    import torch

    dist, rank, size = part.dist, part.rank, part.size
    wrong = []
    for n in SIZES:
        part.heard(f"{n} elements")
        out = torch.zeros(n, device="cuda")
        slot, flags = dist.symmetric_zeros([n]), dist.symmetric_zeros([2, kernels.blocks(n)], dtype="int32")
        ring = kernels.ring(n, size)
        for turn in range(20):
            x = (torch.arange(n, device="cuda") % 1000 + rank * (turn + 1)).float()
            ring(x, slot, flags, out, turn)
            expected = (torch.arange(n, device="cuda") % 1000 * size + size * (size - 1) // 2 * (turn + 1)).float()
            if not torch.equal(out, expected):
                wrong.append(f"ring of {n}, launch {turn}")
        together(dist)
    return wrong


def sizes(part):
    dist, rank, size = part.dist, part.rank, part.size
    part.heard("different sizes")
    try:
        dist.symmetric_zeros([4 + rank])
    except RuntimeError as error:
        wanted = "rank 0 calls symmetric_zeros of 16 bytes, rank 1 calls symmetric_zeros of 20 bytes"
        return [] if wanted in str(error) else [str(error)]
    return ["nobody was told"]


def reuse(part):
    """Memory that all have dropped is given again, so that a loop does not run out of it."""
    dist, rank, size = part.dist, part.rank, part.size
    part.heard("a loop")
    for turn in range(40):
        x = dist.symmetric_zeros([8 << 20])  # 32 MiB, and 1280 together
        if x.torch().any().item():
            return [f"no zeros in turn {turn}"]
        x.torch().fill_(1.0)
    return []


def loses(part, wait):
    """A kernel of rank 0 waits for rank 1, which has been killed."""
    import peer_kernels as kernels

    dist, rank, size = part.dist, part.rank, part.size
    flag = dist.symmetric_zeros([1], dtype="int32")
    kernels.listen()(flag, 0)
    together(dist)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    part.heard("waiting")
    kernels.listen()(flag, 1)
    try:
        wait(flag)
    except RuntimeError as error:
        print(json.dumps({"error": str(error), "seconds": time.monotonic() - begin}), flush=True)
        os._exit(0)  # as nothing else ends the kernel, this process would be ended soon
    return ["the wait has an end"]


def loses_in_hidet(part):
    return loses(part, lambda flag: flag.tolist())


def loses_in_torch(part):
    import torch

    return loses(part, lambda flag: torch.cuda.synchronize())


# ---- products and times ------------------------------------------------------------------------------------------------


def microseconds(step, dist, launches=20, turns=9):
    """Of one, as a CUDA graph of many: the median of some."""
    import torch

    times, stream = [], torch.cuda.Stream()  # of which hidet's launches are before they are recorded
    with torch.cuda.stream(stream):
        for i in range(3):
            step(i)
        together(dist)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(launches):
                step(i)
        for _ in range(turns):
            together(dist)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / launches)
    return statistics.median(times)


def module_of(name):
    spec = importlib.util.spec_from_file_location(name, SAMPLES[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def few_rows_times(n, all_k, rows, wrong):
    """As a language model has them: f16, weights that are not in the cache."""
    import hidet.distributed as dist
    import torch
    import torch.distributed as nccl

    size, sample = dist.get_world_size(), module_of("row_parallel")
    k = all_k // size
    weights = [torch.randn(n, k, device="cuda", dtype=torch.float16) for _ in range(1 + (200 << 20) // (2 * n * k))]
    a, c = torch.randn(sample.rows, k, device="cuda", dtype=torch.float16), torch.zeros(sample.rows, n, device="cuda", dtype=torch.float16)
    parts = dist.symmetric_zeros([2, size, sample.rows, n])
    sent = dist.symmetric_zeros([size, n // sample.tile], dtype="int32")
    product = sample.product_all_reduce(n, k, size).build()
    exact, scale = a.double() @ weights[0].double().T, a.double().abs() @ weights[0].double().abs().T
    nccl.all_reduce(exact)
    nccl.all_reduce(scale)
    together(dist)
    for turn in range(3):
        product(a, weights[0], parts, sent, c)
        error = ((c.double() - exact).abs() / (2.0**-11 * exact.abs() + 2.0**-24 * all_k * scale)).max().item()
        if error > 1:
            wrong.append(f"row_parallel {n} x {all_k}: {error:.3g} times the bound, launch {turn}")

    def baseline(i):
        nccl.all_reduce(torch.nn.functional.linear(a, weights[i % len(weights)]))

    ours = microseconds(lambda i: product(a, weights[i % len(weights)], parts, sent, c), dist)
    rows.append([f"row_parallel f16 {sample.rows} x {n} x {all_k}", ours, microseconds(baseline, dist), error])


def products(part):
    """[[what, ours, theirs, error]], in microseconds and as a part of the bound."""
    import peer_kernels as kernels
    import torch
    import torch.distributed as nccl

    dist, rank, size = part.dist, part.rank, part.size
    nccl.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    sample = module_of("product_all_reduce")
    rows, wrong = [], []
    torch.manual_seed(rank)
    for m, n, all_k in PRODUCTS:
        k = all_k // size
        part.heard(f"{m} x {n} x {all_k}")
        a, b = torch.randn(m, k, device="cuda"), torch.randn(k, n, device="cuda")
        tiles = [m // sample.tile, n // sample.tile]
        parts, c = dist.symmetric_zeros([size, m, n]), dist.symmetric_zeros([m, n])
        sent, done = (dist.symmetric_zeros(shape, dtype="int32") for shape in ([size, *tiles], tiles))
        product = sample.product_module(m, n, k, size)
        exact, scale = a.double() @ b.double(), a.double().abs() @ b.double().abs()
        nccl.all_reduce(exact)
        nccl.all_reduce(scale)
        together(dist)
        for turn in range(3):
            product(a, b, parts, c, sent, done)
            error = ((c.torch().double() - exact).abs() / scale).max().item() / (2.0**-24 * all_k)
            if error > 1:
                wrong.append(f"product {m} x {n} x {all_k}: {error:.3g} times the bound, launch {turn}")
        other = torch.empty(m, n, device="cuda")

        def baseline(_):
            torch.matmul(a, b, out=other)
            nccl.all_reduce(other)

        ours = microseconds(lambda _: product(a, b, parts, c, sent, done), dist)
        rows.append([f"product_all_reduce f32 {m} x {n} x {all_k}", ours, microseconds(baseline, dist), error])
    for n, all_k in FEW_ROWS:
        part.heard(f"{n} x {all_k} of f16")
        few_rows_times(n, all_k, rows, wrong)
    for n in SUMS:
        part.heard(f"all_reduce of {n}")
        x, out = torch.full([n], rank + 1.0, device="cuda"), torch.zeros(n, device="cuda")
        slots = dist.symmetric_zeros([2, size, n])
        sent = dist.symmetric_zeros([size, kernels.blocks(n)], dtype="int32")
        one_shot = kernels.one_shot(n, size)
        one_shot(x, slots, sent, out)
        if not (out == size * (size + 1) / 2).all().item():
            wrong.append(f"one-shot all_reduce of {n}")
        ours = microseconds(lambda _: one_shot(x, slots, sent, out), dist)
        rows.append([f"all_reduce f32 {n} in one launch", ours, microseconds(lambda _: nccl.all_reduce(x), dist), 0])
    together(dist)
    nccl.destroy_process_group()
    return {"wrong": wrong, "rows": rows}


CHECKS = {"put, get and signal": neighbours, "ring all_reduce": rings, "memory given again": reuse, "products and times": products,
          "sizes that differ": sizes}  # the last one leaves a group that is of no use
LOSSES = {"a rank dies, hidet waits": loses_in_hidet, "a rank dies, torch waits": loses_in_torch}


def take_part(options):
    def heard(of):
        if os.environ["RANK"] == "0":
            print(f"{time.strftime('%H:%M:%S')}  {of}", file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(options.limit, exit=True)

    heard("begins")
    part = Part(heard)
    said = {"wrong": {}, "rows": []}
    for name in json.loads(options.role):
        try:
            wrong = {**CHECKS, **LOSSES}[name](part)
            if isinstance(wrong, dict):
                wrong, said["rows"] = wrong["wrong"], wrong["rows"]
        except Exception as error:  # in the table, too
            traceback.print_exc()
            wrong = [f"{type(error).__name__}: {error}"]
        said["wrong"][name] = wrong
    print(json.dumps(said), flush=True)
    faulthandler.cancel_dump_traceback_later()


# ---- the other processes -------------------------------------------------------------------------------------------------


class Ranks:
    """One program as several processes, each with a GPU."""

    def __init__(self, words, options):
        self.begin = time.monotonic()
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.running = []
        for rank in range(options.ranks):
            named = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": options.ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                     "PEERS_STORE": os.path.join(self.folder.name, "store")}
            environment = {"NCCL_NVLS_ENABLE": "0", **os.environ, **{name: str(value) for name, value in named.items()}}
            self.running.append(subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def ended(self, limit):
        """(exit code, output, messages) of each; who is not there in time is killed."""
        said = []
        for rank in self.running:
            try:
                output, messages = rank.communicate(timeout=max(0.1, limit - (time.monotonic() - self.begin)))
            except subprocess.TimeoutExpired:
                rank.kill()
                output, messages = rank.communicate()
                messages += "\nkilled: it did not end in time"
            said.append((rank.returncode, output, messages))
        self.seconds = time.monotonic() - self.begin
        self.folder.cleanup()
        return said


def last_line(text):
    return (text.strip().split("\n") or [""])[-1]


def started(names, options):
    return Ranks([sys.executable, os.path.abspath(__file__), "--as", json.dumps(names), "--limit", str(options.limit)], options)


def checked(names, options):
    """What is wrong, by part, and the rows of times."""
    wrong, rows = {name: [] for name in names}, []
    for rank, (code, output, messages) in enumerate(started(names, options).ended(3 * options.limit)):
        sys.stderr.write(messages)
        if code != 0:
            for name in names:
                wrong[name].append(f"rank {rank} ended with {code}: {last_line(messages)}")
            continue
        said = json.loads(last_line(output))
        for name in names:
            wrong[name] += [f"rank {rank}: {each}" for each in said["wrong"][name]]
        rows = rows or said["rows"]
    return wrong, rows


def judged_loss(ranks, wanted, options):
    """Of a rank that is killed: how long rank 0 lives on, and its message."""
    code, output, messages = ranks.ended(options.limit)[0]
    sys.stderr.write(messages)
    try:
        said = json.loads(last_line(output))
    except ValueError:
        said = {"error": last_line(messages)}
    error = said.get("error", "")
    good = code == wanted and "rank 1 (process" in error and "has ended" in error
    seconds = f"after {said['seconds']:.1f} s" if said.get("seconds") else f"in {ranks.seconds:.1f} s with its start"
    return [] if good else [f"exit code {code}: {error}"], f"{seconds}: {error}"


def judged_sample(ranks, options):
    said = ranks.ended(options.limit)
    wrong = [f"rank {rank} ended with {code}: {messages.strip()[-600:]}" for rank, (code, output, messages) in enumerate(said)
             if code != 0 or f"rank {rank} of {options.ranks}: " not in output or "correct" not in output]
    return wrong, last_line(said[0][1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--limit", type=float, default=45, help="seconds of one part")
    parser.add_argument("--only", action="append", help="parts whose name holds the word")
    parser.add_argument("--as", dest="role", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        return take_part(options)
    hidetc = shutil.which("hidetc", path=os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""))
    hidetc = os.environ.get("HIDETC") or hidetc or "hidetc"
    chosen = lambda names: [name for name in names if not options.only or any(word in name for word in options.only)]
    begin = time.monotonic()
    names = chosen(CHECKS)
    wrong, rows = checked(names, options) if names else ({}, [])  # alone, as it measures
    table = [(name, wrong[name], "") for name in names]
    # What is no matter of time, all at once.
    others = {f"{name} {way}": Ranks([*words, path], options) for name, path in SAMPLES.items()
              for way, words in (("in Python", [sys.executable]), ("by hidetc", [hidetc, "run", "--trust"])) if chosen([f"{name} {way}"])}
    losses = {name: started([name], options) for name in chosen(LOSSES)}
    table += [(name, *judged_sample(ranks, options)) for name, ranks in others.items()]
    table += [(name, *judged_loss(ranks, 0 if "hidet" in name else 3, options)) for name, ranks in losses.items()]
    for name, wrong, note in table:
        print(f"{'FAILED' if wrong else 'passed'}  {name:32} {'; '.join(wrong[:3]) if wrong else note}")
    if rows:
        print(f"\n{'medians, microseconds':44} {'ours':>9} {'cuBLAS + NCCL':>14} {'ratio':>6} {'error/bound':>11}")
    for what, ours, theirs, error in rows:
        print(f"{what:44} {ours:9.1f} {theirs:14.1f} {theirs / ours:6.2f} {error:11.2g}")
    print(f"\n{options.ranks} ranks, {time.monotonic() - begin:.0f} s")
    return int(any(wrong for _, wrong, _ in table))


if __name__ == "__main__":
    sys.exit(main())
