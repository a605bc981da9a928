# SPDX-License-Identifier: Apache-2.0
"""Pixels of images as a filter goes over them: padding, strides, from row to row and from image to image."""
import hidet
import torch
from hidet.lang import OpaqueType, attrs, f16, shared_tensor, u64
from hidet.lang.cuda import syncthreads, threadIdx
from hidet.ir.primitives.cuda import (
    copy_im2col_g2s,
    create_im2col_tensor_map,
    fence_barrier_init,
    mbarrier_arrive_and_expect_tx,
    mbarrier_init,
    mbarrier_wait,
)

images, height, width, channels = 2, 5, 6, 32
box, pixels = 16, 24
tensor_map = OpaqueType('CUtensorMap', 'const', '__grid_constant__')


def pixels_of(filter_size, pad, stride, first, place, first_channel):
    """`first`: column, row and image of the corner of the filter; `place`: column and row in the filter."""
    with hidet.script_module() as script_module:

        @hidet.script
        def kernel(x_map: tensor_map, out: f16[pixels, box]):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = 1
            attrs.cuda.block_dim = 32
            tile = shared_tensor(f16, shape=[pixels, box])
            barrier = shared_tensor(u64, shape=[1])
            if threadIdx.x == 0:
                mbarrier_init(barrier, 1)
                fence_barrier_init()
            syncthreads()
            if threadIdx.x == 0:
                mbarrier_arrive_and_expect_tx(barrier, pixels * box * 2)
                copy_im2col_g2s(4, tile, x_map, barrier, first_channel, first[0], first[1], first[2], offsets=place)
            mbarrier_wait(barrier, 0)
            for i in range(pixels * box // 32):
                e = i * 32 + threadIdx.x
                out[e // box, e % box] = tile[e // box, e % box]

        @hidet.script
        def launch(x: f16[images, height, width, channels], out: f16[pixels, box]):
            attrs.func_kind = 'public'
            x_map: OpaqueType('CUtensorMap')
            row = channels * 2
            create_im2col_tensor_map(
                ~x_map,
                f16,
                4,
                x,
                [channels, width, height, images],
                [row, row * width, row * width * height],
                [-pad, -pad],
                [pad - (filter_size - 1), pad - (filter_size - 1)],
                box,
                pixels,
                [1, stride, stride, 1],
            )
            kernel(x_map, out)

    x = torch.randn(images, height, width, channels, dtype=torch.float16, device='cuda')
    out = torch.zeros(pixels, box, dtype=torch.float16, device='cuda')
    script_module.build()(x, out)
    x, out = x.tolist(), out.tolist()
    column, row, image = first
    for p in range(pixels):
        i, j = row + place[1], column + place[0]
        inside = image < images and 0 <= i < height and 0 <= j < width
        expected = [x[image][i][j][first_channel + c] if inside else 0.0 for c in range(box)]
        assert out[p] == expected, (filter_size, pad, stride, p)
        column += stride
        if column > width - 1 + pad - (filter_size - 1):
            column, row = -pad, row + stride
        if row > height - 1 + pad - (filter_size - 1):
            row, image = -pad, image + 1


pixels_of(3, 1, 1, [-1, -1, 0], [0, 0], 0)
pixels_of(3, 1, 1, [2, 3, 0], [1, 2], 16)
pixels_of(3, 0, 1, [1, 1, 1], [2, 2], 0)
pixels_of(3, 1, 2, [-1, 1, 0], [2, 1], 16)
pixels_of(1, 0, 2, [0, 0, 0], [0, 0], 0)
