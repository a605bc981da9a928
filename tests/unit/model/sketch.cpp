// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/model/sketch.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::test {

using session::GraphNode;
using session::GraphValue;

std::uint32_t Sketch::add(SketchOp op) {
    if (op.mark == 0)
        op.mark = next++;
    output = op.mark;
    ops.push_back(std::move(op));
    return output;
}

SketchOp& Sketch::of(std::uint32_t mark) {
    return *std::ranges::find(ops, mark, &SketchOp::mark);
}

session::ModelGraph Sketch::graph(bool is_numbered) const {
    session::ModelGraph out;
    std::uint32_t values = 0;
    const auto add_value = [&](const std::string& shape) {
        auto value = std::make_shared<GraphValue>();
        value->id = values++;
        value->dtype = "float32";
        value->shape = shape;
        return value;
    };
    std::map<std::uint32_t, std::uint32_t> result; // of a mark
    const auto input = add_value("[1, 64]");
    input->is_input = true;
    input->name = "x";
    result[0] = input->id;
    out.values.push_back(input);
    out.inputs = {input->id};
    std::map<std::string, int> counts;
    for (const SketchOp& op : ops) {
        auto node = std::make_shared<GraphNode>();
        node->id = op.mark;
        node->op = op.op;
        node->name = node->key = is_numbered ? cat(op.op, "_", counts[op.op]++) : op.name;
        node->attributes = op.attributes;
        for (const std::uint32_t mark : op.reads)
            node->inputs.push_back(result.at(mark));
        for (const std::string& shape : op.weights) {
            const auto weight = add_value(shape);
            weight->is_constant = true;
            out.values.push_back(weight);
            node->inputs.push_back(weight->id);
        }
        const auto value = add_value(op.shape);
        value->producer = op.mark;
        value->is_output = op.mark == output;
        out.values.push_back(value);
        node->outputs = {value->id};
        result[op.mark] = value->id;
        out.nodes.push_back(std::move(node));
    }
    out.outputs = {result.at(output)};
    return out;
}

Sketch residual_net(std::uint32_t blocks) {
    Sketch out;
    std::uint32_t x = 0;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        const std::uint32_t channels = 64u << (i * 4 / blocks);
        const std::string shape = cat("[1, ", channels, ", 56, 56]"), layer = cat("/layer.", i, "/");
        const std::string weight = cat("[", channels, ", ", channels, ", 3, 3]");
        const auto conv = [&](const char* name, std::uint32_t from) {
            return out.add(
                {0, "Conv2d", layer + name, {from}, {weight}, {{"kernel", "[3, 3]"}, {"stride", "1"}}, shape});
        };
        std::uint32_t y = conv("conv1/Conv", x);
        y = out.add({0, "Relu", layer + "relu1/Relu", {y}, {}, {}, shape});
        y = conv("conv2/Conv", y);
        if (i > 0)
            y = out.add({0, "Add", layer + "Add", {y, x}, {}, {}, shape});
        x = out.add({0, "Relu", layer + "relu2/Relu", {y}, {}, {}, shape});
    }
    return out;
}

Sketch transformer(std::uint32_t layers) {
    Sketch out;
    std::uint32_t x = 0;
    for (std::uint32_t i = 0; i < layers; ++i) {
        const std::string layer = cat("/layer.", i, "/");
        const auto op = [&](const char* kind, const std::string& name, std::vector<std::uint32_t> reads,
                            std::vector<std::string> weights = {}, const std::string& shape = "[1, 128, 768]") {
            return out.add({0, kind, layer + name, std::move(reads), std::move(weights), {}, shape});
        };
        const auto dense = [&](const std::string& name, std::uint32_t from, const char* weight) {
            return op("Add", name + "/Add", {op("Matmul", name + "/MatMul", {from}, {weight})}, {"[768]"});
        };
        const std::uint32_t q = dense("query", x, "[768, 768]"), k = dense("key", x, "[768, 768]"),
                            v = dense("value", x, "[768, 768]");
        const std::uint32_t turned = op("PermuteDims", "Transpose", {k});
        const std::uint32_t scores = op("Softmax", "Softmax", {op("Matmul", "scores/MatMul", {q, turned})});
        const std::uint32_t mixed = op("Matmul", "context/MatMul", {scores, v});
        const std::uint32_t sum = op("Add", "Add", {dense("output", mixed, "[768, 768]"), x});
        const std::uint32_t norm = op("Normalize", "norm1", {sum}, {"[768]"});
        const std::uint32_t wide = op("Gelu", "Gelu", {dense("up", norm, "[768, 3072]")}, {}, "[1, 128, 3072]");
        x = op("Normalize", "norm2", {op("Add", "Add_1", {dense("down", wide, "[3072, 768]"), norm})}, {"[768]"});
    }
    return out;
}

