// SPDX-License-Identifier: Apache-2.0
#include "app/session/plan/session_graphs.h"

#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "app/session/script/engine.h"
#include "compiler/ir/ops.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/naive_lowering.h"

using namespace hidet;
using namespace hidet::graph;
using namespace hidet::test;

namespace {

class Model {
public:
    explicit Model(Graph graph) {
        m_request.target = session::Target::Emulate;
        auto compiled = std::make_shared<CompiledGraph>();
        compiled->graph = std::move(graph);
        compiled->partition = test::one_group_each(compiled->graph);
        compiled->plan = make_plan(compiled->graph, compiled->partition, PlanOptions(), test::lower_naively);
        m_engine = std::make_unique<session::ScriptEngine>(m_work, m_request);
        m_runner = std::make_unique<session::GraphRunner>(compiled, *m_engine);
        REQUIRE(m_runner->build(m_work.sink));
    }
    std::vector<FloatList> run(const Tensors& inputs) {
        const auto results = m_runner->run(inputs, m_work.sink);
        REQUIRE(results.has_value());
        std::vector<FloatList> values;
        for (const lang::TensorRef& result : *results)
            values.push_back(floats_of(result));
        return values;
    }
    std::string refusal(const Tensors& inputs) {
        try {
            run(inputs);
        } catch (const OpError& error) {
            return error.what();
        }
        return "";
    }
    session::PlanRunner& runner() { return m_runner->plan_runner(); }
    DiagnosticSink& sink() { return m_work.sink; }

private:
    session::Work m_work;
    session::RunRequest m_request;
    std::unique_ptr<session::ScriptEngine> m_engine;
    std::unique_ptr<session::GraphRunner> m_runner;
};

} // namespace

TEST_CASE("a graph gives what its operators give one after the other") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(2), dim(2)}));
    const ValueId w = graph.add_constant(float_tensor({2, 2}, {1, 2, 3, 4}));
    const ValueId product = graph.add_one(op_info::Matmul(), {x, w});
    const ValueId sum = graph.add_one(op_info::Add(), {product, x});
    const ValueId flat = graph.add_one(op_info::Reshape(), {sum}, {{"shape", Shape{dim(4)}}});
    graph.set_outputs({graph.add_one(op_info::Relu(), {flat}), flat, x});
    Model model(std::move(graph));
    for (int i = 0; i < 2; ++i) {
        const auto results = model.run({float_tensor({2, 2}, {1, -1, 0, 2})});
        REQUIRE(results[0] == FloatList({0, 0, 6, 10}));
        REQUIRE(results[1] == FloatList({-1, -3, 6, 10}));
        REQUIRE(results[2] == FloatList({1, -1, 0, 2}));
    }
}

TEST_CASE("dynamic extents are those of the inputs, and of sums of them") {
    Graph graph;
    const Dim n = symbol_dim("n");
    const ValueId x = graph.add_input("x", f32({n, dim(2)}));
    const ValueId flat = graph.add_one(op_info::Reshape(), {x}, {{"shape", Shape{ir::mul(n, dim(2))}}});
    graph.set_outputs({graph.add_one(op_info::Relu(), {graph.add_one(op_info::Add(), {flat, flat})})});
    Model model(std::move(graph));
    REQUIRE(model.run({float_tensor({1, 2}, {1, -1})})[0] == FloatList({2, 0}));
    REQUIRE(model.run({float_tensor({3, 2}, {1, 2, 3, 4, 5, -6})})[0] == FloatList({2, 4, 6, 8, 10, 0}));
    REQUIRE(model.run({float_tensor({0, 2}, {})})[0].empty());
}

TEST_CASE("what depends on data is run on the host, and what follows has its extents") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4)}));
    const ValueId some = positive_elements(graph, graph.add_one(op_info::Relu(), {x}));
    const ValueId twice = graph.add_one(op_info::Add(), {some, some});
    graph.set_outputs({graph.add_one(op_info::Add(), {twice, some}), some});
    Model model(std::move(graph));
    REQUIRE(model.run({float_tensor({4}, {1, -1, 2, -2})})[0] == FloatList({3, 6}));
    REQUIRE(model.run({float_tensor({4}, {-1, -1, -2, -2})})[0].empty());
    const auto results = model.run({float_tensor({4}, {1, 2, 3, 4})});
    REQUIRE(results[0] == FloatList({3, 6, 9, 12}));
    REQUIRE(results[1] == FloatList({1, 2, 3, 4}));
}

TEST_CASE("an execution can be repeated on other data of the same tensors") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4)}));
    graph.set_outputs(
        {graph.add_one(op_info::Add(), {positive_elements(graph, x), graph.add_constant(float_tensor({1}, {1}))})});
    Model model(std::move(graph));
    const lang::TensorRef input = float_tensor({4}, {1, -1, 2, -2});
    session::PlanRunner& runner = model.runner();
    runner.bind({input});
    REQUIRE(runner.run(model.sink()));
    REQUIRE(floats_of(runner.outputs()[0]) == FloatList({2, 3}));
    const FloatList others = {1, 2, 3, -4};
    std::memcpy(input->data(), others.data(), sizeof(float) * 4);
    REQUIRE(runner.run(model.sink()));
    REQUIRE(floats_of(runner.outputs()[0]) == FloatList({2, 3, 4}));
}

