# SPDX-License-Identifier: Apache-2.0
"""Vectors of the CPU: every operation of 4 and 8 floats against what its lanes are."""
import math

import hidet
from hidet.lang import attrs, cast, f32, i32
from hidet.ir.dtypes import float32x8
from hidet.lang.cpu import *

with hidet.script_module() as m:

    @hidet.script
    def doubled(x: float32x8) -> float32x8:
        attrs.func_kind = 'cpu_internal'
        return avx_f32x8_add(x, x)

    @hidet.script
    def four(x: f32[16], y: f32[16], out: f32[9, 4], last: f32[1]):
        attrs.func_kind = 'cpu_kernel'
        a = avx_f32x4_load(~x[1])
        b = avx_f32x4_load_aligned(~y[4])
        avx_f32x4_store(~out[0, 0], avx_f32x4_setzero())
        avx_f32x4_store(~out[1, 0], avx_f32x4_broadcast(~x[3]))
        avx_f32x4_store(~out[2, 0], a)
        avx_f32x4_store_aligned(~out[3, 0], b)
        avx_f32x4_store(~out[4, 0], avx_f32x4_add(a, b))
        avx_f32x4_store(~out[5, 0], avx_f32x4_fmadd(a, b, a))
        avx_f32x4_store(~out[6, 0], avx_f32x4_hadd(a, b))
        last[0] = avx_f32x4_extract_last(b)

    @hidet.script
    def eight(x: f32[16], y: f32[16], out: f32[24, 8], numbers: f32[3]):
        attrs.func_kind = 'cpu_kernel'
        a = avx_f32x8_load(~x[1])
        b = avx_f32x8_load_aligned(~y[8])
        avx_f32x8_store(~out[0, 0], avx_f32x8_setzero())
        avx_f32x8_store(~out[1, 0], avx_f32x8_broadcast(~x[3]))
        avx_f32x8_store(~out[2, 0], avx_f32x8_set1(x[2]))
        avx_f32x8_store_aligned(~out[3, 0], avx_f32x8_add(a, b))
        avx_f32x8_store(~out[4, 0], avx_f32x8_subtract(a, b))
        avx_f32x8_store(~out[5, 0], avx_f32x8_multiply(a, b))
        avx_f32x8_store(~out[6, 0], avx_f32x8_divide(a, b))
        avx_f32x8_store(~out[7, 0], avx_f32x8_sqrt(avx_f32x8_multiply(a, a)))
        avx_f32x8_store(~out[8, 0], avx_f32x8_max(a, b))
        avx_f32x8_store(~out[9, 0], avx_f32x8_fmadd(a, b, a))
        avx_f32x8_store(~out[10, 0], avx_f32x8_unpacklo(a, b))
        avx_f32x8_store(~out[11, 0], avx_f32x8_unpackhi(a, b))
        avx_f32x8_store(~out[12, 0], avx_f32x8_shuffle(a, b, 0b11_00_10_01))
        avx_f32x8_store(~out[13, 0], avx_f32x8_permute(a, 0b00_11_01_10))
        avx_f32x8_store(~out[14, 0], avx_f32x8_permute2f32x4(a, b, 0x21))
        avx_f32x8_store(~out[15, 0], avx_f32x8_permute2f32x4(a, b, 0x83))
        avx_f32x8_store(~out[16, 0], avx_f32x8_insert_f32x4(a, avx_f32x8_cast_f32x4(b), 1))
        avx_f32x8_store(~out[17, 0], avx_f32x8_insert_f32x4(a, avx_f32x8_extract_half(b, 1), 0))
        avx_f32x8_store(~out[18, 0], doubled(a))
        numbers[0] = avx_f32x8_extract_last(a)
        numbers[1] = avx_f32x8_sum(a)
        numbers[2] = avx_f32x8_scalar_max(a)

    @hidet.script
    def product(a: f32[7, 5], b: f32[5, 16], c: f32[7, 16]):
        attrs.func_kind = 'cpu_kernel'
        for i in range(7):
            low = avx_f32x8_setzero()
            high = avx_f32x8_setzero()
            for k in range(5):
                left = avx_f32x8_broadcast(~a[i, k])
                low = avx_f32x8_fmadd(left, avx_f32x8_load(~b[k, 0]), low)
                high = avx_f32x8_fmadd(left, avx_f32x8_load(~b[k, 8]), high)
            avx_f32x8_store(~c[i, 0], low)
            avx_f32x8_store(~c[i, 8], high)

    @hidet.script
    def memory(x: i32[8], out: i32[8]):
        attrs.func_kind = 'cpu_kernel'
        p = cast(avx_malloc(64, 64), ~i32)
        q = cast(aligned_alloc(32, 32), ~i32)
        x86_memset(p, 255, 64)
        x86_memcpy(q, x, 32)
        for i in range(8):
            out[i] = p[i] + q[i]
        avx_free(q)
        avx_free(p)

    @hidet.script
    def count(x: i32[3], out: i32[4]):
        attrs.func_kind = 'cpu_kernel'
        out[0] = cpu_atomic_add_fetch(~x[0], 5, 4)
        out[1] = cpu_atomic_fetch_xor(~x[1], 6, 0)
        out[2] = cpu_atomic_load_n(~x[1], 2)

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


