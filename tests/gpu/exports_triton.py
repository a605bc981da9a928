# SPDX-License-Identifier: Apache-2.0
"""The kernel of Triton that the calls of exported ones are compared with."""

import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + place, tl.load(a + place, mask=place < n) + tl.load(b + place, mask=place < n), mask=place < n)
