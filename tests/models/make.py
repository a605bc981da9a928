#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the small models of this folder, with inputs and what ONNX Runtime computes from them.

It needs the packages onnx, onnxruntime and numpy; what it makes travels with the repository, so tests need none of them.
The same versions give the same files.
"""

import os
import shutil
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import encoder

HERE = os.path.dirname(os.path.abspath(__file__))
random = numpy.random.default_rng(0)


def weight(name, *shape, scale=0.3):
    return numpy_helper.from_array((random.standard_normal(shape) * scale).astype(numpy.float32), name)


def integers(name, *values):
    return numpy_helper.from_array(numpy.array(values, numpy.int64), name)


def tensor(name, shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def node(op, inputs, outputs, name, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=name, **attributes)


def mlp():
    """Two layers over a batch of any size."""
    nodes = [
        node("Gemm", "x w1 b1", "h1", "dense1", transB=1),
        node("Relu", "h1", "h2", "relu1"),
        node("Gemm", "h2 w2 b2", "logits", "dense2", transB=1),
        node("Softmax", "logits", "y", "softmax", axis=-1),
    ]
    weights = [weight("w1", 16, 8), weight("b1", 16), weight("w2", 4, 16), weight("b2", 4)]
    return helper.make_graph(nodes, "mlp", [tensor("x", ["batch", 8])], [tensor("y", ["batch", 4])], weights), [
        random.standard_normal((3, 8)).astype(numpy.float32)
    ]


def residual():
    """A residual block as image networks have them, a pool and a classifier."""
    weights = [weight("conv1.w", 8, 3, 3, 3), weight("conv2.w", 8, 8, 3, 3), weight("conv2.b", 8), weight("fc.w", 5, 8), weight("fc.b", 5)]
    for name in ("scale", "bias", "mean"):
        weights.append(weight("bn." + name, 8))
    weights.append(numpy_helper.from_array(random.uniform(0.5, 1.5, 8).astype(numpy.float32), "bn.var"))
    nodes = [
        node("Conv", "x conv1.w", "c1", "conv1", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("BatchNormalization", "c1 bn.scale bn.bias bn.mean bn.var", "n1", "bn1"),
        node("Relu", "n1", "r1", "relu1"),
        node("Conv", "r1 conv2.w conv2.b", "c2", "conv2", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Add", "c2 r1", "s", "add"),
        node("Relu", "s", "r2", "relu2"),
        node("GlobalAveragePool", "r2", "p", "pool"),
        node("Flatten", "p", "f", "flatten"),
        node("Gemm", "f fc.w fc.b", "y", "fc", transB=1),
    ]
    return helper.make_graph(nodes, "residual", [tensor("x", [1, 3, 16, 16])], [tensor("y", [1, 5])], weights), [
        random.standard_normal((1, 3, 16, 16)).astype(numpy.float32)
    ]


def edited():
    """The residual block as another program exports it: other names, a larger convolution, an operator less, an operator more."""
    random = numpy.random.default_rng(7)  # of its own: the other models stay as they are
    shapes = {"w0": (8, 3, 3, 3), "w1": (8, 8, 5, 5), "b1": (8,), "w2": (5, 8), "b2": (5,), "g": (8,), "b": (8,), "m": (8,)}
    weights = [numpy_helper.from_array((0.3 * random.standard_normal(shape)).astype(numpy.float32), name) for name, shape in shapes.items()]
    weights.append(numpy_helper.from_array(random.uniform(0.5, 1.5, 8).astype(numpy.float32), "v"))
    nodes = [
        node("Conv", "x w0", "t0", "node_0", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("BatchNormalization", "t0 g b m v", "t1", "node_1"),
        node("Relu", "t1", "t2", "node_2"),
        node("Conv", "t2 w1 b1", "t3", "node_3", kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        node("Add", "t3 t2", "t4", "node_4"),
        node("GlobalAveragePool", "t4", "t5", "node_5"),
        node("Flatten", "t5", "t6", "node_6"),
        node("Gemm", "t6 w2 b2", "t7", "node_7", transB=1),
        node("Sigmoid", "t7", "y", "node_8"),
    ]
    return helper.make_graph(nodes, "edited", [tensor("x", [1, 3, 16, 16])], [tensor("y", [1, 5])], weights), [
        random.standard_normal((1, 3, 16, 16)).astype(numpy.float32)
    ]


def attention():
    """One head of attention with a layer normalisation as exporters spell it, over sequences of any length."""
    weights = [weight(name, 16, 16) for name in ("wq", "wk", "wv", "wo")]
    weights += [weight("gamma", 16), weight("beta", 16)]
    weights += [numpy_helper.from_array(numpy.float32(value), name) for name, value in (("two", 2), ("eps", 1e-5), ("scale", 4))]
    nodes = [
        node("MatMul", "x wq", "q", "query"),
        node("MatMul", "x wk", "k", "key"),
        node("MatMul", "x wv", "v", "value"),
        node("Transpose", "k", "kt", "transpose", perm=[0, 2, 1]),
        node("MatMul", "q kt", "scores", "scores"),
        node("Div", "scores scale", "scaled", "scale"),
        node("Softmax", "scaled", "p", "softmax", axis=-1),
        node("MatMul", "p v", "mixed", "mix"),
        node("MatMul", "mixed wo", "o", "out"),
        node("Add", "o x", "sum", "skip"),
        node("ReduceMean", "sum", "mean", "norm/mean", axes=[-1]),
        node("Sub", "sum mean", "centred", "norm/sub"),
        node("Pow", "centred two", "square", "norm/pow"),
        node("ReduceMean", "square", "variance", "norm/variance", axes=[-1]),
        node("Add", "variance eps", "shifted", "norm/eps"),
        node("Sqrt", "shifted", "deviation", "norm/sqrt"),
        node("Div", "centred deviation", "normal", "norm/div"),
        node("Mul", "normal gamma", "scaled_normal", "norm/gamma"),
        node("Add", "scaled_normal beta", "y", "norm/beta"),
    ]
    return helper.make_graph(nodes, "attention", [tensor("x", [1, "seq", 16])], [tensor("y", [1, "seq", 16])], weights), [
        random.standard_normal((1, 6, 16)).astype(numpy.float32)
    ]


def positions():
    """How many results there are depends on the numbers."""
    nodes = [
        node("Greater", "x zero", "mask", "greater"),
        node("NonZero", "mask", "where", "nonzero"),
        node("Cast", "where", "numbers", "cast", to=TensorProto.FLOAT),
        node("Add", "numbers one", "y", "add"),
    ]
    weights = [numpy_helper.from_array(numpy.float32(value), name) for name, value in (("zero", 0), ("one", 1))]
    return helper.make_graph(nodes, "positions", [tensor("x", [2, 5])], [tensor("y", [2, "count"])], weights), [
        random.standard_normal((2, 5)).astype(numpy.float32)
    ]


def custom():
    """Rows divided by their root mean square, which is an operator of samples/models/custom_operator.py; what it computes
    is written out as a function of the model that is taken away again."""
    nodes = [
        node("MatMul", "x w", "h", "dense"),
        node("RootMeanSquare", "h", "r", "rms", domain="samples"),
        node("Unsqueeze", "r one", "column", "column"),
        node("Div", "h column", "y", "normalise"),
    ]
    weights = [weight("w", 8, 16), integers("one", 1)]
    return helper.make_graph(nodes, "custom", [tensor("x", ["rows", 8])], [tensor("y", ["rows", 16])], weights), [
        random.standard_normal((5, 8)).astype(numpy.float32)
    ]


def pictures():
    """A convolution of images of any size, of which no template knows the rows."""
    random = numpy.random.default_rng(17)
    filters = numpy_helper.from_array(random.standard_normal((8, 3, 3, 3)).astype(numpy.float32), "filters")
    nodes = [node("Conv", "x filters", "c", "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("GlobalAveragePool", "c", "y", "pool")]
    given, result = tensor("x", ["batch", 3, "height", "width"]), tensor("y", ["batch", 8, 1, 1])
    return helper.make_graph(nodes, "pictures", [given], [result], [filters]), [random.standard_normal((2, 3, 7, 5)).astype(numpy.float32)]


def scalar(name, value, dtype):
    return numpy_helper.from_array(numpy.array(value, dtype), name)


def loops():
    """A loop whose trips, condition and extents are data, with a branch in it, and a loop in that: carried values that keep and that
    change their shape, one that is stacked, and values from outside at every depth."""
    random = numpy.random.default_rng(11)  # of its own: the other models stay as they are
    real = lambda name, *shape: tensor(name, shape)
    inner = helper.make_graph(
        [node("Identity", "c2", "c2_out", "inner/keep"), node("Mul", "x half", "part", "inner/half"), node("Add", "u part", "u_out", "inner/add")],
        "inner", [tensor("j", [], TensorProto.INT64), tensor("c2", [], TensorProto.BOOL), real("u", "rows", 8)],
        [tensor("c2_out", [], TensorProto.BOOL), real("u_out", "rows", 8)])
    small = helper.make_graph([node("Mul", "t half", "then_out", "small/half")], "small", [], [real("then_out", "rows", 8)])
    large = helper.make_graph(
        [node("Add", "i one", "count", "large/count"), helper.make_node("Loop", ["count", "", "t"], ["else_out"], name="large/loop", body=inner)],
        "large", [], [real("else_out", "rows", 8)])
    body = helper.make_graph(
        [node("MatMul", "v w", "m", "dense"), node("Tanh", "m", "t", "tanh"), node("ReduceSum", "t", "sum", "sum", keepdims=0),
         node("Greater", "sum zero", "is_large", "is_large"),
         helper.make_node("If", ["is_large"], ["v_out"], name="branch", then_branch=small, else_branch=large),
         node("Concat", "h t", "h_out", "grow", axis=0), node("ReduceMean", "t", "row", "mean", axes=[0], keepdims=0),
         node("Abs", "v_out", "size", "abs"), node("ReduceMax", "size", "most", "max", keepdims=0), node("Less", "most limit", "c_out", "goes_on")],
        "body", [tensor("i", [], TensorProto.INT64), tensor("c", [], TensorProto.BOOL), real("v", "rows", 8), real("h", "all", 8)],
        [tensor("c_out", [], TensorProto.BOOL), real("v_out", "rows", 8), real("h_out", "all", 8), real("row", 8)])
    nodes = [helper.make_node("Loop", ["n", "", "x", "x"], ["last", "history", "means"], name="loop", body=body),
             node("Relu", "history", "positive", "relu")]
    weights = [numpy_helper.from_array((0.5 * random.standard_normal((8, 8))).astype(numpy.float32), "w"), scalar("half", 0.5, numpy.float32),
               scalar("zero", 0, numpy.float32), scalar("limit", 4, numpy.float32), scalar("one", 1, numpy.int64)]
    outputs = [real("last", "rows", 8), real("positive", "total", 8), real("means", "trips", 8)]
    return helper.make_graph(nodes, "loops", [real("x", "rows", 8), tensor("n", [], TensorProto.INT64)], outputs, weights), [
        random.standard_normal((3, 8)).astype(numpy.float32), numpy.array(6, numpy.int64)
    ]


def branches():
    """A branch whose results have extents that only it knows, by data, and operators whose parameters are data, in it and outside."""
    random = numpy.random.default_rng(13)
    found = helper.make_graph(
        [node("Greater", "x zero", "mask", "found/greater"), node("NonZero", "mask", "where", "found/nonzero"),
         node("Cast", "where", "numbers", "found/cast", to=TensorProto.FLOAT), node("Transpose", "numbers", "then_out", "found/transpose", perm=[1, 0])],
        "found", [], [tensor("then_out", ["count", 2])])
    folded = helper.make_graph([node("Reshape", "x shape", "else_out", "folded/reshape")], "folded", [], [tensor("else_out", ["a", "b"])])
    nodes = [
        node("ReduceSum", "x", "sum", "sum", keepdims=0),
        node("Greater", "sum zero", "is_positive", "is_positive"),
        helper.make_node("If", ["is_positive"], ["some"], name="branch", then_branch=found, else_branch=folded),
        node("Add", "some one", "more", "add"),
        node("Slice", "more first last", "y", "slice"),
        node("ReduceMean", "more", "mean", "mean", axes=[0], keepdims=1),
    ]
    weights = [scalar("zero", 0, numpy.float32), scalar("one", 1, numpy.float32)]
    inputs = [tensor("x", [4, 6])] + [tensor(name, [count], TensorProto.INT64) for name, count in (("shape", 2), ("first", 1), ("last", 1))]
    outputs = [tensor("y", ["rows", "columns"]), tensor("mean", [1, "columns"])]
    data = random.standard_normal((4, 6)).astype(numpy.float32)
    return helper.make_graph(nodes, "branches", inputs, outputs, weights), [
        data - data.mean() + numpy.float32(0.1), numpy.array([8, 3]), numpy.array([1]), numpy.array([5])
    ]


def folded():
    """The same model on numbers that take the other branch."""
    graph, inputs = branches()
    graph.name = "folded"
    return graph, [-inputs[0], *inputs[1:]]


def root_mean_square():
    nodes = [
        node("Mul", "x x", "square", "square"),
        node("ReduceMean", "square", "mean", "mean", axes=[1], keepdims=0),
        node("Sqrt", "mean", "y", "sqrt"),
    ]
    return helper.make_function("samples", "RootMeanSquare", ["x"], ["y"], nodes, [helper.make_opsetid("", 13)])


def indices():
    """Operators whose indices the model computes from the input, which is 0 or 1, and that are outside of the table, and
    those whose indices are the input as it is."""
    def rows(name, *shape):
        return tensor(name, list(shape), TensorProto.INT64)

    def ones(name, *shape):
        return numpy_helper.from_array(numpy.ones(shape, numpy.float32), name)

    cases = {
        "gather": (node("Gather", "table chosen", "y", "look_up"), [2], [2, 3]),
        "gather_elements": (node("GatherElements", "table chosen", "y", "look_up", axis=0), [2, 3], [2, 3]),
        "gather_nd": (node("GatherND", "table chosen", "y", "look_up"), [2, 1], [2, 3]),
        "scatter_elements": (node("ScatterElements", "table chosen updates", "y", "put", axis=0), [2, 3], [5, 3]),
        "scatter_nd": (node("ScatterND", "table chosen updates", "y", "put"), [2, 1], [5, 3]),
    }
    for name, (look_up, shape, result) in cases.items():
        nodes = [node("Add", "tokens five", "chosen", "shift"), look_up, node("Mul", "y y", "z", "square")]
        weights = [ones("table", 5, 3), integers("five", 5), ones("updates", 2, 3)]
        yield name, helper.make_graph(nodes, name, [rows("tokens", *shape)], [tensor("z", result)], weights)
    nodes = [node("Cast", "tokens", "chosen", "cast", to=TensorProto.INT32), node("Gather", "table chosen", "y", "look_up")]
    yield "tokens", helper.make_graph(nodes, "tokens", [rows("tokens", "batch", 3)], [tensor("y", ["batch", 3, 4])], [ones("table", 1, 4)])
    body = helper.make_graph([node("Gather", "table number", "row", "look_up"), node("Add", "sum row", "more", "add"), node("Identity", "going", "on", "on")],
                             "body", [rows("number"), tensor("going", [], TensorProto.BOOL), tensor("sum", [3])],
                             [tensor("on", [], TensorProto.BOOL), tensor("more", [3])])
    nodes = [node("Add", "tokens five", "count", "shift"), node("Squeeze", "count", "trips", "squeeze"), node("Loop", "trips yes start", "y", "loop", body=body)]
    weights = [ones("table", 5, 3), integers("five", 6), numpy_helper.from_array(numpy.array(True), "yes"), ones("start", 3)]
    yield "loop", helper.make_graph(nodes, "loop", [rows("tokens", 1)], [tensor("y", [3])], weights)


def write_indices():
    folder = os.path.join(HERE, "indices")
    os.makedirs(folder, exist_ok=True)
    for name, graph in indices():
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="make.py", ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, os.path.join(folder, name + ".onnx"))


def write(name, graph, inputs, functions=()):
    opsets = [helper.make_opsetid("", 13)] + [helper.make_opsetid(each.domain, 1) for each in functions]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="make.py", ir_version=8)
    model.functions.extend(functions)
    onnx.checker.check_model(model, full_check=True)
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [value.name for value in graph.input]
    outputs = session.run(None, dict(zip(names, inputs)))
    del model.functions[:]
    onnx.save(model, os.path.join(folder, name + ".onnx"))
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, array in enumerate(arrays):
            with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(array).SerializeToString())


def main():
    for make in (mlp, residual, attention, positions):
        write(make.__name__, *make())
    write("edited", *edited())
    for make in (loops, branches, folded, pictures):
        write(make.__name__, *make())
    write("custom", *custom(), [root_mean_square()])
    write_indices()
    sample = helper.make_model(encoder.encoder(), opset_imports=[helper.make_opsetid("", 17)], producer_name="make.py", ir_version=8)
    onnx.checker.check_model(sample, full_check=True)
    onnx.save(sample, os.path.join(HERE, "..", "..", "samples", "models", "encoder.onnx"))
    wrong = os.path.join(HERE, "wrong")  # a data set of mlp whose recorded result is one hundredth off in one place
    os.makedirs(wrong, exist_ok=True)
    shutil.copy(os.path.join(HERE, "mlp", "input_0.pb"), wrong)
    recorded = TensorProto()
    with open(os.path.join(HERE, "mlp", "output_0.pb"), "rb") as file:
        recorded.ParseFromString(file.read())
    result = numpy_helper.to_array(recorded).copy()
    result[1, 2] *= 1.01
    with open(os.path.join(wrong, "output_0.pb"), "wb") as file:
        file.write(numpy_helper.from_array(result).SerializeToString())
    with open(os.path.join(HERE, "mlp", "mlp.onnx"), "rb") as file:
        data = file.read()
    os.makedirs(os.path.join(HERE, "broken"), exist_ok=True)
    with open(os.path.join(HERE, "broken", "broken.onnx"), "wb") as file:
        file.write(data[: len(data) // 2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
