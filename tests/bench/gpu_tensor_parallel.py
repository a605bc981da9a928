#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Llama of transformers in tensor parallel on the GPUs of this machine: PyTorch's division of it (parallelize_module), compiled by each
backend, beside one GPU.

    gpu_tensor_parallel.py [--ranks 2] [--model 1b|8b|tiny] [--tokens 32] [--prefill 128,2048] [--backends hidet:nccl,hidet,inductor]
    gpu_tensor_parallel.py --device cpu --model tiny      between processes on the CPU, by gloo

with a Python that has torch, transformers and hidet. Weights are random, in f16, made on the GPU. Each row has processes of its own,
which are ended after --limit seconds, and all after --seconds. Inductor compiles while other rows run, and is measured behind them.
A token is decoded behind --before others from a StaticCache: `wall`, the host waiting for each token, and `device`, of the GPU of the
first rank behind a wait that hides the host. A prompt is read whole, to its last logits. Logits are compared with those of eager on one
GPU. --kernels says what the first rank's GPU does for a token, as PyTorch's profiler sees it. What processes say is in files, in the
folder that OUT names. The table comes last; the exit code is 1 where a row is missing or wrong."""

import argparse
import faulthandler
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOLERANCE = {"cuda": 2e-2, "cpu": 1e-4}  # of the largest logit
ROUNDS = 10
SETTINGS = {"NCCL_NVLS_ENABLE": "0", "NCCL_GRAPH_REGISTER": "0", "TORCHINDUCTOR_COMPILE_THREADS": "8"}  # unless the environment has others


def made(options):
    """The model and its tokens, the same in every process."""
    import torch
    from gpu_decode import SHAPES
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(**SHAPES[options.model], vocab_size=128256 if options.model != "tiny" else 100, max_position_embeddings=131072,
                         rope_theta=500000.0, tie_word_embeddings=False)
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float16 if options.device == "cuda" else torch.float32)
    with torch.device(options.device):
        model = LlamaForCausalLM(config).eval()
        longest = max(options.before, *options.lengths)
        return model, torch.randint(0, config.vocab_size, (1, longest)), torch.randint(0, config.vocab_size, (1, options.tokens))


def divided(model, options):
    """As Megatron divides it: columns of the first products, rows of the last ones, the vocabulary."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    plan = {"lm_head": ColwiseParallel(output_layouts=Replicate())}
    for layer in range(model.config.num_hidden_layers):
        for name in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.gate_proj", "mlp.up_proj"):
            plan[f"model.layers.{layer}.{name}"] = ColwiseParallel()
        for name in ("self_attn.o_proj", "mlp.down_proj"):
            plan[f"model.layers.{layer}.{name}"] = RowwiseParallel()
    return parallelize_module(model, init_device_mesh(options.device, (options.ranks,)), plan)