def greater(u, v):
    return u if u > v else v


x = numbers(32, lambda i: (i * 7 % 11 - 4) * 0.37)
y = numbers(32, lambda i: (i * 5 % 13 + 1) * 0.21)
xs, ys = x.tolist(), y.tolist()

out, last = hidet.zeros([9, 4]), hidet.zeros([1])
module['four'](x[:16], y[:16], out, last)
a, b = xs[1:5], ys[4:8]
check(out[0], [0.0] * 4)
check(out[1], [xs[3]] * 4)
check(out[2], a)
check(out[3], b)
check(out[4], [u + v for u, v in zip(a, b)])
check(out[5], [u * v + u for u, v in zip(a, b)])
check(out[6], [a[0] + a[1], a[2] + a[3], b[0] + b[1], b[2] + b[3]])
assert last[0].item() == b[0]

out, of_all = hidet.zeros([24, 8]), hidet.zeros([3])
module['eight'](x[:16], y[:16], out, of_all)
a, b = xs[1:9], ys[8:16]
check(out[0], [0.0] * 8)
check(out[1], [xs[3]] * 8)
check(out[2], [xs[2]] * 8)
check(out[3], [u + v for u, v in zip(a, b)])
check(out[4], [u - v for u, v in zip(a, b)])
check(out[5], [u * v for u, v in zip(a, b)])
check(out[6], [u / v for u, v in zip(a, b)])
check(out[7], [math.sqrt(single(u * u)) for u in a])
check(out[8], [greater(u, v) for u, v in zip(a, b)])
check(out[9], [u * v + u for u, v in zip(a, b)])
check(out[10], [a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5]])
check(out[11], [a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7]])
check(out[12], [a[1], a[2], b[0], b[3], a[5], a[6], b[4], b[7]])
check(out[13], [a[2], a[1], a[3], a[0], a[6], a[5], a[7], a[4]])
check(out[14], a[4:] + b[:4])
check(out[15], b[4:] + [0.0] * 4)
check(out[16], a[:4] + b[:4])
check(out[17], b[4:] + a[4:])
check(out[18], [u + u for u in a])


def sum_of(values):
    while len(values) > 4:
        half = len(values) // 2
        values = [single(values[i] + values[i + half]) for i in range(half)]
    return single(single(values[0] + values[1]) + single(values[2] + values[3]))


assert of_all.tolist() == [a[0], sum_of(a), max(a)]

left, right, result = hidet.randn([7, 5]), hidet.randn([5, 16]), hidet.zeros([7, 16])
module['product'](left, right, result)
for i in range(7):
    for j in range(16):
        exact = sum([left[i, k].item() * right[k, j].item() for k in range(5)])
        assert abs(result[i, j].item() - exact) < 1e-5

filled = hidet.zeros([8], dtype='int32')
module['memory'](hidet.asarray([1, 2, 3, 4, 5, 6, 7, 8], dtype='int32'), filled)
assert filled.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]

words, counted = hidet.asarray([40, 5, 9], dtype='int32'), hidet.zeros([4], dtype='int32')
module['count'](words, counted)
assert words.tolist() == [45, 3, 9] and counted.tolist() == [45, 5, 3, 0]
