#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Saves ONNX models again as ONNX Runtime's optimiser and quantiser write them, with inputs and results, as the node tests are.

    save_again.py OUT NAME MODEL [FOLDER OF input_K.pb]

OUT/NAME-KIND/ holds model.onnx beside test_data_set_0/. Results are those of ONNX Runtime without its optimiser, before the model is
saved at the second level; for `static` behind that, which moves roundings between whole numbers. It wants onnx, onnxruntime and
numpy.
"""

import os
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

FREE_EXTENT = 4


def session(path, level, saved=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = 2
    if saved:
        options.optimized_model_filepath = saved
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


PLAIN = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
SECOND_LEVEL = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED


def inputs_of(path, folder):
    """By name; of the folder, or random where there is none."""
    model = onnx.load(path)
    constants = {each.name for each in model.graph.initializer}
    random = numpy.random.default_rng(0)
    inputs = {}
    for k, info in enumerate(each for each in model.graph.input if each.name not in constants):
        if folder:
            with open(os.path.join(folder, f"input_{k}.pb"), "rb") as file:
                inputs[info.name] = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
            continue
        tensor = info.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        shape = [each.dim_value or FREE_EXTENT for each in tensor.shape.dim]
        drawn = random.standard_normal(shape) if dtype.kind == "f" else random.integers(0, 9, shape)
        inputs[info.name] = drawn.astype(dtype)
    return inputs


class Once:
    """A calibration reader of one set of inputs."""

    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised_dynamically(path, made, inputs):
    from onnxruntime import quantization

    quantization.quantize_dynamic(path, made, reduce_range=True)


def quantised_statically(path, made, inputs):
    from onnxruntime import quantization

    quantization.quantize_static(path, made, Once(inputs), reduce_range=True, quant_format=quantization.QuantFormat.QOperator,
                                 activation_type=quantization.QuantType.QUInt8, per_channel=True)


def quantised_around(path, made, inputs):
    from onnxruntime import quantization

    quantization.quantize_static(path, made, Once(inputs), reduce_range=True, quant_format=quantization.QuantFormat.QDQ)


def quantised_in_blocks(path, made, inputs):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(onnx.load(path), bits=4, block_size=32)
    quantizer.process()
    onnx.save(quantizer.model.model, made)


def fused_for_transformers(path, made, inputs):
    from onnxruntime.transformers import optimizer

    kind = "gpt2" if "gpt2" in path else "bert"
    optimizer.optimize_model(path, model_type=kind, opt_level=0, only_onnxruntime=False).save_model_to_file(made)


# What is made of a model before it is saved at the second level. Weights are of 7 bits: on some processors ONNX Runtime adds two
# products of uint8 and int8 in 16 bits, where more saturates.
KINDS = {"level2": None, "dynamic": quantised_dynamically, "static": quantised_statically, "qdq": quantised_around,
         "blocks": quantised_in_blocks, "transformers": fused_for_transformers}


def differs(model, other):
    ops = lambda path: sorted(node.domain + node.op_type for node in onnx.load(path).graph.node)
    return ops(model) != ops(other)


def write_tensors(folder, kind, tensors):
    os.makedirs(folder, exist_ok=True)
    for k, tensor in enumerate(tensors):
        with open(os.path.join(folder, f"{kind}_{k}.pb"), "wb") as file:
            file.write(numpy_helper.from_array(numpy.asarray(tensor)).SerializeToString())


def save(out, name, path, inputs, kind, temporary):
    before = path
    if KINDS[kind]:
        before = os.path.join(temporary, f"{name}-{kind}.onnx")
        KINDS[kind](path, before, inputs)
        if not differs(path, before):
            return ""
    folder = os.path.join(out, f"{name}-{kind}")
    os.makedirs(folder, exist_ok=True)
    saved = os.path.join(folder, "model.onnx")
    session(before, SECOND_LEVEL, saved)
    results = session(saved if kind == "static" else before, PLAIN).run(None, inputs)
    write_tensors(os.path.join(folder, "test_data_set_0"), "input", inputs.values())
    write_tensors(os.path.join(folder, "test_data_set_0"), "output", results)
    return ""


def main():
    out, name, path = sys.argv[1:4]
    try:
        inputs = inputs_of(path, sys.argv[4] if len(sys.argv) > 4 else None)
        session(path, PLAIN).run(None, inputs)
    except Exception as error:  # of the native library, which has types of its own
        print(f"  not run by ONNX Runtime {name}: {str(error).strip().splitlines()[0][:120]}")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        for kind in KINDS:
            try:
                why = save(out, name, path, inputs, kind, temporary)
            except Exception as error:  # what the quantiser cannot do
                why = (str(error).strip().splitlines() or [type(error).__name__])[0][:120]
            if why:
                print(f"  not saved {name}-{kind}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
