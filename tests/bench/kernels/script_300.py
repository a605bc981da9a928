# SPDX-License-Identifier: Apache-2.0
# A script of 300 lines as a kernel author writes them: what the time from keystroke to lowered IR is measured on.
import hidet
import torch
from hidet.lang import as_tensor_pointer, attrs, grid, register_tensor, shared_tensor, tensor_pointer
from hidet.lang.types import f16, f32, i32
from hidet.lang.cuda import blockDim, blockIdx, shfl_down_sync, shfl_xor_sync, syncthreads, threadIdx
from hidet.lang.mapping import auto_map, repeat, spatial
from hidet.lang.layout import local_layout, row_major
from hidet.ir.primitives import exp, rsqrt

warp_size = 32


def cdiv(a, b):
    return (a + b - 1) // b


class TileConfig:
    """Sizes of one tiled matrix product."""

    def __init__(self, block_warps, warp_repeat, warp_threads, thread_repeat, block_k):
        self.block_warps = block_warps
        self.warp_repeat = warp_repeat
        self.warp_threads = warp_threads
        self.thread_repeat = thread_repeat
        self.block_k = block_k

    def block_size(self, dim):
        return self.block_warps[dim] * self.warp_repeat[dim] * self.warp_threads[dim] * self.thread_repeat[dim]

    @property
    def threads(self):
        return self.block_warps[0] * self.block_warps[1] * warp_size

    def mapping(self):
        return (
            spatial(*self.block_warps)
            .repeat(*self.warp_repeat)
            .spatial(*self.warp_threads)
            .repeat(*self.thread_repeat)
        )

    def layout(self):
        return (
            local_layout(*self.block_warps)
            * row_major(*self.warp_repeat)
            * local_layout(*self.warp_threads)
            * row_major(*self.thread_repeat)
        )


def vector_add(count):
    with hidet.script_module() as script_module:

        @hidet.script
        def vector_add_kernel(a: f32[count], b: f32[count], c: f32[count]):
            attrs.cuda.grid_dim = cdiv(count, 256)
            attrs.cuda.block_dim = 256
            i = blockIdx.x * blockDim.x + threadIdx.x
            if i < count:
                c[i] = a[i] + b[i]

    return script_module.build()


def naive_matmul(m_size, n_size, k_size):
    with hidet.script_module() as script_module:

        @hidet.script
        def naive_matmul_kernel(a: f32[m_size, k_size], b: f32[k_size, n_size], c: f32[m_size, n_size]):
            attrs.cuda.grid_dim = cdiv(m_size, 16), cdiv(n_size, 16)
            attrs.cuda.block_dim = 16, 16
            i = blockIdx.x * 16 + threadIdx.x
            j = blockIdx.y * 16 + threadIdx.y
            if i < m_size and j < n_size:
                total = f32(0.0)
                for k in range(k_size):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    return script_module.build()


def tiled_matmul(config, activation):
    block_m, block_n, block_k = config.block_size(0), config.block_size(1), config.block_k
    threads = config.threads

    with hidet.script_module() as script_module:

        @hidet.script
        def finish(x: f32) -> f32:
            if activation == 'relu':
                return max(x, 0.0)
            else:
                return x

        @hidet.script
        def tiled_matmul_kernel(
            a_ptr: ~f32,
            b_ptr: ~f32,
            c_ptr: ~f32,
            m_size: i32,
            n_size: i32,
            k_size: i32,
        ):
            attrs.cuda.block_dim = threads
            attrs.cuda.grid_dim = cdiv(m_size, block_m), cdiv(n_size, block_n)

            a = as_tensor_pointer(a_ptr, f32, [m_size, k_size])
            b = as_tensor_pointer(b_ptr, f32, [k_size, n_size])
            c = as_tensor_pointer(c_ptr, f32, [m_size, n_size])
            smem_a = shared_tensor(f32, shape=[2, block_m, block_k])
            smem_b = shared_tensor(f32, shape=[2, block_k, block_n])
            regs_c = register_tensor(f32, layout=config.layout())
            outputs = config.mapping()
            row, column = blockIdx.x * block_m, blockIdx.y * block_n

            for i, j in outputs.on(threadIdx.x):
                regs_c[i, j] = 0.0

            for i, k in auto_map(block_m, block_k, workers=threads).on(threadIdx.x):
                smem_a[0, i, k] = a.read([row + i, k], protected=True)
            for k, j in auto_map(block_k, block_n, workers=threads).on(threadIdx.x):
                smem_b[0, k, j] = b.read([k, column + j], protected=True)
            syncthreads()

            for k_tile in range(cdiv(k_size, block_k)):
                now = k_tile % 2
                after = (k_tile + 1) % 2
                start = (k_tile + 1) * block_k
                for i, k in auto_map(block_m, block_k, workers=threads).on(threadIdx.x):
                    smem_a[after, i, k] = a.read([row + i, start + k], protected=True)
                for k, j in auto_map(block_k, block_n, workers=threads).on(threadIdx.x):
                    smem_b[after, k, j] = b.read([start + k, column + j], protected=True)
                for k in range(block_k):
                    for i, j in outputs.on(threadIdx.x):
                        regs_c[i, j] += smem_a[now, i, k] * smem_b[now, k, j]
                syncthreads()

            for i, j in outputs.on(threadIdx.x):
                c.write([row + i, column + j], finish(regs_c[i, j]), protected=True)

    return script_module.build()


