# SPDX-License-Identifier: Apache-2.0
"""Llama 3.1 8B without its weights, for 64 sequences: the first of these graphs is one of its layers, the second one reads prompts of 2,048
tokens, the last one makes a token behind 1,024 others.

    hidetc model compile shapes.py --arch h200 --scale 1024              a token
    hidetc model compile shapes.py --arch h200 --scale 1024 --graph 2    prompts

Nothing is made of what is only looked at, so that this needs no memory. Run, it would make 14 GiB of random weights.
"""
import hidet
from hidet import ops

batch, before, prompt, layers = 64, 1024, 2048, 32
width, inner, heads, groups, words = 4096, 14336, 32, 8, 128256
size = width // heads


def tensor(*shape):
    return hidet.symbol(list(shape), dtype="float16", device="cuda")


def linear(x, rows, columns):
    return ops.matmul(x, hidet.randn([rows, columns], dtype="float16", device="cuda"))


def by_heads(x, count):
    return ops.transpose(ops.reshape(x, [batch, x.shape[1], count, size]), [0, 2, 1, 3])


def turned(x, cos, sin):
    return x * cos + ops.concat([-x[:, :, :, size // 2:], x[:, :, :, :size // 2]], axis=3) * sin


def repeated(x):
    tokens = x.shape[2]
    every = ops.broadcast(ops.unsqueeze(x, [2]), [batch, groups, heads // groups, tokens, size])
    return ops.reshape(every, [batch, heads, tokens, size])


def attention(x, cos, sin, past):
    """Behind what `past` has keys and values of; empty: of tokens of which each sees those before it."""
    q, k, v = [by_heads(linear(x, width, count * size), count) for count in (heads, groups, groups)]
    q, k = turned(q, cos, sin), turned(k, cos, sin)
    keys, values = [repeated(ops.concat([old, new], axis=2) if past else new) for old, new in zip(past or (None, None), (k, v))]
    mixed = ops.attention(q, ops.transpose(keys, [0, 1, 3, 2]), values, is_causal=not past)
    return linear(ops.reshape(ops.transpose(mixed, [0, 2, 1, 3]), list(x.shape)), width, width)


def mlp(x):
    return linear(ops.silu(linear(x, width, inner)) * linear(x, width, inner), inner, width)


def layer(x, cos, sin, past):
    x = x + attention(ops.rms_normalize(x, dims=[-1]), cos, sin, past)
    return x + mlp(ops.rms_normalize(x, dims=[-1]))


def traced(tokens, caches, count, ends=True):
    """Of so many layers, and of the words that come next."""
    x, cos, sin = tensor(batch, tokens, width), tensor(1, 1, tokens, size), tensor(1, 1, tokens, size)
    y = x
    for i in range(count):
        y = layer(y, cos, sin, caches[2 * i:2 * i + 2])
    if ends:
        y = linear(ops.rms_normalize(y[:, tokens - 1:, :], dims=[-1]), width, words)
    return hidet.trace_from(y, inputs=[x, cos, sin, *caches])


caches = [tensor(batch, groups, before, size) for _ in range(2 * layers)]
one = traced(1, caches[:2], 1, ends=False)
prompts = traced(prompt, [], layers)
token = traced(1, caches, layers)
