#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports more architectures of torchvision and transformers than the sample does, small and with random weights.

    export_more.py OUT [NAME ...]

It wants the packages of samples/models/export_onnx.py, whose functions it uses.
"""

import contextlib
import os
import pathlib
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "samples", "models"))

import export_onnx  # noqa: E402
import torch  # noqa: E402

VISION = """squeezenet1_1 densenet121 googlenet mnasnet0_5 shufflenet_v2_x0_5 efficientnet_b0 regnet_y_400mf resnext50_32x4d convnext_tiny
    swin_t mobilenet_v3_small""".split()
TEXT = """distilbert roberta albert electra mobilebert deberta_v2 opt gpt_neo gpt_neox gptj qwen2 qwen3 mistral gemma phi bloom falcon
    stablelm olmo xlm_roberta""".split()
SMALL = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, num_key_value_heads=2,
             max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
# What a configuration calls otherwise, or has beside it.
OTHERS = {
    "distilbert": dict(dim=32, n_layers=2, n_heads=4, hidden_dim=64), "albert": dict(embedding_size=16), "electra": dict(embedding_size=16),
    "mobilebert": dict(embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16), "opt": dict(ffn_dim=64, word_embed_proj_dim=32),
    "gpt_neo": dict(num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]]), "gptj": dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_positions=64),
    "qwen3": dict(head_dim=8), "gemma": dict(head_dim=8), "bloom": dict(n_layer=2, n_head=4), "falcon": dict(alibi=False),
}


def image_model(name):
    options = dict(aux_logits=False, init_weights=False) if name == "googlenet" else {}
    return export_onnx.vision(name, "small", 64, **options)


def video_model():
    import torchvision

    return torchvision.models.video.r3d_18(weights=None), (torch.randn(1, 3, 4, 32, 32),)


def segmentation_model():
    import torchvision

    class Out(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)

        def forward(self, x):
            return self.model(x)["out"]

    return Out(), export_onnx.image(64)


def text_model(name):
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(name.replace("_", "-") if name in ("mobilebert", "deberta_v2", "xlm_roberta") and name != "mobilebert" else name,
                                  **{**SMALL, **OTHERS.get(name, {})})
    config._attn_implementation = "eager"
    first = export_onnx.Encoder(AutoModel.from_config(config))
    if "use_cache" in vars(config) or getattr(config, "is_decoder", False):
        config.use_cache = False
    return first, export_onnx.tokens(16, 100)


def main():
    out = pathlib.Path(sys.argv[1])
    torch.backends.mha.set_fastpath_enabled(False)
    makers = {name: lambda size, name=name: image_model(name) for name in VISION}
    makers |= {"r3d_18": lambda size: video_model(), "lraspp": lambda size: segmentation_model()}
    makers |= {name: lambda size, name=name: text_model(name) for name in TEXT}
    export_onnx.MODELS.update(makers)
    for name in sys.argv[2:] or makers:
        for exporter, opset in (("torchscript", 17), ("dynamo", 20)):
            try:
                with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet):
                    export_onnx.export(name, out, "small", exporter, opset)
            except Exception as error:  # what an exporter, or the architecture, does not know
                print(f"  not exported {name}-{exporter}-{opset}: {type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:100]}", flush=True)


if __name__ == "__main__":
    main()
