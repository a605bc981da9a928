# SPDX-License-Identifier: Apache-2.0
"""Operators that ONNX Runtime's optimiser and quantiser write, each with operands: what make_runtime.py makes models of. Where
ONNX Runtime has an operator for other devices alone, a formula in NumPy says what is right."""

import zlib

import numpy
import onnx

CASES = {}


class Constant:
    """An operand that is part of the model."""

    def __init__(self, value):
        self.value = value


class Case:
    def __init__(self, op, inputs, outputs=1, expected=None, dims=None, domain="com.microsoft", types=None, **attributes):
        self.op, self.inputs, self.outputs, self.expected = op, inputs, outputs, expected
        self.dims = dims or {}  # of an input: names in the place of extents
        self.types = types or {}  # of a constant: an element type that NumPy does not have
        self.domain, self.attributes = domain, attributes


def case(make):
    """A function of a generator that returns a case, or several by the ends of their names."""
    random = numpy.random.default_rng(zlib.crc32(make.__name__.encode()))
    made = make(random)
    for end, each in made.items() if isinstance(made, dict) else [("", made)]:
        CASES[make.__name__ + ("_" + end if end else "")] = each


def f32(random, *shape):
    return random.standard_normal(shape).astype(numpy.float32)


def f16(random, *shape):
    return random.standard_normal(shape).astype(numpy.float16)


def of_7_bits(random, *shape):
    """Weights of 7 bits: on some processors ONNX Runtime adds two products of uint8 and int8 in 16 bits, where more saturates."""
    return random.integers(-63, 64, shape).astype(numpy.int8)


def u8(random, *shape):
    return random.integers(0, 256, shape).astype(numpy.uint8)


def i8(random, *shape):
    return random.integers(-128, 128, shape).astype(numpy.int8)


def f(value):
    return Constant(numpy.array(value, numpy.float32))


def zu8(value):
    return Constant(numpy.array(value, numpy.uint8))


def zi8(value):
    return Constant(numpy.array(value, numpy.int8))


# What ONNX Runtime has for other devices alone.


def erf(x):
    import math

    return numpy.vectorize(math.erf)(x)


def gelu(x):
    return 0.5 * x * (1 + erf(x / numpy.sqrt(2)))


def fast_gelu(x):
    return 0.5 * x * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def softmax(x, axes=(-1,)):
    powers = numpy.exp(x - x.max(axis=axes, keepdims=True))
    return powers / powers.sum(axis=axes, keepdims=True)


