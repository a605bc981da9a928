# SPDX-License-Identifier: Apache-2.0
"""Linear layers of AWQ and GPTQ whose packages compute with kernels of their own, into which no graph sees."""

import torch
from torch import nn

_PLACES_OF_AWQ = [0, 4, 1, 5, 2, 6, 3, 7]  # of a column's number in its word
_ROWS, _NEAR = 4, 0.02


def use_plain_arithmetic(model):
    """Lets the linear layers of AWQ and GPTQ of a model (those with `qweight`, `qzeros` and `scales`) compute by operators of PyTorch
    alone, so that torch.compile sees what they do and Hidet keeps their weights in few bits. Layers that packages have for that, such as
    TorchQuantLinear, need no such call.

    Returns the names of the layers. Which format a layer has, it is asked by a few rows: raises ValueError, and changes nothing, where
    it computes something else than what AWQ and GPTQ make of its weights, as it does where a package has reordered them for a kernel."""
    found = {name: _plain(name, layer) for name, layer in model.named_modules() if _is_quantised(layer)}
    for name, layer in found.items():
        parent, _, child = name.rpartition(".")
        setattr(model.get_submodule(parent), child, layer)
    return list(found)


def _is_quantised(layer):
    weight = getattr(layer, "qweight", None)
    others = [getattr(layer, name, None) for name in ("qzeros", "scales")]
    return all(isinstance(each, torch.Tensor) and each.dim() == 2 for each in (weight, *others)) and weight.dtype == torch.int32 \
        and not isinstance(layer, PlainLinear)


def _plain(name, layer):
    problem = "its weights are in no layout of AWQ or GPTQ"
    wanted = None
    for candidate in _candidates(layer):
        if wanted is None:
            x = torch.randn(1, _ROWS, candidate.k, dtype=layer.scales.dtype, device=layer.qweight.device)
            with torch.no_grad():
                wanted = layer(x)
        if (candidate(x) - wanted).norm() <= _NEAR * wanted.norm():
            return candidate
        problem = "it computes something else than AWQ and GPTQ make of its weights"
    raise ValueError(f"{name or 'the model'} ({type(layer).__name__}) cannot compute by plain arithmetic: {problem}")


def _candidates(layer):
    rows, columns = layer.qweight.shape
    n = layer.scales.shape[1]
    g_idx = getattr(layer, "g_idx", None)
    k = next((each for each in (getattr(layer, "in_features", None), getattr(layer, "infeatures", None)) if isinstance(each, int)),
             0 if g_idx is None else g_idx.numel())
    if columns == n and k and 32 * rows % k == 0 and 32 * rows // k in (2, 4, 8):
        for offset in 1, 0:  # of the first format of GPTQ, and of the second
            yield PlainLinear(layer, k, 32 * rows // k, offset, g_idx)
    if columns * 8 == n:
        yield PlainLinear(layer, rows, 4, 0, None, _PLACES_OF_AWQ)


class PlainLinear(nn.Module):
    """`qweight` has words of rows, as GPTQ, or of columns at `places` of a word, as AWQ."""

    def __init__(self, layer, k, bits, zero_offset, g_idx, places=None):
        super().__init__()
        self.k, self.bits, self.zero_offset = k, bits, zero_offset
        self.of_columns = places is not None
        for name in "qweight", "qzeros", "scales":
            self.register_buffer(name, getattr(layer, name))
        bias = getattr(layer, "bias", None)
        self.register_buffer("bias", bias.detach() if isinstance(bias, torch.Tensor) else None)
        device = layer.qweight.device
        groups = torch.arange(k, device=device) // (k // layer.scales.shape[0])
        self.register_buffer("groups", groups if g_idx is None else g_idx.detach().to(torch.int64), persistent=False)
        shifts = torch.tensor(places or range(32 // bits), dtype=torch.int32, device=device) * bits
        self.register_buffer("shifts", shifts, persistent=False)

    def _unpacked(self, words):
        """Words of columns as numbers."""
        return (torch.bitwise_right_shift(words.unsqueeze(-1), self.shifts) & (2**self.bits - 1)).flatten(1)

    def forward(self, x):
        zeros = self._unpacked(self.qzeros) + self.zero_offset & (2**self.bits - 1)
        if self.of_columns:
            numbers = self._unpacked(self.qweight)
        else:
            numbers = (torch.bitwise_right_shift(self.qweight.unsqueeze(1), self.shifts.unsqueeze(-1)) & (2**self.bits - 1)).flatten(0, 1)
        weight = (numbers - zeros[self.groups]) * self.scales[self.groups]
        y = x.to(weight.dtype) @ weight
        return (y if self.bias is None else y + self.bias).to(x.dtype)
