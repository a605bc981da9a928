# SPDX-License-Identifier: Apache-2.0
"""Models through torch.compile on a GPU: hidet beside PyTorch without a compiler and Inductor, in one run, in turns of ten calls. f16.

    bench.py [NAME ...] [--mode reduce-overhead] [--rounds 30] [--batch 0] [--jobs 1] [--train]

--batch: so many images, or texts of 128 tokens (0: the inputs as they are). --jobs: so many processes compile all models first, and what compilers keep on disk serves the run that
measures. Of a model that hidet is slower at it says which kernels take the longest. --train: a step of training instead, in f32: forward, backward, SGD.

One row a model: by how much hidet's result differs from PyTorch's in f32; median milliseconds of the GPU behind a wait that hides the
host (as tests/bench/gpu_models.py measures), of a call with its end waited for, and of the host alone (`nothing`: of a compiled graph
that computes nothing, which is PyTorch's own part); seconds of the first three calls: a second run of this program has those with what
compilers keep on disk. Images are in channels_last, in which PyTorch's convolutions are fastest."""

import argparse
import concurrent.futures
import copy
import statistics
import subprocess
import sys
import time

import torch

import hidet.torch
from models import TEXT, VISION, first_tensor, made, randomised

CALLS = 10  # of one way in a row, as in a program that has one: others would take the host's caches
NAMES = ["resnet50", "bert", "gpt2", "resnet18", "mobilenet_v2", "inception_v3", "vit_b_16", "llama"]
HIDING = 4_000_000  # cycles: longer than the host takes for a call of any of them


def milliseconds(function):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    began = time.perf_counter()
    start.record()
    function()
    end.record()
    host = (time.perf_counter() - began) * 1e3
    torch.cuda.synchronize()
    return start.elapsed_time(end), host


def of_the_device(function):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(HIDING)
    start.record()
    function()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def nothing(module, inputs, **_):
    """A backend."""
    results = module(*inputs)
    return lambda *args: results


def inputs_of(given, batch):
    """Of this batch, on the GPU; as they are, for none."""
    for key, value in given.items():
        if batch and value.is_floating_point():
            value = torch.randn(batch, *value.shape[1:])
        elif batch:
            value = torch.randint(1, 100, (batch, 128))
        yield key, value.cuda()


def slowest(run, most=6):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(CALLS):
            run()
        torch.cuda.synchronize()
    for event in sorted(profile.key_averages(), key=lambda each: -each.self_device_time_total)[:most]:
        print(f"    {event.self_device_time_total / CALLS:8.1f} us = {event.count // CALLS:3} x {event.key[:100]}", flush=True)


def fill_caches(options):
    """Models by name, each in a process of its own that compiles it."""
    def fill(name):
        words = [sys.executable, __file__, name, "--rounds", "0", "--batch", str(options.batch), "--mode", options.mode]
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(fill, options.names))


def measured(name, mode, rounds, batch):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = made(name, False)
    randomised(model)
    model.eval().cuda()
    args = dict(inputs_of(inputs, batch))
    if all(value.dim() == 4 for value in args.values()):
        model = model.to(memory_format=torch.channels_last)
        args = {key: value.to(memory_format=torch.channels_last) for key, value in args.items()}
    call = (lambda m: m(*args.values())) if name in VISION else (lambda m: m(**args))
    with torch.no_grad():
        wanted = first_tensor(call(model)).float()
        model.half()
        args = {key: value.half() if value.is_floating_point() else value for key, value in args.items()}
        ways, first = {"eager": model}, {}
        for way, backend in ("nothing", nothing), ("inductor", "inductor"), ("hidet", hidet.torch.backend):
            ways[way] = torch.compile(model, backend=backend, mode=None if backend is nothing else mode)
            began = time.perf_counter()
            for _ in range(3):
                torch.compiler.cudagraph_mark_step_begin()
                result = first_tensor(call(ways[way])).float()
            torch.cuda.synchronize()
            first[way] = time.perf_counter() - began
        difference = float((result - wanted).abs().max() / wanted.abs().max())
        if not rounds:
            return
        times = {what: {way: [] for way in ways} for what in ("GPU", "call", "host")}
        for _ in range(rounds):
            for way, run in ways.items():
                for _ in range(CALLS):
                    torch.compiler.cudagraph_mark_step_begin()
                    waited, host = milliseconds(lambda: call(run))
                    times["call"][way].append(waited)
                    times["host"][way].append(host)
                    torch.compiler.cudagraph_mark_step_begin()
                    times["GPU"][way].append(of_the_device(lambda: call(run)))
    medians = {what: {way: statistics.median(each) for way, each in of.items()} for what, of in times.items()}
    print(f"{name:13} differs by {difference:.1e}  " +
          "  ".join(f"{what} " + ", ".join(f"{way} {ms:.3f}" for way, ms in of.items() if what == "host" or way != "nothing") + " ms" for what, of in medians.items()) +
          "  first " + ", ".join(f"{way} {s:.1f}" for way, s in first.items()) +
          " s  inductor/hidet " + ", ".join(f"{what} {medians[what]['inductor'] / medians[what]['hidet']:.2f}" for what in ("GPU", "call")), flush=True)
    if medians["GPU"]["inductor"] < medians["GPU"]["hidet"]:
        with torch.no_grad():
            slowest(lambda: call(ways["hidet"]))


def step(model, optimizer, args):
    """Forward, backward and an update; the gradients' sum of squares before it."""
    optimizer.zero_grad()
    result = first_tensor(model(**args) if isinstance(args, dict) else model(*args))
    (result.float() ** 2).mean().backward()
    norm = sum(float((each.grad.float() ** 2).sum()) for each in model.parameters() if each.grad is not None)
    optimizer.step()
    return norm


def trained(name, mode, rounds):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = made(name, False)
    randomised(model)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    args = {key: value.cuda() for key, value in inputs.items()}
    if name not in TEXT:
        args = tuple(torch.randn(16, *value.shape[1:], device="cuda") for value in args.values())
    ways, norms, times = {}, {}, {}
    for way, backend in ("eager", None), ("inductor", "inductor"), ("hidet", hidet.torch.backend):
        own = copy.deepcopy(model).train().cuda()
        optimizer = torch.optim.SGD(own.parameters(), lr=1e-4)
        called = torch.compile(own, backend=backend, mode=mode) if backend else own
        norms[way] = [step(called, optimizer, args) for _ in range(4)]
        ways[way] = (called, optimizer)
        times[way] = []
    for _ in range(rounds):
        for way, (called, optimizer) in ways.items():
            torch.compiler.cudagraph_mark_step_begin()
            torch.cuda.synchronize()
            began = time.perf_counter()
            step(called, optimizer, args)
            torch.cuda.synchronize()
            times[way].append((time.perf_counter() - began) * 1e3)
    off = max(abs(mine - theirs) / theirs for mine, theirs in zip(norms["hidet"], norms["eager"]))
    print(f"{name:14} gradients differ by {off:.1e}  " + "  ".join(f"{way} {statistics.median(each):.2f} ms" for way, each in times.items()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mode", default="default")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    options.names = options.names or NAMES
    print(f"{torch.cuda.get_device_name()}, mode {options.mode}")
    if options.jobs > 1:
        fill_caches(options)
    for name in options.names:
        try:
            if options.train:
                trained(name, options.mode, options.rounds)
            else:
                measured(name, options.mode, options.rounds, options.batch)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:500]}", flush=True)


if __name__ == "__main__":
    main()
