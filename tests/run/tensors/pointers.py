# SPDX-License-Identifier: Apache-2.0
"""Pointers: arithmetic, differences, comparison, views of the same bytes, and through calls."""
import hidet
import torch
from hidet.lang import address, as_tensor_pointer, attrs, boolean, cast, deref, f32, i32, i64, tensor_pointer, u8, u32, view, void_p

with hidet.script_module() as script_module:

    @hidet.script
    def store_at(p: ~i32, offset: i32, value: i32):
        attrs.func_kind = 'cpu_internal'
        p[offset] = value

    @hidet.script
    def kernel(x: ~i32, out: i32[12], f: f32[2]):
        attrs.func_kind = 'cpu_kernel'
        out[0] = x[2]
        p = x + 3
        out[1] = p[0]
        out[2] = p[-1]
        out[3] = p - x
        q = ~x[5]
        out[4] = deref(q)
        out[5] = 1 if q == x + 5 else 0
        out[6] = 1 if q != x else 0
        store_at(~out[0], 7, 77)
        grid2 = as_tensor_pointer(x, i32, [2, 4])
        out[8] = grid2[1, 1]
        again = tensor_pointer(i32, shape=[4, 2], init=x)
        out[9] = again[3, 1]
        out[10] = view(~f[0], u32[2])[1]
        v = 5
        r = ~v
        r[0] = 6
        out[11] = v


x = torch.tensor([10, 11, 12, 13, 14, 15, 16, 17], dtype=torch.int32)
out = torch.zeros(12, dtype=torch.int32)
f = torch.tensor([0.0, 1.0])
script_module.build()(x, out, f)
assert out.tolist() == [12, 13, 12, 3, 15, 1, 1, 77, 15, 17, 0x3F800000, 6], out.tolist()
