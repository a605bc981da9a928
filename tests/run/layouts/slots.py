# SPDX-License-Identifier: Apache-2.0
"""Where elements lie: the slots of layouts, as the host and as a kernel see them."""
import hidet
import torch
from hidet.lang import attrs, i32, register_tensor, tensor_pointer
from hidet.lang.layout import column_major, local_layout, row_major


def slots(layout, m, n):
    """Stores through the layout into a plain array, and reads off where each element went."""
    size = layout.size
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(flat: i32[size]):
            attrs.func_kind = 'cpu_kernel'
            view = tensor_pointer(i32, layout=layout, init=~flat[0])
            for i in range(m):
                for j in range(n):
                    view[i, j] = i * n + j + 1

    flat = torch.zeros(size, dtype=torch.int32)
    script_module.build()(flat)
    values = flat.tolist()
    return [[values.index(i * n + j + 1) for j in range(n)] for i in range(m)]


def host_slots(layout, m, n):
    return [[int(layout(i, j)) for j in range(n)] for i in range(m)]


cases = [
    (row_major(2, 3), 2, 3, [[0, 1, 2], [3, 4, 5]]),
    (column_major(2, 3), 2, 3, [[0, 2, 4], [1, 3, 5]]),
    (row_major(2, 1) * row_major(1, 2), 2, 2, [[0, 1], [2, 3]]),
    (column_major(2, 2) * row_major(1, 2), 2, 4, [[0, 1, 4, 5], [2, 3, 6, 7]]),
    (row_major(4, 4).swizzle(1), 4, 4, [[0, 1, 2, 3], [5, 4, 7, 6], [10, 11, 8, 9], [15, 14, 13, 12]]),
    (row_major(3, 2).permute([1, 0]), 2, 3, [[0, 2, 4], [1, 3, 5]]),
    (row_major(6).reshape([2, 3]), 2, 3, [[0, 1, 2], [3, 4, 5]]),
    (column_major(2, 3).reshape([3, 2]), 3, 2, [[0, 2], [4, 1], [3, 5]]),
    (row_major(2) + row_major(3), 2, 3, [[0, 1, 2], [3, 4, 5]]),
]
for layout, m, n, expected in cases:
    assert host_slots(layout, m, n) == expected, f'host: {host_slots(layout, m, n)} instead of {expected}'
    assert slots(layout, m, n) == expected, f'kernel: {slots(layout, m, n)} instead of {expected}'

# A permutation that is not its own inverse.
rotated = row_major(2, 3, 4).permute([1, 2, 0])
assert [int(d) for d in rotated.shape] == [3, 4, 2]
for i in range(2):
    for j in range(3):
        for k in range(4):
            assert int(rotated(j, k, i)) == i * 12 + j * 4 + k

# Local layouts hold nothing of their own.
assert local_layout(4, 8).size == 1
assert (local_layout(4, 8) * row_major(2, 2)).size == 4
