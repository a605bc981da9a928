# SPDX-License-Identifier: Apache-2.0
"""Products of bytes, four at once, the largest ones among them, on processors with and without an instruction for it."""
import hidet
from hidet.lang import attrs, i8, i32, u8
from hidet.lang.cpu import dot_bytes

with hidet.script_module() as m:

    @hidet.script
    def dots(x: u8[4], w: i8[16, 4], sums: i32[3, 16]):
        attrs.func_kind = 'cpu_kernel'
        dot_bytes(~sums[0, 0], ~x[0], ~w[0, 0])
        dot_bytes(~sums[1, 0], ~x[0], ~w[0, 0], columns_at_once=8)
        dot_bytes(~sums[2, 0], ~x[0], ~w[0, 0], columns_at_once=4)

    @hidet.script
    def launch():
        attrs.func_kind = 'public'


module = m.build()


def check(xs, columns):
    x, w = hidet.asarray(xs, dtype='uint8'), hidet.asarray(columns, dtype='int8')
    sums = hidet.asarray([[1000 * row - column for column in range(16)] for row in range(3)], dtype='int32')
    expected = sums.tolist()
    module['dots'](x, w, sums)
    for row, count in enumerate([16, 8, 4]):
        for column in range(count):
            for a, b in zip(xs, columns[column]):
                expected[row][column] += a * b
    assert sums.tolist() == expected, (sums.tolist(), expected)


check([255, 255, 255, 255], [[127, 127, 127, 127] for _ in range(16)])
check([255, 255, 255, 255], [[-128, -128, -128, -128] for _ in range(16)])
check([0, 1, 128, 200], [[i * 37 % 256 - 128, i - 8, 127 - i, -i] for i in range(16)])
