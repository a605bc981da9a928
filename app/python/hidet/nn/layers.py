# SPDX-License-Identifier: Apache-2.0
"""The layers. Images are (batch, channels, height, width)."""

import hidet
from hidet import ops

from .module import Module


def _pair(value):
    return list(value) if isinstance(value, (list, tuple)) else [value, value]


class Identity(Module):
    def __init__(self, *args, **keywords):
        super().__init__()

    def forward(self, x):
        return x


class Relu(Module):
    def forward(self, x):
        return ops.relu(x)


class Gelu(Module):
    def forward(self, x):
        return ops.gelu(x)


class Tanh(Module):
    def forward(self, x):
        return ops.tanh(x)


class _Linear(Module):
    def __init__(self, in_features, out_features, bias, shape):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = hidet.empty(shape)
        self.bias = hidet.empty([out_features]) if bias else None

    def extra_str(self):
        return f"in_features={self.in_features}, out_features={self.out_features}"

    def _product(self, x, transposed):
        y = ops.matmul(x, self.weight, transpose_b=transposed)
        return y if self.bias is None else y + self.bias


class Linear(_Linear):
    """x of [..., in_features]; its weight is [out_features, in_features]."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias, [out_features, in_features])

    def forward(self, x):
        return self._product(x, True)


class LinearTransposed(_Linear):
    """Its weight is [in_features, out_features]."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias, [in_features, out_features])

    def forward(self, x):
        return self._product(x, False)


class Geglu(Module):
    """One half of a linear layer's result times gelu() of the other."""

    def __init__(self, dim_in, dim_out, bias=True):
        super().__init__()
        self.proj = Linear(dim_in, 2 * dim_out, bias=bias)

    def forward(self, x):
        value, gate = ops.split(self.proj(x), 2, axis=-1)
        return value * ops.gelu(gate)


class Conv2d(Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding=0, stride=1, groups=1, bias=False):
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel, self.padding, self.stride = _pair(kernel_size), _pair(padding), _pair(stride)
        self.weight = hidet.empty([out_channels, in_channels // groups, *self.kernel])
        self.bias = hidet.empty([out_channels]) if bias else None

    def extra_str(self):
        return (f"in_channels={self.in_channels}, out_channels={self.out_channels}, kernel_size={self.kernel}, stride={self.stride}, "
                f"padding={self.padding}")

    def forward(self, x):
        y = ops.conv2d(x, self.weight, stride=self.stride, groups=self.groups, padding=self.padding)
        return y if self.bias is None else y + ops.unsqueeze(self.bias, [1, 2])


class _Affine(Module):
    def __init__(self, shape, eps, affine):
        super().__init__()
        self.eps, self.affine = eps, affine
        self.weight, self.bias = (hidet.empty(shape), hidet.empty(shape)) if affine else (None, None)

    def extra_str(self):
        return f"eps={self.eps}, affine={self.affine}"

    def _scaled(self, x, dims=()):
        """`dims`: those that the weights lack."""
        if not self.affine:
            return x
        weight, bias = (ops.unsqueeze(each, list(dims)) if dims else each for each in (self.weight, self.bias))
        return x * weight + bias


class BatchNorm2d(_Affine):
    """With the mean and the variance that it was given, as in inference."""

    def __init__(self, num_features, eps=1e-5, affine=True):
        super().__init__([num_features], eps, affine)
        self.running_mean, self.running_var = hidet.empty([num_features]), hidet.empty([num_features])
        self.num_batches_tracked = hidet.zeros([], dtype="int64")

    def forward(self, x):
        return self._scaled(ops.batch_norm_infer(x, self.running_mean, self.running_var, self.eps), [0, 2, 3])


class LayerNorm(_Affine):
    """Over the last dimensions, of these extents."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True):
        self.normalized_shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        super().__init__(self.normalized_shape, eps, elementwise_affine)

    def forward(self, x):
        return self._scaled(ops.layer_norm(x, num_last_dims=len(self.normalized_shape), epsilon=self.eps))


class GroupNorm(_Affine):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__([num_channels], eps, affine)
        self.num_groups, self.num_channels = num_groups, num_channels

    def forward(self, x):
        return self._scaled(ops.group_norm(x, self.num_groups, self.eps), range(1, len(x.shape) - 1))


class _Pool2d(Module):
    def __init__(self, kernel_size, stride=1, padding=0):
        super().__init__()
        self.kernel, self.stride, self.padding = _pair(kernel_size), _pair(stride), _pair(padding)

    def extra_str(self):
        return f"kernel_size={self.kernel}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_Pool2d):
    def forward(self, x):
        return ops.max_pool2d(x, self.kernel, self.stride, self.padding)


class AvgPool2d(_Pool2d):
    def forward(self, x):
        return ops.avg_pool2d(x, self.kernel, self.stride, self.padding)


class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = _pair(output_size)

    def extra_str(self):
        return f"output_size={self.output_size}"

    def forward(self, x):
        return ops.adaptive_avg_pool2d(x, self.output_size)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = hidet.empty([num_embeddings, embedding_dim])

    def extra_str(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"

    def forward(self, indices):
        return ops.take(self.weight, indices, axis=0)
