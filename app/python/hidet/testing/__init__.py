# SPDX-License-Identifier: Apache-2.0
"""Operators against those of NumPy and PyTorch, for tests. Needs NumPy; what compares with PyTorch needs PyTorch."""

from hidet import _modules
from hidet.utils import benchmark_func

from .torch_utils import device_to_torch
from .utils import (
    assert_torch_allclose,
    check_binary,
    check_binary_dynamic,
    check_ternary,
    check_torch_binary,
    check_torch_binary_dynamic,
    check_torch_binary_with_inputs,
    check_torch_ternary,
    check_torch_unary,
    check_unary,
    check_unary_dynamic,
)

_modules.overlay(__name__)
