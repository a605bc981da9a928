// SPDX-License-Identifier: Apache-2.0
// Fused programs of random graphs compute what their operators do, one by one.
#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "tests/unit/graph/fuse/random_graph.h"
#include "tests/unit/graph/interpret.h"
#include "tests/unit/graph/run_group.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

Values inputs_of(const Graph& graph, const SymbolValues& symbols) {
    Values values;
    std::uint64_t seed = 1;
    for (ValueId input : graph.inputs) {
        std::vector<std::int64_t> shape;
        for (const Dim& extent : graph.value(input).spec.shape) {
            const auto* symbol = ir::as<ir::SymbolVar>(extent);
            shape.push_back(symbol ? symbols.at(symbol->name) : *constant_of(extent));
        }
        values[input] = random_tensor(DType::F32, shape, seed++);
    }
    return values;
}

// The results of the graph by groups must be those of the interpreter.
void check(const Graph& graph, const Partition& groups, Backend backend, const SymbolValues& symbols = {}) {
    GroupRunner runner(backend);
    if (!runner.is_there())
        return;
    Values expected = inputs_of(graph, symbols);
    Values values = expected;
    interpret(graph, expected, symbols);
    for (const Group& group : groups.groups)
        runner.run(graph, lower_group(graph, group, runner.target()), values, symbols);
    for (ValueId output : graph.outputs())
        expect_close(values.at(output), values_of(expected.at(output)), 1e-4);
}

graph::NodeOrigin named(const std::string& name) {
    graph::NodeOrigin origin;
    origin.name = name;
    return origin;
}

// Each operator in one group, groups after what they read.
void check_is_partition(const Graph& graph, const Partition& groups) {
    std::set<NodeId> done;
    for (const Group& group : groups.groups) {
        const std::set<NodeId> inside(group.nodes.begin(), group.nodes.end());
        REQUIRE(inside.size() == group.nodes.size());
        for (NodeId id : group.nodes)
            for (ValueId input : graph.node(id).inputs)
                if (const NodeId producer = graph.value(input).producer; producer.valid())
                    REQUIRE((inside.contains(producer) || done.contains(producer)));
        for (NodeId id : group.nodes)
            REQUIRE(done.insert(id).second);
    }
    REQUIRE(done.size() == graph.topological().size());
}

} // namespace

TEST_CASE("random graphs, fused, compute what their operators do") {
    std::size_t fused = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const Graph graph = random_graph(random, 12, dim(3), dim(5));
        const Partition groups = partition(graph);
        check_is_partition(graph, groups);
        for (const Group& group : groups.groups)
            fused += group.nodes.size() - 1;
        for (Backend backend : {Backend::Machine, Backend::Emulated})
            check(graph, groups, backend);
    }
    REQUIRE(fused > 300);
}

TEST_CASE("random graphs are right as compiled code") {
    for (unsigned seed = 100; seed < 103; ++seed) {
        std::mt19937 random(seed);
        const Graph graph = random_graph(random, 12, dim(9), dim(37));
        check(graph, partition(graph), Backend::Native);
    }
}

TEST_CASE("kernels of random graphs compile for a GPU, and are right on one") {
    for (unsigned seed = 300; seed < 306; ++seed) {
        std::mt19937 random(seed);
        const Graph graph = random_graph(random, 12, seed % 2 ? dim(9) : symbol_dim("rows"), dim(37));
        const Partition groups = partition(graph);
        for (const Group& group : groups.groups)
            REQUIRE(compile_errors(lower_group(graph, group, artifact::default_gpu())) == "");
        check(graph, groups, Backend::Gpu, {{"rows", 9}});
    }
}

TEST_CASE("random graphs of unknown extents are right for several") {
    for (unsigned seed = 200; seed < 215; ++seed) {
        std::mt19937 random(seed);
        const Graph graph = random_graph(random, 10, symbol_dim("rows"), dim(5));
        const Partition groups = partition(graph);
        check_is_partition(graph, groups);
        for (std::int64_t rows : {1, 4})
            for (Backend backend : {Backend::Machine, Backend::Emulated})
                check(graph, groups, backend, {{"rows", rows}});
    }
}

TEST_CASE("equal groups give equal modules, whatever the names in the graph") {
    const auto text = [](const std::string& prefix) {
        Graph graph;
        const ValueId x = graph.add_input(prefix + "x", {DType::F32, shape_of(std::vector<std::int64_t>{4, 5})});
        const ValueId w = graph.add_input(prefix + "w", {DType::F32, shape_of(std::vector<std::int64_t>{5, 5})});
        const ValueId y = graph.add_one(op_info::Matmul(), {x, w}, {}, named(prefix + "matmul"));
        graph.set_outputs({graph.add_one(op_info::Relu(), {y}, {}, named(prefix + "relu"))});
        const Partition groups = partition(graph);
        REQUIRE(groups.groups.size() == 1u);
        return ir::print_module(*lower_group(graph, groups.groups[0], artifact::default_gpu()).module).text;
    };
    REQUIRE(text("a") == text("b"));
}
