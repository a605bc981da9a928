# SPDX-License-Identifier: Apache-2.0
# Kernels of Rodinia (Che et al.), as its CUDA versions index them; sizes are dynamic here.
import hidet
from hidet.ir.primitives.math import sqrt
from hidet.lang import attrs, f32, i32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

m = hidet.symbol_var('m')
n = hidet.symbol_var('n')

with hidet.script_module() as of_hotspot:
    @hidet.script
    def hotspot(power: f32[m, n], before: f32[m, n], after: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < m and x < n:
            north = before[max(y - 1, 0), x]
            south = before[min(y + 1, m - 1), x]
            west = before[y, max(x - 1, 0)]
            east = before[y, min(x + 1, n - 1)]
            here = before[y, x]
            after[y, x] = here + 0.1 * (power[y, x] + north + south + east + west - 4.0 * here)
of_hotspot.build()

with hidet.script_module() as of_pathfinder:
    @hidet.script
    def pathfinder(wall: i32[m, n], before: i32[n], after: i32[n], row: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 253) // 254
        attrs.cuda.block_dim = 256
        near = shared_tensor(i32, shape=[256])
        i = blockIdx.x * 254 + threadIdx.x - 1
        near[threadIdx.x] = before[min(max(i, 0), n - 1)]
        syncthreads()
        if threadIdx.x > 0 and threadIdx.x < 255 and i < n and row >= 0 and row < m:
            after[i] = wall[row, i] + min(near[threadIdx.x], min(near[threadIdx.x - 1], near[threadIdx.x + 1]))
of_pathfinder.build()

with hidet.script_module() as of_gaussian_factors:
    @hidet.script
    def gaussian_factors(a: f32[n, n], factors: f32[n, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if step >= 0 and i < n - 1 - step:
            factors[i + step + 1, step] = a[i + step + 1, step] / a[step, step]
of_gaussian_factors.build()

with hidet.script_module() as of_gaussian_rows:
    @hidet.script
    def gaussian_rows(a: f32[n, n], factors: f32[n, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if step >= 0 and y < n - 1 - step and x < n - step:
            a[y + 1 + step, x + step] -= factors[y + 1 + step, step] * a[step, x + step]
of_gaussian_rows.build()

with hidet.script_module() as of_backprop_forward:
    @hidet.script
    def backprop_forward(inputs: f32[m * 16], weights: f32[m * 16, 16], sums: f32[m, 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = m
        attrs.cuda.block_dim = 16, 16
        node = shared_tensor(f32, shape=[16])
        matrix = shared_tensor(f32, shape=[16, 16])
        tx = threadIdx.x
        ty = threadIdx.y
        if tx == 0:
            node[ty] = inputs[blockIdx.x * 16 + ty]
        syncthreads()
        matrix[ty, tx] = weights[blockIdx.x * 16 + ty, tx] * node[ty]
        syncthreads()
        step = 1
        while step < 16:
            if ty % (2 * step) == 0:
                matrix[ty, tx] += matrix[ty + step, tx]
            syncthreads()
            step = step * 2
        if ty == 0:
            sums[blockIdx.x, tx] = matrix[0, tx]
of_backprop_forward.build()

with hidet.script_module() as of_srad:
    @hidet.script
    def srad(image: f32[m, n], north: f32[m, n], south: f32[m, n], west: f32[m, n], east: f32[m, n], c: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < m and x < n:
            here = image[y, x]
            north[y, x] = image[max(y - 1, 0), x] - here
            south[y, x] = image[min(y + 1, m - 1), x] - here
            west[y, x] = image[y, max(x - 1, 0)] - here
            east[y, x] = image[y, min(x + 1, n - 1)] - here
            c[y, x] = 1.0 / (1.0 + north[y, x] * north[y, x] + east[y, x] * east[y, x])
of_srad.build()

with hidet.script_module() as of_kmeans_mapping:
    @hidet.script
    def kmeans_mapping(points: f32[n, m], turned: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            for j in range(m):
                turned[j, i] = points[i, j]
of_kmeans_mapping.build()

with hidet.script_module() as of_nearest_neighbours:
    @hidet.script
    def nearest_neighbours(places: f32[n, 2], distances: f32[n], x: f32, y: f32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            distances[i] = sqrt((x - places[i, 0]) * (x - places[i, 0]) + (y - places[i, 1]) * (y - places[i, 1]))
of_nearest_neighbours.build()

with hidet.script_module() as of_lud_inner:
    @hidet.script
    def lud_inner(a: f32[n * 16, n * 16], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, n
        attrs.cuda.block_dim = 16, 16
        rows = shared_tensor(f32, shape=[16, 16])
        columns = shared_tensor(f32, shape=[16, 16])
        tx = threadIdx.x
        ty = threadIdx.y
        if step >= 0 and step < n and blockIdx.x > step and blockIdx.y > step:
            rows[ty, tx] = a[step * 16 + ty, blockIdx.x * 16 + tx]
            columns[ty, tx] = a[blockIdx.y * 16 + ty, step * 16 + tx]
            syncthreads()
            total: f32 = 0.0
            for j in range(16):
                total += columns[ty, j] * rows[j, tx]
            a[blockIdx.y * 16 + ty, blockIdx.x * 16 + tx] -= total
of_lud_inner.build()