def group_norm(x, gamma, beta, groups, epsilon=1e-5):
    """x has its channels last."""
    n, h, w, c = x.shape
    grouped = x.reshape(n, h, w, groups, c // groups)
    centred = grouped - grouped.mean(axis=(1, 2, 4), keepdims=True)
    return (centred / numpy.sqrt((centred**2).mean(axis=(1, 2, 4), keepdims=True) + epsilon)).reshape(x.shape) * gamma + beta


# Functions of one element.


@case
def gelus(r):
    x, b = f32(r, 3, 8), f32(r, 8)
    return {
        "plain": Case("Gelu", [x]),
        "quick": Case("QuickGelu", [x], alpha=1.5),
        "quick_alpha": Case("QuickGelu", [x]),
        "bias": Case("BiasGelu", [x, Constant(b)], dims={0: ["n", 8]}),
        "fast": Case("FastGelu", [x]),
        "fast_bias": Case("FastGelu", [x, b], dims={0: ["n", 8]}),
        "bias_split": Case("BiasSplitGelu", [f32(r, 2, 3, 8), b],
                           expected=lambda x, b: [(x + b)[..., :4] * gelu((x + b)[..., 4:])]),
        "halves": Case("BiasSplitGelu", [f16(r, 2, 3, 8), b.astype(numpy.float16)],
                       expected=lambda x, b: [((x.astype("f") + b)[..., :4] * gelu((x.astype("f") + b)[..., 4:])).astype(numpy.float16)]),
    }


@case
def bias(r):
    x, b, skip = f32(r, 2, 3, 4), f32(r, 4), f32(r, 2, 3, 4)
    return {
        "add": Case("BiasAdd", [x, b, skip], expected=lambda x, b, skip: [x + b + skip]),
        "softmax_inner": Case("BiasSoftmax", [f32(r, 2, 3, 4, 5), f32(r, 2, 1, 1, 5)], axis=3, is_inner_broadcast=1,
                              expected=lambda x, b: [softmax(x + b)]),
        "softmax_outer": Case("BiasSoftmax", [f32(r, 2, 3, 4, 5), f32(r, 4, 5)], axis=2, is_inner_broadcast=0, dims={0: ["n", 3, 4, 5]},
                              expected=lambda x, b: [softmax(x + b, (2, 3))]),
    }


# Products.


@case
def fused_conv(r):
    x, w, b = f32(r, 1, 4, 6, 6), f32(r, 8, 2, 3, 3), f32(r, 8)
    common = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=2)
    last = lambda t: numpy.ascontiguousarray(t.transpose(0, 2, 3, 1))
    return {
        "relu": Case("FusedConv", [x, w, b], activation="Relu", dims={0: ["n", 4, "h", "w"]}, **common),
        "leaky_relu": Case("FusedConv", [x, w], activation="LeakyRelu", activation_params=[0.2], **common),
        "clip": Case("FusedConv", [x, w, b], activation="Clip", activation_params=[-1.0, 6.0], **common),
        "hard_sigmoid": Case("FusedConv", [x, w, b], activation="HardSigmoid", activation_params=[0.1, 0.4], **common),
        "tanh_strided": Case("FusedConv", [x, w, b], activation="Tanh", strides=[2, 2], **common),
        "sum": Case("FusedConv", [x, w, b, f32(r, 1, 8, 6, 6)], activation="Relu", **common),
        "in_one_dimension": Case("FusedConv", [f32(r, 2, 4, 9), f32(r, 3, 4, 3)], activation="Sigmoid", kernel_shape=[3]),
        "channels_last": Case("NhwcFusedConv", [last(x), w, b, last(f32(r, 1, 8, 6, 6))], activation="Relu",
                              expected=lambda x, w, b, z: [numpy.maximum(conv_last(x, w, b) + z, 0)], **common),
        "nhwc": Case("NhwcConv", [last(x), w, b], expected=lambda x, w, b: [conv_last(x, w, b)], **common),
    }


