# SPDX-License-Identifier: GPL-3.0-only
import hidet
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import threadIdx, syncthreads

names = {'rows': 4, 'columns': [8, 16]}
rows, columns = names['rows'], names['columns'][0]

with hidet.script_module() as script_module:

    @hidet.script
    def sums(a: f32[rows, columns], out: f32[rows]):
        # a thread for each row, "as simple as it gets"
        attrs.func_kind = "cuda_kernel"
        attrs.cuda.block_dim = rows
        attrs.cuda.grid_dim = 1
        part = shared_tensor(f32, shape=[rows])
        part[threadIdx.x] = 0.0
        for k in range(columns):
            part[threadIdx.x] += a[threadIdx.x, k]
        syncthreads()
        out[threadIdx.x] = part[threadIdx.x]

module = script_module.build()
print(f'{rows} x {columns}', module)
