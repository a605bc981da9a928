// SPDX-License-Identifier: Apache-2.0
// Models as nested groups: scopes, repeated blocks, kernels, parts.
#include "app/session/model/view/grouping/grouping.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

#include "compiler/graph/core/data.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::session::grouping;

namespace {

class Maker {
public:
    Graph graph;

    ValueId input() { return graph.add_input("x", {ir::DType::F32, shape_of({4, 4})}); }
    ValueId op(const char* name, std::vector<ValueId> inputs, const std::string& as = "") {
        return graph.add_one(*find_op(name), std::move(inputs), {}, {as, {}, {}, ""});
    }
    ValueId weight(const std::string& name) {
        return graph.add_constant(tensor_of(ir::DType::F32, {4, 4}, std::vector<double>(16, 0.5)), name);
    }
};

// Blocks of matmul, relu, add; named as one exporter does, as another does, or not at all.
enum class Names { Paths, Dots, Weights, None };
Graph blocks(std::uint32_t count, Names names) {
    Maker make;
    ValueId x = make.input();
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string layer = std::to_string(i);
        const auto path = [&](const std::string& op) {
            if (names == Names::Dots)
                return "encoder.layer." + layer + (op.find('/') == std::string::npos ? "/" : ".") + op;
            return names == Names::Paths ? "/encoder/layer." + layer + "/" + op : std::string();
        };
        const auto weight = [&](const char* name) {
            return make.weight(names == Names::Weights ? "encoder.layer." + layer + "." + name : "");
        };
        const ValueId product = make.op("Matmul", {x, weight("dense.weight")}, path("dense/MatMul"));
        const ValueId biased = make.op("Add", {product, weight("dense.bias")}, path("dense/Add"));
        const ValueId active = make.op("Relu", {biased}, path("Relu"));
        const ValueId sum = make.op("Add", {active, x}, path("Add"));
        x = make.op("Multiply", {sum, weight("norm.weight")}, path("norm/Mul"));
    }
    make.graph.set_outputs({x});
    return std::move(make.graph);
}

std::uint32_t find(const ModelView& view, const std::string& name) {
    for (std::uint32_t i = 0; i < view.groups.size(); ++i)
        if (view.groups[i].name == name)
            return i;
    throw std::runtime_error("no group '" + name + "'");
}
std::size_t children(const ModelView& view, std::uint32_t group) {
    const auto in = [&](const auto& each) { return each == group; };
    std::size_t count = 0;
    for (const drawing::ViewNode& node : view.drawn.nodes)
        count += in(node.group);
    for (std::size_t i = 1; i < view.groups.size(); ++i)
        count += in(view.drawn.groups[i].parent);
    return count;
}

void scopes_and_repeats(Names names) {
    const ModelView view = view_of(blocks(6, names));
    const std::uint32_t repeat = find(view, "layer.0 to layer.5");
    REQUIRE(view.groups[repeat].kind == session::BoxGroupKind::Repeat);
    REQUIRE(view.groups[repeat].count == 6u);
    REQUIRE(children(view, repeat) == 6u);
    REQUIRE(view.drawn.groups[find(view, "layer.3")].parent == repeat);
    REQUIRE(children(view, find(view, "dense")) == 2u);
    REQUIRE(children(view, 0) == 3u); // input, blocks, output
}

TEST_CASE("constants are chips of who reads them") {
    const ModelView view = view_of(blocks(1, Names::Paths));
    const auto product =
        std::find_if(view.boxes.begin(), view.boxes.end(), [](const ModelBox& box) { return box.label == "Matmul"; });
    REQUIRE(product->chips.size() == 1u);
    REQUIRE(product->inputs.size() == 1u);
    REQUIRE(view.boxes.size() == 7u);
}

TEST_CASE("blocks without names fold too") {
    const ModelView view = view_of(blocks(9, Names::None));
    const std::uint32_t repeat = find(view, "blocks");
    REQUIRE(view.groups[repeat].count >= 8u);
    REQUIRE(children(view, find(view, "block 2")) == 5u);
}

TEST_CASE("large groups have parts, and those no cycles") {
    ModelViewOptions options;
    options.has_scopes = options.has_repeats = false;
    options.most_children = 50;
    const ModelView view = view_of(blocks(800, Names::None), nullptr, options);
    for (std::uint32_t i = 0; i < view.groups.size(); ++i)
        REQUIRE(children(view, i) <= 50);
    REQUIRE(view.groups.size() > 80);
    drawing::DrawingMemory memory;
    const drawing::ViewDrawing drawn = lay_out(view.drawn, {}, memory);
    REQUIRE(drawn.stubs.size() == 0u); // parts follow each other: no cycles
}

TEST_CASE("operators that share a kernel are a group") {
    const Graph graph = blocks(3, Names::Paths);
    const Partition parts = partition(graph);
    const ModelView view = view_of(graph, &parts);
    std::size_t kernels = 0;
    for (std::uint32_t i = 0; i < view.groups.size(); ++i) {
        if (view.groups[i].kind != session::BoxGroupKind::Kernel)
            continue;
        ++kernels;
        REQUIRE(children(view, i) == parts.groups[view.groups[i].kernel].nodes.size());
    }
    REQUIRE(kernels >= 3);
}

TEST_CASE("what stays the same keeps its key") {
    Graph graph = blocks(4, Names::Paths);
    const ModelView before = view_of(graph);
    const ValueId result = graph.outputs().front();
    graph.set_outputs({graph.add_one(*find_op("Relu"), {result})});
    const ModelView after = view_of(graph);
    REQUIRE(before.drawn.groups[find(before, "layer.2")].key == after.drawn.groups[find(after, "layer.2")].key);
    REQUIRE(before.drawn.nodes[3].key == after.drawn.nodes[3].key);
}

TEST_CASE("what differs has different keys") {
    for (const Names names : {Names::Paths, Names::Weights, Names::None}) {
        const ModelView view = view_of(blocks(40, names));
        std::vector<drawing::Key> keys;
        for (const drawing::ViewNode& node : view.drawn.nodes)
            keys.push_back(node.key);
        for (const drawing::ViewGroup& group : view.drawn.groups)
            keys.push_back(group.key);
        std::ranges::sort(keys);
        REQUIRE(std::ranges::adjacent_find(keys) == keys.end());
    }
}

} // namespace

TEST_CASE("names with paths make scopes, equal scopes fold") {
    scopes_and_repeats(Names::Paths);
}

TEST_CASE("so do names with dots") {
    scopes_and_repeats(Names::Dots);
}

TEST_CASE("so do names of weights") {
    scopes_and_repeats(Names::Weights);
}

TEST_CASE("a model without operators has no groups") {
    const ModelView view = view_of(Graph());
    REQUIRE(view.groups.size() == 1u);
    REQUIRE(view.boxes.size() == 0u);
}