def conv_last(x, w, b):
    """Padded by 1, in two groups; channels stand last."""
    n, h, width, c = x.shape
    padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = numpy.zeros((n, h, width, w.shape[0]), numpy.float32)
    for m in range(w.shape[0]):
        first = 0 if m < w.shape[0] // 2 else c // 2
        for i in range(3):
            for j in range(3):
                y[..., m] += (padded[:, i:i + h, j:j + width, first:first + c // 2] * w[m, :, i, j]).sum(-1)
    return y + b


@case
def pool_channels_last(r):
    return Case("NhwcMaxPool", [i8(r, 1, 5, 6, 3)], kernel_shape=[2, 2], strides=[2, 1], pads=[0, 1, 1, 0])


@case
def fused_gemm(r):
    a, b, c = f32(r, 3, 4), f32(r, 4, 5), f32(r, 5)
    return {
        "relu": Case("FusedGemm", [a, b, c], activation="Relu", alpha=0.5, beta=2.0, dims={0: ["n", 4]}),
        "transposed": Case("FusedGemm", [a.T.copy(), b.T.copy(), c], activation="Sigmoid", transA=1, transB=1),
        "leaky_relu": Case("FusedGemm", [a, b], activation="LeakyRelu", activation_alpha=0.3),
        "leaky_relu_default": Case("FusedGemm", [a, b], activation="LeakyRelu", expected=lambda a, b: [numpy.where(a @ b < 0, 0.01 * (a @ b), a @ b).astype("f")]),
        "elu": Case("FusedGemm", [a, b, c], activation="Elu", activation_alpha=0.7),
    }


@case
def fused_matmul(r):
    b = f32(r, 2, 3, 5, 6)
    return {
        "alpha": Case("FusedMatMul", [f32(r, 2, 3, 4, 5), b], alpha=0.125, dims={0: ["n", 3, "s", 5]}),
        "transposed": Case("FusedMatMul", [f32(r, 2, 3, 5, 4), f32(r, 2, 3, 6, 5)], transA=1, transB=1, alpha=2.0),
        "vector": Case("FusedMatMul", [f32(r, 5), f32(r, 5, 6)], transA=1),
        "batch_a": Case("FusedMatMul", [f32(r, 4, 2, 3, 5), b], transBatchA=1, dims={0: ["s", 2, 3, 5]}),
        "batch_a_transposed": Case("FusedMatMul", [f32(r, 5, 2, 3, 4), b], transBatchA=1, transA=1),
        "batch_b_transposed": Case("FusedMatMul", [f32(r, 2, 3, 4, 5), f32(r, 6, 2, 3, 5)], transBatchB=1, transB=1),
        "batch_b": Case("FusedMatMul", [f32(r, 2, 3, 4, 5), f32(r, 5, 2, 3, 6)], transBatchB=1),
        "activation": Case("FusedMatMulActivation", [f32(r, 3, 4), f32(r, 5, 4)], activation="LeakyRelu", activation_alpha=0.1, transB=1,
                           expected=lambda a, b: [numpy.where(a @ b.T < 0, 0.1 * (a @ b.T), a @ b.T)]),
        "old_name": Case("TransposeMatMul", [f32(r, 4, 3), f32(r, 4, 5)], transA=1),
        "fast_gelu": Case("GemmFastGelu", [f32(r, 3, 4), f32(r, 4, 5), f32(r, 5)], expected=lambda x, w, b: [fast_gelu(x @ w + b).astype("f")]),
    }


def packed(random, rows, columns, bits, block, dtype=numpy.float32, zeros="packed", bias=False, flat=False):
    """Operands of MatMulNBits behind A."""
    blocks = -(-columns // block)
    weights = u8(random, rows, blocks, block * bits // 8)
    scales = random.uniform(0.01, 0.1, (rows, blocks)).astype(dtype)
    operands = [weights, scales.reshape(-1) if flat else scales]
    if zeros == "packed":
        points = u8(random, rows, -(-blocks * bits // 8))
        operands.append(points.reshape(-1) if flat else points)
    elif zeros == "floats":
        operands.append(random.uniform(0, 2**bits - 1, (rows, blocks)).astype(dtype))
    if bias:
        operands += [None] * (4 - len(operands)) + [random.standard_normal(rows).astype(dtype)]
    return [Constant(each) if each is not None else None for each in operands]


@case
def matmul_nbits(r):
    made = {}
    for name, bits, block, columns, options in [
        ("4_without_zeros", 4, 16, 64, {"zeros": "none"}), ("4_packed", 4, 32, 96, {}), ("4_floats", 4, 32, 64, {"zeros": "floats"}),
        ("4_tail", 4, 32, 80, {}), ("4_bias", 4, 16, 32, {"zeros": "none", "bias": True}), ("8", 8, 32, 64, {"zeros": "none"}),
        ("8_packed", 8, 16, 48, {}), ("2_packed", 2, 16, 80, {}), ("4_flat", 4, 32, 96, {"flat": True}),
    ]:
        made[name] = Case("MatMulNBits", [f32(r, 2, 3, columns), *packed(r, 8, columns, bits, block, **options)], K=columns, N=8, bits=bits,
                          block_size=block, dims={0: ["n", "s", columns]})
    weights, scales = packed(r, 8, 64, 4, 32, numpy.float16, "none")
    weights.value |= 0x88  # sums of positive numbers, in which nothing cancels
    made["4_halves"] = Case("MatMulNBits", [abs(f16(r, 3, 64)), weights, scales], K=64, N=8, bits=4, block_size=32)
    return made


@case
def gather_block_quantized(r):
    scales = r.uniform(0.1, 1, (6, 2)).astype(numpy.float32)
    indices = numpy.array([[0, 5, 3], [2, 2, 1]], numpy.int64)
    four = lambda *shape: r.integers(0, 16, shape).astype(numpy.uint8)
    return {
        "4": Case("GatherBlockQuantized", [Constant(u8(r, 6, 16)), indices, Constant(scales)], bits=4, block_size=16, quantize_axis=1, gather_axis=0),
        "4_zeros": Case("GatherBlockQuantized", [Constant(u8(r, 6, 16)), indices, Constant(scales), Constant(u8(r, 6, 1))], bits=4, block_size=16,
                        quantize_axis=1, gather_axis=0),
        "8": Case("GatherBlockQuantized", [Constant(u8(r, 6, 32)), indices, Constant(scales)], bits=8, block_size=16, quantize_axis=1, gather_axis=0),
        "uint4": Case("GatherBlockQuantized", [Constant(four(6, 32)), indices, Constant(scales), Constant(four(6, 2))], block_size=16,
                      types={0: onnx.TensorProto.UINT4, 3: onnx.TensorProto.UINT4}, quantize_axis=1, gather_axis=0),
    }


# Normalisations.


@case
def layer_norms(r):
    x, skip, gamma, beta, b = f32(r, 2, 3, 8), f32(r, 2, 3, 8), f32(r, 8), f32(r, 8), f32(r, 8)
    dynamic = {0: ["n", "s", 8], 1: ["n", "s", 8]}
    halves = [each.astype(numpy.float16) for each in (x, skip, gamma, beta)]
    return {
        "simplified": Case("SimplifiedLayerNormalization", [x, gamma], domain="", axis=-1, epsilon=1e-6, stash_type=1, dims={0: ["n", "s", 8]}),
        "simplified_root": Case("SimplifiedLayerNormalization", [x, f32(r, 3, 8)], outputs=2, domain="", axis=1, epsilon=1e-3, stash_type=1),
        "skip": Case("SkipLayerNormalization", [x, skip, gamma, beta], dims=dynamic),
        "skip_sum": Case("SkipLayerNormalization", [x, skip, gamma, beta, b], outputs=[0, 3], epsilon=1e-3),
        "skip_without_beta": Case("SkipLayerNormalization", [x, skip, gamma]),
        "skip_broadcast": Case("SkipLayerNormalization", [x, f32(r, 1, 3, 8), gamma, beta], outputs=[0, 3]),
        "skip_of_rows": Case("SkipLayerNormalization", [x, f32(r, 3, 8), gamma, beta]),
        "skip_halves": Case("SkipLayerNormalization", halves, outputs=[0, 3]),
        "skip_simplified": Case("SkipSimplifiedLayerNormalization", [x, skip, gamma], outputs=[0, 3], dims=dynamic, epsilon=1e-6),
        "skip_simplified_bias": Case("SkipSimplifiedLayerNormalization", [x[0], skip[0], gamma, b], outputs=[0, 3], epsilon=1e-6),
    }


@case
def embeddings(r):
    words = numpy.array([[1, 5, 0, 3], [2, 2, 4, 1]], numpy.int32)
    segments = numpy.array([[0, 0, 1, 1], [1, 0, 1, 0]], numpy.int32)
    mask = numpy.array([[1, 1, 1, 0], [1, 1, 0, 0]], numpy.int32)
    positions = numpy.array([[3, 2, 1, 0]], numpy.int32)
    tables = [Constant(f32(r, 6, 8)), Constant(f32(r, 5, 8)), Constant(f32(r, 2, 8))]
    ends = [f32(r, 8), f32(r, 8)]
    return {
        "all": Case("EmbedLayerNormalization", [words, segments, *tables, *ends, mask, positions], outputs=3),
        "dynamic": Case("EmbedLayerNormalization", [words, segments, *tables, *ends, mask], outputs=2, dims={0: ["n", "s"], 1: ["n", "s"], 7: ["n", "s"]}),
        "words_alone": Case("EmbedLayerNormalization", [words, None, *tables[:2], None, *ends], outputs=2, epsilon=1e-3),
    }


@case
def group_norms(r):
    x, gamma, beta, skip, b = f32(r, 2, 4, 4, 8), f32(r, 8), f32(r, 8), f32(r, 2, 8), f32(r, 8)
    silu = lambda y: y / (1 + numpy.exp(-y))
    return {
        "silu": Case("GroupNorm", [x, gamma, beta], groups=2, activation=1, expected=lambda x, g, b: [silu(group_norm(x, g, b, 2))]),
        "channels_second": Case("GroupNorm", [x.transpose(0, 3, 1, 2).copy(), gamma, beta], groups=4, activation=0, channels_last=0, epsilon=1e-3,
                                expected=lambda x, g, b: [group_norm(x.transpose(0, 2, 3, 1), g, b, 4, 1e-3).transpose(0, 3, 1, 2)]),
        "skip": Case("SkipGroupNorm", [x, gamma, beta, skip, b], outputs=2, groups=2, activation=0,
                     expected=lambda x, g, be, s, b: [group_norm(x + s[:, None, None] + b, g, be, 2), x + s[:, None, None] + b]),
    }


# Whole numbers with scales.


@case
def qlinear(r):
    a, b = u8(r, 2, 3, 4), u8(r, 3, 1)
    x, y = i8(r, 2, 3, 4), i8(r, 4)
    image = u8(r, 1, 3, 6, 5)
    return {
        "add": Case("QLinearAdd", [a, f(0.1), zu8(120), b, f(0.03), zu8(7), f(0.11), zu8(100)], dims={0: ["n", 3, 4]}),
        "add_without_zeros": Case("QLinearAdd", [x, f(0.1), None, y, f(0.05), None, f(0.2), None],
                                  expected=lambda x, y: [quantised(x * numpy.float32(0.1) + y * numpy.float32(0.05), 0.2, 0, numpy.int8)]),
        "mul": Case("QLinearMul", [a, f(0.1), zu8(120), b, f(0.03), zu8(7), f(0.3), zu8(100)]),
        "mul_int8": Case("QLinearMul", [x, f(0.1), zi8(-3), y, f(0.05), zi8(9), f(0.21), zi8(1)]),
        "sigmoid": Case("QLinearSigmoid", [x, f(0.05), zi8(3), f(1 / 256), zi8(-128)]),
        "leaky_relu": Case("QLinearLeakyRelu", [a, f(0.05), zu8(128), f(0.04), zu8(40)], alpha=0.1),
        "pool": Case("QLinearAveragePool", [image, f(0.1), zu8(20), f(0.09), zu8(10)], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        "pool_counts": Case("QLinearAveragePool", [image, f(0.1), zu8(20), f(0.09), zu8(10)], kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1),
        "pool_last": Case("QLinearAveragePool", [image.transpose(0, 2, 3, 1).copy(), f(0.1), zu8(20), f(0.09), zu8(10)], kernel_shape=[2, 2], channels_last=1),
        "global_pool": Case("QLinearGlobalAveragePool", [image, f(0.1), zu8(20), f(0.02), zu8(10)], dims={0: ["n", 3, 6, 5]}),
        "global_pool_last": Case("QLinearGlobalAveragePool", [image, f(0.1), zu8(20), f(0.02), zu8(10)], channels_last=1),
        "concat": Case("QLinearConcat", [f(0.1), zu8(10), u8(r, 2, 3), f(0.2), zu8(5), u8(r, 2, 4), f(0.05), zu8(0)], axis=1),
        "softmax": Case("QLinearSoftmax", [x, f(0.03), zi8(4), f(1 / 256), zi8(-128)], axis=-1, opset=13),
        "softmax_12": Case("QLinearSoftmax", [a, f(0.01), zu8(4), f(1 / 64), zu8(0)], axis=1, opset=12),
        "where": Case("QLinearWhere", [r.integers(0, 2, (3, 4)).astype(bool), a, f(0.1), zu8(3), u8(r, 2, 3, 4), f(0.2), zu8(8), f(0.21), zu8(5)]),
        "reduce_mean": Case("QLinearReduceMean", [a, f(0.1), zu8(20), f(0.06), zu8(10)], axes=[1, 2], keepdims=0,
                            expected=lambda a: [quantised(((a.astype("f") - 20) * numpy.float32(0.1)).mean((1, 2)), 0.06, 10)]),
        "conv_last": Case("QLinearConv", [u8(r, 1, 5, 5, 3), f(0.05), zu8(100), Constant(of_7_bits(r, 4, 3, 3, 3)), f([0.01, 0.02, 0.03, 0.04]), zi8([0] * 4), f(0.9),
                                          zu8(128), Constant(r.integers(-900, 900, 4).astype(numpy.int32))], kernel_shape=[3, 3], channels_last=1),
    }


def quantised(x, scale, zero, dtype=numpy.uint8):
    range_ = numpy.iinfo(dtype)
    return numpy.clip(numpy.round(x / numpy.float32(scale)) + zero, range_.min, range_.max).astype(dtype)


@case
def qgemm(r):
    a, b, c = u8(r, 3, 6), of_7_bits(r, 6, 5), r.integers(-900, 900, 5).astype(numpy.int32)
    columns = f([0.01, 0.02, 0.03, 0.04, 0.05])
    return {
        "quantised": Case("QGemm", [a, f(0.1), zu8(128), b, f(0.02), zi8(3), c, f(0.3), zu8(90)], dims={0: ["n", 6]}),
        "columns": Case("QGemm", [a, f(0.1), zu8(128), Constant(b.T.copy()), columns, zi8([1, 2, 3, 4, 5]), c, f(0.3), zu8(90)], transB=1, alpha=0.5),
        "real": Case("QGemm", [a.T.copy(), f(0.1), zu8(128), b, columns, zi8([0] * 5)], transA=1),
    }


@case
def whole_products(r):
    b, columns = of_7_bits(r, 6, 5), f([0.01, 0.02, 0.03, 0.04, 0.05])
    return {
        "dynamic": Case("DynamicQuantizeMatMul", [f32(r, 2, 3, 6), Constant(b), f(0.02)], dims={0: ["n", "s", 6]}),
        "dynamic_bias": Case("DynamicQuantizeMatMul", [f32(r, 3, 6), Constant(b), columns, zi8([1, 0, 3, 2, 4]), f32(r, 5)]),
        "to_float": Case("MatMulIntegerToFloat", [u8(r, 2, 3, 6), Constant(u8(r, 6, 5)), f(0.1), columns, zu8(9), zu8([1, 2, 3, 4, 5]), f32(r, 5)]),
        "to_float_plain": Case("MatMulIntegerToFloat", [i8(r, 3, 6), b, f(0.1), f(0.2)]),
        "16": Case("MatMulInteger16", [r.integers(-99, 99, (3, 6)).astype(numpy.int16), r.integers(-99, 99, (6, 5)).astype(numpy.int16)]),
        "mul": Case("MulInteger", [u8(r, 3, 4), zu8(5), u8(r, 4), zu8(200)], expected=lambda a, b: [(a.astype("i") - 5) * (b.astype("i") - 200)]),
        "sum": Case("ReduceSumInteger", [u8(r, 3, 4)], axes=[1], keepdims=0, expected=lambda x: [x.sum(1).astype(numpy.uint32)]),
    }


@case
def linear(r):
    x = f32(r, 3, 4) * 100
    return {
        "quantise_16": Case("QuantizeLinear", [x, f(0.01), Constant(numpy.array(30000, numpy.uint16))]),
        "quantise_int16": Case("QuantizeLinear", [x, f([0.01, 0.02, 0.03, 0.5]), Constant(numpy.array([0, 9, -9, 1], numpy.int16))], axis=1),
        "dequantise_16": Case("DequantizeLinear", [r.integers(-999, 999, (3, 4)).astype(numpy.int16), f([0.1, 0.2, 0.3]),
                                                   Constant(numpy.array([1, 2, 3], numpy.int16))], axis=0),
        "dequantise_int32": Case("DequantizeLinear", [r.integers(-999, 999, (3, 4)).astype(numpy.int32), f(0.1)]),
    }


# Attention.


@case
def attention(r):
    x, w, b = f32(r, 2, 4, 6), f32(r, 6, 24), f32(r, 24)
    mask = numpy.array([[1, 1, 0, 1], [0, 1, 1, 1]], numpy.int32)
    length = lambda *values: numpy.array(values, numpy.int32)
    return {
        "plain": Case("Attention", [x, w, b], num_heads=2, dims={0: ["n", "s", 6]}),
        "causal": Case("Attention", [x, w, b, mask], num_heads=2, unidirectional=1, scale=0.3, dims={0: ["n", "s", 6], 3: ["n", "s"]}),
        "mask_of_queries": Case("Attention", [x, w, b, r.integers(0, 2, (2, 4, 4)).astype(numpy.int32)], num_heads=2, mask_filter_value=-100.0),
        "nothing_seen": Case("Attention", [x, w, b, mask * 0], num_heads=2, mask_filter_value=-10.0),
        "lengths": Case("Attention", [x, w, b, length(3, 1)], num_heads=2),
        "ends_and_starts": Case("Attention", [x, w, b, length(3, 4, 1, 2)], num_heads=2),
        "past": Case("Attention", [x, w, b, None, f32(r, 2, 2, 2, 3, 4)], outputs=2, num_heads=2, unidirectional=1, dims={0: ["n", "s", 6], 4: [2, "n", 2, "p", 4]}),
        "bias": Case("Attention", [x, w, b, mask, None, f32(r, 1, 2, 4, 4)], num_heads=2),
        "other_values": Case("Attention", [x, f32(r, 6, 28), f32(r, 28)], num_heads=2, qkv_hidden_sizes=[8, 8, 12]),
        "quantised": Case("QAttention", [u8(r, 2, 4, 6), Constant(of_7_bits(r, 6, 24)), b, f(0.02), f(0.01), mask, zu8(120), zi8(3)], num_heads=2),
        "quantised_past": Case("QAttention", [u8(r, 2, 4, 6), Constant(of_7_bits(r, 6, 24)), b, f(0.02), f(0.01), None, zu8(120), zi8(0), f32(r, 2, 2, 2, 3, 4)],
                               outputs=2, num_heads=2, unidirectional=1),
    }


@case
def multi_head_attention(r):
    q, k, v, b = f32(r, 2, 4, 8), f32(r, 2, 5, 8), f32(r, 2, 5, 8), f32(r, 24)
    dynamic = {0: ["n", "s", 8], 1: ["n", "t", 8], 2: ["n", "t", 8]}
    heads = lambda *shape: f32(r, 2, shape[0], 2, shape[1], 4)

    def attended(q, k, v):
        y = softmax(q @ k.transpose(0, 1, 3, 2) / 2) @ v
        return [y.transpose(0, 2, 1, 3).reshape(2, 4, 8).astype("f")]

    part = lambda x, i: x[:, :, :, i].transpose(0, 2, 1, 3)
    return {
        "plain": Case("MultiHeadAttention", [q, k, f32(r, 2, 5, 6)], num_heads=2, dims={**dynamic, 2: ["n", "t", 6]}),
        "bias": Case("MultiHeadAttention", [q, k, v, b], num_heads=2, scale=0.2),
        "mask": Case("MultiHeadAttention", [q, k, v, None, numpy.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], numpy.int32)], num_heads=2,
                     dims={**dynamic, 4: ["n", "t"]}),
        "lengths": Case("MultiHeadAttention", [q, k, v, b, numpy.array([3, 5], numpy.int32)], num_heads=2),
        "scores": Case("MultiHeadAttention", [q, k, v, None, None, f32(r, 1, 2, 4, 5)], num_heads=2),
        "cross": Case("MultiHeadAttention", [q, f32(r, 2, 2, 5, 4), f32(r, 2, 2, 5, 4), b], num_heads=2),
        "past": Case("MultiHeadAttention", [q, f32(r, 2, 4, 8), f32(r, 2, 4, 8), b, None, None, f32(r, 2, 2, 3, 4), f32(r, 2, 2, 3, 4)], outputs=3,
                     num_heads=2, unidirectional=1, dims={0: ["n", "s", 8], 1: ["n", "s", 8], 2: ["n", "s", 8], 6: ["n", 2, "p", 4], 7: ["n", 2, "p", 4]}),
        "packed": Case("MultiHeadAttention", [heads(4, 3)], num_heads=2, expected=lambda x: attended(part(x, 0), part(x, 1), part(x, 2))),
        "packed_keys": Case("MultiHeadAttention", [q, heads(5, 2)], num_heads=2,
                            expected=lambda q, x: attended(q.reshape(2, 4, 2, 4).transpose(0, 2, 1, 3), part(x, 0), part(x, 1))),
    }


def normed_attention(q, k, v, lengths, gamma_q, gamma_k):
    norm = lambda x, gamma: x / numpy.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * gamma
    heads = lambda x: x.reshape(1, 4, -1, 16).transpose(0, 2, 1, 3)
    q, k, v = norm(heads(q), gamma_q), norm(heads(k), gamma_k), heads(v)
    scores = q @ k.repeat(2, 1).transpose(0, 1, 3, 2) / 4
    y = softmax(numpy.where(numpy.tri(4, dtype=bool), scores, -numpy.inf)) @ v.repeat(2, 1)
    return [y.transpose(0, 2, 1, 3).reshape(1, 4, 64).astype("f"), k.astype("f"), v]


@case
def group_query(r):
    table = r.uniform(-3, 3, (16, 8)).astype(numpy.float32)
    angles = [Constant(numpy.cos(table)), Constant(numpy.sin(table))]

    def made(batch, length, past, lengths, total, rotary=False, rest=(), outputs=3, packs=False, dims=None, **others):
        parts = [f32(r, batch, length, 128), None, None] if packs else [f32(r, batch, length, 64), f32(r, batch, length, 32), f32(r, batch, length, 32)]
        caches = [None, None] if past is None else [f32(r, batch, 2, past, 16), f32(r, batch, 2, past, 16)]
        ends = [numpy.array(lengths, numpy.int32) - 1, Constant(numpy.array(total, numpy.int32))]
        operands = [*parts, *caches, *ends, *(angles if rotary or rest else []), *rest]
        return Case("GroupQueryAttention", operands, outputs=outputs, num_heads=4, kv_num_heads=2, do_rotary=int(rotary), dims=dims, **others)

    return {
        "prompt": made(2, 4, None, [4, 4], 4, dims={0: ["n", 4, 64], 1: ["n", 4, 32], 2: ["n", 4, 32], 5: ["n"]}),
        "prompt_of_two_lengths": made(2, 4, 0, [4, 2], 4, rotary=True),
        "next": made(1, 1, 5, [6], 6, rotary=True),
        "next_of_two_lengths": made(2, 1, 5, [6, 4], 6, rotary=True),
        "shared": made(2, 1, 10, [6, 4], 6, rotary=True),
        "prompt_in_shared": made(2, 4, 10, [4, 4], 4, rotary=True),
        "several": made(1, 3, 5, [8], 8, rotary=True, dims={3: [1, 2, "p", 16], 4: [1, 2, "p", 16]}),
        "window": made(1, 6, None, [6], 6, local_window_size=3),
        "capped": made(1, 4, None, [4], 4, softcap=2.0, scale=0.5),
        "interleaved": made(1, 4, None, [4], 4, rotary=True, rotary_interleaved=1),
        "packed": made(2, 4, None, [4, 4], 4, rotary=True, packs=True),
        "both_ways": made(1, 4, None, [4], 4, causal=0),
        "bias": made(1, 4, None, [4], 4, rest=[None, f32(r, 1, 4, 4, 4)]),
        "positions": made(1, 1, 5, [6], 6, rotary=True, rest=[numpy.array([[3]], numpy.int64)]),
        "norms": made(1, 4, None, [4], 4, rest=[None, None, None, None, None, f32(r, 16), f32(r, 16)], expected=normed_attention),
    }


@case
def rotary(r):
    table = r.uniform(-3, 3, (10, 4)).astype(numpy.float32)
    angles = [Constant(numpy.cos(table)), Constant(numpy.sin(table))]
    narrow = [Constant(each.value[:, :2].copy()) for each in angles]
    one, rows = numpy.array([3], numpy.int64), numpy.array([[0, 1, 2], [4, 5, 6]], numpy.int64)
    return {
        "offset": Case("RotaryEmbedding", [f32(r, 2, 3, 16), one, *angles], dims={0: ["n", "s", 16]}),
        "positions": Case("RotaryEmbedding", [f32(r, 2, 2, 3, 8), rows, *angles], interleaved=1),
        "part": Case("RotaryEmbedding", [f32(r, 2, 3, 16), rows, *narrow], num_heads=2, rotary_embedding_dim=4),
    }