def softmax(rows, columns):
    warps = 4
    per_lane = cdiv(columns, warp_size)

    with hidet.script_module() as script_module:

        @hidet.script
        def softmax_kernel(x: f32[rows, columns], y: f32[rows, columns]):
            attrs.cuda.grid_dim = cdiv(rows, warps)
            attrs.cuda.block_dim = warps * warp_size
            row = blockIdx.x * warps + threadIdx.x // warp_size
            lane = threadIdx.x % warp_size
            values = register_tensor(f32, shape=[per_lane])
            if row < rows:
                largest = f32(-3.0e38)
                for i in range(per_lane):
                    column = i * warp_size + lane
                    values[i] = x[row, column] if column < columns else -3.0e38
                    largest = max(largest, values[i])
                for step in range(5):
                    largest = max(largest, shfl_xor_sync(0xffffffff, largest, 16 >> step))
                total = f32(0.0)
                for i in range(per_lane):
                    values[i] = exp(values[i] - largest)
                    total += values[i]
                for step in range(5):
                    total += shfl_xor_sync(0xffffffff, total, 16 >> step)
                for i in range(per_lane):
                    column = i * warp_size + lane
                    if column < columns:
                        y[row, column] = values[i] / total

    return script_module.build()


def layer_norm(rows, columns, epsilon):
    with hidet.script_module() as script_module:

        @hidet.script
        def block_sum(value: f32, buffer: ~f32) -> f32:
            attrs.func_kind = 'cuda_internal'
            for step in range(5):
                value += shfl_down_sync(0xffffffff, value, 16 >> step)
            if threadIdx.x % warp_size == 0:
                buffer[threadIdx.x // warp_size] = value
            syncthreads()
            total = f32(0.0)
            for i in range(8):
                total += buffer[i]
            syncthreads()
            return total

        @hidet.script
        def layer_norm_kernel(x: f32[rows, columns], gain: f32[columns], bias: f32[columns], y: f32[rows, columns]):
            attrs.cuda.grid_dim = rows
            attrs.cuda.block_dim = 256
            buffer = shared_tensor(f32, shape=[8])
            partial = f32(0.0)
            for i in range(cdiv(columns, 256)):
                column = i * 256 + threadIdx.x
                if column < columns:
                    partial += x[blockIdx.x, column]
            mean = block_sum(partial, ~buffer[0]) / columns
            partial = 0.0
            for i in range(cdiv(columns, 256)):
                column = i * 256 + threadIdx.x
                if column < columns:
                    difference = x[blockIdx.x, column] - mean
                    partial += difference * difference
            scale = rsqrt(block_sum(partial, ~buffer[0]) / columns + epsilon)
            for i in range(cdiv(columns, 256)):
                column = i * 256 + threadIdx.x
                if column < columns:
                    y[blockIdx.x, column] = (x[blockIdx.x, column] - mean) * scale * gain[column] + bias[column]

    return script_module.build()


def transpose(rows, columns):
    tile = 32

    with hidet.script_module() as script_module:

        @hidet.script
        def transpose_kernel(x: f32[rows, columns], y: f32[columns, rows]):
            attrs.cuda.grid_dim = cdiv(columns, tile), cdiv(rows, tile)
            attrs.cuda.block_dim = tile * 8
            buffer = shared_tensor(f32, layout=row_major(tile, tile).swizzle(1))
            row, column = blockIdx.y * tile, blockIdx.x * tile
            for i, j in repeat(4, 1).spatial(8, tile).on(threadIdx.x):
                buffer[i, j] = x.read([row + i, column + j], protected=True)
            syncthreads()
            for i, j in repeat(4, 1).spatial(8, tile).on(threadIdx.x):
                y.write([column + i, row + j], buffer[j, i], protected=True)

    return script_module.build()


def convert(count):
    with hidet.script_module() as script_module:

        @hidet.script
        def convert_kernel(source: f32[count], target: f16[count]):
            attrs.func_kind = 'cpu_kernel'
            for i in grid(count, attrs='p'):
                target[i] = f16(source[i])

    return script_module.build()


def random(*shape):
    return torch.randn(*shape, device='cuda')


def check_tiled_matmul():
    config = TileConfig((2, 2), (2, 2), (4, 8), (4, 4), 8)
    for activation in ['relu', 'none']:
        module = tiled_matmul(config, activation)
        for m_size, n_size, k_size in [(64, 128, 32), (70, 50, 33)]:
            a, b = random(m_size, k_size), random(k_size, n_size)
            c = torch.empty(m_size, n_size, device='cuda')
            module(a, b, c, m_size, n_size, k_size)
            expected = a @ b
            if activation == 'relu':
                expected = expected.relu()
            torch.testing.assert_close(c, expected, atol=1e-3, rtol=1e-3)


def main():
    a, b, c = random(1000), random(1000), torch.empty(1000, device='cuda')
    vector_add(1000)(a, b, c)
    torch.testing.assert_close(c, a + b)
    a, b, c = random(33, 20), random(20, 47), torch.empty(33, 47, device='cuda')
    naive_matmul(33, 47, 20)(a, b, c)
    torch.testing.assert_close(c, a @ b, atol=1e-4, rtol=1e-4)
    check_tiled_matmul()
    x, y = random(9, 100), torch.empty(9, 100, device='cuda')
    softmax(9, 100)(x, y)
    torch.testing.assert_close(y, torch.softmax(x, dim=1), atol=1e-5, rtol=1e-5)
    gain, bias = random(100), random(100)
    layer_norm(9, 100, 1e-5)(x, gain, bias, y)
    z = torch.empty(100, 9, device='cuda')
    transpose(9, 100)(x, z)
    torch.testing.assert_close(z, x.t())
    half = torch.empty(64, dtype=torch.float16)
    single = torch.randn(64)
    convert(64)(single, half)
    torch.testing.assert_close(half, single.half())
    print('all kernels agree with the reference')


main()
