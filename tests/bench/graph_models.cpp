// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/graph_models.h"

#include "compiler/graph/core/data.h"

namespace hidet::bench {

using namespace graph;

namespace {

constexpr std::int64_t width = 8;

// Writes models as exporters spell them.
class Writer {
public:
    Graph graph;

    ValueId op(const char* name, std::vector<ValueId> inputs, Attributes attributes = {}) {
        ++count;
        return graph.add_one(*find_op(name), std::move(inputs), std::move(attributes));
    }
    ValueId scalar(double value) { return graph.add_constant(scalar_tensor(ir::DType::F32, value)); }
    ValueId weight(const std::vector<std::int64_t>& shape) {
        std::int64_t size = 1;
        for (std::int64_t extent : shape)
            size *= extent;
        std::vector<double> values;
        for (std::int64_t i = 0; i < size; ++i)
            values.push_back(static_cast<double>((++m_seed * 7919) % 101) / 100 - 0.5);
        return graph.add_constant(tensor_of(ir::DType::F32, shape, values), "w" + std::to_string(m_seed));
    }
    ValueId layer_norm(ValueId x) {
        const Attributes mean = {{"dims", Ints{-1}}, {"keepdims", true}};
        const ValueId d = op("Subtract", {x, op("ReduceMean", {x}, mean)});
        const ValueId variance = op("ReduceMean", {op("Pow", {d, scalar(2)})}, mean);
        const ValueId n = op("Divide", {d, op("Sqrt", {op("Add", {variance, scalar(1e-5)})})});
        return op("Add", {op("Multiply", {n, weight({width})}), weight({width})});
    }
    ValueId linear(ValueId x) { return op("Add", {weight({width}), op("Matmul", {x, weight({width, width})})}); }
    ValueId gelu(ValueId x) {
        const ValueId erf = op("Erf", {op("Divide", {x, scalar(1.4142135381698608)})});
        return op("Multiply", {op("Multiply", {x, op("Add", {erf, scalar(1)})}), scalar(0.5)});
    }
    int count = 0;

private:
    std::int64_t m_seed = 0;
};

} // namespace

Graph transformer(int nodes) {
    Writer w;
    ValueId x = w.graph.add_input("x", {ir::DType::F32, {dim(1), symbol_dim("seq"), dim(width)}});
    while (w.count < nodes) {
        const ValueId normal = w.layer_norm(x);
        const ValueId q = w.linear(normal);
        const ValueId k = w.op("PermuteDims", {w.linear(normal)}, {{"axes", Ints{0, 2, 1}}});
        const ValueId scores =
            w.op("Softmax", {w.op("Divide", {w.op("Matmul", {q, k}), w.scalar(2.8284)})}, {{"axis", std::int64_t(-1)}});
        x = w.op("Add", {x, w.linear(w.op("Matmul", {scores, w.linear(normal)}))});
        x = w.op("Add", {x, w.linear(w.gelu(w.linear(w.layer_norm(x))))});
    }
    w.graph.set_outputs({x});
    return std::move(w.graph);
}

Graph convolutions(int nodes) {
    Writer w;
    ValueId x = w.graph.add_input("image", {ir::DType::F32, shape_of({1, width, 4, 4})});
    while (w.count < nodes) {
        const ValueId before = x;
        for (int i = 0; i < 2; ++i) {
            x = w.op("Conv2d", {x, w.weight({width, width, 3, 3})},
                     {{"stride", Ints{1, 1}},
                      {"padding", Ints{1, 1, 1, 1}},
                      {"dilations", Ints{1, 1}},
                      {"groups", std::int64_t(1)}});
            x = w.op("Add", {x, w.weight({width, 1, 1})});
            x = w.op("Add", {w.op("Multiply", {x, w.weight({width, 1, 1})}), w.weight({width, 1, 1})});
            x = w.op("Relu", {x});
        }
        x = w.op("Add", {x, before});
    }
    w.graph.set_outputs({x});
    return std::move(w.graph);
}

Graph sums(int nodes) {
    Writer w;
    ValueId x = w.graph.add_input("x", {ir::DType::F32, shape_of({width})});
    while (w.count < nodes)
        x = w.op("Add", {x, w.scalar(0.125)});
    w.graph.set_outputs({x});
    return std::move(w.graph);
}

Graph fan(int nodes) {
    Writer w;
    const ValueId x = w.graph.add_input("x", {ir::DType::F32, shape_of({width})});
    const ValueId shared = w.op("Relu", {x});
    const ValueId half = w.scalar(0.5);
    ValueId sum = x;
    while (w.count < nodes)
        sum = w.op("Add", {w.op("Tanh", {w.op("Multiply", {shared, half})}), w.op("Exp", {sum})});
    w.graph.set_outputs({sum});
    return std::move(w.graph);
}

} // namespace hidet::bench
