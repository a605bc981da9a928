#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models of runtime/: an operator each of what ONNX Runtime's optimiser and quantiser write, with inputs and what
ONNX Runtime computes from them, as the node tests of ONNX do; and in hostile/ those that have to be refused.

It needs the packages onnx 1.23, onnxruntime 1.31 and numpy; what it makes travels with the repository, so tests need none of
them.
"""

import argparse
import os
import shutil
import sys

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from runtime_cases import CASES, Case, Constant, f, f32, u8, zi8, zu8  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


# What is asked of these operators and is not supported, or cannot be.


def refused():
    r = numpy.random.default_rng(0)
    x, w, b = f32(r, 2, 4, 6), f32(r, 6, 24), f32(r, 24)
    q, kv, length, total = f32(r, 2, 4, 16), f32(r, 2, 4, 8), numpy.array([3, 3], numpy.int32), Constant(numpy.array(4, numpy.int32))
    image, kernel, bytes_ = f32(r, 1, 4, 6, 6), f32(r, 8, 4, 3, 3), Constant(u8(r, 8, 2, 16))
    scales = Constant(f32(r, 8, 2))
    return {
        "attention_rotary": Case("Attention", [x, w, b], num_heads=2, do_rotary=1),
        "attention_heads": Case("Attention", [x, w, b], num_heads=3),
        "attention_mask": Case("Attention", [x, w, b, numpy.ones((2, 1, 9, 9), numpy.int32)], num_heads=2),
        "attention_shared": Case("Attention", [x, w, b, None, f32(r, 2, 2, 2, 9, 4), None, numpy.array([3], numpy.int32)], num_heads=2),
        "heads_of_beams": Case("MultiHeadAttention", [q, q, q, None, None, None, None, None, None, numpy.zeros((2, 1, 9), numpy.int32)], num_heads=2),
        "heads_scores": Case("MultiHeadAttention", [q, q, q], outputs=[0, 3], num_heads=2),
        "group_sink": Case("GroupQueryAttention", [q, kv, kv, None, None, length, total, None, None, None, None, f32(r, 4)], num_heads=4, kv_num_heads=2),
        "group_quantised": Case("GroupQueryAttention", [q, kv, kv, None, None, length, total], num_heads=4, kv_num_heads=2, k_quant_type="PER_TENSOR"),
        "group_heads": Case("GroupQueryAttention", [q, kv, kv, None, None, length, total], num_heads=4, kv_num_heads=3),
        "rotary_scale": Case("RotaryEmbedding", [f32(r, 2, 3, 16), numpy.array([3], numpy.int64), f32(r, 9, 4), f32(r, 9, 4)], scale=2.0),
        "activation": Case("FusedConv", [image, kernel], activation="Snake"),
        "activation_parameters": Case("FusedConv", [image, kernel], activation="Relu", activation_params=[1.0]),
        "bits": Case("MatMulNBits", [f32(r, 3, 64), bytes_, scales], K=64, N=8, bits=3, block_size=32),
        "bits_shape": Case("MatMulNBits", [f32(r, 3, 96), bytes_, scales], K=96, N=8, bits=4, block_size=32),
        "bits_packed": Case("MatMulNBits", [f32(r, 3, 64), bytes_, scales], K=64, N=8, bits=4, block_size=32, weight_prepacked=1),
        "bits_block": Case("MatMulNBits", [f32(r, 3, 64), bytes_, scales], K=64, N=8, bits=4, block_size=24),
        "skip_mean": Case("SkipLayerNormalization", [x, x, f32(r, 6)], outputs=2),
        "skip_shape": Case("SkipLayerNormalization", [x, f32(r, 4, 3), f32(r, 6)]),
        "scale_of_rows": Case("QLinearAdd", [u8(r, 3, 4), f([1, 2, 3, 4]), zu8(1), u8(r, 3, 4), f(0.1), zu8(1), f(0.1), zu8(1)]),
        "zero_of_other_type": Case("QLinearSigmoid", [u8(r, 3, 4), f(0.1), zi8(1), f(0.1), zu8(1)]),
        "word_outside": Case("EmbedLayerNormalization", [Constant(numpy.array([[1, 99]], numpy.int32)), None, f32(r, 6, 8), f32(r, 5, 8), None, f32(r, 8), f32(r, 8)]),
        "lstm": Case("DynamicQuantizeLSTM", [f32(r, 3, 2, 3)]),
        "laid_out": Case("Conv", [image, kernel], domain="com.microsoft.nchwc"),
    }


def model_of(given):
    names = [f"i{k}" if each is not None else "" for k, each in enumerate(given.inputs)]
    wanted = range(given.outputs) if isinstance(given.outputs, int) else given.outputs
    results = [f"o{k}" if k in wanted else "" for k in range(max(wanted) + 1)]
    node = helper.make_node(given.op, names, results, name="node", domain=given.domain, **given.attributes)
    inputs, constants = [], []
    for k, (name, each) in enumerate(zip(names, given.inputs)):
        if isinstance(each, Constant) and k in given.types:
            constants.append(helper.make_tensor(name, given.types[k], each.value.shape, each.value.flatten()))
        elif isinstance(each, Constant):
            constants.append(numpy_helper.from_array(each.value, name))
        elif each is not None:
            inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(each.dtype), given.dims.get(k, each.shape)))
    outputs = [onnx.ValueInfoProto(name=name) for name in results if name]
    graph = helper.make_graph([node], "g", inputs, outputs, constants)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1),
                                                              helper.make_opsetid("com.microsoft.nchwc", 1)])


def results_of(model, given, inputs):
    if not given.expected:
        return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)
    results = [numpy.asarray(each) for each in given.expected(*inputs.values())]
    return [each.astype(numpy.float32) if each.dtype == numpy.float64 else each for each in results]


def write(path, message):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(message.SerializeToString())


def write_case(name, given):
    model = model_of(given)
    top = os.path.join(HERE, "runtime", name)
    inputs = {f"i{k}": each for k, each in enumerate(given.inputs) if isinstance(each, numpy.ndarray)}
    results = results_of(model, given, inputs)
    shutil.rmtree(top, ignore_errors=True)
    write(os.path.join(top, "model.onnx"), model)
    for kind, tensors in (("input", inputs.values()), ("output", results)):
        for i, tensor in enumerate(tensors):
            write(os.path.join(top, "test_data_set_0", f"{kind}_{i}.pb"), numpy_helper.from_array(numpy.asarray(tensor)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", help="cases whose name holds one of these; without any, all")
    words = parser.parse_args().words
    for name, given in CASES.items():
        if words and not any(word in name for word in words):
            continue
        try:
            write_case(name, given)
        except Exception as error:  # of the native library, which has types of its own
            print(f"{name}: {str(error).strip().splitlines()[-1][:200]}")
    for name, given in refused().items():
        write(os.path.join(HERE, "hostile", "runtime", f"{name}.onnx"), model_of(given))


if __name__ == "__main__":
    main()
