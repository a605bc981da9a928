# SPDX-License-Identifier: Apache-2.0
"""Architectures of torchvision and transformers through torch.compile(backend='hidet') on the CPU, at random weights: right, no
graph break that PyTorch alone would not make, and at most 2 % of the operators in PyTorch.

    models.py [NAME ...] [--small]      with a Python that has torch, torchvision and transformers"""

import argparse
import time
import warnings

import torch

import hidet.torch

VISION = ("alexnet vgg11_bn resnet18 resnet50 resnext50_32x4d wide_resnet50_2 densenet121 mobilenet_v2 mobilenet_v3_large efficientnet_b0 "
          "efficientnet_v2_s squeezenet1_1 shufflenet_v2_x1_0 mnasnet1_0 regnet_y_400mf googlenet inception_v3 convnext_tiny swin_t vit_b_16 "
          "maxvit_t swin_v2_t").split()

NARROW = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}

# Of transformers; name -> configuration of its own where it is small
IMAGES = {
    "mobilenet_v1": {"image_size": 64, "depth_multiplier": 0.25},
    "segformer": {"image_size": 64, "hidden_sizes": [8, 16, 24, 32], "depths": [1] * 4, "num_attention_heads": [1, 2, 3, 4], "decoder_hidden_size": 32},
    "swinv2": {"image_size": 64, "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4], "window_size": 4},
    "focalnet": {"image_size": 64, "embed_dim": 16, "depths": [1, 1], "hidden_sizes": [16, 32], "focal_levels": [2, 2], "focal_windows": [3, 3]},
    "poolformer": {"hidden_sizes": [8, 16, 24, 32], "depths": [1] * 4}, "convnextv2": {"hidden_sizes": [8, 16, 24, 32], "depths": [1] * 4, "image_size": 64},
    "bit": {"embedding_size": 32, "hidden_sizes": [32, 64], "depths": [1, 1], "num_groups": 8},
    "dinov2": {**NARROW, "image_size": 56, "patch_size": 14}, "videomae": {**NARROW, "image_size": 32, "patch_size": 16, "num_frames": 4},
}

SMALL = {**NARROW, "vocab_size": 100, "max_position_embeddings": 64, "pad_token_id": 0}

# name -> configuration of its own
TEXT = {
    "bert": {}, "roberta": {}, "distilbert": {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64}, "albert": {"embedding_size": 16},
    "electra": {"embedding_size": 16}, "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4}, "gpt_neox": {}, "opt": {"ffn_dim": 64, "word_embed_proj_dim": 32},
    "llama": {"num_key_value_heads": 2}, "mistral": {"num_key_value_heads": 2}, "qwen2": {"num_key_value_heads": 2}, "gemma": {"num_key_value_heads": 1, "head_dim": 8},
    "phi": {"num_key_value_heads": 4}, "falcon": {"ffn_hidden_size": 64}, "bloom": {"n_layer": 2, "n_head": 4},
    "t5": {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
    "mpnet": {}, "roformer": {"embedding_size": 32}, "qwen3": {"num_key_value_heads": 2, "head_dim": 8}, "olmo2": {"num_key_value_heads": 2},
    "phi3": {"num_key_value_heads": 2}, "mpt": {"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64},
}


def vision(name, small):
    import torchvision

    model = getattr(torchvision.models, name)(weights=None, **({"init_weights": False} if name in ("googlenet", "inception_v3") else {}))
    size = 299 if name == "inception_v3" else 224
    return model, {"input": torch.randn(1, 3, size, size)}


def text(name, small):
    import transformers

    config = transformers.AutoConfig.for_model(name, **({**SMALL, **TEXT[name]} if small else {"vocab_size": 1000}))
    if not small and hasattr(config, "num_hidden_layers"):
        config.num_hidden_layers = min(config.num_hidden_layers, 4)
    model = transformers.AutoModel.from_config(config)
    inputs = {"input_ids": torch.randint(1, 100, (2, 16))}
    if name == "t5":
        inputs["decoder_input_ids"] = torch.randint(1, 100, (2, 8))
    if hasattr(model.config, "use_cache"):
        model.config.use_cache = False
    return model, inputs


def image(name, small):
    import transformers

    config = transformers.AutoConfig.for_model(name, **(IMAGES[name] if small else {}))
    size = getattr(config, "image_size", 64 if small else 224) or 224
    frames = [config.num_frames] if name == "videomae" else []
    return transformers.AutoModel.from_config(config), {"pixel_values": torch.randn(1, *frames, 3, size, size)}


def made(name, small):
    """A model and its inputs."""
    return text(name, small) if name in TEXT else image(name, small) if name in IMAGES else vision(name, small)


def randomised(model):
    """Heads that are zero at first say nothing."""
    for parameter in model.parameters():
        if not parameter.any():
            torch.nn.init.normal_(parameter, std=0.02)


def first_tensor(value):
    return next(each for each in torch.utils._pytree.tree_flatten(value)[0] if isinstance(each, torch.Tensor))


def check(name, small):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = made(name, small)
    model.eval()
    randomised(model)
    args = tuple(inputs.values()) if name in VISION else ()
    keywords = {} if name in VISION else inputs
    with torch.no_grad():
        wanted = first_tensor(model(*args, **keywords))
        start = time.monotonic()
        said = hidet.torch.explain(model, *args, **keywords)
        seconds = time.monotonic() - start
        torch._dynamo.reset()  # which lets go of its weights
        compiled = torch.compile(model, backend=hidet.torch.backend)
        got = first_tensor(compiled(*args, **keywords))
        start = time.monotonic()
        got = first_tensor(compiled(*args, **keywords))
        call = time.monotonic() - start
        start = time.monotonic()
        model(*args, **keywords)
        eager = time.monotonic() - start
    scale = float(wanted.abs().max()) or 1.0
    difference = float((got - wanted).abs().max()) / scale
    share = said.in_pytorch / max(1, said.in_pytorch + said.compiled)
    problem = "wrong" if not difference < 1e-3 else "in PyTorch" if share > 0.02 else ""
    print(f"{name:22} {len(said.graphs)} graphs {said.compiled:5} compiled {said.in_pytorch:3} not, differs by {difference:.1e}, first {seconds:.1f} s, "
          f"then {call * 1e3:.1f} ms (eager {eager * 1e3:.1f} ms) {problem}", flush=True)
    for operator, reason, count in said.rows:
        print(f"    {count} {operator}: {reason}")
    return problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    failed = 0
    for name in options.names or [*VISION, *TEXT, *IMAGES]:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                failed += bool(check(name, options.small))
            except Exception as error:
                failed += 1
                print(f"{name}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
