#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes shapes.json: 400 shapes of products, convolutions, attentions and reductions, as 40 architectures have them.

    shapes.py > shapes.json      with a Python that has torch, torchvision and transformers

Each architecture runs on tensors without memory, at several batches and lengths, and what its operators are given is written down.
The shapes are drawn from that at random, as many of each architecture as of any other. Half of them (`choosing`) is what templates
and their defaults may be tuned for; the other half (`judging`) is what a claim is measured with. In order of both files any first
part is a fair sample. The seed is fixed: same versions of those packages, same shapes.
"""

import collections
import itertools
import json
import random

import torch
from torch.overrides import TorchFunctionMode

SEED = 1
COUNTS = {"product": 160, "convolution": 120, "attention": 80, "reduction": 40}
BATCHES = [1, 2, 4, 8, 16, 32, 64]
LENGTHS = [16, 64, 100, 128, 384, 512, 1000, 2048, 4096, 8192]
CACHED = [128, 512, 1000, 2048, 4096, 8192]  # before a token
MOST_ELEMENTS = 1 << 26  # of an operand or a result
MOST_TOKENS = 1 << 15
VISION = {
    "resnet18": 224, "resnet50": 224, "resnext50_32x4d": 224, "wide_resnet50_2": 224, "mobilenet_v2": 224, "mobilenet_v3_large": 224,
    "efficientnet_b0": 224, "efficientnet_v2_s": 384, "densenet121": 224, "convnext_tiny": 224, "regnet_y_1_6gf": 224, "inception_v3": 299,
    "vgg16": 224, "squeezenet1_1": 224, "shufflenet_v2_x1_0": 224, "mnasnet1_0": 224, "googlenet": 224, "swin_t": 224, "vit_b_16": 224,
    "maxvit_t": 224,
}
LANGUAGE = {  # configuration, what differs from its defaults
    "bert-base": ("BertConfig", {}),
    "bert-large": ("BertConfig", dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)),
    "distilbert": ("DistilBertConfig", {}),
    "albert-base": ("AlbertConfig", dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072)),
    "electra-small": ("ElectraConfig", {}),
    "mpnet": ("MPNetConfig", {}),
    "gpt2": ("GPT2Config", {}),
    "gpt2-medium": ("GPT2Config", dict(n_embd=1024, n_layer=24, n_head=16)),
    "opt-125m": ("OPTConfig", {}),
    "opt-1.3b": ("OPTConfig", dict(hidden_size=2048, ffn_dim=8192, num_attention_heads=32)),
    "pythia-1b": ("GPTNeoXConfig", dict(hidden_size=2048, num_attention_heads=8, intermediate_size=8192)),
    "llama-1b": ("LlamaConfig", dict(hidden_size=2048, num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192, head_dim=64)),
    "llama-8b": ("LlamaConfig", dict(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336)),
    "mistral-7b": ("MistralConfig", {}),
    "qwen2-0.5b": ("Qwen2Config", dict(hidden_size=896, num_attention_heads=14, num_key_value_heads=2, intermediate_size=4864)),
    "qwen2-7b": ("Qwen2Config", dict(hidden_size=3584, num_attention_heads=28, num_key_value_heads=4, intermediate_size=18944)),
    "gemma-2b": ("GemmaConfig", dict(hidden_size=2048, num_attention_heads=8, num_key_value_heads=1, intermediate_size=16384, head_dim=256)),
    "phi-2": ("PhiConfig", dict(hidden_size=2560, num_attention_heads=32, intermediate_size=10240)),
    "roberta-base": ("RobertaConfig", {}),
    "gpt2-large": ("GPT2Config", dict(n_embd=1280, n_layer=36, n_head=20)),
}
LAYERS = dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "n_layers"), 2)  # the others are the same again
DECODERS = ("GPT", "OPT", "Llama", "Mistral", "Qwen", "Gemma", "Phi")


class Written(TorchFunctionMode):
    """What operators are given."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def add(self, kind, **dims):
        self.rows.append({"kind": kind, **{name: int(each) if not isinstance(each, str) else each for name, each in dims.items()}})

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        if name == "linear":
            self.add("product", m=args[0].numel() // args[0].shape[-1], n=args[1].shape[0], k=args[1].shape[1])
        elif name == "addmm":
            self.add("product", m=args[1].shape[0], n=args[2].shape[1], k=args[2].shape[0])
        elif name == "conv2d":
            self.convolution(*args, **kwargs)
        elif name == "scaled_dot_product_attention":
            self.attention(*args, **kwargs)
            return torch.empty(*args[0].shape[:-1], args[2].shape[-1], device="meta", dtype=args[0].dtype)
        elif name in ("layer_norm", "softmax") and args[0].dim() > 1:
            self.add("reduction", operator=name.replace("_", ""), rows=args[0].numel() // args[0].shape[-1], columns=args[0].shape[-1])
        return function(*args, **kwargs)

    def convolution(self, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        strides, paddings, dilations = ([each] * 2 if isinstance(each, int) else list(each) for each in (stride, padding, dilation))
        if dilations == [1, 1]:
            self.add("convolution", batch=x.shape[0], height=x.shape[2], width=x.shape[3], channels=x.shape[1], features=weight.shape[0],
                     rows=weight.shape[2], columns=weight.shape[3], stride=strides[0], pad_h=paddings[0], pad_w=paddings[1], groups=groups)

    def attention(self, q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        self.add("attention", batch=q.shape[0], heads=q.shape[1], shared=q.shape[1] // k.shape[1], queries=q.shape[2], keys=k.shape[2],
                 d=q.shape[3], causal=is_causal)


def of_vision(name, size, batch):
    import torchvision

    model = getattr(torchvision.models, name)(weights=None, **({"init_weights": False} if name in ("inception_v3", "googlenet") else {}))
    written = Written()
    with torch.no_grad(), written:
        model.to("meta").eval()(torch.empty(batch, 3, size, size, device="meta"))
    return written.rows


def of_language(name, batch, length, cached):
    import transformers

    kind, changes = LANGUAGE[name]
    config = getattr(transformers, kind)(**changes)
    for key, count in LAYERS.items():
        if hasattr(config, key):
            setattr(config, key, count)
    for key in ("max_position_embeddings", "n_positions", "n_ctx"):
        if hasattr(config, key):
            setattr(config, key, 1 << 14)
    kind_of_model = transformers.AutoModel._model_mapping[type(config)]
    config._attn_implementation = "sdpa" if kind_of_model._supports_sdpa else "eager"
    with torch.device("meta"):
        model = kind_of_model(config).eval()
    is_decoder = kind.startswith(DECODERS)
    written = Written()
    with torch.no_grad(), written:
        model(torch.empty(batch, length, dtype=torch.int64, device="meta"))
    for row in written.rows:
        if row["kind"] == "attention":
            row["causal"] = int(is_decoder and length > 1)
            if length == 1:  # behind what is cached
                row["keys"] = cached
            if kind.startswith(("Llama", "Mistral", "Qwen", "Gemma")):
                row["shared"] = config.num_attention_heads // config.num_key_value_heads
    return written.rows


def is_taken(row):
    """Small enough to be measured many times, and with something to do."""
    if row["kind"] == "product":
        return max(row["m"] * row["n"], row["m"] * row["k"], row["n"] * row["k"]) <= MOST_ELEMENTS and min(row["n"], row["k"]) > 8
    if row["kind"] == "convolution":
        return row["batch"] * row["height"] * row["width"] * max(row["channels"], row["features"]) <= MOST_ELEMENTS
    if row["kind"] == "attention":
        return row["batch"] * row["heads"] * row["d"] * max(row["queries"], row["keys"]) <= MOST_ELEMENTS and row["keys"] > 1
    return 1 << 12 <= row["rows"] * row["columns"] <= MOST_ELEMENTS and row["columns"] >= 16


def all_rows(chance):
    """By architecture and kind, each shape once."""
    found = collections.defaultdict(dict)
    for name, size in VISION.items():
        for batch in chance.sample(BATCHES, 4):
            for row in filter(is_taken, of_vision(name, size, batch)):
                found[name, row["kind"]][json.dumps(row)] = row
    for name in LANGUAGE:
        pairs = [pair for pair in itertools.product(BATCHES, LENGTHS) if pair[0] * pair[1] <= MOST_TOKENS]
        decoding = [(batch, 1) for batch in chance.sample(BATCHES, 3)] if LANGUAGE[name][0].startswith(DECODERS) else []
        for batch, length in decoding + chance.sample(pairs, 7):
            for row in filter(is_taken, of_language(name, batch, length, chance.choice(CACHED))):
                found[name, row["kind"]][json.dumps(row)] = row
    return found


def drawn(chance, found):
    """Architecture by architecture, in turns."""
    rows = []
    for kind, count in COUNTS.items():
        piles = {name: chance.sample(sorted(of), len(of)) for (name, its), of in found.items() if its == kind}
        taken = {}
        while len(taken) < count and any(piles.values()):
            for name, pile in piles.items():
                while pile and len(taken) < count:
                    if (text := pile.pop()) not in taken:
                        taken[text] = name
                        break
        rows += [{**json.loads(text), "of": name} for text, name in taken.items()]
    chance.shuffle(rows)
    return rows


def main():
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    rows = drawn(chance, all_rows(chance))
    halves = {"choosing": [], "judging": []}
    for kind in COUNTS:
        for number, row in enumerate(row for row in rows if row["kind"] == kind):
            halves["judging" if number % 2 else "choosing"].append(row)
    for half in halves.values():
        chance.shuffle(half)
    print("{" + ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in half) + "\n]" for name, half in halves.items()) + "}")


if __name__ == "__main__":
    main()
