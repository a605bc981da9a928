// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/composed/arrange.h"

#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <string>

#include "tests/unit/graph/ops/loops.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;
using ir::DType;

namespace {

// A graph of what is made of some tensors, evaluated operator by operator.
class Made {
public:
    Graph graph;

    ValueId input(const lang::TensorRef& tensor) {
        const ValueId id = graph.add_input("x", {tensor->dtype, graph::shape_of(tensor->shape)});
        m_values[id] = tensor;
        return id;
    }
    lang::TensorRef of(ValueId id) {
        const auto found = m_values.find(id);
        if (found != m_values.end())
            return found->second;
        const Node& node = graph.node(graph.value(id).producer);
        std::vector<lang::TensorRef> inputs;
        for (const ValueId each : node.inputs)
            inputs.push_back(of(each));
        return m_values[id] = evaluate(*node.task, inputs).at(graph.value(id).output);
    }

private:
    std::map<ValueId, lang::TensorRef> m_values;
};

template <class Action>
bool is_refused(Action&& action) {
    try {
        action();
    } catch (const OpError&) {
        return true;
    }
    return false;
}

} // namespace

TEST_CASE("split cuts a tensor into the parts that were asked for") {
    Made made;
    const auto x = counted(DType::F32, {2, 6});
    const ValueId id = made.input(x);
    const auto parts = split(made.graph, id, graph::shape_of({1, 0, 5}), -1);
    REQUIRE(parts.size() == 3u);
    expect_elements(made.of(parts[0]), {2, 1}, [&](const Index& i) { return at(x, i); });
    expect_elements(made.of(parts[1]), {2, 0}, [](const Index&) { return 0; });
    expect_elements(made.of(parts[2]), {2, 5}, [&](const Index& i) { return at(x, {i[0], i[1] + 1}); });
    const auto halves = split_evenly(made.graph, id, 2, 1);
    expect_elements(made.of(halves[1]), {2, 3}, [&](const Index& i) { return at(x, {i[0], i[1] + 3}); });
    REQUIRE(is_refused([&] { split(made.graph, id, graph::shape_of({1, 2}), 1); }));
    REQUIRE(is_refused([&] { split(made.graph, id, graph::shape_of({7, -1}), 1); }));
    REQUIRE(is_refused([&] { split_evenly(made.graph, id, 4, 1); }));
    REQUIRE(is_refused([&] { split_evenly(made.graph, id, 0, 1); }));
}

TEST_CASE("the halves of a dynamic extent have half of it") {
    Graph graph;
    const ValueId x = graph.add_input("x", {DType::F32, {symbol_dim("b"), dim(8)}});
    for (const ValueId half : split_evenly(graph, x, 2, 1))
        REQUIRE(text_of(graph.value(half).spec) == "float32[b, 4]");
    for (const ValueId half : split_evenly(graph, x, 2, 0))
        REQUIRE(text_of(graph.value(half).spec) == "float32[b / 2, 8]");
    std::string required;
    for (const NodeId node : graph.topological())
        for (const Requirement& each : graph.node(node).task->requirements)
            required += text_of(each.condition) + "\n";
    REQUIRE(required.find("b * 8 == b / 2 * 16\n") != std::string::npos);
}

TEST_CASE("transpose and expand_dims arrange dimensions") {
    Made made;
    const auto x = counted(DType::F32, {2, 3, 4});
    const ValueId id = made.input(x);
    expect_elements(made.of(transpose(made.graph, id)), {4, 3, 2}, [&](const Index& i) {
        return at(x, {i[2], i[1], i[0]});
    });
    expect_elements(made.of(transpose(made.graph, id, {0, 2, 1})), {2, 4, 3}, [&](const Index& i) {
        return at(x, {i[0], i[2], i[1]});
    });
    REQUIRE(made.of(expand_dims(made.graph, id, -1))->shape == (Index{2, 3, 4, 1}));
}

TEST_CASE("meshgrid spans vectors in either order") {
    Made made;
    const auto x = counted(DType::F32, {2});
    const auto y = counted(DType::F32, {3});
    const std::vector<ValueId> ids = {made.input(x), made.input(y)};
    const auto grids = meshgrid(made.graph, ids);
    expect_elements(made.of(grids[0]), {2, 3}, [&](const Index& i) { return at(x, {i[0]}); });
    expect_elements(made.of(grids[1]), {2, 3}, [&](const Index& i) { return at(y, {i[1]}); });
    const auto exchanged = meshgrid(made.graph, ids, "xy");
    expect_elements(made.of(exchanged[0]), {3, 2}, [&](const Index& i) { return at(x, {i[1]}); });
    REQUIRE(is_refused([&] { meshgrid(made.graph, ids, "yx"); }));
}

TEST_CASE("conv_pad leaves batch and channels alone") {
    Made made;
    const ValueId id = made.input(counted(DType::F32, {1, 2, 3, 4}));
    REQUIRE(made.of(conv_pad(made.graph, id, {1}))->shape == (Index{1, 2, 5, 6}));
    REQUIRE(made.of(conv_pad(made.graph, id, {1, 2}))->shape == (Index{1, 2, 5, 8}));
    REQUIRE(made.of(conv_pad(made.graph, id, {0, 1, 2, 3}))->shape == (Index{1, 2, 5, 8}));
    REQUIRE(is_refused([&] { conv_pad(made.graph, id, {1, 2, 3}); }));
}

TEST_CASE("logaddexp overflows nowhere, relu6 ends at 6") {
    Made made;
    const ValueId x = made.input(tensor(DType::F64, {5}, {0, 1000, -infinity, infinity, 3}));
    const ValueId y = made.input(tensor(DType::F64, {5}, {0, 1000, -infinity, infinity, 7}));
    expect_close(made.of(logaddexp(made.graph, x, y)),
                 {std::log(2), 1000 + std::log(2), -infinity, infinity, std::log(std::exp(3) + std::exp(7))}, 1e-12);
    expect_close(made.of(relu6(made.graph, x)), {0, 6, 0, 6, 3}, 0);
}
