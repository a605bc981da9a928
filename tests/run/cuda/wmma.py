# SPDX-License-Identifier: Apache-2.0
"""Every configuration of wmma against float64: tiles by rows and by columns, with and without gaps, in global and shared memory."""
import hidet
import torch
from hidet.lang import attrs, bf16, f16, f32, register_tensor, shared_tensor, u32
from hidet.lang.cuda import WmmaConfig, syncthreads, threadIdx, wmma_load_a, wmma_load_b, wmma_mma, wmma_store

types = {'f16': (f16, torch.float16), 'bf16': (bf16, torch.bfloat16), 'tf32': (f32, torch.float32), 'f32': (f32, torch.float32)}
shapes = [
    ((16, 16, 16), 'f16', 'f16'),
    ((8, 32, 16), 'f16', 'f16'),
    ((32, 8, 16), 'f16', 'f16'),
    ((16, 16, 16), 'f16', 'f32'),
    ((8, 32, 16), 'f16', 'f32'),
    ((32, 8, 16), 'f16', 'f32'),
    ((16, 16, 16), 'bf16', 'f32'),
    ((8, 32, 16), 'bf16', 'f32'),
    ((32, 8, 16), 'bf16', 'f32'),
    ((16, 16, 8), 'tf32', 'f32'),
]
assert len(WmmaConfig.all()) == len(shapes) * 8


# In memory a tile has as many gaps behind each of its rows or columns as it has elements in them.
def placed(tile, layout, gaps):
    rows = tile if layout == 'row' else tile.t()
    return torch.cat([rows] + [torch.full_like(rows, 9.0) for i in range(gaps)], dim=1).contiguous()


# `stride`: an argument of the kernel, or None.
def check(config, gaps, given):
    m, n, k = config.shape
    in_type, in_tensor = types[config.a_dtype]
    out_type, out_tensor = types[config.c_dtype]
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: ~in_type, b: ~in_type, c: ~out_type, a_stride: int, b_stride: int, c_stride: int):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            a_regs = register_tensor(u32, shape=[config.a_regs])
            b_regs = register_tensor(u32, shape=[config.b_regs])
            c_regs = register_tensor(u32, shape=[config.c_regs])
            for i in range(config.c_regs):
                c_regs[i] = u32(0)
            if given:
                wmma_load_a(config, ~a_regs[0], a, a_stride)
                wmma_load_b(config, ~b_regs[0], b, stride=b_stride)
            else:
                wmma_load_a(config, ~a_regs[0], a)
                wmma_load_b(config, ~b_regs[0], b)
            wmma_mma(config, ~a_regs[0], ~b_regs[0], ~c_regs[0])
            wmma_mma(config, ~a_regs[0], ~b_regs[0], ~c_regs[0])
            if given:
                wmma_store(config, c, ~c_regs[0], stride=c_stride)
            else:
                wmma_store(config, c, ~c_regs[0])

    a = torch.randn(m, k, device='cuda').to(in_tensor)
    b = torch.randn(k, n, device='cuda').to(in_tensor)
    start = torch.zeros(m, n, dtype=out_tensor, device='cuda')
    a_memory, b_memory, c_memory = placed(a, config.a_layout, gaps), placed(b, config.b_layout, gaps), placed(start, config.c_layout, gaps)
    untouched = c_memory.clone()
    script_module.build()(a_memory, b_memory, c_memory, a_memory.shape[1], b_memory.shape[1], c_memory.shape[1])
    columns = n if config.c_layout == 'row' else m
    assert torch.equal(c_memory[:, columns:], untouched[:, columns:])
    c = c_memory[:, :columns]
    want = 2 * torch.matmul(a.double(), b.double())
    tolerance = 3e-2 if config.c_dtype == 'f16' or config.a_dtype == 'tf32' else 1e-3
    got = c if config.c_layout == 'row' else c.t()
    torch.testing.assert_close(got.double(), want, rtol=tolerance, atol=tolerance)


for shape, in_name, out_name in shapes:
    for layouts in [('row', 'col', 'row'), ('col', 'row', 'col')]:
        config = WmmaConfig(shape, in_name, in_name, out_name, *layouts)
        assert config.shape == shape and (config.a_layout, config.b_layout, config.c_layout) == layouts
        check(config, 1 if layouts[0] == 'row' else 0, layouts[0] == 'row')

# Tiles of shared memory, four warps with one each; the sums are added to what they are by the script.
config = WmmaConfig(shape=(16, 16, 16), a_dtype='f16', b_dtype='f16', c_dtype='f32')
with hidet.script_module() as script_module:

    @hidet.script
    def warps(a: f16[64, 16], b: f16[16, 16], c: f32[64, 16]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 1
        attrs.cuda.block_dim = 128
        a_tile = shared_tensor(f16, shape=[64, 16])
        b_tile = shared_tensor(f16, shape=[16, 16])
        t = threadIdx.x
        for i in range(8):
            a_tile[t // 2, t % 2 * 8 + i] = a[t // 2, t % 2 * 8 + i]
        for i in range(2):
            b_tile[t // 8, t % 8 * 2 + i] = b[t // 8, t % 8 * 2 + i]
        syncthreads()
        a_regs = register_tensor(u32, shape=[8])
        b_regs = register_tensor(u32, shape=[8])
        c_regs = register_tensor(f32, shape=[8])
        for i in range(8):
            c_regs[i] = 1.0
        wmma_load_a(config, ~a_regs[0], ~a_tile[t // 32 * 16, 0])
        wmma_load_b(config, ~b_regs[0], ~b_tile[0, 0])
        wmma_mma(config, ~a_regs[0], ~b_regs[0], ~c_regs[0])
        for i in range(8):
            c_regs[i] = c_regs[i] * 2.0
        wmma_store(config, ~c[t // 32 * 16, 0], ~c_regs[0])


a = torch.randn(64, 16, device='cuda').to(torch.float16)
b = torch.randn(16, 16, device='cuda').to(torch.float16)
c = torch.zeros(64, 16, device='cuda')
script_module.build()(a, b, c)
torch.testing.assert_close(c.double(), 2 * (torch.matmul(a.double(), b.double()) + 1), rtol=1e-3, atol=1e-3)
