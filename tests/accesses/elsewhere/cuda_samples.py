# SPDX-License-Identifier: Apache-2.0
# Kernels of NVIDIA's CUDA samples, as they index memory; sizes are dynamic here.
import hidet
from hidet.ir.primitives.math import exp, log, sqrt
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

m = hidet.symbol_var('m')
n = hidet.symbol_var('n')
k = hidet.symbol_var('k')

with hidet.script_module() as of_vector_add:
    @hidet.script
    def vector_add(a: f32[n], b: f32[n], c: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            c[i] = a[i] + b[i]
of_vector_add.build()

with hidet.script_module() as of_matrix_mul:
    @hidet.script
    def matrix_mul(a: f32[m * 16, k * 16], b: f32[k * 16, n * 16], c: f32[m * 16, n * 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, m
        attrs.cuda.block_dim = 16, 16
        left = shared_tensor(f32, shape=[16, 16])
        right = shared_tensor(f32, shape=[16, 16])
        tx = threadIdx.x
        ty = threadIdx.y
        total: f32 = 0.0
        for step in range(k):
            left[ty, tx] = a[blockIdx.y * 16 + ty, step * 16 + tx]
            right[ty, tx] = b[step * 16 + ty, blockIdx.x * 16 + tx]
            syncthreads()
            for j in range(16):
                total += left[ty, j] * right[j, tx]
            syncthreads()
        c[blockIdx.y * 16 + ty, blockIdx.x * 16 + tx] = total
of_matrix_mul.build()

with hidet.script_module() as of_transpose_naive:
    @hidet.script
    def transpose_naive(x: f32[m * 32, n * 32], y: f32[n * 32, m * 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, m
        attrs.cuda.block_dim = 32, 8
        column = blockIdx.x * 32 + threadIdx.x
        row = blockIdx.y * 32 + threadIdx.y
        for j in range(4):
            y[column, row + j * 8] = x[row + j * 8, column]
of_transpose_naive.build()

with hidet.script_module() as of_transpose_tiles:
    @hidet.script
    def transpose_tiles(x: f32[m * 32, n * 32], y: f32[n * 32, m * 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, m
        attrs.cuda.block_dim = 32, 8
        tile = shared_tensor(f32, shape=[32, 33])
        tx = threadIdx.x
        ty = threadIdx.y
        for j in range(4):
            tile[ty + j * 8, tx] = x[blockIdx.y * 32 + ty + j * 8, blockIdx.x * 32 + tx]
        syncthreads()
        for j in range(4):
            y[blockIdx.x * 32 + ty + j * 8, blockIdx.y * 32 + tx] = tile[tx, ty + j * 8]
of_transpose_tiles.build()

with hidet.script_module() as of_reduce_interleaved:
    @hidet.script
    def reduce_interleaved(x: f32[n], y: f32[(n + 255) // 256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[256])
        t = threadIdx.x
        i = blockIdx.x * 256 + t
        s[t] = x[i] if i < n else 0.0
        syncthreads()
        step = 1
        while step < 256:
            if t % (2 * step) == 0:
                s[t] += s[t + step]
            syncthreads()
            step = step * 2
        if t == 0:
            y[blockIdx.x] = s[0]
of_reduce_interleaved.build()

with hidet.script_module() as of_reduce_sequential:
    @hidet.script
    def reduce_sequential(x: f32[n], y: f32[(n + 255) // 256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[256])
        t = threadIdx.x
        i = blockIdx.x * 256 + t
        s[t] = x[i] if i < n else 0.0
        syncthreads()
        step = 128
        while step > 0:
            if t < step:
                s[t] += s[t + step]
            syncthreads()
            step = step // 2
        if t == 0:
            y[blockIdx.x] = s[0]
of_reduce_sequential.build()

with hidet.script_module() as of_scan_naive:
    @hidet.script
    def scan_naive(x: f32[n, 256], y: f32[n, 256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[2, 256])
        t = threadIdx.x
        into = 0
        s[0, t] = x[blockIdx.x, t - 1] if t > 0 else 0.0
        syncthreads()
        step = 1
        while step < 256:
            into = 1 - into
            if t >= step:
                s[into, t] = s[1 - into, t] + s[1 - into, t - step]
            else:
                s[into, t] = s[1 - into, t]
            syncthreads()
            step = step * 2
        y[blockIdx.x, t] = s[into, t]
of_scan_naive.build()

with hidet.script_module() as of_scalar_products:
    @hidet.script
    def scalar_products(a: f32[n, m], b: f32[n, m], c: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[256])
        t = threadIdx.x
        total: f32 = 0.0
        j = t
        while j < m:
            total += a[blockIdx.x, j] * b[blockIdx.x, j]
            j += 256
        s[t] = total
        step = 128
        while step > 0:
            syncthreads()
            if t < step:
                s[t] += s[t + step]
            step = step // 2
        if t == 0:
            c[blockIdx.x] = s[0]
of_scalar_products.build()

with hidet.script_module() as of_black_scholes:
    @hidet.script
    def black_scholes(call: f32[n], put: f32[n], price: f32[n], strike: f32[n], years: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            root = sqrt(years[i])
            d1 = (log(price[i] / strike[i]) + 0.065 * years[i]) / (0.3 * root)
            late = exp(-0.02 * years[i])
            call[i] = price[i] * d1 - strike[i] * late * (d1 - 0.3 * root)
            put[i] = call[i] - price[i] + strike[i] * late
of_black_scholes.build()

with hidet.script_module() as of_convolution_rows:
    @hidet.script
    def convolution_rows(x: f32[m * 4, n * 128], y: f32[m * 4, n * 128], weights: f32[17]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, m
        attrs.cuda.block_dim = 16, 4
        s = shared_tensor(f32, shape=[4, 160])
        tx = threadIdx.x
        ty = threadIdx.y
        row = blockIdx.y * 4 + ty
        first = blockIdx.x * 128
        for j in range(10):
            at = first + (j - 1) * 16 + tx
            s[ty, j * 16 + tx] = x[row, at] if at >= 0 and at < n * 128 else 0.0
        syncthreads()
        for j in range(1, 9):
            total: f32 = 0.0
            for tap in range(17):
                total += weights[16 - tap] * s[ty, j * 16 + tx + tap - 8]
            y[row, first + (j - 1) * 16 + tx] = total
of_convolution_rows.build()

with hidet.script_module() as of_nbody:
    @hidet.script
    def nbody(places: f32[n * 256, 3], forces: f32[n * 256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n
        attrs.cuda.block_dim = 256
        near = shared_tensor(f32, shape=[256, 3])
        t = threadIdx.x
        i = blockIdx.x * 256 + t
        total: f32 = 0.0
        for tile in range(n):
            for d in range(3):
                near[t, d] = places[tile * 256 + t, d]
            syncthreads()
            for j in range(256):
                apart: f32 = 0.01
                for d in range(3):
                    apart += (near[j, d] - places[i, d]) * (near[j, d] - places[i, d])
                total += 1.0 / (apart * sqrt(apart))
            syncthreads()
        forces[i] = total
of_nbody.build()

with hidet.script_module() as of_dct_8x8:
    @hidet.script
    def dct_8x8(x: f32[m * 8, n * 8], y: f32[m * 8, n * 8], table: f32[8, 8]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n, m
        attrs.cuda.block_dim = 8, 8
        s = shared_tensor(f32, shape=[8, 8])
        half = shared_tensor(f32, shape=[8, 8])
        tx = threadIdx.x
        ty = threadIdx.y
        s[ty, tx] = x[blockIdx.y * 8 + ty, blockIdx.x * 8 + tx]
        syncthreads()
        first: f32 = 0.0
        for j in range(8):
            first += table[j, ty] * s[j, tx]
        half[ty, tx] = first
        syncthreads()
        second: f32 = 0.0
        for j in range(8):
            second += half[ty, j] * table[j, tx]
        y[blockIdx.y * 8 + ty, blockIdx.x * 8 + tx] = second
of_dct_8x8.build()

with hidet.script_module() as of_uniform_update:
    @hidet.script
    def uniform_update(x: f32[n], sums: f32[(n + 255) // 256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        own = shared_tensor(f32, shape=[1])
        if threadIdx.x == 0:
            own[0] = sums[blockIdx.x]
        syncthreads()
        if i < n:
            x[i] += own[0]
of_uniform_update.build()

with hidet.script_module() as of_stencil_7:
    @hidet.script
    def stencil_7(field: f32[k, m, n], next_field: f32[k, m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y >= 1 and y < m - 1 and x >= 1 and x < n - 1:
            for z in range(1, k - 1):
                next_field[z, y, x] = (field[z, y, x] + field[z - 1, y, x] + field[z + 1, y, x] + field[z, y - 1, x] + field[z, y + 1, x]
                                       + field[z, y, x - 1] + field[z, y, x + 1])
of_stencil_7.build()
