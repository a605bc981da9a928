# SPDX-License-Identifier: Apache-2.0
"""hidet.distributed by NCCL on the GPUs of this machine: every operation with many dtypes and odd sizes, and what it carries beside
torch.distributed, whose Python (--python) may be another one. The times come first, as what is measured takes seconds; a rank that
says nothing for so many seconds (--limit) ends with its stack.

    python3 tests/gpu/distributed.py --ranks 2 [--bench] [--python PYTHON] [--device cpu] [--limit SECONDS]

PYTHONPATH, or a wheel that is installed, has hidet. Exit codes: 0 all right, 1 something was not.
"""

import argparse
import faulthandler
import json
import os
import socket
import statistics
import subprocess
import sys
import time

SIZES = (1, 7, 1023, 4096, 1000003)
REDUCED = ("float32", "float16", "bfloat16", "float64", "int32", "int64", "int8", "uint8")
MOVED = (*REDUCED, "bool", "int16", "float8_e4m3")
BENCHED = (1 << 10, 1 << 20, 1 << 26, 1 << 30)  # bytes
MOST_ON_CPU = 1 << 20
NAMES = ("all_reduce", "reduce", "broadcast", "all_gather", "all_gather_into_tensor", "gather", "scatter", "reduce_scatter",
         "reduce_scatter_tensor", "all_to_all", "send and recv", "new_group", "reduce_scatter", "barrier")


