# SPDX-License-Identifier: Apache-2.0
# Two warps take turns at barriers; what each holds in registers is its own, also where both have the same registers.
import hidet
from hidet.ir.primitives.cuda import barrier_sync
from hidet.lang import attrs, i32
from hidet.lang.cuda import threadIdx

with hidet.script_module() as script_module:

    @hidet.script
    def kernel(x: i32[160], y: i32[64], out: i32[160]):
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 64
        t = threadIdx.x
        if t < 32:
            i = t
            for k in range(4):
                i = i + 32
                barrier_sync(1, 64)
                out[i] = x[i]
                barrier_sync(2, 64)
        else:
            for k in range(4):
                barrier_sync(1, 64)
                j = t
                j = j * 2 - 64
                y[j] = x[j] + k
                barrier_sync(2, 64)


x = hidet.arange(160, dtype='int32', device='cuda')
y = hidet.zeros([64], dtype='int32', device='cuda')
out = hidet.zeros([160], dtype='int32', device='cuda')
script_module.build()(x, y, out)
assert out.cpu().tolist()[32:] == list(range(32, 160))
assert y.cpu().tolist()[::2] == [2 * i + 3 for i in range(32)]
