# SPDX-License-Identifier: Apache-2.0
"""Layers with weights, as `hidet.nn` and `hidet.graph.nn`. Weights are empty until they are loaded, and have PyTorch's names and
shapes. They belong to Python alone: what a module computes are operators of hidet."""

from .attention import CrossAttention
from .container import ModuleList, Sequential
from .layers import (
    AdaptiveAvgPool2d,
    AvgPool2d,
    BatchNorm2d,
    Conv2d,
    Embedding,
    Geglu,
    Gelu,
    GroupNorm,
    Identity,
    LayerNorm,
    Linear,
    LinearTransposed,
    MaxPool2d,
    Relu,
    Tanh,
)
from .module import Module

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "BatchNorm2d", "Conv2d", "CrossAttention", "Embedding", "Geglu", "Gelu", "GroupNorm", "Identity",
           "LayerNorm", "Linear", "LinearTransposed", "MaxPool2d", "Module", "ModuleList", "Relu", "Sequential", "Tanh"]
