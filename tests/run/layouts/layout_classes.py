# SPDX-License-Identifier: Apache-2.0
"""Classes derived from DataLayout: what they compute, alone and composed with other layouts."""
from hidet.lang.layout import DataLayout, column_major, row_major


class Diagonal(DataLayout):
    """Each row begins one element further on."""

    def __init__(self, rows, columns):
        super().__init__(shape=(rows, columns), size=rows * columns)
        self.columns = columns

    def global2local(self, i, j):
        return i * self.columns + (i + j) % self.columns


class Swizzled(DataLayout):
    """Bits of the slot in another layout are exchanged for others."""

    def __init__(self, base, bits, shift):
        super().__init__(shape=base.shape, size=base.size)
        self.base = base
        self.mask = ((1 << bits) - 1) << shift
        self.shift = shift

    def global2local(self, *index):
        slot = self.base.global2local(*index)
        return slot ^ ((slot & self.mask) >> self.shift)

    def global2cond(self, *index):
        return self.base.global2cond(*index)


diagonal = Diagonal(4, 8)
assert isinstance(diagonal, DataLayout) and isinstance(row_major(2, 2), DataLayout) and not isinstance(3, DataLayout)
assert diagonal.shape == (4, 8) and diagonal.size == 32
assert diagonal.global2local(2, 7) == 2 * 8 + 1 and diagonal(2, 7) == 17 and diagonal.serialize([3, 0]) == 27
assert DataLayout.row_major(2, 3).size == 6

composed = row_major(2, 1) * diagonal
assert composed.size == 64 and list(composed.shape) == [8, 8]
for i in range(8):
    for j in range(8):
        assert composed.global2local(i, j) == i // 4 * 32 + diagonal.global2local(i % 4, j)
again = diagonal * column_major(2, 2)
assert again(5, 6) == diagonal(2, 3) * 4 + column_major(2, 2)(1, 0)
assert (diagonal + row_major(3)).global2local(1, 2, 1) == diagonal(1, 2) * 3 + 1

swizzled = Swizzled(row_major(8, 8), 3, 3)
slots = sorted([swizzled.global2local(i, j) for i in range(8) for j in range(8)])
assert slots == list(range(64)) and swizzled.global2local(5, 0) == 45
assert (swizzled * row_major(1, 2)).size == 128 and swizzled.global2cond(7, 7) and not swizzled.global2cond(7, 8)
assert composed.within_bound(7, 7) and not composed.within_bound(8, 0) and composed.const_shape() == (8, 8)
assert ((composed * diagonal) * row_major(1, 2))(0, 0) == 0 and isinstance(composed, DataLayout)
