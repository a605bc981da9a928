# SPDX-License-Identifier: Apache-2.0
"""Products of a warp group: operands in shared memory in every layout, in registers, signs, and sums that start anew."""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, cast, f16, f32, grid, register_tensor, shared_tensor, u32, u64, view
from hidet.lang.cuda import (
    WgmmaConfig,
    cvta_generic_to_shared,
    make_wgmma_desc,
    syncthreads,
    threadIdx,
    wgmma_async,
    wgmma_commit_group,
    wgmma_fence,
    wgmma_wait_group,
)
from hidet.ir.primitives.cuda import fence_view_async_shared, wgmma_fence_operand

m, n, k = 64, 64, 16
config = WgmmaConfig.get(m, n, k, f16, f16, f32)
layouts = {0: 16, 1: 128, 2: 64, 3: 32}  # bytes of a row of a unit


def place(layout, transposed, lead, stride):
    """Where element (mn, k) of a tile lies, in elements of 2 bytes."""
    row = layouts[layout]

    def of(mn, kk):
        across, along = (kk, mn * 2) if transposed else (mn, kk * 2)
        swaps = transposed and layout == 0
        at = across // 8 * (lead if swaps else stride) + across % 8 * row
        at += along // row * (stride if swaps else lead) + along % row
        if layout:
            at ^= (at >> 7 & (row // 16 - 1)) << 4
        return at // 2

    return of


def run(layout_a, trans_a, layout_b, trans_b, in_registers, scale_a=1, scale_b=1, starts=-1, turns=1):
    """So many products that add to the same sums; the one with the number `starts` begins anew."""
    row_a, row_b = layouts[layout_a], layouts[layout_b]
    # Units of 8 rows lie one after the other, along the first direction and then along the other.
    size_a, size_b = 8 * row_a, 8 * row_b
    stride_a, stride_b = size_a, size_b
    lead_a = size_a * (2 if trans_a and layout_a else m // 8)
    lead_b = size_b * (2 if trans_b and layout_b else n // 8)
    at_a, at_b = place(layout_a, trans_a, lead_a, stride_a), place(layout_b, trans_b, lead_b, stride_b)
    total_a = max(at_a(i, j) for i in range(m) for j in range(k)) // 512 * 512 + 512
    total_b = max(at_b(i, j) for i in range(n) for j in range(k)) // 512 * 512 + 512

    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(a: f16[total_a], regs: f16[m, k], b: f16[total_b], c: f32[m, n]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 128
            tile_b = shared_tensor(f16, shape=[total_b])
            sums = register_tensor(f32, shape=[config.c_elements])
            if in_registers:
                mine = register_tensor(f16, shape=[8])
            else:
                tile_a = shared_tensor(f16, shape=[total_a])
                for i in range(total_a // 128):
                    tile_a[i * 128 + threadIdx.x] = a[i * 128 + threadIdx.x]
            for i in range(total_b // 128):
                tile_b[i * 128 + threadIdx.x] = b[i * 128 + threadIdx.x]
            if in_registers:
                p = 0
                for i, j in config.a_load_map.on(threadIdx.x):
                    mine[p] = regs[i, j]
                    p += 1
            row = threadIdx.x // 32 * 16 + threadIdx.x % 32 // 4
            column = threadIdx.x % 4 * 2
            for j in grid(n // 8, attrs='u'):
                for h in grid(2, attrs='u'):
                    for e in grid(2, attrs='u'):
                        sums[j * 4 + h * 2 + e] = c[row + h * 8, j * 8 + column + e]
            fence_view_async_shared()
            syncthreads()
            first_b = cast(cvta_generic_to_shared(tile_b), u64) >> 4
            desc_b = make_wgmma_desc(lead_b, stride_b, layout_b) | first_b
            wgmma_fence()
            if not in_registers:
                first_a = cast(cvta_generic_to_shared(tile_a), u64) >> 4
                desc_a = make_wgmma_desc(lead_a, stride_a, layout_a) | first_a
            for turn in grid(turns, attrs='u'):
                keeps = turn != starts
                if in_registers:
                    wgmma_async(config, ~mine[0], ~sums[0], desc_b, keeps, scale_a, scale_b, trans_b=trans_b)
                else:
                    wgmma_async(config, desc_a, ~sums[0], desc_b, keeps, scale_a, scale_b, trans_a, trans_b)
            wgmma_commit_group()
            wgmma_wait_group(0)
            wgmma_fence_operand(sums)
            q = 0
            for i, j in config.c_store_map.on(threadIdx.x):
                c[i, j] = sums[q]
                q += 1

    x = torch.randn(m, k, dtype=torch.float16)
    y = torch.randn(n, k, dtype=torch.float16)
    start = torch.randn(m, n, dtype=torch.float32)
    xs, ys = x.tolist(), y.tolist()
    a, b = [0.0] * total_a, [0.0] * total_b
    for i in range(m):
        for j in range(k):
            a[at_a(i, j)] = xs[i][j]
    for i in range(n):
        for j in range(k):
            b[at_b(i, j)] = ys[i][j]
    c = start.cuda()
    script_module.build()(
        torch.tensor(a, dtype=torch.float16).cuda(),
        x.cuda(),
        torch.tensor(b, dtype=torch.float16).cuda(),
        c,
    )
    products = (turns - max(starts, 0)) * scale_a * scale_b
    expected = x.to(torch.float32) @ y.to(torch.float32).T * products + (start if starts < 0 else 0.0)
    torch.testing.assert_close(c.cpu(), expected, rtol=1e-3, atol=1e-3)


for layout in layouts:
    run(layout, 0, layout, 0, False)
    run(layout, 1, layout, 1, False)
run(1, 0, 1, 1, True)
run(1, 0, 1, 0, True, scale_a=-1)
run(1, 0, 1, 1, False, scale_b=-1, starts=0)
run(1, 0, 1, 0, False, turns=6)
run(1, 0, 1, 0, False, turns=7, starts=2)
run(1, 0, 1, 1, True, turns=2, starts=0)  # with three, ptxas drops one of the equal products of registers