class Row:
    """What is measured of one way to run the model, by all of its ranks alike; the first one says it."""

    def __init__(self, model, backend, options):
        import torch

        self.model, self.options = model, options
        if backend == "eager":
            self.step = self.read = model
        else:
            backend, _, how = backend.partition(":")
            if how == "nccl":
                import hidet.torch

                hidet.torch.dynamo_config.use_peer_kernels(False)
            self.step = torch.compile(model, backend=backend, mode="reduce-overhead", dynamic=False)
            self.read = torch.compile(lambda ids: model(input_ids=ids, use_cache=False, logits_to_keep=1), backend=backend,
                                      mode="reduce-overhead", dynamic=False)

    def prefill(self, prompt):
        read = self.read if self.read is not self.model else lambda ids: self.model(input_ids=ids, use_cache=False, logits_to_keep=1)
        return read(prompt).logits.clone()

    def wait(self):
        import torch

        if self.options.device == "cuda":
            torch.cuda.synchronize()

    def prefill_ms(self, prompt):
        times = []
        for _ in range(ROUNDS):
            self.wait()
            start = time.perf_counter()
            self.prefill(prompt)
            self.wait()
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)

    def kernels(self, decoder, tokens):
        import torch

        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for i in range(tokens.shape[1]):
                decoder(tokens[:, i : i + 1])
            self.wait()
        events = [each for each in profile.key_averages() if each.self_device_time_total]
        return [f"{each.self_device_time_total / tokens.shape[1]:9.1f} us {each.count / tokens.shape[1]:6.1f} x {each.key[:90]}"
                for each in sorted(events, key=lambda each: -each.self_device_time_total)[:12]]

    def measure(self, prompt, tokens, reference, heard):
        """Tells `heard` name -> number, again and again with more of them. `reference`: name -> logits of eager; filled where it is empty."""
        import torch
        from gpu_decode import Decoder, decoded, device, wall

        options = self.options
        options.cache = options.before + options.tokens
        behind, found = prompt[:, : options.before], {}
        decoder = lambda: Decoder(self.model, self.step, behind, options)

        def first(name, function):
            self.wait()
            start = time.perf_counter()
            logits = function()
            self.wait()
            found["compiled in, s"] = found.get("compiled in, s", 0.0) + time.perf_counter() - start
            wanted = reference.setdefault(name, logits)
            found["differs by"] = max(found.get("differs by", 0.0), float((logits - wanted).abs().max() / wanted.abs().max()))
            heard(name, found)

        first("decode", lambda: decoded(decoder(), tokens))
        self.pass_gate()
        if not options.only_first:
            found["wall, µs a token"] = wall(decoder(), tokens)
            if options.device == "cuda":
                found["device, µs a token"] = device(decoder(), tokens)
            heard("tokens are measured", found)
        for length in options.lengths:
            first(f"prefill {length}", lambda: self.prefill(prompt[:, :length]))
            if not options.only_first:
                found[f"prefill {length}, ms"] = self.prefill_ms(prompt[:, :length])
                heard(f"{length} tokens are measured", found)
        if options.kernels and not options.only_first:
            found["kernels"] = self.kernels(decoder(), tokens)
        return found

    def pass_gate(self):
        """A pipe, which opens when it is this row's turn."""
        if self.options.gate:
            os.close(os.open(self.options.gate, os.O_RDONLY))


def take_part(options):
    """One process of a row."""
    import torch
    import torch.distributed as dist

    if "hidet" in options.role:
        import hidet.torch  # noqa: F401  which tells of signals in its own way
    faulthandler.enable(all_threads=False)
    faulthandler.dump_traceback_later(options.limit, exit=True)
    rank = int(os.environ["RANK"])

    def heard(what, found):
        if rank == 0:
            print(json.dumps({**found, "last": what}), flush=True)

    if options.device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    else:
        torch.set_num_threads(1)
    if options.ranks > 1:
        dist.init_process_group("nccl" if options.device == "cuda" else "gloo")
    heard("begins", {})
    with torch.no_grad():
        model, prompt, tokens = made(options)
        reference = torch.load(options.reference, map_location=options.device) if os.path.getsize(options.reference) else {}
        if options.ranks > 1:
            model = divided(model, options)
        heard("has its weights", {})
        found = Row(model, options.role, options).measure(prompt, tokens, reference, heard)
        if rank == 0 and not os.path.getsize(options.reference):
            torch.save(reference, options.reference)
    heard("is done", {**found, "done": True})
    sys.stdout.flush()
    os._exit(0)  # graphs with collectives in them outlive no group


