# SPDX-License-Identifier: Apache-2.0
"""ATen operators as Hidet's. One row an operator: a function of the row's context and the operator's own arguments, which
gives one symbolic tensor, or a tuple of them. A row that cannot say what it is asked for raises Refused, and the operator
runs in PyTorch."""

from hidet.torch._aten import collective, contraction, create, elementwise, index, normalise, pool, reduce, shape  # noqa: F401
from hidet.torch._aten.rows import ROWS, Refused

__all__ = ["ROWS", "Refused"]
