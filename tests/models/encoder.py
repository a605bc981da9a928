# SPDX-License-Identifier: Apache-2.0
"""The sample model samples/models/encoder.onnx: four equal layers of a transformer, named as PyTorch's exporter does it."""

import numpy
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, LAYERS, WORDS = 16, 2, 4, 48


class Encoder:
    def __init__(self, random):
        self.random = random
        self.nodes = []
        self.constants = []

    def constant(self, name, values, dtype=numpy.float32):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, dtype), name))
        return name

    def integers(self, name, *values):
        return self.constant(name, values, numpy.int64)

    def weight(self, name, *shape, scale=None):
        return self.constant(name, self.random.standard_normal(shape) * (scale or shape[0] ** -0.5))

    def node(self, op, inputs, name, **attributes):
        output = name + "_output_0"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def norm(self, x, scope, name):
        scale = self.constant(name + ".weight", 1 + 0.1 * self.random.standard_normal(WIDTH))
        bias = self.weight(name + ".bias", WIDTH, scale=0.1)
        return self.node("LayerNormalization", [x, scale, bias], scope, axis=-1, epsilon=1e-5)

    def linear(self, x, layer, part, inputs, outputs):
        scope = f"/encoder/layer.{layer}/{part.replace('.', '/')}"
        name = f"encoder.layer.{layer}.{part}"
        y = self.node("MatMul", [x, self.weight(name + ".weight", inputs, outputs)], scope + "/MatMul")
        return self.node("Add", [y, self.weight(name + ".bias", outputs, scale=0.1)], scope + "/Add")

    def embeddings(self):
        words = self.weight("embeddings.word.weight", WORDS, WIDTH, scale=1)
        positions = self.weight("embeddings.position.weight", 64, WIDTH, scale=0.3)
        x = self.node("Gather", [words, "tokens"], "/embeddings/word/Gather", axis=0)
        shape = self.node("Shape", ["tokens"], "/embeddings/Shape")
        length = self.node("Gather", [shape, self.integers("one", 1)], "/embeddings/Gather", axis=0)
        begin = self.integers("begin", 0)
        used = self.node("Slice", [positions, begin, length, begin], "/embeddings/Slice")
        x = self.node("Add", [x, used], "/embeddings/Add")
        return self.norm(x, "/embeddings/norm/LayerNormalization", "embeddings.norm")

    def mask(self):
        m = self.node("Cast", ["mask"], "/mask/Cast", to=TensorProto.FLOAT)
        m = self.node("Sub", [self.constant("full", 1), m], "/mask/Sub")
        m = self.node("Mul", [m, self.constant("far", -1e4)], "/mask/Mul")
        return self.node("Unsqueeze", [m, self.integers("inner", 1, 2)], "/mask/Unsqueeze")

    def attention(self, x, layer, mask):
        scope = f"/encoder/layer.{layer}/attention"

        def heads(part, order):
            y = self.linear(x, layer, "attention." + part, WIDTH, WIDTH)
            y = self.node("Reshape", [y, "heads"], f"{scope}/{part}/Reshape")
            return self.node("Transpose", [y], f"{scope}/{part}/Transpose", perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        a = self.node("MatMul", [query, key], scope + "/MatMul")
        a = self.node("Div", [a, "scale"], scope + "/Div")
        a = self.node("Add", [a, mask], scope + "/Add")
        a = self.node("Softmax", [a], scope + "/Softmax", axis=-1)
        y = self.node("MatMul", [a, value], scope + "/MatMul_1")
        y = self.node("Transpose", [y], scope + "/Transpose", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, "merged"], scope + "/Reshape")
        return self.linear(y, layer, "attention.output", WIDTH, WIDTH)

    def feed_forward(self, x, layer):
        scope = f"/encoder/layer.{layer}/feed_forward/gelu"
        x = self.linear(x, layer, "feed_forward.first", WIDTH, 2 * WIDTH)
        y = self.node("Div", [x, "root"], scope + "/Div")
        y = self.node("Erf", [y], scope + "/Erf")
        y = self.node("Add", [y, "full"], scope + "/Add")
        y = self.node("Mul", [x, y], scope + "/Mul")
        y = self.node("Mul", [y, "half"], scope + "/Mul_1")
        return self.linear(y, layer, "feed_forward.second", 2 * WIDTH, WIDTH)

    def layer(self, x, layer, mask):
        scope, name = f"/encoder/layer.{layer}", f"encoder.layer.{layer}"
        x = self.node("Add", [self.attention(x, layer, mask), x], scope + "/Add")
        x = self.norm(x, scope + "/norm1/LayerNormalization", name + ".norm1")
        x = self.node("Add", [self.feed_forward(x, layer), x], scope + "/Add_1")
        return self.norm(x, scope + "/norm2/LayerNormalization", name + ".norm2")

    def classifier(self, x):
        first = self.node("Gather", [x, self.constant("first", 0, numpy.int64)], "/pooler/Gather", axis=1)
        weights = [self.weight("pooler.weight", WIDTH, WIDTH), self.weight("pooler.bias", WIDTH)]
        y = self.node("Tanh", [self.node("Gemm", [first, *weights], "/pooler/Gemm")], "/pooler/Tanh")
        weights = [self.weight("classifier.weight", WIDTH, 3), self.weight("classifier.bias", 3)]
        self.nodes.append(helper.make_node("Gemm", [y, *weights], ["scores"], name="/classifier/Gemm"))


def encoder():
    model = Encoder(numpy.random.default_rng(7))
    model.integers("heads", 0, 0, HEADS, WIDTH // HEADS)
    model.integers("merged", 0, 0, WIDTH)
    for name, value in (("scale", (WIDTH // HEADS) ** 0.5), ("root", 2**0.5), ("half", 0.5)):
        model.constant(name, value)
    x, mask = model.embeddings(), model.mask()
    for layer in range(LAYERS):
        x = model.layer(x, layer, mask)
    model.classifier(x)
    ports = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", 16]) for name in ("tokens", "mask")]
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 3])
    return helper.make_graph(model.nodes, "encoder", ports, [scores], model.constants)
