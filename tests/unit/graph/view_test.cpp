// SPDX-License-Identifier: Apache-2.0
// Models as nested groups: scopes, repeated blocks, kernels, parts.
#include "compiler/graph/view/model_view.h"

#include <algorithm>

#include "compiler/graph/core/data.h"
#include "tests/harness/unit.h"

using namespace hidet;
using namespace hidet::graph;

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
    throw test::Failure{"no group '" + name + "'"};
}
std::size_t children(const ModelView& view, std::uint32_t group) {
    const auto in = [&](const auto& each) { return each == group; };
    std::size_t count = 0;
    for (const layout::ViewNode& node : view.drawn.nodes)
        count += in(node.group);
    for (std::size_t i = 1; i < view.groups.size(); ++i)
        count += in(view.drawn.groups[i].parent);
    return count;
}

void scopes_and_repeats(Names names) {
    const ModelView view = view_of(blocks(6, names));
    const std::uint32_t repeat = find(view, "layer.0 to layer.5");
    EXPECT(view.groups[repeat].kind == GroupKind::Repeat);
    EXPECT_EQUAL(view.groups[repeat].count, 6u);
    EXPECT_EQUAL(children(view, repeat), 6u);
    EXPECT_EQUAL(view.drawn.groups[find(view, "layer.3")].parent, repeat);
    EXPECT_EQUAL(children(view, find(view, "dense")), 2u);
    EXPECT_EQUAL(children(view, 0), 3u); // input, blocks, output
}

void constants_are_chips() {
    const ModelView view = view_of(blocks(1, Names::Paths));
    const auto product =
        std::find_if(view.boxes.begin(), view.boxes.end(), [](const ModelBox& box) { return box.label == "Matmul"; });
    EXPECT_EQUAL(product->chips.size(), 1u);
    EXPECT_EQUAL(product->inputs.size(), 1u);
    EXPECT_EQUAL(view.boxes.size(), 7u);
}

void nameless_blocks_repeat() {
    const ModelView view = view_of(blocks(9, Names::None));
    const std::uint32_t repeat = find(view, "blocks");
    EXPECT(view.groups[repeat].count >= 8u);
    EXPECT_EQUAL(children(view, find(view, "block 2")), 5u);
}

void large_groups_have_parts() {
    ModelViewOptions options;
    options.has_scopes = options.has_repeats = false;
    options.most_children = 50;
    const ModelView view = view_of(blocks(800, Names::None), nullptr, options);
    for (std::uint32_t i = 0; i < view.groups.size(); ++i)
        EXPECT(children(view, i) <= 50);
    EXPECT(view.groups.size() > 80);
    layout::LayoutMemory memory;
    const layout::ViewLayout drawn = lay_out(view.drawn, {}, memory);
    EXPECT_EQUAL(drawn.stubs.size(), 0u); // parts follow each other: no cycles
}

void kernels_are_groups() {
    const Graph graph = blocks(3, Names::Paths);
    const Partition parts = partition(graph);
    const ModelView view = view_of(graph, &parts);
    std::size_t kernels = 0;
    for (std::uint32_t i = 0; i < view.groups.size(); ++i) {
        if (view.groups[i].kind != GroupKind::Kernel)
            continue;
        ++kernels;
        EXPECT_EQUAL(children(view, i), parts.groups[view.groups[i].kernel].nodes.size());
    }
    EXPECT(kernels >= 3);
}

void keys_last() {
    Graph graph = blocks(4, Names::Paths);
    const ModelView before = view_of(graph);
    const ValueId result = graph.outputs().front();
    graph.set_outputs({graph.add_one(*find_op("Relu"), {result})});
    const ModelView after = view_of(graph);
    EXPECT(before.drawn.groups[find(before, "layer.2")].key == after.drawn.groups[find(after, "layer.2")].key);
    EXPECT(before.drawn.nodes[3].key == after.drawn.nodes[3].key);
}

void keys_differ() {
    for (const Names names : {Names::Paths, Names::Weights, Names::None}) {
        const ModelView view = view_of(blocks(40, names));
        std::vector<layout::Key> keys;
        for (const layout::ViewNode& node : view.drawn.nodes)
            keys.push_back(node.key);
        for (const layout::ViewGroup& group : view.drawn.groups)
            keys.push_back(group.key);
        std::ranges::sort(keys);
        EXPECT(std::ranges::adjacent_find(keys) == keys.end());
    }
}

} // namespace

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("names with paths make scopes, equal scopes fold", [] { scopes_and_repeats(Names::Paths); });
    suite.run("so do names with dots", [] { scopes_and_repeats(Names::Dots); });
    suite.run("so do names of weights", [] { scopes_and_repeats(Names::Weights); });
    suite.run("blocks without names fold too", nameless_blocks_repeat);
    suite.run("constants are chips of who reads them", constants_are_chips);
    suite.run("large groups have parts, and those no cycles", large_groups_have_parts);
    suite.run("operators that share a kernel are a group", kernels_are_groups);
    suite.run("what stays the same keeps its key", keys_last);
    suite.run("what differs has different keys", keys_differ);
    suite.run("a model without operators has no groups", [] {
        const ModelView view = view_of(Graph());
        EXPECT_EQUAL(view.groups.size(), 1u);
        EXPECT_EQUAL(view.boxes.size(), 0u);
    });
    return suite.result();
}