TEST_CASE("inputs that do not fit are refused in words") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({symbol_dim("n"), dim(2)}));
    const ValueId y = graph.add_input("y", f32({symbol_dim("n")}));
    const ValueId three = graph.add_constant(float_tensor({3}, {1, 2, 3}));
    graph.set_outputs({graph.add_one(op_info::Relu(), {x}), graph.add_one(op_info::Add(), {y, three})});
    Model model(std::move(graph));
    const auto matrix = [](std::int64_t rows) {
        return float_tensor({rows, 2}, FloatList(static_cast<std::size_t>(rows * 2)));
    };
    const auto row = [](std::int64_t n) { return float_tensor({n}, FloatList(static_cast<std::size_t>(n))); };
    REQUIRE(model.refusal({matrix(3)}) == "the model takes 2 inputs ('x', 'y'), not 1");
    REQUIRE(model.refusal({row(3), row(3)}) == "input 'x' has 2 dimensions, [n, 2], not 1: [3]");
    REQUIRE(model.refusal({float_tensor({3, 1}, {1, 2, 3}), row(3)}) == "dimension 1 of input 'x' is 2, not 1");
    REQUIRE(model.refusal({matrix(3), row(4)}) == "dimension 0 of input 'y' is 4, but 'n' is 3 elsewhere");
    REQUIRE(model.refusal({matrix(4), row(4)}) == "'Add' does not take an extent of 4 (n) where 3 is expected");
    Graph sliced;
    const ValueId table = sliced.add_constant(float_tensor({3}, {1, 2, 3}));
    const ValueId long_one = sliced.add_input("x", f32({symbol_dim("n")}));
    const Attributes first_n = {{"starts", Ints{0}}, {"ends", Shape{symbol_dim("n")}}};
    const ValueId slice = sliced.add_one(op_info::StridedSlice(), {table}, first_n);
    sliced.set_outputs({sliced.add_one(op_info::Add(), {slice, long_one})});
    Model slicing(std::move(sliced));
    REQUIRE(slicing.run({row(2)}) == (std::vector<FloatList>{{1, 2}}));
    REQUIRE(slicing.refusal({row(4)}) == "'StridedSlice' wants n <= 3: slice of dimension 0 leaves its extent [3]");
    lang::TensorRef doubles = float_tensor({1}, {0, 0});
    doubles->dtype = ir::DType::F64;
    REQUIRE(model.refusal({matrix(1), doubles}) == "input 'y' is float32, not float64");
    REQUIRE(model.refusal({matrix(3), row(3)}) == "");
}

TEST_CASE("a size that nothing can hold is refused in words") {
    Graph graph;
    const Dim n = symbol_dim("n"), k = symbol_dim("k");
    const ValueId x = graph.add_input("x", f32({n, dim(0)}));
    const ValueId y = graph.add_input("y", f32({k, dim(0)}));
    const ValueId zeros =
        graph.add_one(op_info::Full(), {}, {{"shape", Shape{n, k}}, {"value", 0.0}, {"dtype", ir::DType::F32}});
    graph.set_outputs({graph.add_one(op_info::Relu(), {graph.add_one(op_info::Relu(), {zeros})}), x, y});
    Model model(std::move(graph));
    const auto empty = [](std::int64_t rows) { return float_tensor({rows, 0}, {}); };
    REQUIRE(model.refusal({empty(std::int64_t{1} << 24), empty(std::int64_t{1} << 24)}) ==
            "a tensor of 1125899906842624 bytes is too large");
    REQUIRE(model.refusal({empty(std::int64_t{1} << 40), empty(std::int64_t{1} << 40)}) ==
            "the size of a tensor, k * n * 4 bytes, is not known");
}

TEST_CASE("equal calls of an operator on tensors share what was built") {
    session::Work work;
    session::RunRequest request;
    request.target = session::Target::Emulate;
    session::ScriptEngine engine(work, request);
    session::SessionGraphs eager(engine);
    const auto call = [&](const OpInfo& op, const Tensors& inputs, const Attributes& attributes = {}) {
        return floats_of(eager.run_operator({op, {}, attributes}, inputs, nullptr, {}, work.sink).value()[0]);
    };
    const lang::TensorRef x = float_tensor({2, 2}, {1, -2, 3, -4});
    REQUIRE(call(op_info::Relu(), {x}) == FloatList({1, 0, 3, 0}));
    REQUIRE(call(op_info::Relu(), {float_tensor({2, 2}, {-1, 2, -3, 4})}) == FloatList({0, 2, 0, 4}));
    REQUIRE(eager.built() == 1u);
    REQUIRE(call(op_info::ReduceSum(), {x}, {{"dims", Ints{0}}}) == FloatList({4, -6}));
    REQUIRE(call(op_info::ReduceSum(), {x}, {{"dims", Ints{1}}}) == FloatList({-1, -1}));
    REQUIRE(call(op_info::Matmul(), {x, x}) == FloatList({-5, 6, -9, 10}));
    REQUIRE(call(op_info::Reshape(), {x}, {{"shape", Shape{dim(4)}}}) == FloatList({1, -2, 3, -4}));
    REQUIRE(eager.built() == 5u);
}