class Running:
    """The processes of a row."""

    def __init__(self, role, ranks, options, *more):
        self.title = f"{role}, {ranks} process{'es' if ranks > 1 else ''}"
        self.limit = options.seconds - (time.monotonic() - options.begin)
        self.limit = self.limit if "--gate" in more else min(options.limit, self.limit)
        self.said, self._processes = {}, []
        self._path = os.path.join(options.folder, f"{role.replace(':', '-')}-{ranks}")
        if self.limit < 10:
            return
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        words = [sys.executable, os.path.abspath(__file__), "--as", role, "--ranks", str(ranks), "--reference", options.reference, *more]
        for name in ("model", "tokens", "before", "prefill", "device"):
            words += [f"--{name}", str(getattr(options, name))]
        words += ["--limit", str(self.limit), *(["--kernels"] if options.kernels else [])]
        for rank in range(ranks):
            variables = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
            environment = {**SETTINGS, **os.environ, **{name: str(value) for name, value in variables.items()}}
            with open(f"{self._path}-rank{rank}.txt", "w", encoding="utf-8") as errors:
                self._processes.append(subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL,
                                                        stderr=errors))

    def end(self, limit=None):
        """What the first rank has said. In the end none of them is left."""
        if self._processes:
            timer = threading.Timer(limit or self.limit + 5, self._kill)
            timer.start()
            for line in self._processes[0].stdout:
                if line.startswith("{"):
                    self.said |= json.loads(line)
                    print(f"{time.strftime('%H:%M:%S')}  {self.title}: {self.said['last']}", file=sys.stderr, flush=True)
            timer.cancel()
        self._kill()
        if not self.said.get("done"):
            self._print_failure()
        return self.said

    def _kill(self):
        for each in self._processes:
            each.kill()
            each.wait()

    def _print_failure(self):
        """Of each rank the last lines that say something of Python."""
        print(f"{self.title}: ends behind '{self.said.get('last', 'nothing')}'", file=sys.stderr)
        for rank, _ in enumerate(self._processes):
            with open(f"{self._path}-rank{rank}.txt", encoding="utf-8", errors="replace") as file:
                lines = [line.rstrip()[:160] for line in file]
            places = [line for line in lines if '.py", line' in line and "torch/_" not in line]
            said = [line for line in lines if re.search("rror|Fatal|Timeout|warn", line)]
            shown = [*said[-2:], *(places[:4] if any("Fatal" in line for line in said) else places[-4:])]
            for line in shown:
                print(f"  rank {rank}: {line}", file=sys.stderr, flush=True)


def print_table(rows, options):
    names = ["wall, µs a token", *(["device, µs a token"] if options.device == "cuda" else []),
             *(f"prefill {length}, ms" for length in options.lengths), "differs by", "compiled in, s"]
    print("| |", " | ".join(names), "|\n|---|" + "--:|" * len(names))
    for title, said in rows:
        cells = [f"{said[name]:.{2 if 'ms' in name else 0}f}" if name in said and name != "differs by" else f"{said[name]:.1e}" if name in said else "-"
                 for name in names]
        print(f"| {title} |", " | ".join(cells), "|" if said.get("done") else "| not done |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--model", choices=("1b", "8b", "tiny"), default="1b")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--before", type=int, default=1024, help="tokens of the prompt")
    parser.add_argument("--prefill", default="128,2048", help="lengths of prompts")
    parser.add_argument("--backends", default="hidet:nccl,hidet,inductor",
                        help="of all GPUs; hidet:nccl without kernels that reach other GPUs")
    parser.add_argument("--alone", default="hidet", help="backends of one GPU")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--limit", type=float, default=100, help="seconds of a row")
    parser.add_argument("--seconds", type=float, default=230)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--as", dest="role", help=argparse.SUPPRESS)
    for name in ("reference", "gate"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    parser.add_argument("--only-first", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.lengths = [int(each) for each in options.prefill.split(",") if each]
    if options.kernels and options.device != "cuda":
        parser.error("--kernels is of GPUs")
    if options.role:
        return take_part(options)
    options.begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        options.folder = os.environ.get("OUT") or folder
        options.reference, gate = os.path.join(folder, "reference"), os.path.join(folder, "gate")
        open(options.reference, "wb").close()
        os.mkfifo(gate)
        Running("eager", 1, options, "--only-first").end()
        backends = [each for each in options.backends.split(",") if each]
        slow = [Running(each, options.ranks, options, "--gate", gate) for each in backends if each == "inductor"]
        rows = []
        for each, ranks in [(each, options.ranks) for each in backends if each != "inductor"] + [(each, 1) for each in options.alone.split(",") if each]:
            rows.append(Running(each, ranks, options))
            rows[-1].end()
        opened = os.open(gate, os.O_RDWR)
        for each in slow:
            each.end(max(5.0, options.seconds - (time.monotonic() - options.begin)))
        os.close(opened)
    for each in rows + slow:
        if "kernels" in each.said:
            print(f"{each.title}, for a token:", *each.said["kernels"], sep="\n  ")
    print_table([(each.title, each.said) for each in rows + slow], options)
    return int(not all(each.said.get("done") and each.said["differs by"] < TOLERANCE[options.device] for each in rows + slow))


if __name__ == "__main__":
    sys.exit(main())
