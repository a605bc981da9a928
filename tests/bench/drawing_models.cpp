// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/drawing_models.h"

namespace hidet::bench {

using namespace drawing;

namespace {

class ModelMaker {
public:
    explicit ModelMaker(const std::string& name) { m_model.name = name; }

    std::uint32_t add(const std::string& op, const std::vector<std::uint32_t>& inputs) {
        const std::uint32_t id = static_cast<std::uint32_t>(m_model.graph.nodes.size());
        FlatNode node;
        node.size = {24 + 7.0 * static_cast<double>(op.size()), 28};
        node.inputs = static_cast<std::uint32_t>(inputs.size());
        m_model.graph.nodes.push_back(node);
        for (std::uint32_t i = 0; i < inputs.size(); ++i)
            m_model.graph.edges.push_back({inputs[i], id, 0, i});
        return id;
    }
    std::uint32_t chain(std::uint32_t from, const std::vector<std::string>& ops) {
        for (const std::string& op : ops)
            from = add(op, {from});
        return from;
    }
    // A target shape that is computed from the shape of x: one extent is taken, the others are constants.
    std::uint32_t reshaped(std::uint32_t value, std::uint32_t shape_of) {
        const std::uint32_t batch = chain(add("Shape", {shape_of}), {"Gather", "Unsqueeze"});
        const std::uint32_t length = chain(add("Shape", {shape_of}), {"Gather", "Unsqueeze"});
        return add("Reshape", {value, add("Concat", {batch, length})});
    }
    std::uint32_t normalised(std::uint32_t x) {
        const std::uint32_t centred = add("Sub", {x, add("ReduceMean", {x})});
        const std::uint32_t deviation = chain(centred, {"Pow", "ReduceMean", "Add", "Sqrt"});
        return chain(add("Div", {centred, deviation}), {"Mul", "Add"});
    }
    DrawnModel take() { return std::move(m_model); }

private:
    DrawnModel m_model;
};

} // namespace

DrawnModel transformer(const std::string& name, std::uint32_t blocks, bool masked) {
    ModelMaker make(name);
    std::uint32_t x = make.add("Gather", {make.add("input_ids", {})});
    const std::uint32_t mask =
        masked ? make.chain(make.add("attention_mask", {}), {"Unsqueeze", "Cast", "Sub", "Mul"}) : 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t in = make.normalised(x);
        std::uint32_t heads[3];
        for (std::uint32_t& head : heads)
            head = make.chain(make.reshaped(make.chain(in, {"MatMul", "Add"}), in), {"Transpose"});
        std::uint32_t scores = make.chain(make.add("MatMul", {heads[0], make.chain(heads[1], {"Transpose"})}), {"Div"});
        if (masked)
            scores = make.add("Add", {scores, mask});
        const std::uint32_t context = make.add("MatMul", {make.chain(scores, {"Softmax"}), heads[2]});
        const std::uint32_t joined =
            make.chain(make.reshaped(make.chain(context, {"Transpose"}), context), {"MatMul", "Add"});
        x = make.add("Add", {joined, x});
        const std::uint32_t wide = make.chain(make.normalised(x), {"MatMul", "Add"});
        const std::uint32_t gate = make.chain(wide, {"Div", "Erf", "Add"});
        x = make.add("Add", {make.chain(make.add("Mul", {wide, gate}), {"Mul", "MatMul", "Add"}), x});
    }
    make.add("output", {make.normalised(x)});
    return make.take();
}

DrawnModel dense_net(const std::string& name, std::uint32_t blocks, std::uint32_t layers) {
    ModelMaker make(name);
    std::uint32_t x = make.chain(make.add("input", {}), {"Conv", "Relu", "MaxPool"});
    for (std::uint32_t block = 0; block < blocks; ++block) {
        std::vector<std::uint32_t> features{x};
        for (std::uint32_t layer = 0; layer < layers; ++layer) {
            const std::uint32_t joined = features.size() == 1 ? x : make.add("Concat", features);
            features.push_back(make.chain(joined, {"BatchNorm", "Relu", "Conv", "Relu", "Conv"}));
        }
        x = make.chain(make.add("Concat", features), {"BatchNorm", "Relu", "Conv", "AveragePool"});
    }
    make.chain(x, {"GlobalAveragePool", "Flatten", "Gemm", "output"});
    return make.take();
}

DrawnModel inception(const std::string& name, std::uint32_t blocks) {
    ModelMaker make(name);
    std::uint32_t x = make.chain(make.add("input", {}), {"Conv", "Relu", "MaxPool"});
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t one = make.chain(x, {"Conv", "Relu"});
        const std::uint32_t three = make.chain(x, {"Conv", "Relu"});
        const std::uint32_t double_three = make.chain(x, {"Conv", "Relu", "Conv", "Relu"});
        const std::uint32_t pooled = make.chain(x, {"AveragePool", "Conv", "Relu"});
        x = make.add("Concat",
                     {one, make.chain(three, {"Conv", "Relu"}), make.chain(three, {"Conv", "Relu"}),
                      make.chain(double_three, {"Conv", "Relu"}), make.chain(double_three, {"Conv", "Relu"}), pooled});
    }
    make.chain(x, {"GlobalAveragePool", "Flatten", "Gemm", "output"});
    return make.take();
}

DrawnModel u_net(const std::string& name, std::uint32_t levels) {
    ModelMaker make(name);
    const std::uint32_t time = make.chain(make.add("timestep", {}), {"Mul", "Sin", "Gemm", "Sigmoid", "Gemm"});
    std::uint32_t x = make.chain(make.add("sample", {}), {"Conv"});
    std::vector<std::uint32_t> skipped;
    const auto residual = [&](std::uint32_t from) {
        const std::uint32_t first = make.chain(from, {"GroupNorm", "Sigmoid", "Conv"});
        const std::uint32_t timed = make.add("Add", {first, make.chain(time, {"Sigmoid", "Gemm", "Unsqueeze"})});
        return make.add("Add", {make.chain(from, {"Conv"}), make.chain(timed, {"GroupNorm", "Sigmoid", "Conv"})});
    };
    for (std::uint32_t level = 0; level < levels; ++level)
        for (int block = 0; block < 2; ++block) {
            x = residual(x);
            skipped.push_back(x);
            if (block == 1)
                x = make.chain(x, {"Conv"});
        }
    for (std::uint32_t level = 0; level < levels; ++level) {
        x = make.chain(x, {"Resize", "Conv"});
        for (int block = 0; block < 2; ++block) {
            x = residual(make.add("Concat", {x, skipped.back()}));
            skipped.pop_back();
        }
    }
    make.chain(x, {"GroupNorm", "Sigmoid", "Conv", "output"});
    return make.take();
}

} // namespace hidet::bench
