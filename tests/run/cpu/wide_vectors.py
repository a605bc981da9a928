# SPDX-License-Identifier: Apache-2.0
"""Vectors of sixteen floats: every operation against what its lanes are, on processors with and without such registers."""
import math

import hidet
from hidet.ir.dtypes import f32x16, vectorize
from hidet.lang import attrs, f32
from hidet.lang.cpu import *

assert vectorize('float32', 16) == f32x16

with hidet.script_module() as m:

    @hidet.script
    def doubled(x: f32x16) -> f32x16:
        attrs.func_kind = 'cpu_internal'
        return avx_f32x16_add(x, x)

    @hidet.script
    def sixteen(x: f32[32], y: f32[32], out: f32[22, 16], numbers: f32[4]):
        attrs.func_kind = 'cpu_kernel'
        prefetch(~x[0] + 1000)  # need not be memory
        a = avx_f32x16_load(~x[1])
        b = avx_f32x16_load_aligned(~y[16])
        avx_f32x16_store(~out[0, 0], avx_f32x16_setzero())
        avx_f32x16_store(~out[1, 0], avx_f32x16_broadcast(~x[3]))
        avx_f32x16_store(~out[2, 0], avx_f32x16_set1(x[2]))
        avx_f32x16_store_aligned(~out[3, 0], avx_f32x16_add(a, b))
        avx_f32x16_store(~out[4, 0], avx_f32x16_subtract(a, b))
        avx_f32x16_store(~out[5, 0], avx_f32x16_multiply(a, b))
        avx_f32x16_store(~out[6, 0], avx_f32x16_divide(a, b))
        avx_f32x16_store(~out[7, 0], avx_f32x16_sqrt(avx_f32x16_multiply(a, a)))
        avx_f32x16_store(~out[8, 0], avx_f32x16_max(a, b))
        avx_f32x16_store(~out[9, 0], avx_f32x16_fmadd(a, b, a))
        avx_f32x16_store(~out[10, 0], avx_f32x16_unpacklo(a, b))
        avx_f32x16_store(~out[11, 0], avx_f32x16_unpackhi(a, b))
        avx_f32x16_store(~out[12, 0], avx_f32x16_shuffle(a, b, 0b11_00_10_01))
        avx_f32x16_store(~out[13, 0], avx_f32x16_permute(a, 0b00_11_01_10))
        avx_f32x16_store(~out[14, 0], avx_f32x16_shuffle_f32x4(a, b, 0b01_11_00_10))
        avx_f32x16_store(~out[15, 0], avx_f32x16_insert_f32x8(a, avx_f32x16_cast_f32x8(b), 1))
        avx_f32x16_store(~out[16, 0], avx_f32x16_insert_f32x8(a, avx_f32x16_extract_half(b, 1), 0))
        avx_f32x16_store(~out[17, 0], doubled(a))
        avx_f32x16_store(~out[18, 0], a * b - f32x16(0.5))
        numbers[0] = avx_f32x16_extract_last(a)
        numbers[1] = avx_f32x16_sum(a)
        numbers[2] = avx_f32x16_scalar_max(a)
        numbers[3] = a[13]

    @hidet.script
    def values(x: f32x16[3], y: f32x16[3]):
        attrs.func_kind = 'cpu_kernel'
        for i in range(3):
            y[i] = x[2 - i] + x[i]

    @hidet.script
    def product(a: f32[7, 5], b: f32[5, 32], c: f32[7, 32]):
        attrs.func_kind = 'cpu_kernel'
        for i in range(7):
            low = avx_f32x16_setzero()
            high = avx_f32x16_setzero()
            for k in range(5):
                left = avx_f32x16_broadcast(~a[i, k])
                low = avx_f32x16_fmadd(left, avx_f32x16_load(~b[k, 0]), low)
                high = avx_f32x16_fmadd(left, avx_f32x16_load(~b[k, 16]), high)
            avx_f32x16_store(~c[i, 0], low)
            avx_f32x16_store(~c[i, 16], high)

    @hidet.script
    def launch():
        attrs.func_kind = 'public'


module = m.build()


def numbers(n, f):
    return hidet.asarray([f(i) for i in range(n)], dtype='float32')


def single(value):
    return hidet.asarray([value], dtype='float32')[0].item()


def check(row, expected):
    assert row.tolist() == [single(value) for value in expected], (row.tolist(), expected)


def quads(values):
    return [values[i : i + 4] for i in range(0, 16, 4)]


def joined(lists):
    out = []
    for each in lists:
        out += each
    return out


x = numbers(32, lambda i: (i * 7 % 11 - 4) * 0.37)
y = numbers(32, lambda i: (i * 5 % 13 + 1) * 0.21)
xs, ys = x.tolist(), y.tolist()
out, of_all = hidet.zeros([22, 16]), hidet.zeros([4])
module['sixteen'](x, y, out, of_all)
a, b = xs[1:17], ys[16:]
pairs = list(zip(quads(a), quads(b)))
check(out[0], [0.0] * 16)
check(out[1], [xs[3]] * 16)
check(out[2], [xs[2]] * 16)
check(out[3], [u + v for u, v in zip(a, b)])
check(out[4], [u - v for u, v in zip(a, b)])
check(out[5], [u * v for u, v in zip(a, b)])
check(out[6], [u / v for u, v in zip(a, b)])
check(out[7], [math.sqrt(single(u * u)) for u in a])
check(out[8], [u if u > v else v for u, v in zip(a, b)])
check(out[9], [u * v + u for u, v in zip(a, b)])
check(out[10], joined([[u[0], v[0], u[1], v[1]] for u, v in pairs]))
check(out[11], joined([[u[2], v[2], u[3], v[3]] for u, v in pairs]))
check(out[12], joined([[u[1], u[2], v[0], v[3]] for u, v in pairs]))
check(out[13], joined([[u[2], u[1], u[3], u[0]] for u in quads(a)]))
check(out[14], a[8:12] + a[0:4] + b[12:] + b[4:8])
check(out[15], a[:8] + b[:8])
check(out[16], b[8:] + a[8:])
check(out[17], [u + u for u in a])
check(out[18], [single(u * v) - 0.5 for u, v in zip(a, b)])


def sum_of(values):
    while len(values) > 4:
        half = len(values) // 2
        values = [single(values[i] + values[i + half]) for i in range(half)]
    return single(single(values[0] + values[1]) + single(values[2] + values[3]))


assert of_all.tolist() == [a[0], sum_of(a), max(a), a[13]]

three, sums = numbers(48, lambda i: i * 0.5), hidet.zeros([48])
module['values'](three, sums)
assert sums.tolist() == [16.0 + i % 16 for i in range(48)]

left, right, result = hidet.randn([7, 5]), hidet.randn([5, 32]), hidet.zeros([7, 32])
module['product'](left, right, result)
for i in range(7):
    for j in range(32):
        exact = sum([left[i, k].item() * right[k, j].item() for k in range(5)])
        assert abs(result[i, j].item() - exact) < 1e-5
