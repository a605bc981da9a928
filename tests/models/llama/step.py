# SPDX-License-Identifier: Apache-2.0
"""Llama 3.1 8B without its weights: a token of each of 64 sequences, behind 1,024 others.

    hidetc model compile step.py --arch h200 --scale 1024              the model
    hidetc model compile step.py --arch h200 --scale 1024 --graph 1    one of its layers

Nothing is made of what is only looked at, so that this needs no memory. Run, it would make 15 GiB of random weights.
"""
import hidet
from hidet import ops

batch, before, layers = 64, 1024, 32
width, inner, heads, groups, words = 4096, 14336, 32, 8, 128256
size = width // heads


def tensor(*shape):
    return hidet.symbol(list(shape), dtype="float16", device="cuda")


def linear(x, rows, columns):
    return ops.matmul(x, hidet.randn([rows, columns], dtype="float16", device="cuda"))


def by_heads(x, count):
    return ops.transpose(ops.reshape(x, [batch, 1, count, size]), [0, 2, 1, 3])


def turned(x, cos, sin):
    return x * cos + ops.concat([-x[:, :, :, size // 2:], x[:, :, :, :size // 2]], axis=3) * sin


def repeated(x):
    every = ops.broadcast(ops.unsqueeze(x, [2]), [batch, groups, heads // groups, before + 1, size])
    return ops.reshape(every, [batch, heads, before + 1, size])


def attention(x, cos, sin, past_keys, past_values):
    q, k, v = [by_heads(linear(x, width, count * size), count) for count in (heads, groups, groups)]
    keys = ops.concat([past_keys, turned(k, cos, sin)], axis=2)
    values = ops.concat([past_values, v], axis=2)
    scores = ops.matmul(turned(q, cos, sin), ops.transpose(repeated(keys), [0, 1, 3, 2])) * size ** -0.5
    mixed = ops.transpose(ops.matmul(ops.softmax(scores, axis=-1), repeated(values)), [0, 2, 1, 3])
    return linear(ops.reshape(mixed, [batch, 1, width]), width, width)


def mlp(x):
    return linear(ops.silu(linear(x, width, inner)) * linear(x, width, inner), inner, width)


def layer(x, cos, sin, past_keys, past_values):
    x = x + attention(ops.rms_normalize(x, dims=[-1]), cos, sin, past_keys, past_values)
    return x + mlp(ops.rms_normalize(x, dims=[-1]))


x, cos, sin = tensor(batch, 1, width), tensor(1, 1, 1, size), tensor(1, 1, 1, size)
caches = [tensor(batch, groups, before, size) for _ in range(2 * layers)]
one = hidet.trace_from(layer(x, cos, sin, *caches[:2]), inputs=[x, cos, sin, *caches[:2]])
y = x
for i in range(layers):
    y = layer(y, cos, sin, *caches[2 * i:2 * i + 2])
whole = hidet.trace_from(linear(ops.rms_normalize(y, dims=[-1]), width, words), inputs=[x, cos, sin, *caches])