Sketch random_net(std::mt19937& random, std::uint32_t count) {
    constexpr const char* kinds[] = {"Relu", "Sigmoid", "Conv2d", "Matmul", "Add", "Multiply", "Softmax", "Concat"};
    Sketch out;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string kind = kinds[random() % 8];
        const bool is_pair = kind == "Add" || kind == "Multiply" || kind == "Concat";
        const auto earlier = [&] { return std::min(i, std::max(i, 6u) - static_cast<std::uint32_t>(random() % 6)); };
        std::vector<std::uint32_t> reads = {earlier()};
        if (is_pair)
            reads.push_back(earlier());
        std::vector<std::string> weights;
        if (kind == "Conv2d" || kind == "Matmul")
            weights.push_back(cat("[", 16u << (random() % 4), ", 64]"));
        std::vector<std::pair<std::string, std::string>> attributes;
        if (kind == "Conv2d")
            attributes = {{"stride", cat(1 + random() % 2)}, {"groups", cat(1 + random() % 3)}};
        out.add({0, kind, cat("node", i), reads, weights, attributes, "[1, 64]"});
    }
    return out;
}

void insert_op(Sketch& sketch, std::mt19937& random) {
    const std::size_t at = random() % sketch.ops.size();
    if (sketch.ops[at].reads.empty())
        return;
    std::uint32_t& read = sketch.ops[at].reads[random() % sketch.ops[at].reads.size()];
    SketchOp made{sketch.next++, "Clip", "", {read}, {}, {{"limit", cat(random() % 100)}}, sketch.ops[at].shape};
    made.name = cat("inserted", made.mark);
    read = made.mark;
    sketch.ops.insert(sketch.ops.begin() + static_cast<std::ptrdiff_t>(at), made);
}

void remove_op(Sketch& sketch, std::mt19937& random) {
    const std::size_t at = random() % sketch.ops.size();
    const SketchOp gone = sketch.ops[at];
    if (gone.reads.size() != 1 || gone.mark == sketch.output)
        return;
    for (SketchOp& op : sketch.ops)
        std::ranges::replace(op.reads, gone.mark, gone.reads[0]);
    sketch.ops.erase(sketch.ops.begin() + static_cast<std::ptrdiff_t>(at));
}

void change_op(Sketch& sketch, std::mt19937& random) {
    SketchOp& op = sketch.ops[random() % sketch.ops.size()];
    if (op.attributes.empty())
        op.attributes.emplace_back("alpha", cat(random() % 100));
    else
        op.attributes[0].second += "0";
}

void shuffle(Sketch& sketch, std::mt19937& random) {
    std::vector<SketchOp> left = std::move(sketch.ops);
    sketch.ops.clear();
    std::map<std::uint32_t, bool> is_there{{0, true}};
    while (!left.empty()) {
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < left.size() && ready.size() < 8; ++i)
            if (std::ranges::all_of(left[i].reads, [&](std::uint32_t mark) { return is_there.contains(mark); }))
                ready.push_back(i);
        const std::size_t at = ready[random() % ready.size()];
        is_there[left[at].mark] = true;
        sketch.ops.push_back(left[at]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void rename_all(Sketch& sketch) {
    for (SketchOp& op : sketch.ops)
        op.name = cat("other_", op.mark * 7919 % 100003);
}

} // namespace hidet::test
