#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model that decodes token by token, as people run it: Llama of transformers with a StaticCache, torch.compile of each backend.

    gpu_decode.py [--model 1b|8b] [--before 1024] [--cache 2048] [--tokens 64] [--backends eager,inductor,hidet,hidet:awq]

with a Python that has torch, transformers and hidet. Weights are random, in f16. Each backend decodes the same tokens behind the same
prompt, and its logits are compared with those of eager f16. Times are microseconds a token: `wall` of
the loop, the host waiting for each token as greedy decoding does, and `device`, of the GPU behind a wait that hides the host."""

import argparse
import copy
import pathlib
import statistics
import sys
import time

import torch
from gpu_models import microseconds
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "torch"))
from checkpoints import WQLinear_GEMM  # noqa: E402

SHAPES = {
    "1b": dict(hidden_size=2048, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192, head_dim=64),
    "8b": dict(hidden_size=4096, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336, head_dim=128),
    "tiny": dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=256, head_dim=32),
}
HIDING = 8_000_000  # cycles: longer than the host takes for a token


class Decoder:
    """Tokens behind a prompt, from a cache of its own."""

    def __init__(self, model, step, prompt, options):
        self.step, self.place = step, prompt.shape[1]
        self.cache = StaticCache(config=model.config, max_cache_len=options.cache)
        self.places = torch.arange(options.cache, device=prompt.device)  # copied from the host, one would wait for the GPU
        model(prompt, past_key_values=self.cache, cache_position=self.places[: self.place], use_cache=True)

    def __call__(self, token):
        at = self.places[self.place : self.place + 1]
        self.place += 1
        return self.step(input_ids=token, past_key_values=self.cache, cache_position=at, position_ids=at[None], use_cache=True).logits


def decoded(decoder, tokens):
    return torch.cat([decoder(tokens[:, i : i + 1]).clone() for i in range(tokens.shape[1])], 1)


def wall(decoder, tokens):
    times = []
    for i in range(tokens.shape[1]):
        start = time.perf_counter()
        decoder(tokens[:, i : i + 1]).argmax(-1).item()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def device(decoder, tokens):
    rest = iter(tokens.split(1, 1))
    return microseconds(lambda: decoder(next(rest)), tokens.shape[1], HIDING)


def of_four_bits(model):
    """A copy whose layers have their matrices as AWQ stores them, rounded to the nearest."""
    out = copy.deepcopy(model)
    for parent in [each for each in out.model.modules() if any(isinstance(child, torch.nn.Linear) for child in each.children())]:
        for name, child in parent.named_children():
            if isinstance(child, torch.nn.Linear):
                with torch.device(child.weight.device):
                    setattr(parent, name, WQLinear_GEMM.rounded(child.weight))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=SHAPES, default="1b")
    parser.add_argument("--before", type=int, default=1024, help="tokens of the prompt")
    parser.add_argument("--cache", type=int, default=2048, help="tokens that the cache has room for")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--backends", default="eager,inductor,hidet",
                        help="hidet:int4, :int8 or :fp8 with weights of few bits; hidet:awq or inductor:awq with layers that have them in four already")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    config = LlamaConfig(**SHAPES[options.model], vocab_size=128256 if options.model != "tiny" else 100, max_position_embeddings=131072,
                         rope_theta=500000.0, tie_word_embeddings=options.model == "1b")
    with torch.device(options.device):
        model = LlamaForCausalLM(config).to(torch.float16 if options.device == "cuda" else torch.float32).eval()
        prompt = torch.randint(0, config.vocab_size, (1, options.before))
        tokens = torch.randint(0, config.vocab_size, (1, options.tokens))
    with torch.no_grad():
        wanted = decoded(Decoder(model, model, prompt, options), tokens)
        scale = float(wanted.abs().max())
        print("| backend | wall, µs a token | device, µs a token | logits differ by | of | compiled in, s |\n|---|--:|--:|--:|--:|--:|", flush=True)
        for backend in options.backends.split(","):
            torch._dynamo.reset()
            name, _, bits = backend.partition(":")
            how = {"options": {"quantize": bits}} if bits and bits != "awq" else {"mode": "reduce-overhead"}
            given = of_four_bits(model) if bits == "awq" else model
            step = given if name == "eager" else torch.compile(given, backend=name, **how)
            start = time.time()
            found = decoded(Decoder(model, step, prompt, options), tokens)
            took = time.time() - start
            times = [wall(Decoder(model, step, prompt, options), tokens)]
            times += [device(Decoder(model, step, prompt, options), tokens)] if options.device == "cuda" else [float("nan")]
            worst = float((found - wanted).abs().max())
            print(f"| {backend} | {times[0]:.0f} | {times[1]:.0f} | {worst:.2g} | {scale:.2g} | {took:.0f} |", flush=True)


if __name__ == "__main__":
    main()
