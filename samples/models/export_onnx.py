# SPDX-License-Identifier: Apache-2.0
"""Exports PyTorch models to ONNX, with inputs and the results that PyTorch computes for them.

    python export_onnx.py OUT                       every model, small, by both of PyTorch's exporters
    python export_onnx.py OUT resnet50 --size full --exporter dynamo --opset 18
    python export_onnx.py OUT bert --size full --exporter torchscript --dynamic    its batch and its sequence are left open
    hidetc model run OUT/resnet50-dynamo-18/model.onnx --data OUT/resnet50-dynamo-18/test_data_set_0

This one runs in Python, not in the studio: it wants the packages torch, torchvision, transformers, onnx and onnxscript.
Weights are random, made from a seed, so that nothing is downloaded; 'small' keeps the structure of a model and shrinks its
width and its images, which is what a test needs. The folder that is written is an ONNX test data set: model.onnx beside
test_data_set_0/input_0.pb, ... and output_0.pb, ...
"""
import argparse
import pathlib
import warnings

import numpy
import onnx
import onnx.numpy_helper
import torch
import torchvision
from torch import nn

SEED = 7


def image(size):
    return (torch.randn(1, 3, size, size),)


def tokens(count, vocabulary):
    return (torch.randint(0, vocabulary, (1, count)),)


def vision(name, size, full, **options):
    return getattr(torchvision.models, name)(weights=None, **options), image(full if size == 'full' else 64)


class FirstOutput(nn.Module):
    """Of a model of transformers, what is computed from the tokens alone: one tensor instead of a dictionary."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids, use_cache=False, return_dict=False)[0]


class Encoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids, return_dict=False)[0]


def bert(size):
    from transformers import BertConfig, BertModel

    small = dict(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    config = BertConfig(**({} if size == 'full' else small), attn_implementation='eager')
    return Encoder(BertModel(config)), tokens(128 if size == 'full' else 16, config.vocab_size)


def gpt2(size):
    from transformers import GPT2Config, GPT2Model

    small = dict(vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    config = GPT2Config(**({} if size == 'full' else small), attn_implementation='eager')
    return FirstOutput(GPT2Model(config)), tokens(128 if size == 'full' else 16, config.vocab_size)


def llama(size):
    """One block of Llama: rotary embedding, grouped-query attention, gated feed-forward, RMS normalisation."""
    from transformers import LlamaConfig, LlamaModel

    wide = dict(vocab_size=1000, hidden_size=2048, num_hidden_layers=1, num_attention_heads=32, num_key_value_heads=8,
                intermediate_size=5632)
    small = dict(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
                 intermediate_size=64)
    config = LlamaConfig(**(wide if size == 'full' else small), attn_implementation='eager')
    return FirstOutput(LlamaModel(config)), tokens(64 if size == 'full' else 16, config.vocab_size)


class Step(nn.Module):
    """Of a language model, one token: from it and from the keys and values of all before it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, position_ids, *past):
        from transformers import DynamicCache

        cache = DynamicCache()
        for i in range(0, len(past), 2):
            cache.update(past[i], past[i + 1], i // 2)
        out = self.model(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache,
                         use_cache=True)
        return out.logits, *(tensor for layer in cache.layers for tensor in (layer.keys, layer.values))


def llama_decode(size):
    """A token of Llama 3.2 1B behind 1024 others, in float16."""
    from transformers import LlamaConfig, LlamaForCausalLM

    full = dict(vocab_size=128256, hidden_size=2048, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8,
                intermediate_size=8192, head_dim=64, max_position_embeddings=131072, rope_theta=500000.0, tie_word_embeddings=True)
    small = dict(vocab_size=100, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                 intermediate_size=256, head_dim=32)
    config = LlamaConfig(**(full if size == 'full' else small), attn_implementation='sdpa')
    before = 1024 if size == 'full' else 64
    shape = (1, config.num_key_value_heads, before, config.head_dim)
    past = [torch.randn(shape).half() for _ in range(2 * config.num_hidden_layers)]
    step = Step(LlamaForCausalLM(config).half())
    mask = torch.ones(1, before + 1, dtype=torch.int64)
    return step, (*tokens(1, config.vocab_size), mask, torch.tensor([[before]]), *past)


def vit(size):
    if size == 'full':
        return torchvision.models.vit_b_16(weights=None), image(224)
    small = torchvision.models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=32,
                                                 mlp_dim=64, num_classes=10)
    return small, image(32)


