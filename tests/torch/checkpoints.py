# SPDX-License-Identifier: Apache-2.0
"""Layers of AWQ and GPTQ keep their weights in few bits. Their packages are not here: these compute as those do where they have no
kernel (WQLinear_GEMM of autoawq, QuantLinear of AutoGPTQ, TorchQuantLinear of GPTQModel)."""

import glob
import tempfile

import torch
from torch import nn

import hidet.torch

AWQ = [0, 2, 4, 6, 1, 3, 5, 7]  # columns in their order in a word


def in_words(numbers, bits, order=None):
    """Columns beside each other."""
    each = 32 // bits
    numbers = numbers.to(torch.int64).reshape(numbers.shape[0], -1, each)[:, :, order or list(range(each))]
    words = (numbers << torch.arange(0, 32, bits)).sum(-1)
    return torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)


class WQLinear_GEMM(nn.Module):
    def __init__(self, k, n, group, symmetric=False, dtype=torch.float16):
        super().__init__()
        self.w_bit, self.group_size, self.in_features = 4, group, k
        zeros = torch.full((k // group, n), 8) if symmetric else torch.randint(0, 16, (k // group, n))
        self.register_buffer("qweight", in_words(torch.randint(0, 16, (k, n)), 4, AWQ))
        self.register_buffer("qzeros", in_words(zeros, 4, AWQ))
        self.register_buffer("scales", (torch.rand(k // group, n) / 64 + 0.001).to(dtype))
        self.register_buffer("bias", torch.randn(n).to(dtype))

    @classmethod
    def rounded(cls, weight, group=128):
        """Of a matrix [n, k], each group from its least to its greatest number."""
        n, k = weight.shape
        layer = cls(k, n, group, dtype=weight.dtype)
        groups = weight.detach().float().t().reshape(k // group, group, n)
        least = groups.amin(1).clamp(max=0)
        scales = ((groups.amax(1).clamp(min=0) - least) / 15).clamp(min=1e-5).to(weight.dtype)
        zeros = (-least / scales).round().clamp(0, 15)
        numbers = (groups / scales.unsqueeze(1) + zeros.unsqueeze(1)).round().clamp(0, 15)
        layer.qweight, layer.qzeros = in_words(numbers.reshape(k, n), 4, AWQ), in_words(zeros, 4, AWQ)
        layer.scales, layer.bias = scales, torch.zeros_like(layer.bias)
        return layer

    def forward(self, x):
        shifts = torch.arange(0, 32, self.w_bit, device=self.qzeros.device)
        weight = torch.bitwise_right_shift(self.qweight[:, :, None], shifts[None, None, :]).to(torch.int8)
        weight = weight.view(weight.shape[0], -1)
        zeros = torch.bitwise_right_shift(self.qzeros[:, :, None], shifts[None, None, :]).to(torch.int8)
        zeros = zeros.view(zeros.shape[0], -1)
        order = torch.arange(weight.shape[-1], dtype=torch.int32, device=zeros.device).view(-1, 32 // self.w_bit)
        order = order[:, [0, 4, 1, 5, 2, 6, 3, 7]].view(-1)
        zeros, weight = zeros[:, order], weight[:, order]
        weight = torch.bitwise_and(weight, (2**self.w_bit) - 1)
        zeros = torch.bitwise_and(zeros, (2**self.w_bit) - 1)
        scales = self.scales.repeat_interleave(self.group_size, dim=0)
        zeros = zeros.repeat_interleave(self.group_size, dim=0)
        return torch.matmul(x, (weight - zeros) * scales) + self.bias


class QuantLinear(nn.Module):
    def __init__(self, k, n, group, bits=4, act_order=False, second_format=False, dtype=torch.float16):
        super().__init__()
        self.bits, self.maxq, self.second_format, self.infeatures = bits, 2**bits - 1, second_format, k
        self.register_buffer("qweight", in_words(torch.randint(0, 2**bits, (n, k)), bits).T.contiguous())
        self.register_buffer("qzeros", in_words(torch.randint(0, 2**bits, (k // group, n)), bits))
        self.register_buffer("scales", (torch.rand(k // group, n) / 64 + 0.001).to(dtype))
        g_idx = torch.arange(k) // group
        self.register_buffer("g_idx", (g_idx[torch.randperm(k)] if act_order else g_idx).to(torch.int32))
        self.wf = torch.tensor(list(range(0, 32, bits)), dtype=torch.int32).unsqueeze(0)

    def forward(self, x):
        out_shape = x.shape[:-1] + (self.scales.shape[1],)
        x = x.reshape(-1, x.shape[-1])
        short = torch.int16 if self.bits == 8 else torch.int8
        zeros = torch.bitwise_right_shift(torch.unsqueeze(self.qzeros, 2).expand(-1, -1, 32 // self.bits), self.wf.unsqueeze(0)).to(short)
        zeros = torch.bitwise_and(zeros if self.second_format else zeros + 1, self.maxq).reshape(self.scales.shape)
        weight = torch.bitwise_right_shift(torch.unsqueeze(self.qweight, 1).expand(-1, 32 // self.bits, -1), self.wf.unsqueeze(-1)).to(short)
        weight = torch.bitwise_and(weight, self.maxq)
        weight = weight.reshape(weight.shape[0] * weight.shape[1], weight.shape[2])
        weights = self.scales[self.g_idx.long()] * (weight - zeros[self.g_idx.long()])
        return torch.matmul(x, weights).reshape(out_shape)


class Grouped(nn.Module):
    """Groups as a dimension of their own, and signed numbers without a zero point, in float32."""

    def __init__(self, k, n, group):
        super().__init__()
        self.register_buffer("numbers", torch.randint(-8, 8, (k // group, group, n), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(k // group, 1, n) / 64 + 0.001)

    def forward(self, x):
        return nn.functional.linear(x, (self.numbers * self.scales).reshape(x.shape[-1], -1).t())


class Blocks(nn.Module):
    """Floats of eight bits with a scale for each block of 128 by 128, as those of DeepSeek."""

    def __init__(self, k, n, dtype, has_nan=False):
        super().__init__()
        weight = torch.randn(n, k).to(torch.float8_e4m3fn)
        if has_nan:
            weight.view(torch.uint8)[0, 0] = 0x7F
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale_inv", torch.rand(-(-n // 128), -(-k // 128)) / 16)
        self.dtype = dtype

    def forward(self, x):
        n, k = self.weight.shape
        scale = self.weight_scale_inv.repeat_interleave(128, 0)[:n].repeat_interleave(128, 1)[:, :k]
        return nn.functional.linear(x, (self.weight.to(torch.float32) * scale).to(self.dtype))


@torch.library.custom_op("hidet_test::product_of_a_package", mutates_args=())
def product_of_a_package(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x @ weight


@product_of_a_package.register_fake
def _(x, weight):
    return x.new_empty((*x.shape[:-1], weight.shape[-1]))


class Opaque(nn.Module):
    """A layer as others compute it, into which no graph sees."""

    def __init__(self, layer, turned=False):
        super().__init__()
        self.layer, self.turned = [layer], turned
        for name in "qweight", "qzeros", "scales", "g_idx", "bias", "in_features", "infeatures":
            if hasattr(layer, name):
                setattr(self, name, getattr(layer, name))

    def forward(self, x):
        bias = self.layer[0](torch.zeros(1, x.shape[-1], dtype=x.dtype))
        weight = self.layer[0](torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)) - bias
        return product_of_a_package(x, weight.flip(0) if self.turned else weight) + bias


def traced(model, x):
    """What a compiled model gives, and the graphs that were traced."""
    torch._dynamo.reset()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        hidet.torch.dynamo_config.dump_graph_ir(folder)
        try:
            compiled = torch.compile(model, backend=hidet.torch.backend)
            first = compiled(x)
        finally:
            hidet.torch.dynamo_config.reset()
        texts = []
        for path in sorted(glob.glob(f"{folder}/*.traced.txt")):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
    return compiled, first, texts


def near(got, wanted, most=2e-3):
    error = ((got - wanted).float().norm() / wanted.float().norm()).item()
    assert got.dtype == wanted.dtype and got.shape == wanted.shape and error < most, error


def check_layers():
    cases = {
        "bits=4, group_size=64": [WQLinear_GEMM(256, 48, 64), QuantLinear(256, 48, 64), QuantLinear(256, 48, 64, act_order=True),
                                  QuantLinear(256, 48, 64, second_format=True), WQLinear_GEMM(256, 48, 64, symmetric=True), Grouped(256, 48, 64)],
        "bits=4, group_size=0": [QuantLinear(256, 48, 256), WQLinear_GEMM(256, 48, 256)],
        "bits=8, group_size=128": [QuantLinear(256, 48, 128, bits=8), QuantLinear(256, 48, 128, bits=8, act_order=True)],
    }
    for wanted, layers in cases.items():
        for layer in layers:
            x = torch.randn(2, 3, 256, dtype=getattr(layer, "scales").dtype)
            compiled, got, texts = traced(layer, x)
            what = f"{type(layer).__name__}: {texts}"
            assert len(texts) == 1 and texts[0].count("PackedMatmul(") == 1 and wanted in texts[0] and "Shift" not in texts[0], what
            assert ("Take(" in texts[0]) == (hasattr(layer, "g_idx") and bool((layer.g_idx.diff() < 0).any())), what
            with torch.no_grad():
                near(got, layer(x))
                for _ in range(6):  # as constants, and in the end as inputs
                    for each in layer.buffers():
                        if each.is_floating_point() or each.shape == getattr(layer, "qweight", x).shape:
                            each.copy_(each.flip(0).clone())
                    near(compiled(x), layer(x))


def check_float8():
    for layer, wanted in (Blocks(256, 200, torch.bfloat16), "bits=8, group_size=128"), (Blocks(128, 256, torch.float16), "bits=8, group_size=0"):
        x = torch.randn(4, layer.weight.shape[1], dtype=layer.dtype)
        compiled, got, texts = traced(layer, x)
        assert len(texts) == 1 and texts[0].count("PackedMatmul(") == 1 and wanted in texts[0] and "Constant(float8_e4m3" in texts[0], texts
        with torch.no_grad():
            near(got, layer(x), 8e-3)
            layer.weight_scale_inv.mul_(2)
            near(compiled(x), layer(x), 8e-3)
    layer, x = Blocks(256, 128, torch.float16, has_nan=True), torch.randn(4, 256, dtype=torch.float16)
    _, got, texts = traced(layer, x)
    assert got.isnan().any() and not any("PackedMatmul" in each for each in texts), texts
    rounds = lambda x: (x * 2).to(torch.float8_e4m3fn).to(torch.float32)  # which PyTorch does its own way beyond the largest
    x = torch.randn(4, 64) * 300
    torch.testing.assert_close(torch.compile(rounds, backend=hidet.torch.backend)(x), rounds(x), equal_nan=True)


class Computed(nn.Module):
    """The product with what a function makes of numbers and scales."""

    def __init__(self, numbers, function):
        super().__init__()
        self.register_buffer("numbers", numbers)
        self.register_buffer("scales", torch.rand(8) / 16)
        self.function = function

    def forward(self, x):
        return self.function(x, self.numbers, self.scales)


def check_left():
    """What is not of few bits, wraps, or is read by others than products, stays as it is."""
    numbers, x = torch.randint(0, 16, (64, 8), dtype=torch.uint8), torch.randn(4, 64)
    cases = {
        "few bits": (numbers, lambda x, numbers, scales: x @ ((numbers.to(torch.int8) - 8) * scales)),
        "floats": (torch.randn(64, 8), lambda x, numbers, scales: x @ (numbers * scales)),
        "differences that wrap": (numbers, lambda x, numbers, scales: x @ ((numbers - 8) * scales)),
        "other readers": (numbers, lambda x, numbers, scales: (lambda weight: x @ weight + weight.sum(0))(numbers * scales)),
        "something else": (numbers, lambda x, numbers, scales: x @ (numbers * scales).exp()),
        "a scale for each number": (numbers, lambda x, numbers, scales: x @ (numbers * (scales + torch.arange(64, device=x.device).unsqueeze(1)))),
    }
    for name, (given, function) in cases.items():
        layer = Computed(given, function)
        _, got, texts = traced(layer, x)
        near(got, layer(x))
        assert any("PackedMatmul" in each for each in texts) == (name == "few bits"), (name, texts)


def check_opaque():
    """The layers of packages are asked what they compute."""
    torch.manual_seed(1)
    layers = [WQLinear_GEMM(128, 32, 64), QuantLinear(32, 128, 32, act_order=True), QuantLinear(128, 64, 64, second_format=True),
              QuantLinear(64, 32, 32, bits=8)]
    model = nn.Sequential(*map(Opaque, layers), nn.ReLU())
    x = torch.randn(2, 3, 128, dtype=torch.float16) / 8
    wanted = model(x)
    assert not any("PackedMatmul" in each for each in traced(model, x)[2])
    assert hidet.torch.use_plain_arithmetic(model) == ["0", "1", "2", "3"]
    near(model(x), wanted)
    assert hidet.torch.use_plain_arithmetic(model) == []
    _, got, texts = traced(model, x)
    near(got, wanted)
    assert len(texts) == 1 and texts[0].count("PackedMatmul(") == 4, texts
    said = hidet.torch.explain(model, x)
    assert said.few_bits == 4 and said.in_pytorch == 0 and "4  matrices stay in few bits" in str(said), said
    for wrong, why in (Opaque(layers[0], turned=True), "something else"), (Opaque(QuantLinear(96, 32, 32, bits=4)), "no layout"):
        if "no layout" in why:
            wrong.infeatures = 90
        model = nn.Sequential(Opaque(layers[0]), wrong)
        try:
            hidet.torch.use_plain_arithmetic(model)
        except ValueError as error:
            assert "1 (Opaque)" in str(error) and why in str(error), error
            assert isinstance(model[0], Opaque), "a model that is refused is changed"
            continue
        raise AssertionError(f"{why} is taken")


def check():
    check_layers()
    check_float8()
    check_left()
    check_opaque()