def check_rank(device, heard):
    """What is wrong, by the operation's name: {name: [what, ...]}."""
    import hidet
    import hidet.distributed as dist

    backend = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(backend)
    rank, size = dist.get_rank(), dist.get_world_size()
    wrong = {name: [] for name in NAMES}
    if device == "cuda" and dist.get_backend() != backend:
        wrong["barrier"].append(f"the data goes by {dist.get_backend()}")

    def is_all(tensor, value, name):
        seen = tensor.cpu().astype("float32")
        if not (seen == float(value)).all().item():
            wrong[name].append(f"{tensor.dtype}{list(tensor.shape)}: {seen.flatten().tolist()[:4]} instead of {value}")

    for n in SIZES:
        for dtype in MOVED:
            heard(f"{n} of {dtype}")
            one = lambda value: hidet.full([n], float(value), dtype="float32", device="cpu").astype(dtype).to(device=device)
            truth = (lambda value: min(value, 1)) if dtype == "bool" else (lambda value: value)
            everyone = range(size)
            x = one(rank + 1)
            dist.broadcast(x, size - 1)
            is_all(x, truth(size), "broadcast")
            got = [one(0) for _ in everyone]
            dist.all_gather(got, one(rank))
            for each in everyone:
                is_all(got[each], truth(each), "all_gather")
            parts = [one(rank * size + each) for each in everyone]
            dist.all_to_all(got, parts)
            for each in everyone:
                is_all(got[each], truth(each * size + rank), "all_to_all")
            dist.gather(one(rank + 5), got if rank == 0 else None)
            for each in everyone if rank == 0 else ():
                is_all(got[each], truth(each + 5), "gather")
            dist.scatter(x, parts if rank == 1 else None, src=1)
            is_all(x, truth(size + rank), "scatter")
            whole = hidet.zeros([size, n], dtype=dtype, device=device)
            dist.all_gather_into_tensor(whole, one(rank))
            for each in everyone:
                is_all(whole[each], truth(each), "all_gather_into_tensor")
            if rank == 0:
                dist.send(one(9), 1)
            elif rank == 1:
                dist.recv(x, 0)
                is_all(x, truth(9), "send and recv")
            if dtype not in REDUCED:
                continue
            for op, value in (("sum", size * (size + 1) // 2), ("max", size), ("min", 1)):
                x = one(rank + 1)
                dist.all_reduce(x, op)
                is_all(x, value, "all_reduce")
            x = one(rank + 1)
            dist.reduce(x, 1, "sum")
            is_all(x, size * (size + 1) // 2 if rank == 1 else rank + 1, "reduce")
            dist.reduce_scatter(x, parts, "min")
            is_all(x, rank, "reduce_scatter")
            dist.reduce_scatter_tensor(x, whole, "max")
            is_all(x, rank, "reduce_scatter_tensor")
    part = dist.new_group([size - 1, 0])
    if rank in (0, size - 1):
        x = hidet.full([3], float(rank), device=device)
        dist.all_reduce(x, group=part)
        is_all(x, size - 1, "new_group")
    dist.barrier()
    return wrong


def measured(start, wait):
    """Milliseconds of a call: the median of twenty, each waited for."""
    times = []
    for i in range(25):
        wait()
        begin = time.perf_counter()
        start()
        wait()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times[5:])


def bench_rank(library, device, heard):
    if library == "hidet":
        import hidet
        import hidet.distributed as dist

        dist.init_process_group("nccl" if device == "cuda" else "gloo")
        make, wait = lambda count: hidet.ones([count], device=device), hidet.cuda.synchronize if device == "cuda" else lambda: None
    else:
        import torch
        import torch.distributed as dist

        if device == "cuda":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if device == "cuda" else "gloo")
        make, wait = lambda count: torch.ones(count, device=device), torch.cuda.synchronize if device == "cuda" else lambda: None
    out = []
    for bytes_ in (each for each in BENCHED if device == "cuda" or each <= MOST_ON_CPU):
        heard(f"{bytes_} bytes")
        size = dist.get_world_size()
        x, whole = make(bytes_ // 4), make(bytes_ // 4 * size)
        out.append(("all_reduce", bytes_, measured(lambda: dist.all_reduce(x), wait)))
        out.append(("all_gather_into_tensor", bytes_, measured(lambda: dist.all_gather_into_tensor(whole, x), wait)))
        out.append(("reduce_scatter_tensor", bytes_, measured(lambda: dist.reduce_scatter_tensor(x, whole), wait)))
        out.append(("broadcast", bytes_, measured(lambda: dist.broadcast(x, 0), wait)))
    return out


def started(words, options):
    """What each rank says, as JSON on its last line; its last message where it failed."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    python = options.python if words == "torch" else sys.executable
    running = []
    for rank in range(options.ranks):
        variables = {"RANK": rank, "WORLD_SIZE": options.ranks, "LOCAL_RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        environment = {"NCCL_NVLS_ENABLE": "0", **os.environ, **{name: str(value) for name, value in variables.items()}}
        running.append(subprocess.Popen([python, os.path.abspath(__file__), "--as", words, "--device", options.device,
                                         "--limit", str(options.limit)], env=environment, text=True, stdout=subprocess.PIPE))
    said = []
    for rank in running:
        output, _ = rank.communicate()
        said.append(json.loads(output.strip().split("\n")[-1]) if rank.returncode == 0 else f"ended with {rank.returncode}")
    return said


def take_part(options):
    rank = os.environ["RANK"]

    def heard(of):
        if rank == "0":
            print(f"{time.strftime('%H:%M:%S')}  {options.role}: {of}", file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(options.limit, exit=True)

    heard("begins")
    said = check_rank(options.device, heard) if options.role == "check" else bench_rank(options.role, options.device, heard)
    print(json.dumps(said), flush=True)
    faulthandler.cancel_dump_traceback_later()


def print_times(options):
    """Whether there are any."""
    ours, theirs = started("hidet", options), started("torch", options)
    lost = [f"{library}, rank {rank}: {each}" for library, said in (("hidet", ours), ("torch", theirs))
            for rank, each in enumerate(said) if isinstance(each, str)]
    if lost:
        print(*lost, sep="\n", flush=True)
        return False
    print("operation                bytes      ours, ms  torch, ms  ours, GB/s  share of torch's")
    for (name, bytes_, mine), (_, _, other) in zip(ours[0], theirs[0]):
        print(f"{name:23} {bytes_:10}  {mine:8.3f}  {other:9.3f}  {bytes_ / mine / 1e6:10.1f}  {other / mine:6.2f}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--as", dest="role")
    options = parser.parse_args()
    if options.role:
        return take_part(options)
    failed = options.bench and not print_times(options)
    said = started("check", options)
    lost = [f"rank {rank}: {each}" for rank, each in enumerate(said) if isinstance(each, str)]
    print(*lost, sep="\n")
    failed |= bool(lost)
    for name in () if lost else dict.fromkeys(NAMES):
        wrong = [what for each in said for what in each[name]]
        failed |= bool(wrong)
        print(f"{'failed' if wrong else 'passed'}  {name}{'  ' + wrong[0] if wrong else ''}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
