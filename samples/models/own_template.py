# SPDX-License-Identifier: Apache-2.0
"""A kernel of your own inside of a whole model: a template for one operator, here the convolutions of a ResNet-18.

A template is asked for each operator of its class. It looks at shapes, dtypes and attributes, and either returns a script module
with the operator's tensors as parameters, or refuses by tune.check() and leaves the operator to others: this one leaves filters
of one pixel, which are products of matrices. Nothing else of the model is written by hand. Bias, ReLU and the way around a block
become part of the kernel's stores, because it stores each element of the result once and says nothing about what follows.

The kernel is an example, not the fastest one. A thread has four features of a few pixels beside each other, so that an element of
the image is used four times and a weight once a pixel. The weights are constants of the model: the template asks for them with the
features last, where four lie together, and they are rearranged once, when the model is compiled.

Convolutions of this class have channels first, which 32-bit floats keep. Those of 16 bits get channels last and another class,
Conv2dChannelLast.

Any model takes it, also from a file:

    hidetc model run MODEL.onnx --with own_template.py
"""
import hidet
import torch
from hidet import ops, tune
from hidet.lang import attrs, f32, grid, register_tensor
from hidet.lang.cuda import blockIdx, threadIdx
from hidet.utils import cdiv

taken = []  # the different weights that the template made kernels for


def numbers(value):
    """An attribute with a number for each dimension, or one for all of them."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * 2 if len(values) == 1 else values


@hidet.template('Conv2d', dtypes=['float32'])
@tune.space(1, mine=[1, 2, 4], threads=[64, 128])
def convolution(task, target, mine=2, threads=64):
    x_type, w_type = task.inputs
    images, channels, height, width = x_type.shape
    features, _, filter_h, filter_w = w_type.shape
    _, _, rows, columns = task.outputs[0].shape
    stride_h, stride_w = numbers(task.attrs['stride'])
    top, left = numbers(task.attrs['padding'])[:2]
    tune.check(task.attrs['groups'] == 1 and numbers(task.attrs['dilations']) == [1, 1], 'neither groups nor holes in the filter')
    tune.check(filter_h * filter_w > 1, 'a product of matrices is for others')
    tune.check(features % 4 == 0 and w_type.is_constant, 'four features lie together once the weights are rearranged')
    weights = w_type.permuted([1, 2, 3, 0]).shape
    quads, across = features // 4, cdiv(columns, mine)
    total = images * rows * across * quads
    seen = (mine - 1) * stride_w + filter_w  # columns of the image
    if weights not in taken:
        taken.append(weights)

    with hidet.script_module() as script_module:

        @hidet.script
        def convolve(
            x: f32[images, channels, height, width], w: f32[weights], y: f32[images, features, rows, columns]
        ):
            attrs.func_kind = 'cuda_kernel'
            attrs.cuda.grid_dim = cdiv(total, threads)
            attrs.cuda.block_dim = threads

            index = blockIdx.x * threads + threadIdx.x
            column = index % across * mine
            row = index // across % rows
            feature = index // (across * rows) % quads * 4
            image = index // (across * rows * quads)
            if index < total:
                sums = register_tensor(f32, shape=[4, mine])
                pixels = register_tensor(f32, shape=[seen])
                for e, p in grid(4, mine, attrs='u'):
                    sums[e, p] = 0.0
                for c in range(channels):
                    for r in range(filter_h):
                        h = row * stride_h + r - top
                        if 0 <= h and h < height:
                            for s in grid(seen, attrs='u'):
                                v = column * stride_w + s - left
                                pixels[s] = x[image, c, h, v] if 0 <= v and v < width else 0.0
                            for s, e, p in grid(filter_w, 4, mine, attrs='u'):
                                sums[e, p] = sums[e, p] + pixels[p * stride_w + s] * w[c, r, s, feature + e]
                for e, p in grid(4, mine, attrs='u'):
                    if column + p < columns:
                        y[image, feature + e, row, column + p] = sums[e, p]

        @hidet.script
        def launch(
            x: f32[images, channels, height, width], w: f32[weights], y: f32[images, features, rows, columns]
        ):
            attrs.func_kind = 'public'
            convolve(x, w, y)

    return script_module


class Network:
    """A ResNet-18 whose layers are as wide as wanted, with random weights. Normalisation is folded into weights and biases."""

    def __init__(self, width):
        self.width = width
        self.weights = []
        self.next = 0

    def conv(self, x, channels, features, taps, stride):
        if self.next == len(self.weights):
            scale = (2.0 / (channels * taps * taps)) ** 0.5
            self.weights.append((torch.randn(features, channels, taps, taps) * scale, torch.randn(1, features, 1, 1) * 0.1))
        w, b = [hidet.from_torch(each).to(device=x.device) for each in self.weights[self.next]]
        self.next += 1
        pad = taps // 2
        return ops.conv2d(x, w, stride=[stride, stride], padding=[pad, pad, pad, pad]) + b

    def block(self, x, channels, features, stride):
        y = ops.relu(self.conv(x, channels, features, 3, stride))
        y = self.conv(y, features, features, 3, 1)
        if stride > 1:
            x = self.conv(x, channels, features, 1, stride)
        return ops.relu(x + y)

    def forward(self, x):
        self.next = 0
        x = ops.relu(self.conv(x, 3, self.width, 7, 2))
        x = ops.max_pool2d(x, kernel=[3, 3], stride=[2, 2], padding=[1, 1, 1, 1])
        channels = self.width
        for stage in range(4):
            for step in range(2):
                features = self.width * 2**stage
                x = self.block(x, channels, features, 2 if stage > 0 and step == 0 else 1)
                channels = features
        return ops.mean(x, dims=[2, 3])


def check():
    network = Network(width=8)
    image = torch.randn(1, 3, 32, 32)
    expected = network.forward(hidet.from_torch(image))  # operator by operator on the CPU, where there are no templates

    symbol = hidet.symbol([1, 3, 32, 32], device='cuda')
    graph = hidet.graph.optimize(hidet.trace_from(network.forward(symbol)))
    result = graph.build()(hidet.from_torch(image).cuda())
    torch.testing.assert_close(result.torch().cpu(), expected.torch(), atol=1e-3, rtol=1e-3)
    print('kinds of convolutions by the template:', len(taken))
    print('a ResNet-18: correct')


if __name__ == '__main__':  # and not where it is there for a model
    check()
