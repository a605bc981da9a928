# SPDX-License-Identifier: Apache-2.0
"""Integers of 64 bits in tensors: no step goes through a double, which holds 53 bits, and uint64 has no sign."""
import torch
from torch.testing import assert_close

LOW, HIGH = -9223372036854775808, 9223372036854775807

# uint64 beyond int64
y = torch.zeros(4, dtype=torch.uint64) - torch.tensor([1, 2, 0, 3], dtype=torch.uint64)
assert str(y) == 'tensor([18446744073709551615, 18446744073709551614,                    0,\n' \
                 '        18446744073709551613], dtype=torch.uint64)', str(y)
assert str(y.max()) == 'tensor(18446744073709551615, dtype=torch.uint64)', str(y.max())
assert y.min().item() == 0
assert y.argmax().item() == 0 and y.argmin().item() == 2
assert str(torch.stack([y, y]).max(dim=1).values) == 'tensor([18446744073709551615, 18446744073709551615], dtype=torch.uint64)'
assert (y > 5).tolist() == [True, True, False, True]
assert (y < y[0]).tolist() == [False, True, True, True]
assert (y >= LOW).tolist() == [True] * 4
assert (y == -1).tolist() == [False] * 4
assert (y // 2).tolist() == [HIGH, HIGH, 0, 9223372036854775806]
assert (y % 10).tolist() == [5, 4, 0, 3]
assert (y >> 1).tolist() == [HIGH, HIGH, 0, 9223372036854775806]
assert y.to(torch.float64).tolist() == [2.0 ** 64, 2.0 ** 64, 0.0, 2.0 ** 64]
assert y.to(torch.int64).tolist() == [-1, -2, 0, -3]
assert (y / 2).to(torch.float64).tolist() == [2.0 ** 63, 2.0 ** 63, 0.0, 2.0 ** 63]
assert y.clamp(max=7).tolist() == [7, 7, 0, 7]
assert torch.maximum(y, torch.ones(4, dtype=torch.uint64))[2].item() == 1
assert str(y.relu()[0]) == 'tensor(18446744073709551615, dtype=torch.uint64)'
assert torch.sign(y).tolist() == [1, 1, 0, 1]
assert y[2:3].tolist() == [0]
for element in (y.tolist, y[0].item):
    try:
        element()
        assert False, 'an int of 64 bits holds no such number'
    except ValueError as error:
        assert '18446744073709551615 does not fit into an int' in str(error), str(error)
try:
    assert_close(y, y - 1)
    assert False, 'they differ'
except AssertionError as error:
    assert 'greatest absolute difference 1.845e+19' in str(error), str(error)

# int64 that a double rounds
x = torch.tensor([2 ** 53 + 1, 2 ** 53, LOW, HIGH, HIGH - 1])
assert x.max().item() == HIGH and x[:2].max().item() == 2 ** 53 + 1 and x.min().item() == LOW
assert x.argmax().item() == 3 and x[3:].argmin().item() == 1
assert torch.where(x > 0, x, -x).tolist() == [2 ** 53 + 1, 2 ** 53, LOW, HIGH, HIGH - 1]
assert x.abs().tolist() == [2 ** 53 + 1, 2 ** 53, LOW, HIGH, HIGH - 1]
assert x.clamp(min=2 ** 53 + 1).tolist() == [2 ** 53 + 1, 2 ** 53 + 1, 2 ** 53 + 1, HIGH, HIGH - 1]
assert torch.tril(torch.stack([x, x])).tolist() == [[2 ** 53 + 1, 0, 0, 0, 0], [2 ** 53 + 1, 2 ** 53, 0, 0, 0]]
try:
    assert_close(x[:1], x[1:2])
    assert False, 'they differ'
except AssertionError as error:
    assert 'got 9007199254740993, expected 9007199254740992; greatest absolute difference 1 ' in str(error), str(error)

# An integer becomes a float in one rounding, a float an integer as in a kernel.
assert torch.tensor([2 ** 24 + 2 ** 60 // 2 ** 36 + 1, 16777217 * 2 ** 29 + 1]).to(torch.float32).tolist() == [33554432.0, 9007200328482816.0]
edges = torch.tensor([float('nan'), float('inf'), -float('inf'), 3e9, -3e9, -0.5, 300.0])
assert edges.to(torch.int32).tolist() == [0, 2147483647, -2147483648, 2147483647, -2147483648, 0, 300]
assert edges.to(torch.uint32).tolist() == [0, 4294967295, 0, 3000000000, 0, 0, 300]
assert edges.to(torch.uint8).tolist() == [0, 255, 0, 255, 0, 0, 44]
assert edges.to(torch.int64).tolist() == [0, HIGH, LOW, 3000000000, -3000000000, 0, 300]
