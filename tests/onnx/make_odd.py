#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models of odd/ and hostile/.

odd/NAME holds a model that is unusual and right, with inputs and what ONNX Runtime computes from them, as the node tests of
ONNX do; hostile/NAME.onnx, or one in a folder below, is a model that has to be refused, with little time and memory. It needs
the packages onnx 1.16, onnxruntime and numpy, and for REFERENCE onnx 1.23; what it makes travels with the repository, so tests
need none of them.
"""

import os
import shutil

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

HERE = os.path.dirname(os.path.abspath(__file__))
random = numpy.random.default_rng(0)
MY = ', "my": 1'
LIBRARY = '<domain: "my", opset_import: ["": 17, "my": 1]>'
BODY = "body = b (int64 i, bool k, float[2] a) => (bool k2, float[2] a2, float[2] o)"


def f32(*shape):
    return (random.uniform(0.25, 2, shape) * random.choice([-1, 1], shape)).astype(numpy.float32)


def i64(*values):
    return numpy.array(values, numpy.int64)


def scalar(value, dtype=numpy.int64):
    return numpy.array(value, dtype)


# Name: graph, or graph and functions; "_" is an operand that is left out. Inputs that are not given are random.
ODD = {
    # structure
    "no_inputs": "g () => (float[3] y) <float[3] c = {1, 2, 3}> { y = Neg(c) }",
    "no_nodes": "g () => (float[3] c) <float[3] c = {1, 2, 3}> { }",
    "output_is_input": "g (float[2, 3] x) => (float[2, 3] x, float[2, 3] y) { y = Relu(x) }",
    "output_is_constant": "g (float[3] x) => (float[3] w, float[3] y) <float[3] w = {1, 2, 3}> { y = Add(x, w) }",
    "same_constant_twice": "g () => (float[3] y, float[3] z) <float[3] w = {1, 2, 3}> { y = Identity(w) z = Identity(w) }",
    "unused_values": "g (float[3] x, float[7] unused, int64 n) => (float[3] y) <float[2] u = {1, 2}> { t = Exp(x) s = Log(t) y = Relu(x) }",
    "rank_0": """g (float x, float z) => (float y, float[1] u, float s, int64[0] sh, int64 sz) {
        y = Mul(x, z) axes = Constant<value_ints = [0]>() u = Unsqueeze(y, axes) s = ReduceSum(y) sh = Shape(x) sz = Size(x) }""",
    "empty_softmax": "g (float[0, 5] x) => (float[0, 5] y) { y = Softmax<axis = 1>(x) }",
    "empty_layer_norm": "g (float[0, 4] x, float[4] s) => (float[0, 4] y) { y = LayerNormalization(x, s) }",
    "empty_matmul": "g (float[2, 0] x, float[0, 3] z) => (float[2, 3] y) { y = MatMul(x, z) }",
    "empty_batch": "g (float[N, 3] x) => (float[N, 3] y, float[3] s) <int64[1] ax = {0}> { y = Relu(x) s = ReduceSum<keepdims = 0>(y, ax) }",
    "optional_operands": "g (float[1, 1, 3, 4] x) => (float[1, 1, 6, 8] y) <int64[4] s = {1, 1, 6, 8}> { y = Resize<mode = \"linear\">(x, _, _, s) }",
    # control flow
    "if_captures": """g (bool c, float[3] x) => (float[3] y) { k = Mul(x, x) y = If(c) <
        then_branch = t () => (float[3] r) { r = Add(k, x) }, else_branch = e () => (float[3] r) { r = Sub(k, x) }> }""",
    "if_shapes_differ": """g (bool c, float[3] x) => (float[N] z, float s) { y = If(c) <
        then_branch = t () => (float[6] r) { r = Concat<axis = 0>(x, x) }, else_branch = e () => (float[3] r) { r = Abs(x) }>
        z = Relu(y) s = ReduceSum<keepdims = 0>(z) }""",
    "if_nested": """g (bool c, bool d, float[3] x) => (float[3] y) { y = If(c) <then_branch = t () => (float[3] r) { r = If(d) <
        then_branch = t2 () => (float[3] r2) { r2 = Neg(x) }, else_branch = e2 () => (float[3] r3) { r3 = Exp(x) }> },
        else_branch = e () => (float[3] q) { q = Abs(x) }> }""",
    "loop_counts": "g (int64 n, float[2] x) => (float[2] s, float[K, 2] all) { s, all = Loop(n, _, x) <" + BODY
                   + " { k2 = Identity(k) f = Cast<to = 1>(i) a2 = Add(a, f) o = Mul(a2, x) }> }",
    "loop_never": "g (int64 n, float[2] x) => (float[2] s, float[K, 2] all) { s, all = Loop(n, _, x) <" + BODY
                  + " { k2 = Identity(k) f = Cast<to = 1>(i) a2 = Add(a, f) o = Mul(a2, x) }> }",
    "loop_grows": """g (int64 n, float[1] x) => (float[K] s) { s = Loop(n, _, x) <
        body = b (int64 i, bool k, float[M] a) => (bool k2, float[M2] a2) { k2 = Identity(k) a2 = Concat<axis = 0>(a, x) }> }""",
    "loop_swaps": """g (float[2] x, float[2] z) => (float[2] s, float[2] t) <int64 n = {3}> { s, t = Loop(n, _, x, z) <
        body = b (int64 i, bool k, float[2] a, float[2] c) => (bool k2, float[2] c, float[2] a) { k2 = Identity(k) }> }""",
    "loop_of_sequences": """g (float[2] x) => (float[6] o) <int64 n = {3}> { e = SequenceEmpty() s = Loop(n, _, e) <
        body = b (int64 i, bool k, seq(float[2]) q) => (bool k2, seq(float[2]) q2) {
        k2 = Identity(k) f = Cast<to = 1>(i) v = Add(x, f) q2 = SequenceInsert(q, v) }> o = ConcatFromSequence<axis = 0>(s) }""",
    "scan_reversed": """g (float[3] h, float[4, 3] xs) => (float[3] hf, float[4, 3] ys) { hf, ys = Scan <num_scan_inputs = 1,
        scan_input_directions = [1], scan_output_directions = [1],
        body = b (float[3] a, float[3] x) => (float[3] a2, float[3] y) { a2 = Add(a, x) y = Tanh(a2) }>(h, xs) }""",
    "scan_of_any_length": """g (float[3] h, float[3, T] xs, float[T, 3] zs, float[3] k) => (float[3] hf, float[3, T] ys) { w = Exp(k)
        hf, ys = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0], scan_output_axes = [1],
        scan_output_directions = [1], body = b (float[3] a, float[3] x, float[3] z) => (float[3] a2, float[3] y) {
        p = Add(a, x) q = Mul(p, w) a2 = Mul(q, z) y = Tanh(a2) }>(h, xs, zs) }""",
    # functions
    "function_in_function": ("g (float[3] x) => (float[3] y) { t = my.F(x) y = my.F(t) }",
                             LIBRARY + " F (a) => (b) { t = my.G(a) b = Exp(t) } " + LIBRARY + " G (a) => (b) { b = Neg(a) }"),
    "function_attribute": ("g (float[3] x) => (float[3] y) { y = my.F<al = 0.3>(x) }",
                           LIBRARY + " F <al> (a) => (b) { b = my.G<be: float = @al>(a) } "
                           + LIBRARY + " G <be> (a) => (b) { b = LeakyRelu<alpha: float = @be>(a) }"),
    "function_attribute_in_body": ("g (bool c, float[3] x) => (float[3] y) { y = my.F<al = 0.3>(c, x) }",
                                   LIBRARY + """ F <al> (c, a) => (b) { b = If(c) <then_branch = t () => (float[3] r) { r = Neg(a) },
                                   else_branch = e () => (float[3] r) { r = LeakyRelu<alpha: float = @al>(a) }> }"""),
    "function_named_as_operator": ("g (float[3] x) => (float[3] y) { y = my.Relu(x) }", LIBRARY + " Relu (a) => (b) { b = Neg(a) }"),
    # shapes that are not known
    "size_as_number": """g (float[B, 3] x) => (int64 n, float m) { n = Size(x) s = ReduceSum<keepdims = 0>(x) f = Cast<to = 1>(n) m = Div(s, f) }""",
    "heads": """g (float[B, S, 12] x) => (float[B, 3, S, 4] y) { s = Shape(x) z = Constant<value_ints = [0]>() o = Constant<value_ints = [1]>()
        b = Gather(s, z) q = Gather(s, o) h = Constant<value_ints = [3, 4]>() ns = Concat<axis = 0>(b, q, h) r = Reshape(x, ns)
        y = Transpose<perm = [0, 2, 1, 3]>(r) }""",
    "halves": """g (float[B, S] x) => (float[B, H] y, float[B, H2] z) { s = Shape(x) o = Constant<value_ints = [1]>() n = Gather(s, o)
        two = Constant<value_ints = [2]>() h = Div(n, two) zero = Constant<value_ints = [0]>() y = Slice(x, zero, h, o) z = Slice(x, h, n, o) }""",
    "pad_to_even": """g (float[1, S] x) => (float[1, T] y) { s = Shape(x) o = Constant<value_ints = [1]>() n = Gather(s, o)
        two = Constant<value_ints = [2]>() m = Mod(n, two) z = Constant<value_ints = [0, 0, 0]>() p = Concat<axis = 0>(z, m) y = Pad(x, p) }""",
    "one_of_two_extents_is_1": "g (float[N, 3] a, float[M, 3] b) => (float[K, 3] y) { y = Add(a, b) }",
    "resize_by_a_fraction": "g (float[1, 1, N] x) => (float[1, 1, M] z) <float[3] s = {1, 1, 1.5}> { y = Resize<mode = \"nearest\">(x, _, s) z = Relu(y) }",
    "resize_rounds_in_float": "g (float[1, 1, 30] x) => (float[1, 1, N] y) <float[3] s = {1, 1, 0.7}> { y = Resize<mode = \"linear\">(x, _, s) }",
    "tail_of_a_short_one": """g (float[N, 3] x) => (float[M, 3] y) <int64[1] s = {-512}, int64[1] e = {9223372036854775807}, int64[1] a = {0}> {
        y = Slice(x, s, e, a) }""",
    "reshape_by_data": "g (float[2, 6] x, int64[2] s) => (float[A, B] y, float r) { y = Reshape(x, s) r = ReduceSum<keepdims = 0>(y) }",
    "slice_by_data": "g (float[4, 5] x, int64[1] s, int64[1] e) => (float[A, 5] y) { y = Slice(x, s, e) }",
    # extents that data decide
    "positives_only": """g (float[5] x) => (float[N] y, float s) <float z = {0}> { m = Greater(x, z) nz = NonZero(m) a = Constant<value_ints = [0]>()
        i = Squeeze(nz, a) g = Gather(x, i) y = Exp(g) s = ReduceSum<keepdims = 0>(y) }""",
    "none_positive": """g (float[5] x) => (float[N] y, float s) <float z = {100}> { m = Greater(x, z) c = Compress<axis = 0>(x, m) y = Exp(c)
        s = ReduceSum<keepdims = 0>(y) }""",
    "rows_times_matrix": """g (float[5, 4] x, float[4, 3] w) => (float[N, 3] y) <float z = {0}, int64[1] a = {1}> { s = ReduceSum<keepdims = 0>(x, a)
        m = Greater(s, z) c = Compress<axis = 0>(x, m) y = MatMul(c, w) }""",
    # operators that changed
    "softmax_11": "g (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Softmax<axis = 1>(x) }",
    "resize_10": "g (float[1, 1, 4, 6] x) => (float[1, 1, 2, 4] y) <float[4] s = {1, 1, 0.5, 0.7}> { y = Resize<mode = \"nearest\">(x, s) }",
    "upsample_7": "g (float[1, 1, 2, 3] x) => (float[1, 1, 4, 6] y) { y = Upsample<mode = \"nearest\", scales = [1.0, 1.0, 2.0, 2.0]>(x) }",
    "split_18_uneven": "g (float[7] x) => (float[3] a, float[3] b, float[1] c) { a, b, c = Split<num_outputs = 3>(x) }",
    "lstm_clipped": """g (float[3, 2, 3] x, float[1, 8, 3] w, float[1, 8, 2] r, float[1, 16] b, float[1, 2, 2] h, float[1, 2, 2] c, float[1, 6] p) =>
        (float[3, 1, 2, 2] y) { y = LSTM<hidden_size = 2, clip = 0.5>(x, w, r, b, _, h, c, p) }""",
    # types
    "integer_division": "g (int32[4] a, int32[4] b) => (int32[4] y, int32[4] m, int32[4] r) { y = Div(a, b) m = Mod(a, b) r = Mod<fmod = 1>(a, b) }",
    "not_numbers": """g (float[6] x) => (float[6] c, bool[6] n, bool[6] f, float[6] s) <float lo = {-1}, float hi = {1}> { c = Clip(x, lo, hi) n = IsNaN(x)
        f = IsInf(x) s = Sign(x) }""",
    "threshold_of_not_a_number": "g (float[5] x) => (float[5] y, float[5] z) { y = ThresholdedRelu(x) z = Shrink(x) }",
    # The sign of a zero shows in its reciprocal.
    "round_keeps_the_sign": "g (float[8] x, float16[8] h) => (float[8] y, float[8] r, float16[8] z, float16[8] s) "
                            "{ y = Round(x) r = Reciprocal(y) z = Round(h) s = Reciprocal(z) }",
    "dropout_masks": """g (float[4] x, float[N] z, float r, bool t) => (float[4] a, bool[4] b, float[N] c, bool[N] d, bool[4] e) {
        a, b = Dropout(x) c, d = Dropout(z, r, t) u, e = Dropout(x, r) }""",
    "dropout_mask_7": "g (float[4] x) => (float[4] y, float[4] m) { y, m = Dropout(x) }",
    "dropout_mask_10": "g (float[4] x) => (float[4] y, bool[4] m) { y, m = Dropout(x) }",
    "normal_far_from_zero": """g (float[2, 4, 6, 50] x, float[50] s, float[4] c) => (float[2, 4, 6, 50] l, float[2, 4, 6, 1] d, float[2, 4, 6, 50] i,
        float[2, 4, 6, 50] g, float[2, 4, 6, 50] m) { l, _, d = LayerNormalization(x, s) i = InstanceNormalization(x, c, c)
        g = GroupNormalization<num_groups = 2>(x, c, c) m = MeanVarianceNormalization(x) }""",
    "cubic_samples": """g (float[1, 2, 4, 5] x, float[1, 6, 5, 2] p) => (float[1, 2, 6, 5] a, float[1, 2, 6, 5] b, float[1, 2, 6, 5] c,
        float[1, 2, 6, 5] d, float[1, 2, 6, 5] e, float[1, 2, 6, 5] f) {
        a = GridSample<mode = "cubic", padding_mode = "zeros", align_corners = 0>(x, p)
        b = GridSample<mode = "cubic", padding_mode = "zeros", align_corners = 1>(x, p)
        c = GridSample<mode = "cubic", padding_mode = "border", align_corners = 0>(x, p)
        d = GridSample<mode = "cubic", padding_mode = "border", align_corners = 1>(x, p)
        e = GridSample<mode = "cubic", padding_mode = "reflection", align_corners = 0>(x, p)
        f = GridSample<mode = "cubic", padding_mode = "reflection", align_corners = 1>(x, p) }""",
    "quantised_chain": """g (float[2, 4] x, uint8[4, 3] w) => (float[2, 3] y) <uint8 wz = {3}, float ws = {0.1}> { q, s, z = DynamicQuantizeLinear(x)
        m = MatMulInteger(q, w, z, wz) f = Cast<to = 1>(m) sc = Mul(s, ws) y = Mul(f, sc) }""",
    # attention and what stands around it, of lengths that are not known
    "attention_behind_a_cache": """g (float[B, S, 24] q, float[B, S, 12] k, float[B, S, 10] v, float[S, T] m, float[B, 2, P, 6] pk, float[B, 2, P, 5] pv) =>
        (float[B, S, 20] y, float[B, 2, T, 6] nk, float[B, 2, T, 5] nv) { y, nk, nv = Attention<q_num_heads = 4, kv_num_heads = 2,
        is_causal = 1, softcap = 3.0>(q, k, v, m, pk, pv) }""",
    "attention_in_a_cache": """g (float[B, 2, S, 4] q, float[B, 2, S, 4] k, float[B, 2, S, 4] v, float[B, 2, 9, 4] ck, float[B, 2, 9, 4] cv, int64[B] at) =>
        (float[B, 2, S, 4] y, float[B, 2, 9, 4] nk, float[B, 2, 9, 4] nv) { nk = TensorScatter(ck, k, at)
        nv = TensorScatter(cv, v, at) s = Shape<start = 2, end = 3>(q) n = Add(at, s) y = Attention<is_causal = 1>(q, nk, nv, _, _, _, n) }""",
    "attention_in_a_window": """g (float[B, 2, S, 4] q, float[B, 2, T, 4] k, float[B, 2, T, 3] v, bool[S, T] m) => (float[B, 2, S, 3] y, float[B, 2, S, T] p) {
        y, _, _, p = Attention<left_window_size = 1, right_window_size = 2, qk_matmul_output_mode = 3>(q, k, v, m) }""",
    "attention_of_one_token": """g (float[B, 4, 1, 4] q, float[B, 1, 1, 4] k, float[B, 1, 1, 4] v, float[B, 1, P, 4] pk, float[B, 1, P, 4] pv) =>
        (float[B, 4, 1, 4] y, float[B, 1, T, 4] nk, float[B, 1, T, 4] nv) { y, nk, nv = Attention<is_causal = 1>(q, k, v, _, pk, pv) }""",
    "rotary_of_positions": """g (float[B, S, 24] x, int64[B, S] at, float[50, 2] c, float[50, 2] s) => (float[B, S, 24] y, float[B, S, 24] z) {
        y = RotaryEmbedding<num_heads = 3, rotary_embedding_dim = 4>(x, c, s, at)
        z = RotaryEmbedding<num_heads = 3, rotary_embedding_dim = 4, interleaved = 1>(x, c, s, at) }""",
    "products_of_many": """g (float[2, N] x, float[200, 2] z) => (float[2, N] a, float[2, N] b, float[200, 2] c, float[200, 2] d) <int64 l = {1}, int64 f = {0}> {
        a = CumProd(x, l) b = CumProd<exclusive = 1, reverse = 1>(x, l) c = CumProd<exclusive = 1>(z, f) d = CumProd<reverse = 1>(z, f) }""",
    "swiglu": "g (float[N, 3] a, float[N, 3] b) => (float[N, 3] y) { y = SwiGLU<alpha = 1.5>(a, b) }",
    "decode_linear_attention": """g (float[B, 1, 8] q, float[B, 1, 4] k, float[B, 1, 6] v, float[B, 2, 2, 3] s, float[B, 1, 2] g, float[B, 1, 1] b) =>
        (float[B, 1, 12] y, float[B, 2, 2, 3] t) { y, t = LinearAttention<q_num_heads = 4, kv_num_heads = 2>(q, k, v, s, g, b) }""",
    # constants of few bits
    "few_bits_by_columns": """g (float[3, 8] x) => (float[3, 4] y) <float[4] s = {0.1, 0.02, 0.05, 0.3}, int8[8, 4] q = {
        32, -62, 62, -36, 76, 49, 114, 88, 62, 39, 109, 8, -120, 88, -8, 71,
        114, -64, 39, -114, 103, -87, -99, -32, -7, 95, -64, -30, 12, -101, 19, -64}> {
        w = DequantizeLinear<axis = 1>(q, s) y = MatMul(x, w) }""",
    "few_bits_by_blocks": """g (float[2, 32] x) => (float[2, 2] y) <float[2, 2] s = {0.1, 0.02, 0.05, 0.3}, uint8[2, 2] z = {128, 7, 0, 255},
        uint8[2, 32] q = {6, 110, 208, 143, 93, 199, 81, 36, 71, 227, 64, 67, 0, 2, 107, 110, 84, 85, 148, 160, 101, 104,
        93, 100, 196, 152, 11, 184, 212, 84, 74, 135, 33, 169, 154, 1, 173, 33, 158, 181, 156, 246, 161,
        94, 246, 241, 90, 29, 131, 11, 183, 206, 9, 214, 187, 192, 4, 231, 23, 92, 100, 60, 125, 236}> {
        w = DequantizeLinear<axis = 1, block_size = 16>(q, s, z) t = Transpose(w) y = MatMul(x, t) }""",
}
NEWEST = ("attention_behind_a_cache", "attention_in_a_cache", "attention_in_a_window", "attention_of_one_token", "rotary_of_positions",
          "products_of_many", "swiglu", "decode_linear_attention")
# ONNX Runtime has not all of them, and rounds the other factor of few bits, too: ONNX's own evaluation makes the results.
REFERENCE = (*NEWEST, "few_bits_by_columns", "few_bits_by_blocks")
OPSETS = {
    "dropout_mask_7": 7, "dropout_mask_10": 10, "normal_far_from_zero": 21, "few_bits_by_columns": 21, "few_bits_by_blocks": 21, "cubic_samples": 20, "softmax_11": 11,
    "version_removed_upsample": 10, "version_removed_scatter": 11, "resize_10": 10, "upsample_7": 7,
    "split_18_uneven": 18, "reshape_by_data": 13, "slice_by_data": 13,
}
INPUTS = {
    "if_captures": {"c": scalar(True, bool)}, "if_shapes_differ": {"c": scalar(True, bool)},
    "if_nested": {"c": scalar(True, bool), "d": scalar(False, bool)}, "function_attribute_in_body": {"c": scalar(False, bool)},
    "loop_counts": {"n": scalar(3)}, "loop_never": {"n": scalar(0)}, "loop_grows": {"n": scalar(3)}, "unused_values": {"n": scalar(3)},
    "empty_batch": {"x": f32(0, 3)}, "one_of_two_extents_is_1": {"a": f32(1, 3), "b": f32(4, 3)}, "pad_to_even": {"x": f32(1, 5)},
    "halves": {"x": f32(2, 5)}, "heads": {"x": f32(2, 5, 12)}, "scan_of_any_length": {"xs": f32(3, 5), "zs": f32(5, 3)},
    "resize_by_a_fraction": {"x": f32(1, 1, 7)}, "tail_of_a_short_one": {"x": f32(4, 3)},
    "reshape_by_data": {"s": i64(3, -1)}, "slice_by_data": {"s": i64(1), "e": i64(3)},
    "integer_division": {"a": numpy.array([7, -7, 7, -7], numpy.int32), "b": numpy.array([2, 2, -2, -2], numpy.int32)},
    "not_numbers": {"x": numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0, -2, 1], numpy.float32)},
    "quantised_chain": {"w": random.integers(0, 9, (4, 3)).astype(numpy.uint8)},
    "attention_behind_a_cache": {"q": f32(2, 3, 24), "k": f32(2, 3, 12), "v": f32(2, 3, 10), "m": f32(3, 5), "pk": f32(2, 2, 2, 6), "pv": f32(2, 2, 2, 5)},
    "attention_in_a_cache": {"q": f32(2, 2, 3, 4), "k": f32(2, 2, 3, 4), "v": f32(2, 2, 3, 4), "ck": f32(2, 2, 9, 4), "cv": f32(2, 2, 9, 4), "at": i64(5, 0)},
    "attention_in_a_window": {"q": f32(2, 2, 6, 4), "k": f32(2, 2, 4, 4), "v": f32(2, 2, 4, 3), "m": numpy.tile([True, False, True, True], (6, 1))},
    "attention_of_one_token": {"pk": f32(2, 1, 3, 4), "pv": f32(2, 1, 3, 4)},
    "rotary_of_positions": {"x": f32(2, 3, 24), "at": numpy.array([[0, 7, 49], [3, 2, 1]])},
    "threshold_of_not_a_number": {"x": numpy.array([numpy.nan, 2, 0.25, -2, numpy.inf], numpy.float32)},
    "round_keeps_the_sign": {name: numpy.array([-0.5, 0.5, -0.25, -0.0, 0, -1.5, 2.5, -2.5], dtype) for name, dtype in (("x", numpy.float32), ("h", numpy.float16))},
    "dropout_masks": {"r": scalar(0.5, numpy.float32), "t": scalar(False, bool)},
    "normal_far_from_zero": {"x": f32(2, 4, 6, 50) + numpy.float32(300_000)},
    "cubic_samples": {"p": numpy.concatenate([numpy.array([[x, y] for x in (-1, 1) for y in (-1, 1)] + [[1.15, -0.95], [-3, 3]]),
                                              random.uniform(-1.5, 1.5, (24, 2))]).reshape(1, 6, 5, 2).astype(numpy.float32)},
    "products_of_many": {"x": f32(2, 300) ** 2, "z": f32(200, 2) ** 2},
    "few_bits_by_columns": {"x": numpy.linspace(-1, 2, 24, dtype=numpy.float32).reshape(3, 8)},
    "few_bits_by_blocks": {"x": numpy.linspace(-1, 2, 64, dtype=numpy.float32).reshape(2, 32)},
}
ENDLESS = "<body = b (int64 i, bool k, float[3] a) => (bool k2, float[3] a2) { k2 = Identity(k) a2 = Add(a, x) }>"
HOSTILE = {
    "loop_endless": "g (float[3] x) => (float[3] y) <bool c = {1}> { y = Loop(_, c, x) " + ENDLESS + " }",
    "loop_2_to_62": "g (float[3] x) => (float[3] y) <int64 n = {4611686018427387904}> { y = Loop(n, _, x) " + ENDLESS + " }",
    "loop_doubles": """g (float[3] x) => (float[K] y) <int64 n = {60}> { y = Loop(n, _, x) <
        body = b (int64 i, bool k, float[M] a) => (bool k2, float[M2] a2) { k2 = Identity(k) a2 = Concat<axis = 0>(a, a) }> }""",
    "condition_of_floats": "g (float[3] c, float[3] x) => (float[3] y) { y = If(c) <then_branch = t () => (float[3] r) { r = Neg(x) }, "
                           "else_branch = e () => (float[3] r) { r = Abs(x) }> }",
    "cycle": "g (float[3] x) => (float[3] y) { a = Add(x, b) b = Relu(a) y = Neg(b) }",
    "made_twice": "g (float[3] x) => (float[3] y) { y = Relu(x) y = Neg(x) }",
    "reads_nothing": "g (float[3] x) => (float[3] y) { y = Add(x, nothing) }",
    "no_operands": "g (float[3] x) => (float[3] y) { y = Concat<axis = 0>() }",
    "types_differ": "g (float[3] x, int64[3] z) => (float[3] y) { y = Add(x, z) }",
    "index_outside": "g (float[3] x) => (float[1] y) <int64[1] i = {99}> { y = Gather(x, i) }",
    "coordinate_outside": "g (float[3] x) => (float[3] y) <int64[1, 1] i = {99}, float[1] u = {1}> { y = ScatterND(x, i, u) }",
    "range_overflows": "g () => (int64[N] y) <int64 a = {-9223372036854775807}, int64 b = {9223372036854775807}, int64 c = {1}> { y = Range(a, b, c) }",
    "huge_window": "g () => (float[A] y) <int64 n = {1000000000000}> { y = HannWindow(n) }",
    "huge_constant": "g () => (float[A, B] y) <int64[2] s = {4294967296, 4294967296}> { y = ConstantOfShape(s) }",
    "huge_tile": "g (float[2, 2] x) => (float[A, B] y) <int64[2] s = {1000000000, 1000000000}> { y = Tile(x, s) }",
    "huge_pad": "g (float[2] x) => (float[N] y) <int64[2] p = {4611686018427387904, 0}> { y = Pad(x, p) }",
    "hidden_size": "g (float[4, 2, 3] x, float[1, 8, 3] w, float[1, 8, 2] r) => (float[4, 1, 2, 2] y) { y = LSTM<hidden_size = 4611686018427387904>(x, w, r) }",
    "empty_block": "g (float[1, 5, 5] x) => (float[A, B, C, D] y) <int64[2] i = {5, 5}, int64[2] b = {0, 0}> { y = Col2Im(x, i, b) }",
    "window_of_a_float": "g (float[1] n) => (float[A] y) { y = HannWindow(n) }",
    "shape_of_floats": "g () => (float[A] y) <float[2] s = {2, 3}> { y = ConstantOfShape(s) }",
    "range_of_nothing": "g () => (int64[A] y) <int64[0] s = {}, int64 e = {3}, int64 d = {1}> { y = Range(s, e, d) }",
    "function_calls_itself": ("g (float[3] x) => (float[3] y) { y = my.F(x) }", LIBRARY + " F (a) => (b) { b = my.F(a) }"),
    "function_bomb": ("g (float[3] x) => (float[3] y) { y = my.F0(x) }",
                      " ".join(LIBRARY + f" F{k} (a) => (b) {{ c = my.F{k + 1}(a) d = my.F{k + 1}(c) e = my.F{k + 1}(d) b = my.F{k + 1}(e) }}"
                               for k in range(20)) + " " + LIBRARY + " F20 (a) => (b) { b = Relu(a) }"),
    "newest/heads": "g (float[1, 3, 10] q) => (float[1, 3, 10] y) { y = Attention<q_num_heads = 3, kv_num_heads = 3>(q, q, q) }",
    "newest/groups": "g (float[1, 3, 2, 4] q, float[1, 2, 2, 4] k) => (float[1, 3, 2, 4] y) { y = Attention(q, k, k) }",
    "newest/mask": "g (float[1, 2, 3, 4] q, float[3, 9] m) => (float[1, 2, 3, 4] y) { y = Attention(q, q, q, m) }",
    "newest/half_a_cache": "g (float[1, 2, 3, 4] q, float[1, 2, 3, 4] p) => (float[1, 2, 3, 4] y) { y = Attention(q, q, q, _, p) }",
    "newest/window": "g (float[1, 2, 3, 4] q) => (float[1, 2, 3, 4] y) { y = Attention<left_window_size = -2>(q, q, q) }",
    "newest/mode": "g (float[1, 2, 3, 4] q) => (float[1, 2, 3, 4] y, float[1, 2, 3, 3] s) { y, _, _, s = Attention<qk_matmul_output_mode = 4>(q, q, q) }",
    "newest/softmax_of_integers": "g (float[1, 2, 3, 4] q) => (float[1, 2, 3, 4] y) { y = Attention<softmax_precision = 7>(q, q, q) }",
    "newest/odd_pairs": "g (float[1, 2, 3, 5] x, float[1, 3, 2] c) => (float[1, 2, 3, 5] y) { y = RotaryEmbedding(x, c, c) }",
    "newest/angles": "g (float[1, 2, 3, 4] x, float[1, 3, 3] c) => (float[1, 2, 3, 4] y) { y = RotaryEmbedding(x, c, c) }",
    "newest/position": "g (float[1, 2, 1, 4] x, float[9, 2] c) => (float[1, 2, 1, 4] y) <int64[1, 1] at = {9}> { y = RotaryEmbedding(x, c, c, at) }",
    "newest/full_cache": "g (float[1, 1, 5, 2] c, float[1, 1, 3, 2] u) => (float[1, 1, 5, 2] y) <int64[1] at = {3}> { y = TensorScatter(c, u, at) }",
    "newest/gate": "g (float[2, 3] a, float[3] b) => (float[2, 3] y) { y = SwiGLU(a, b) }",
    "newest/bits": "g (float[3] x) => (int64[3] y) { y = BitCast<to = 7>(x) }",
    "newest/rule": "g (float[1, 1, 4] q) => (float[1, 1, 4] y, float[1, 1, 4, 4] s) { y, s = LinearAttention<q_num_heads = 1, kv_num_heads = 1>(q, q, q) }",
    "newest/kernel": "g (float[1, 3, 5] x, float[2, 1, 3] w) => (float[1, 3, 5] y, float[1, 3, 2] s) { y, s = CausalConvWithState(x, w) }",
    # operands, versions and declarations that are not the standard's
    "operands/conv_of_integers": "g (int64[1, 1, 5] x, int64[1, 1, 3] w) => (int64[1, 1, 3] y) { y = Conv(x, w) }",
    "operands/where_by_floats": "g (float[3] c, float[3] x) => (float[3] y) { y = Where(c, x, x) }",
    "operands/relu_of_bools": "g (bool[3] x) => (bool[3] y) { y = Relu(x) }",
    "operands/two_scales": "g (float[1, 2, 3] x, float[2] s, float16[2] m) => (float[1, 2, 3] y) { y = BatchNormalization(x, s, s, m, s) }",
    "operands/too_many": "g (float[3] x) => (float[3] y) { y = Relu(x, x) }",
    "operands/too_few": "g (float[3] x) => (float[3] y) { y = Add(x) }",
    "operands/of_a_variadic": "g (float[3] x, float16[3] z) => (float[3] y) { y = Sum(x, x, z) }",
    "operands/loop_of_floats": "g (float n, float[3] x) => (float[3] y) { y = Loop(n, _, x) " + ENDLESS + " }",
    "operands/microsoft": "g (float[2, 3] x, float[4] b) => (float[2, 3] y) { y = com.microsoft.QuantizeLinear(x, b, b) }",
    "operands/in_function": ("g (int64[3] x) => (int64[3] y) { y = my.F(x) }", LIBRARY + " F (a) => (b) { b = Sin(a) }"),
    "version_removed_upsample": "g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 4] y) <float[4] s = {1, 1, 2, 2}> { y = Upsample(x, s) }",
    "version_removed_scatter": "g (float[3] x, int64[1] i, float[1] u) => (float[3] y) { y = Scatter(x, i, u) }",
    "version_gelu_comes_later": "g (float[3] x) => (float[3] y) { y = Gelu(x) }",
    "declared_type": "g (float[3] x) => (int64[3] y) { y = Relu(x) }",
    "declared_rank": "g (float[3] x) => (float[1, 3] y) { y = Relu(x) }",
    "declared_rank_of_any_extent": "g (float[N] x) => (float[1, N] y) { y = Relu(x) }",
    "declared_extent": "g (float[3] x) => (float[4] y) { y = Relu(x) }",
    "declared_branch": "g (bool c, float[3] x) => (float[3] y) { y = If(c) <then_branch = t () => (int64[3] r) { r = Neg(x) }, "
                       "else_branch = e () => (int64[3] r) { r = Abs(x) }> }",
    "declared_body": "g (float[3] x) => (float[3] y) <int64 n = {2}> { y = Loop(n, _, x) "
                     "<body = b (int64 i, bool k, int64[3] a) => (bool k2, float[3] a2) { k2 = Identity(k) a2 = Neg(a) }> }",
    "split/uneven": "g (float[7] x) => (float[4] a, float[3] b) { a, b = Split(x) }",
    "split/sum": "g (float[7] x) => (float[4] a, float[2] b) <int64[2] s = {4, 2}> { a, b = Split(x, s) }",
    "split/sum_of_one": "g (float[7] x) => (float[4] a) <int64[1] s = {4}> { a = Split(x, s) }",
    "split/wraps": "g (float[4] x) => (float[A] a, float[B] b, float[C] c) <int64[3] s = {9223372036854775807, 9223372036854775807, 6}> { a, b, c = Split(x, s) }",
    "split/negative": "g (float[4] x) => (float[A] a, float[B] b) <int64[2] s = {5, -1}> { a, b = Split(x, s) }",
    "split/18_says_nothing": "g (float[4] x) => (float[2] a, float[2] b) { a, b = Split(x) }",
    "split/18_says_twice": "g (float[4] x) => (float[2] a, float[2] b) <int64[2] s = {2, 2}> { a, b = Split<num_outputs = 2>(x, s) }",
    "split/18_counts": "g (float[4] x) => (float[2] a, float[2] b) { a, b = Split<num_outputs = 3>(x) }",
    "split/18_too_short": "g (float[5] x) => (float[2] a, float[2] b, float[1] c, float[D] d) { a, b, c, d = Split<num_outputs = 4>(x) }",
    "scan_lengths": """g (float[4] xs, float[5] zs) => (float[4] y) { y = Scan<num_scan_inputs = 2, body = b (float a, float c) => (float d) {
        d = Add(a, c) }>(xs, zs) }""",
    "gather_elements_larger": "g (float[2, 3] x, int64[3, 3] i) => (float[3, 3] y) { y = GatherElements<axis = 1>(x, i) }",
    "scatter_elements_larger": "g (float[2, 3] x, int64[3, 1] i, float[3, 1] u) => (float[2, 3] y) { y = ScatterElements<axis = 1>(x, i, u) }",
    "gather_nd_larger": "g (float[2, 3] x, int64[1, 3] i) => (float[1] y) { y = GatherND(x, i) }",
    "scatter_nd_larger": "g (float[2, 3] x, int64[1, 3] i, float[1] u) => (float[2, 3] y) { y = ScatterND(x, i, u) }",
    "elements_outside": "g (float[2, 3] x) => (float[1, 1] y) <int64[1, 1] i = {3}> { y = GatherElements<axis = 1>(x, i) }",
    "scattered_outside": "g (float[2, 3] x, float[1, 1] u) => (float[2, 3] y) <int64[1, 1] i = {-4}> { y = ScatterElements<axis = 1>(x, i, u) }",
    "tuple_outside": "g (float[2, 3] x) => (float[1] y) <int64[1, 2] i = {0, 3}> { y = GatherND(x, i) }",
    "nested_functions": ("g (bool c, float[3] x) => (float[3] y) { y = my.F(c, x) }", LIBRARY + """ F (c, a) => (b) { b = If(c) <
        then_branch = t () => (float[3] r) { r = my.F(c, a) }, else_branch = e () => (float[3] r) { r = Abs(a) }> }"""),
    "sequence_input": "g (seq(float[3]) s, int64 i) => (float[3] y) { y = SequenceAt(s, i) }",
    "missing_operators": ("g (float[3] x) => (float[3] y) { a = Foo(x) b = my.Bar(a) y = my.Bar(b) }", ""),
}


def leave_out(nodes):
    for node in nodes:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = "" if name == "_" else name
        for attribute in node.attribute:
            leave_out(attribute.g.node)


def model_of(name, given):
    graph, functions = given if isinstance(given, tuple) else (given, "")
    opset = OPSETS.get(name, 28 if name in NEWEST or name.startswith("newest/") else 18 if "Col2Im" in graph or "split_18" in name.replace("/", "_") else 17)
    domain = MY if "my." in graph else ', "com.microsoft": 1' if "com.microsoft." in graph else ""
    model = parser.parse_model(f'<ir_version: {3 if opset < 8 else 8 if opset < 20 else 11}, opset_import: ["": {opset}{domain}]> {graph} {functions}')
    leave_out(model.graph.node)
    return model


def random_input(info):
    tensor = info.type.tensor_type
    shape = [each.dim_value or 2 if not each.HasField("dim_value") else each.dim_value for each in tensor.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    return f32(*shape) if dtype == numpy.float32 else random.integers(1, 9, shape).astype(dtype)


def write(path, message):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(message.SerializeToString())


def normalised(inputs):
    """In float64: nobody else has the digits."""
    x, s, c = (inputs[name].astype(numpy.float64) for name in "xsc")
    c = c.reshape(4, 1, 1)

    def over(values, axes, epsilon=1e-5):
        deviation = numpy.sqrt(values.var(axes, keepdims=True) + epsilon)
        return (values - values.mean(axes, keepdims=True)) / deviation, 1 / deviation
    layer, inverse = over(x, -1)
    group = over(x.reshape(2, 2, 2, 6, 50), (2, 3, 4))[0].reshape(x.shape)
    every = layer * s, inverse, over(x, (2, 3))[0] * c + c, group * c + c, over(x, (0, 2, 3), 0)[0]
    return [each.astype(numpy.float32) for each in every]


def all_kept(mask):
    """What the standard's mask is where nothing is dropped; ONNX Runtime's is zero, ONNX's own evaluation knows one type."""
    return lambda inputs: [inputs["x"], numpy.ones(4, mask)]


