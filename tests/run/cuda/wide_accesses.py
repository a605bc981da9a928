# SPDX-License-Identifier: Apache-2.0
"""Several registers are loaded and stored at once, in global memory where a predicate holds, and in shared memory."""
import hidet
import torch
from hidet.ir.primitives.cuda.ldst import ldg16, ldg16_lu, ldg32, ldg32_lu, ldg64, ldg64_lu, ldg128, ldg128_lu, ldg256, ldg256_lu
from hidet.ir.primitives.cuda.ldst import lds8, lds16, lds32, lds64, lds128, sts8, sts16, sts32, sts64, sts128
from hidet.ir.primitives.cuda.ldst import stg16, stg32, stg64, stg128, stg256, stg512
from hidet.lang import attrs, f16, register_tensor, shared_tensor, u8, u32
from hidet.lang.cuda import syncthreads, threadIdx

n = 64

with hidet.script_module() as m:

    # Threads with even numbers load, the others keep what they have; the last four store nothing.
    @hidet.script
    def words(x: u32[n, 16], y: u32[n, 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        loads = t % 2 == 0
        stores = t < n - 4
        r = register_tensor(u32, shape=[16])
        for i in range(16):
            r[i] = u32(7)
        ldg32(~r[0], ~x[t, 0], loads)
        ldg32_lu(~r[1], ~x[t, 1], loads)
        ldg64(~r[2], ~r[3], ~x[t, 2], loads)
        ldg128(~r[4], ~r[5], ~r[6], ~r[7], ~x[t, 4], loads)
        ldg256(~r[8], ~r[9], ~r[10], ~r[11], ~r[12], ~r[13], ~r[14], ~r[15], ~x[t, 8], loads)
        stg32(~r[0], ~y[t, 0], stores)
        stg32(~r[1], ~y[t, 1], stores)
        stg64(~r[2], ~r[3], ~y[t, 2], stores)
        stg128(~r[4], ~r[5], ~r[6], ~r[7], ~y[t, 4], stores)
        stg256(~r[8], ~r[9], ~r[10], ~r[11], ~r[12], ~r[13], ~r[14], ~r[15], ~y[t, 8], stores)

    # The halves of a row of 32 change places; registers are pairs of an array of halves. A row is loaded without a predicate.
    @hidet.script
    def halves(x: f16[n, 32], y: f16[n, 32]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        r = register_tensor(f16, shape=[32])
        ldg64_lu(~r[0], ~r[2], ~x[t, 16], True)
        ldg64_lu(~r[4], ~r[6], ~x[t, 20], True)
        ldg128_lu(~r[8], ~r[10], ~r[12], ~r[14], ~x[t, 24], True)
        ldg256_lu(~r[16], ~r[18], ~r[20], ~r[22], ~r[24], ~r[26], ~r[28], ~r[30], ~x[t, 0], True)
        stg512(
            ~r[0], ~r[2], ~r[4], ~r[6], ~r[8], ~r[10], ~r[12], ~r[14], ~r[16], ~r[18], ~r[20], ~r[22], ~r[24], ~r[26],
            ~r[28], ~r[30], ~y[t, 0], True
        )

    # What is not loaded of 16 bits is zero.
    @hidet.script
    def single(x: f16[n, 2], y: f16[n, 2]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        r = register_tensor(f16, shape=[2])
        ldg16(~r[0], ~x[t, 0], t % 2 == 0)
        ldg16_lu(~r[1], ~x[t, 1], t % 2 == 1)
        stg16(~r[0], ~y[t, 0], True)
        stg16(~r[1], ~y[t, 1], t != 5)

    # Through shared memory, to the thread that stands as far from the end.
    @hidet.script
    def turned(x: u32[n, 8], y: u32[n, 8], bytes_of_x: u8[n, 4], bytes_of_y: u8[n, 4]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = n
        t = threadIdx.x
        tile = shared_tensor(u32, shape=[n, 8])
        octets = shared_tensor(u8, shape=[n, 4])
        r = register_tensor(u32, shape=[8])
        b = register_tensor(u8, shape=[4])
        for i in range(7):
            r[i] = x[t, i]
        for i in range(3):
            b[i] = bytes_of_x[t, i]
        sts32(~r[6], ~tile[t, 6])
        sts64(~r[4], ~r[5], ~tile[t, 4])
        sts128(~r[0], ~r[1], ~r[2], ~r[3], ~tile[t, 0])
        sts16(~b[0], ~octets[t, 0])
        sts8(~b[2], ~octets[t, 2])
        syncthreads()
        lds128(~r[0], ~r[1], ~r[2], ~r[3], ~tile[n - 1 - t, 0])
        lds64(~r[4], ~r[5], ~tile[n - 1 - t, 4])
        lds32(~r[6], ~tile[n - 1 - t, 6])
        lds16(~b[0], ~octets[n - 1 - t, 0])
        lds8(~b[2], ~octets[n - 1 - t, 2])
        for i in range(7):
            y[t, i] = r[i]
        for i in range(3):
            bytes_of_y[t, i] = b[i]

    @hidet.script
    def launch_words(x: u32[n, 16], y: u32[n, 16]):
        attrs.func_kind = 'public'
        words(x, y)

    @hidet.script
    def launch_halves(x: f16[n, 32], y: f16[n, 32]):
        attrs.func_kind = 'public'
        halves(x, y)

    @hidet.script
    def launch_single(x: f16[n, 2], y: f16[n, 2]):
        attrs.func_kind = 'public'
        single(x, y)

    @hidet.script
    def launch_turned(x: u32[n, 8], y: u32[n, 8], bytes_of_x: u8[n, 4], bytes_of_y: u8[n, 4]):
        attrs.func_kind = 'public'
        turned(x, y, bytes_of_x, bytes_of_y)

built = m.build()

x = torch.randint(0, 1 << 30, (n, 16), dtype=torch.int32, device='cuda')
y = torch.full((n, 16), -1, dtype=torch.int32, device='cuda')
built['launch_words'](x.view(torch.uint32), y.view(torch.uint32))
for t in range(n):
    if t >= n - 4:
        assert y[t].tolist() == [-1] * 16, t
    else:
        assert y[t].tolist() == (x[t].tolist() if t % 2 == 0 else [7] * 16), t

x = torch.randn(n, 32, device='cuda').to(torch.float16)
y = torch.zeros(n, 32, dtype=torch.float16, device='cuda')
built['launch_halves'](x, y)
assert torch.equal(y[:, :16], x[:, 16:])
assert torch.equal(y[:, 16:], x[:, :16])

x = torch.randn(n, 2, device='cuda').to(torch.float16)
y = torch.full((n, 2), 9.0, dtype=torch.float16, device='cuda')
built['launch_single'](x, y)
for t in range(n):
    first, second = (x[t, 0].item(), 0.0) if t % 2 == 0 else (0.0, x[t, 1].item())
    assert y[t].tolist() == [first, 9.0 if t == 5 else second], t

x = torch.randint(0, 1 << 30, (n, 8), dtype=torch.int32, device='cuda')
y = torch.zeros(n, 8, dtype=torch.int32, device='cuda')
octets = torch.randint(0, 256, (n, 4), dtype=torch.uint8, device='cuda')
turned_octets = torch.zeros(n, 4, dtype=torch.uint8, device='cuda')
built['launch_turned'](x.view(torch.uint32), y.view(torch.uint32), octets, turned_octets)
for t in range(n):
    assert y[t, :7].tolist() == x[n - 1 - t, :7].tolist(), t
    assert turned_octets[t, :3].tolist() == octets[n - 1 - t, :3].tolist(), t
