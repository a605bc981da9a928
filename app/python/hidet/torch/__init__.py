# SPDX-License-Identifier: Apache-2.0
"""Hidet as a backend of torch.compile.

    torch.compile(model, backend="hidet")

What has a row in `_aten` is compiled; every other operator runs in PyTorch, and `explain` says which and why."""

from hidet.torch._backend import backend
from hidet.torch._config import dynamo_config
from hidet.torch._explain import explain

__all__ = ["backend", "dynamo_config", "explain"]