COMPUTED = {"normal_far_from_zero": normalised, "dropout_mask_7": all_kept(numpy.float32), "dropout_mask_10": all_kept(bool)}


def write_odd(name, model):
    top = os.path.join(HERE, "odd", name)
    shutil.rmtree(top, ignore_errors=True)
    write(os.path.join(top, "model.onnx"), model)
    inputs = {info.name: INPUTS.get(name, {}).get(info.name) for info in model.graph.input}
    inputs = {key: numpy.asarray(random_input(info) if value is None else value)
              for (key, value), info in zip(inputs.items(), model.graph.input)}
    if name in COMPUTED:
        results = COMPUTED[name](inputs)
    elif name in REFERENCE:
        results = ReferenceEvaluator(model).run(None, inputs)
    else:
        results = onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)
    for kind, tensors in (("input", inputs.values()), ("output", results)):
        for i, tensor in enumerate(tensors):
            write(os.path.join(top, "test_data_set_0", f"{kind}_{i}.pb"), numpy_helper.from_array(numpy.asarray(tensor)))


def raw(dims, data, dtype=TensorProto.FLOAT):
    tensor = TensorProto(name="w", data_type=dtype, raw_data=data)
    tensor.dims.extend(dims)
    return tensor


def sum_with(tensor):
    """x + w, where the tensor is w."""
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [3])
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"], name="sum")], "g", [value("x")], [value("y")], [tensor])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def hostile_tensors():
    yield "short_data", sum_with(raw([3], bytes(8)))
    yield "claims_2_gib", sum_with(raw([1 << 29], bytes(12)))
    yield "negative_extent", sum_with(raw([-3], bytes(12)))
    yield "extents_overflow", sum_with(raw([1 << 32, 1 << 32], b""))
    yield "many_dimensions", sum_with(raw([1] * 1000, bytes(4)))
    yield "unknown_type", sum_with(raw([3], bytes(12), 200))
    for name, place in (("leaves_folder", "../../../../etc/passwd"), ("absolute_path", "/etc/passwd"), ("no_such_file", "no.bin")):
        tensor = raw([3], b"")
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=place)
        yield name, sum_with(tensor)
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(f32(2), "w"), helper.make_tensor("i", TensorProto.INT64, [2], [0, 9]), [3])
    twice = raw([3], bytes(12))
    twice.float_data.extend([1, 2, 3])
    yield "twice_in_fields", sum_with(twice)
    twice = raw([3], bytes(12))
    twice.data_location = TensorProto.EXTERNAL
    twice.external_data.add(key="location", value="no.bin")
    yield "twice_outside", sum_with(twice)
    model = sum_with(raw([3], bytes(12)))
    model.graph.ClearField("initializer")
    model.graph.sparse_initializer.append(sparse)
    yield "sparse_outside", model


def hostile_heads():
    """Models that do not say, or say wrongly, by which versions they are to be read."""
    def changed(change):
        model = sum_with(raw([3], bytes(12)))
        change(model)
        return model

    yield "head/no_format", changed(lambda model: model.ClearField("ir_version"))
    yield "head/negative_format", changed(lambda model: setattr(model, "ir_version", -8))
    yield "head/absurd_format", changed(lambda model: setattr(model, "ir_version", 123456))
    yield "head/no_operator_set", changed(lambda model: model.ClearField("opset_import"))
    yield "head/absurd_operator_set", changed(lambda model: setattr(model.opset_import[0], "version", 123456))
    yield "head/no_domain", changed(lambda model: setattr(model.graph.node[0], "domain", "com.microsoft"))

    def declare_integers(model):
        model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.INT64, [3]))
    yield "head/constant_of_other_type", changed(declare_integers)


def main():
    for name, given in ODD.items():
        write_odd(name, model_of(name, given))
    hostile = [(name, model_of(name, given)) for name, given in HOSTILE.items()]
    for name, model in [*hostile, *hostile_tensors(), *hostile_heads()]:
        write(os.path.join(HERE, "hostile", f"{name}.onnx"), model)


if __name__ == "__main__":
    main()
