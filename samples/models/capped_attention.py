# SPDX-License-Identifier: Apache-2.0
"""Attention that no library has, as an operator of your own with a kernel of your own, in the middle of a model.

Here a query sees the last 'window' keys alone, itself among them, and scores are capped: cap * tanh(score / cap). The
definition says so element by element, and that would do: without a template, rules make kernels of it, with all scores in memory.
The template makes one kernel instead. It is declared for operators of scripts and looks at the name of the class.

A block has the queries of one head, a thread each. Keys and values come through shared memory a tile at a time, only those that
a query of the block can see, and the softmax goes along: when a larger score turns up, what was summed up so far shrinks. No
score is ever written to memory.

The operator takes part in fusion like any other. Its kernel stores the result element by element, so the permutation back to
[tokens, features] becomes a part of these stores; that from there is a part of the products' before it. A layer is five launches.

A model may name it, too: as an operator of a domain of your own in an ONNX file,

    hidetc model run MODEL.onnx --with capped_attention.py
"""
import math

import hidet
import torch
from hidet import ops, tune
from hidet.graph.frontend.onnx import register_onnx_operator
from hidet.graph.operator import Operator
from hidet.graph.ops.utils import input_like
from hidet.ir.compute import compute, reduce
from hidet.ir.expr import if_then_else, logical_and
from hidet.ir.primitives import exp, tanh
from hidet.ir.task import Task
from hidet.lang import attrs, cast, f32, grid, register_tensor, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

window = 24
cap = 5.0
least = -3.0e38  # less than any score


class CappedAttentionTask(Task):
    def __init__(self, q, k, v):
        heads, tokens, width = q.shape
        scale = 1.0 / math.sqrt(width)
        dots = compute(
            'dots',
            shape=[heads, tokens, tokens],
            fcompute=lambda h, i, j: reduce([width], lambda e: q[h, i, e] * k[h, j, e], reduce_type='sum'),
        )
        scores = compute(
            'scores',
            shape=[heads, tokens, tokens],
            fcompute=lambda h, i, j: if_then_else(
                logical_and(j <= i, i - j < window), tanh(dots[h, i, j] * (scale / cap)) * cap, least
            ),
        )
        largest = compute(
            'largest',
            shape=[heads, tokens],
            fcompute=lambda h, i: reduce([tokens], lambda j: scores[h, i, j], reduce_type='max'),
        )
        powers = compute(
            'powers', shape=[heads, tokens, tokens], fcompute=lambda h, i, j: exp(scores[h, i, j] - largest[h, i])
        )
        total = compute(
            'total',
            shape=[heads, tokens],
            fcompute=lambda h, i: reduce([tokens], lambda j: powers[h, i, j], reduce_type='sum'),
        )
        weighted = compute(
            'weighted',
            shape=[heads, tokens, width],
            fcompute=lambda h, i, e: reduce([tokens], lambda j: powers[h, i, j] * v[h, j, e], reduce_type='sum'),
        )
        y = compute('y', shape=[heads, tokens, width], fcompute=lambda h, i, e: weighted[h, i, e] / total[h, i])
        super().__init__(name='capped_attention', inputs=[q, k, v], outputs=[y])


class CappedAttention(Operator):
    def __init__(self, q, k, v):
        inputs = [q, k, v]
        task = CappedAttentionTask(*[input_like(x, name) for x, name in zip(inputs, ['q', 'k', 'v'])])
        super().__init__(inputs=inputs, attributes={}, task=task)


def capped_attention(q, k, v):
    return CappedAttention(q, k, v).outputs[0]


@register_onnx_operator('CappedAttention', domain='samples')
def capped_attention_of_model(inputs, attrs):
    return capped_attention(*inputs)


kernels = []  # made by the template


