# SPDX-License-Identifier: Apache-2.0
# Kernels of PolyBench/GPU (Grauer-Gray et al.), as its CUDA versions index them; sizes are dynamic here.
import hidet
from hidet.ir.primitives.math import sqrt
from hidet.lang import attrs, f32, i32
from hidet.lang.cuda import blockIdx, threadIdx

m = hidet.symbol_var('m')
n = hidet.symbol_var('n')
k = hidet.symbol_var('k')

with hidet.script_module() as of_gemm:
    @hidet.script
    def gemm(a: f32[m, k], b: f32[k, n], c: f32[m, n], alpha: f32, beta: f32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < m and x < n:
            c[y, x] *= beta
            for j in range(k):
                c[y, x] += alpha * a[y, j] * b[j, x]
of_gemm.build()

with hidet.script_module() as of_mm2_first:
    @hidet.script
    def mm2_first(a: f32[m, k], b: f32[k, n], c: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < m and x < n:
            total: f32 = 0.0
            for j in range(k):
                total += a[y, j] * b[j, x]
            c[y, x] = total
of_mm2_first.build()

with hidet.script_module() as of_atax_first:
    @hidet.script
    def atax_first(a: f32[m, n], v: f32[n], w: f32[m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m:
            for j in range(n):
                w[i] += a[i, j] * v[j]
of_atax_first.build()

with hidet.script_module() as of_atax_second:
    @hidet.script
    def atax_second(a: f32[m, n], w: f32[m], v: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            for j in range(m):
                v[i] += a[j, i] * w[j]
of_atax_second.build()

with hidet.script_module() as of_bicg_first:
    @hidet.script
    def bicg_first(a: f32[m, n], r: f32[m], s: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            s[i] = 0.0
            for j in range(m):
                s[i] += a[j, i] * r[j]
of_bicg_first.build()

with hidet.script_module() as of_bicg_second:
    @hidet.script
    def bicg_second(a: f32[m, n], p: f32[n], q: f32[m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m:
            q[i] = 0.0
            for j in range(n):
                q[i] += a[i, j] * p[j]
of_bicg_second.build()

with hidet.script_module() as of_mvt:
    @hidet.script
    def mvt(a: f32[n, n], x1: f32[n], y1: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            for j in range(n):
                x1[i] += a[j, i] * y1[j]
of_mvt.build()

with hidet.script_module() as of_gesummv:
    @hidet.script
    def gesummv(a: f32[n, n], b: f32[n, n], v: f32[n], t: f32[n], w: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < n:
            for j in range(n):
                t[i] += a[i, j] * v[j]
                w[i] += b[i, j] * v[j]
            w[i] = 1.5 * t[i] + 1.2 * w[i]
of_gesummv.build()

with hidet.script_module() as of_syrk:
    @hidet.script
    def syrk(a: f32[n, m], c: f32[n, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n and x < n:
            c[y, x] *= 1.2
            for j in range(m):
                c[y, x] += 1.5 * a[y, j] * a[x, j]
of_syrk.build()

with hidet.script_module() as of_syr2k:
    @hidet.script
    def syr2k(a: f32[n, m], b: f32[n, m], c: f32[n, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n and x < n:
            c[y, x] *= 1.2
            for j in range(m):
                c[y, x] += a[y, j] * b[x, j] + b[y, j] * a[x, j]
of_syr2k.build()

with hidet.script_module() as of_correlation_mean:
    @hidet.script
    def correlation_mean(data: f32[n, m], mean: f32[m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m:
            mean[i] = 0.0
            for j in range(n):
                mean[i] += data[j, i]
            mean[i] /= f32(n)
of_correlation_mean.build()

with hidet.script_module() as of_correlation_deviation:
    @hidet.script
    def correlation_deviation(data: f32[n, m], mean: f32[m], deviation: f32[m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m:
            deviation[i] = 0.0
            for j in range(n):
                deviation[i] += (data[j, i] - mean[i]) * (data[j, i] - mean[i])
            deviation[i] = sqrt(deviation[i] / f32(n))
            if deviation[i] <= 0.005:
                deviation[i] = 1.0
of_correlation_deviation.build()

with hidet.script_module() as of_correlation_centre:
    @hidet.script
    def correlation_centre(data: f32[n, m], mean: f32[m], deviation: f32[m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n and x < m:
            data[y, x] = (data[y, x] - mean[x]) / (sqrt(f32(n)) * deviation[x])
of_correlation_centre.build()

with hidet.script_module() as of_correlation_upper:
    @hidet.script
    def correlation_upper(data: f32[n, m], symmetric: f32[m, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m - 1 + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m - 1:
            symmetric[i, i] = 1.0
            for other in range(i + 1, m):
                total: f32 = 0.0
                for j in range(n):
                    total += data[j, i] * data[j, other]
                symmetric[i, other] = total
                symmetric[other, i] = total
of_correlation_upper.build()

with hidet.script_module() as of_covariance:
    @hidet.script
    def covariance(data: f32[n, m], symmetric: f32[m, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m:
            for other in range(i, m):
                total: f32 = 0.0
                for j in range(n):
                    total += data[j, i] * data[j, other]
                symmetric[i, other] = total
                symmetric[other, i] = total
of_covariance.build()

with hidet.script_module() as of_fdtd_y:
    @hidet.script
    def fdtd_y(source: f32[k], ex: f32[n, m], ey: f32[n, m], hz: f32[n, m], t: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n and x < m:
            if y == 0:
                if t >= 0 and t < k:
                    ey[y, x] = source[t]
            else:
                ey[y, x] -= 0.5 * (hz[y, x] - hz[y - 1, x])
of_fdtd_y.build()

with hidet.script_module() as of_fdtd_x:
    @hidet.script
    def fdtd_x(ex: f32[n, m], hz: f32[n, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n and x < m and x > 0:
            ex[y, x] -= 0.5 * (hz[y, x] - hz[y, x - 1])
of_fdtd_x.build()

with hidet.script_module() as of_fdtd_field:
    @hidet.script
    def fdtd_field(ex: f32[n, m], ey: f32[n, m], hz: f32[n, m]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < n - 1 and x < m - 1:
            hz[y, x] -= 0.7 * (ex[y, x + 1] - ex[y, x] + ey[y + 1, x] - ey[y, x])
of_fdtd_field.build()

with hidet.script_module() as of_convolution_2d:
    @hidet.script
    def convolution_2d(a: f32[m, n], b: f32[m, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (m + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y < m - 1 and x < n - 1 and y > 0 and x > 0:
            b[y, x] = (0.2 * a[y - 1, x - 1] - 0.3 * a[y, x - 1] + 0.4 * a[y + 1, x - 1] + 0.5 * a[y - 1, x] + 0.6 * a[y, x]
                       + 0.7 * a[y + 1, x] - 0.8 * a[y - 1, x + 1] - 0.9 * a[y, x + 1] + 0.1 * a[y + 1, x + 1])
of_convolution_2d.build()

with hidet.script_module() as of_convolution_3d:
    @hidet.script
    def convolution_3d(a: f32[m, n, k], b: f32[m, n, k], layer: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (k + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if layer > 0 and layer < m - 1 and y < n - 1 and x < k - 1 and y > 0 and x > 0:
            b[layer, y, x] = (2.0 * a[layer - 1, y - 1, x - 1] + 4.0 * a[layer + 1, y - 1, x - 1] + 5.0 * a[layer, y, x]
                              - 8.0 * a[layer, y + 1, x] - 9.0 * a[layer + 1, y + 1, x + 1])
of_convolution_3d.build()

with hidet.script_module() as of_jacobi_1d:
    @hidet.script
    def jacobi_1d(a: f32[n], b: f32[n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i > 0 and i < n - 1:
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
of_jacobi_1d.build()

with hidet.script_module() as of_jacobi_2d:
    @hidet.script
    def jacobi_2d(a: f32[n, n], b: f32[n, n]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y >= 1 and y < n - 1 and x >= 1 and x < n - 1:
            b[y, x] = 0.2 * (a[y, x] + a[y, x - 1] + a[y, x + 1] + a[y + 1, x] + a[y - 1, x])
of_jacobi_2d.build()

with hidet.script_module() as of_gramschmidt_scale:
    @hidet.script
    def gramschmidt_scale(a: f32[m, n], r: f32[n, n], q: f32[m, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (m + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i < m and step >= 0 and step < n:
            q[i, step] = a[i, step] / r[step, step]
of_gramschmidt_scale.build()

with hidet.script_module() as of_gramschmidt_subtract:
    @hidet.script
    def gramschmidt_subtract(a: f32[m, n], r: f32[n, n], q: f32[m, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i > step and i < n and step >= 0:
            r[step, i] = 0.0
            for j in range(m):
                r[step, i] += q[j, step] * a[j, i]
            for j in range(m):
                a[j, i] -= q[j, step] * r[step, i]
of_gramschmidt_subtract.build()

with hidet.script_module() as of_lu_row:
    @hidet.script
    def lu_row(a: f32[n, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 255) // 256
        attrs.cuda.block_dim = 256
        i = blockIdx.x * 256 + threadIdx.x
        if i > step and i < n and step >= 0:
            a[step, i] = a[step, i] / a[step, step]
of_lu_row.build()

with hidet.script_module() as of_lu_rest:
    @hidet.script
    def lu_rest(a: f32[n, n], step: i32):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = (n + 31) // 32, (n + 7) // 8
        attrs.cuda.block_dim = 32, 8
        x = blockIdx.x * 32 + threadIdx.x
        y = blockIdx.y * 8 + threadIdx.y
        if y > step and x > step and y < n and x < n and step >= 0:
            a[y, x] = a[y, x] - a[y, step] * a[step, x]
of_lu_rest.build()
