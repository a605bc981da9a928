# SPDX-License-Identifier: Apache-2.0
# Kernels of NVIDIA's CUDA samples whose steps double or halve, which the solver has no answer for in its time.
import hidet
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

n = hidet.symbol_var('n')

with hidet.script_module() as of_reduce_strided:
    @hidet.script
    def reduce_strided(x: f32[n], y: f32[(n + 255) // 256]):
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
            at = 2 * step * t
            if at + step < 256:
                s[at] += s[at + step]
            syncthreads()
            step = step * 2
        if t == 0:
            y[blockIdx.x] = s[0]
of_reduce_strided.build()

with hidet.script_module() as of_walsh_in_shared:
    @hidet.script
    def walsh_in_shared(x: f32[n, 512]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[512])
        t = threadIdx.x
        s[t] = x[blockIdx.x, t]
        s[t + 256] = x[blockIdx.x, t + 256]
        step = 256
        while step > 0:
            syncthreads()
            low = t % step
            at = (t - low) * 2 + low
            a = s[at]
            b = s[at + step]
            s[at] = a + b
            s[at + step] = a - b
            step = step // 2
        syncthreads()
        x[blockIdx.x, t] = s[t]
        x[blockIdx.x, t + 256] = s[t + 256]
of_walsh_in_shared.build()

with hidet.script_module() as of_bitonic_sort:
    @hidet.script
    def bitonic_sort(x: f32[n, 512]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = n
        attrs.cuda.block_dim = 256
        s = shared_tensor(f32, shape=[512])
        t = threadIdx.x
        s[t] = x[blockIdx.x, t]
        s[t + 256] = x[blockIdx.x, t + 256]
        size = 2
        while size <= 512:
            step = size // 2
            while step > 0:
                syncthreads()
                at = 2 * t - t % step
                a = s[at]
                b = s[at + step]
                if (a > b) == (t // (size // 2) % 2 == 0):
                    s[at] = b
                    s[at + step] = a
                step = step // 2
            size = size * 2
        syncthreads()
        x[blockIdx.x, t] = s[t]
        x[blockIdx.x, t + 256] = s[t + 256]
of_bitonic_sort.build()