@hidet.template('UserOperator', dtypes=['float32'])
@tune.space(1, queries=[32, 64, 128], tile=[8, 16])
def capped_attention_by_tiles(task, target, queries=64, tile=16):
    tune.check(task.attrs['name'] == 'CappedAttention', 'another operator of a script')
    heads, tokens, width = task.inputs[0].shape
    tune.check(width <= 64, 'a query and its result must fit into registers')
    blocks = (tokens + queries - 1) // queries
    scale = 1.0 / (math.sqrt(width) * cap)
    kernels.append('capped_attention')

    with hidet.script_module() as script_module:

        @hidet.script
        def attend(
            q: f32[heads, tokens, width], k: f32[heads, tokens, width], v: f32[heads, tokens, width], y: f32[heads, tokens, width]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = blocks, heads
            attrs.cuda.block_dim = queries

            keys = shared_tensor(f32, shape=[tile, width])
            values = shared_tensor(f32, shape=[tile, width])
            query = register_tensor(f32, shape=[width])
            result = register_tensor(f32, shape=[width])
            head = blockIdx.y
            first = blockIdx.x * queries
            mine = first + threadIdx.x
            for e in grid(width, attrs='u'):
                query[e] = q[head, min(mine, tokens - 1), e] * scale
                result[e] = 0.0
            largest = f32(least)
            total = f32(0.0)

            # From the tile of the first key that the first query sees to that of the last query itself.
            begin = max(first - window + 1, 0) // tile
            end = (min(first + queries, tokens) + tile - 1) // tile
            for t in range(end - begin):
                start = (begin + t) * tile
                syncthreads()  # nobody reads the last tile any more
                for i in range((tile * width + queries - 1) // queries):
                    at = i * queries + threadIdx.x
                    if at < tile * width:
                        token = min(start + at // width, tokens - 1)
                        keys[at // width, at % width] = k[head, token, at % width]
                        values[at // width, at % width] = v[head, token, at % width]
                syncthreads()
                for j in range(tile):
                    behind = mine - (start + j)
                    if 0 <= behind and behind < window:
                        score = f32(0.0)
                        for e in grid(width, attrs='u'):
                            score += query[e] * keys[j, e]
                        score = tanh(score) * cap
                        if score > largest:
                            shrink = exp(largest - score)
                            total = total * shrink
                            for e in grid(width, attrs='u'):
                                result[e] = result[e] * shrink
                            largest = score
                        power = exp(score - largest)
                        total += power
                        for e in grid(width, attrs='u'):
                            result[e] = result[e] + power * values[j, e]
            if mine < tokens:
                for e in grid(width, attrs='u'):
                    y[head, mine, e] = result[e] / total

        @hidet.script
        def launch(
            q: f32[heads, tokens, width], k: f32[heads, tokens, width], v: f32[heads, tokens, width], y: f32[heads, tokens, width]
        ):
            attrs.func_kind = 'public'
            attend(q, k, v, y)

    return script_module


def layer(x, weights, heads):
    """Of a language model: every token looks back, then a product and the way around it."""
    tokens, features = x.shape
    width = features // heads
    in_heads = []
    for weight, bias in weights[:3]:
        projected = ops.reshape(ops.matmul(x, weight) + bias, [tokens, heads, width])
        in_heads.append(ops.permute_dims(projected, [1, 0, 2]))
    y = ops.permute_dims(capped_attention(*in_heads), [1, 0, 2])
    return x + ops.matmul(ops.reshape(y, [tokens, features]), weights[3][0])


def expected(x, weights, heads):
    tokens, features = x.shape
    width = features // heads
    q, k, v = [(x @ w + b).reshape(tokens, heads, width).transpose(0, 1) for w, b in weights[:3]]
    scores = cap * torch.tanh(q @ k.transpose(1, 2) / math.sqrt(width) / cap)
    behind = torch.arange(tokens).reshape(tokens, 1) - torch.arange(tokens).reshape(1, tokens)
    seen = (behind >= 0) & (behind < window)
    scores = torch.where(seen, scores, torch.full_like(scores, float('-inf')))
    y = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(tokens, features)
    return x + y @ weights[3][0]


def check():
    tokens, heads, features = 70, 3, 48
    data = torch.randn(tokens, features)
    weights = [(torch.randn(features, features) / 4, torch.randn(features)) for _ in range(4)]
    on_gpu = [(hidet.from_torch(w).cuda(), hidet.from_torch(b).cuda()) for w, b in weights]
    symbol = hidet.symbol([tokens, features], device='cuda')
    graph = hidet.graph.optimize(hidet.trace_from(layer(symbol, on_gpu, heads)))
    print(graph)
    result = graph.build()(hidet.from_torch(data).cuda())
    torch.testing.assert_close(result.torch().cpu(), expected(data, weights, heads), atol=1e-4, rtol=1e-4)
    print('kernels by the template:', len(kernels))
    print('capped attention: correct')


if __name__ == '__main__':  # and not where it is there for a model
    check()
