#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What weights of few bits cost a language model: perplexity of text that it has not seen, and the error of each product.

    few_bits.py HIDETC [--seconds 20] [--device cuda] [--check]

with a Python that has torch and hidet. The model predicts characters: a transformer of two layers that learns from the manual for
some seconds. `logits` is the error of its results against float64, as the root of the mean square of the difference over that of the
logits, and likewise with the random weights that it began with. "The better half": a limit leaves the products whose matrices lose more
than others. Of each product, what few bits alone change of its result on that text (`hidetc model run --quantize KIND --compare`).
--check: exits with 1 where a kind costs more than it should."""

import argparse
import copy
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch import nn
from torch.nn import functional as F

import hidet
import hidet.torch
from hidet.torch import _explain

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "lang" / "manual"
LENGTH, WIDTH, HEADS = 64, 128, 4
LEARNED, JUDGED = 8, 32  # sections at once
# name -> options of torch.compile, what may be lost at most: of the perplexity, of the logits
KINDS = {
    "float16": ({}, 0.001, 0.005),
    "int8": ({"quantize": "int8"}, 0.005, 0.02),
    "fp8": ({"quantize": "fp8"}, 0.02, 0.05),
    "int4": ({"quantize": "int4"}, 0.15, 0.3),
    "int4, the better half": ({"quantize": "int4", "quantize_limit": None}, 0.15, 0.3),
}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.qkv, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.between, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in self.qkv(self.before(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2))
        return x + self.down(F.gelu(self.up(self.between(x))))


class Characters(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.table, self.places = nn.Embedding(count, WIDTH), nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.02)
        self.blocks, self.last, self.head = nn.Sequential(Block(), Block()), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, count)

    def forward(self, tokens):
        return self.head(self.last(self.blocks(self.table(tokens) + self.places)))


def manual():
    """As numbers: what is learned, and what is not."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(MANUAL.glob("*.md")))
    letters = {letter: number for number, letter in enumerate(sorted(set(text)))}
    numbers = torch.tensor([letters[each] for each in text])
    seen = len(numbers) * 9 // 10
    return numbers[:seen], numbers[seen:], len(letters)


def sections(text, places):
    return torch.stack([text[place:place + LENGTH + 1] for place in places])


def learn(model, text, seconds):
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    torch.set_num_threads(1)  # more wait for each other at steps as small as these
    end, steps = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        tokens = sections(text, torch.randint(0, len(text) - LENGTH - 1, (LEARNED,)).tolist())
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        steps += 1
    return steps


def perplexity(logits, tokens):
    return math.exp(F.cross_entropy(logits.double().flatten(0, 1), tokens[:, 1:].flatten()).item())


def error(got, wanted):
    return ((got.double() - wanted).norm() / wanted.norm()).item()


def results(model, tokens, options, device):
    torch._dynamo.reset()
    half = copy.deepcopy(model).half().to(device)
    compiled = torch.compile(half, backend="hidet", options=options)
    with torch.no_grad():
        return torch.cat([compiled(each[:, :-1].to(device)).cpu() for each in tokens.split(JUDGED)])


def products(hidetc, model, tokens, folder):
    """Layer -> kind -> the errors of its result and of its matrix."""
    graph, = _explain.graphs_of(model, tokens[:1, :-1])
    path = os.path.join(folder, "model.hidet")
    hidet.save_graph(graph, path)
    numpy.save(os.path.join(folder, "tokens.npy"), tokens[:1, :-1].numpy())
    layers = [name for name, layer in model.named_modules() if isinstance(layer, nn.Linear)]
    out = {name: {} for name in layers}
    for kind in "int8", "fp8", "int4":
        command = [hidetc, "model", "run", path, "--target", "cpu", "--quantize", kind, "--compare", "--json", "--input", f"value 0={folder}/tokens.npy"]
        made = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        for name, row in zip(layers, sorted(made["fewBits"], key=lambda row: row["id"]), strict=True):
            out[name][kind] = row["resultError"], row["weightError"]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hidetc")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    seen, unseen, count = manual()
    tokens = sections(unseen, range(0, len(unseen) - LENGTH - 1, max(LENGTH, len(unseen) // 256)))
    tokens = tokens[: len(tokens) // JUDGED * JUDGED]
    random = Characters(count)
    trained = copy.deepcopy(random)
    steps = learn(trained, seen, options.seconds)
    for model in random, trained:
        model.eval()
    with torch.no_grad():
        exact = {model: copy.deepcopy(model).double()(tokens[:, :-1]) for model in (random, trained)}
    best = perplexity(exact[trained], tokens)
    print(f"{steps} steps, perplexity of {tokens[:, 1:].numel()} characters in float64: {best:.4f} (of random weights {perplexity(exact[random], tokens):.1f})")
    with tempfile.TemporaryDirectory() as folder:
        rows = {model: products(options.hidetc, model, tokens, folder) for model in (trained, random)}
    median = statistics.median(each["int4"][1] for each in rows[trained].values())
    print(f"{'weights':24}{'perplexity':>11}{'change':>9}{'logits':>9}{'random':>9}")
    failed = []
    for name, (given, most_lost, most_changed) in KINDS.items():
        given = {key: value or median for key, value in given.items()}
        logits = {model: results(model, tokens, given, options.device) for model in (trained, random)}
        lost = perplexity(logits[trained], tokens) / best - 1
        changed = error(logits[trained], exact[trained])
        print(f"{name:24}{best * (1 + lost):11.4f}{lost:9.2%}{changed:9.4f}{error(logits[random], exact[random]):9.4f}")
        if lost > most_lost or changed > most_changed:
            failed.append(name)
    print(f"\n{'product':24}" + "".join(f"{kind:>9}{'random':>9}" for kind in ("int8", "fp8", "int4")))
    for name in rows[trained]:
        print(f"{name:24}" + "".join(f"{rows[model][name][kind][0]:9.4f}" for kind in ("int8", "fp8", "int4") for model in (trained, random)))
    if options.check and failed:
        sys.exit(f"more is lost than should be by {', '.join(failed)}")


if __name__ == "__main__":
    main()
