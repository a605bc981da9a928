# SPDX-License-Identifier: Apache-2.0
"""Slices name parts of a tensor: rows, ranges, slices of slices, as targets and as values."""
import hidet
import torch
from hidet.lang import attrs, i32, tensor

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[4, 6], y: i32[4, 6], z: i32[8]):
        attrs.func_kind = 'cpu_kernel'
        for i in range(4):
            row = x[i]
            out = y[i, :]
            for j in range(6):
                out[j] = row[j] * 2
        z[0] = x[1:][0][2]
        z[1] = x[1:, 2:][2, 3]
        z[2] = x[2, 3:][1]
        z[3] = x[:, 4][3]
        part = x[1:3]
        z[4] = part[1, 5]
        # An index is read where the slice is written, not where it is used.
        o = 0
        first = x[o, :]
        o = 3
        z[5] = first[1]
        local = tensor('int32', shape=[2, 3])
        for i in range(2):
            for j in range(3):
                local[i][j] = i * 10 + j
        z[6] = local[1, 2]
        z[7] = local[1][1] + o


x = torch.arange(24, dtype=torch.int32).reshape(4, 6)
y = torch.zeros(4, 6, dtype=torch.int32)
z = torch.zeros(8, dtype=torch.int32)
script_module.build()(x, y, z)
rows = x.tolist()
assert y.tolist() == [[v * 2 for v in row] for row in rows]
assert z.tolist() == [rows[1][2], rows[3][5], rows[2][4], rows[3][4], rows[2][5], rows[0][1], 12, 14], z.tolist()