class UNet(nn.Module):
    """Down and up again, with the features of each level joined on the way up."""

    def __init__(self, width, levels):
        super().__init__()
        widths = [width * 2**i for i in range(levels)]
        self.down = nn.ModuleList(self.block(a, b) for a, b in zip([3] + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(self.block(2 * a, a) for a in widths[:-1])
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def block(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU(),
                             nn.Conv2d(outputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU())

    def forward(self, x):
        kept = []
        for level, block in enumerate(self.down):
            x = block(x if level == 0 else self.pool(x))
            kept.append(x)
        for up, join, skip in zip(reversed(self.up), reversed(self.join), reversed(kept[:-1])):
            x = join(torch.cat([skip, up(x)], dim=1))
        return self.head(x)


MODELS = {
    'resnet18': lambda size: vision('resnet18', size, 224),
    'resnet50': lambda size: vision('resnet50', size, 224),
    'mobilenet_v2': lambda size: vision('mobilenet_v2', size, 224),
    'inception_v3': lambda size: (vision('inception_v3', size, 299, init_weights=False, aux_logits=False)[0],
                                  image(299 if size == 'full' else 96)),
    'vit': vit,
    'unet': lambda size: (UNet(64, 5), image(256)) if size == 'full' else (UNet(8, 3), image(32)),
    'bert': bert,
    'gpt2': gpt2,
    'llama': llama,
    'llama_decode': llama_decode,
}
MORE_THAN_A_FILE = 2e9  # bytes of weights, which then stand beside it


def made(name, size):
    """The model and its inputs; of a name that is not above, torchvision's."""
    return MODELS[name](size) if name in MODELS else vision(name, size, 224)


def settle(model):
    """Numbers as after training: statistics of batch normalisation, and weights that start as zeros."""
    for parameter in model.parameters():
        if parameter.dim() > 1 and not parameter.any():
            nn.init.normal_(parameter, 0, 0.02)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_var, 0.5, 1.5)
            nn.init.normal_(module.running_mean, 0, 0.1)
    return model.eval()


def write_tensors(folder, kind, tensors):
    for i, tensor in enumerate(tensors):
        proto = onnx.numpy_helper.from_array(numpy.ascontiguousarray(tensor.detach().numpy()), f'{kind}_{i}')
        (folder / f'{kind}_{i}.pb').write_bytes(proto.SerializeToString())


def export(name, out, size, exporter, opset, dynamic=False):
    torch.manual_seed(SEED)
    model, inputs = made(name, size)
    settle(model)
    folder = out / f'{name}-{exporter}-{opset}{"-dynamic" if dynamic else ""}'
    data = folder / 'test_data_set_0'
    data.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        weights = sum(each.numel() * each.element_size() for each in model.parameters())
        options = {'external_data': weights > MORE_THAN_A_FILE} if exporter == 'dynamo' else {}
        if dynamic:
            inputs = tuple(torch.cat([each] * 2) for each in inputs)  # an exporter takes an extent of 1 for one that stays
            names = [f'x{i}' for i in range(len(inputs))]
            axes = {0: 'batch'} if inputs[0].is_floating_point() else {0: 'batch', 1: 'sequence'}
            options |= {'input_names': names, 'dynamic_axes': {each: axes for each in names}}
        torch.onnx.export(model, inputs, str(folder / 'model.onnx'), dynamo=exporter == 'dynamo', opset_version=opset,
                          verbose=False, **options)
        outputs = model(*inputs)
    write_tensors(data, 'input', inputs)
    write_tensors(data, 'output', outputs if isinstance(outputs, (tuple, list)) else [outputs])
    print(f'{folder.name}: {(folder / "model.onnx").stat().st_size / 1e6:.1f} MB', flush=True)


def main():
    parser = argparse.ArgumentParser(description='Export PyTorch models to ONNX, with inputs and results.')
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('models', nargs='*', metavar='MODEL', help=', '.join(MODELS))
    parser.add_argument('--size', choices=['small', 'full'], default='small')
    parser.add_argument('--exporter', choices=['torchscript', 'dynamo'], help='default: both')
    parser.add_argument('--dynamic', action='store_true', help='leave the batch open, and the sequence of tokens')
    parser.add_argument('--opset', type=int, help='default: 14 for torchscript, 18 for dynamo')
    arguments = parser.parse_args()
    torch.backends.mha.set_fastpath_enabled(False)  # a fused operator that ONNX has no name for
    for name in arguments.models or MODELS:
        if name == 'llama_decode' and arguments.dynamic:
            parser.error("'llama_decode' has the sizes of its cache: --dynamic is for models of images and of whole texts")
        if name not in MODELS and name not in torchvision.models.list_models():
            parser.error(f"there is no model '{name}'; there are {', '.join(MODELS)}, and torchvision's for images")
        for exporter in [arguments.exporter] if arguments.exporter else ['torchscript', 'dynamo']:
            opset = arguments.opset or (14 if exporter == 'torchscript' else 18)
            try:
                export(name, arguments.out, arguments.size, exporter, opset, arguments.dynamic)
            except torch.onnx.errors.UnsupportedOperatorError as error:
                print(f'{name}-{exporter}-{opset}: the exporter refuses it: {str(error).splitlines()[0]}', flush=True)


if __name__ == '__main__':
    main()
