# SPDX-License-Identifier: Apache-2.0
"""Hidet as a backend of torch.compile.

    torch.compile(model, backend="hidet")

What has a row in `_aten` is compiled, and of torch.library what `register_operator` was told of; every other operator runs in PyTorch,
and `explain` says which and why."""

from hidet.torch._backend import backend
from hidet.torch._checkpoints import use_plain_arithmetic
from hidet.torch._config import dynamo_config
from hidet.torch._explain import explain
from hidet.torch._operators import register_operator

__all__ = ["backend", "dynamo_config", "explain", "register_operator", "use_plain_arithmetic"]
