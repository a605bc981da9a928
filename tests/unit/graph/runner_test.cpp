// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/eager.h"

#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "app/session/engine.h"
#include "compiler/ir/ops.h"
#include "tests/unit/graph/naive_lowering.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

using Numbers = std::vector<float>;

lang::TensorRef tensor_of(std::vector<std::int64_t> shape, const Numbers& values) {
    lang::TensorRef tensor(new lang::Tensor());
    tensor->shape = std::move(shape);
    tensor->storage = std::make_shared<lang::Storage>(values.size() * sizeof(float));
    if (!values.empty())
        std::memcpy(tensor->data(), values.data(), values.size() * sizeof(float));
    return tensor;
}

Numbers values_of(const lang::TensorRef& tensor) {
    Numbers values(static_cast<std::size_t>(tensor->count()));
    if (!values.empty())
        std::memcpy(values.data(), tensor->read(), values.size() * sizeof(float));
    return values;
}

TensorSpec f32(Shape shape) {
    return {ir::DType::F32, std::move(shape)};
}

// The elements greater than zero: how many there are depends on data.
const OpInfo& positive_elements() {
    static const OpInfo info = {
        .name = "PositiveElements",
        .python = "",
        .parameters = "x",
        .cls = OpClass::Host,
        .summary = "for tests",
        .example = "",
        .infer = [](const OpCall& call, FreshSymbols& symbols) -> std::vector<TensorSpec> {
            return {{call.inputs[0].dtype, {symbols.fresh("count")}}};
        },
        .run = [](const HostCall& call) -> std::vector<lang::TensorRef> {
            Numbers kept;
            for (const float value : values_of(call.inputs[0]))
                if (value > 0)
                    kept.push_back(value);
            return {tensor_of({static_cast<std::int64_t>(kept.size())}, kept)};
        },
    };
    return info;
}

class Model {
public:
    explicit Model(Graph graph) {
        m_request.target = session::Target::Emulate;
        auto compiled = std::make_shared<CompiledGraph>();
        compiled->graph = std::move(graph);
        compiled->partition = test::one_group_each(compiled->graph);
        compiled->plan = make_plan(compiled->graph, compiled->partition, PlanOptions(), test::lower_naively);
        m_engine = std::make_unique<session::ScriptEngine>(m_work, m_request);
        m_runner = std::make_unique<Runner>(compiled, *m_engine);
        REQUIRE(m_runner->build(m_work.sink));
    }
    std::vector<Numbers> run(const Tensors& inputs) {
        const auto results = m_runner->run(inputs, m_work.sink);
        REQUIRE(results.has_value());
        std::vector<Numbers> values;
        for (const lang::TensorRef& result : *results)
            values.push_back(values_of(result));
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
    Runner& runner() { return *m_runner; }
    DiagnosticSink& sink() { return m_work.sink; }

private:
    session::Work m_work;
    session::RunRequest m_request;
    std::unique_ptr<session::ScriptEngine> m_engine;
    std::unique_ptr<Runner> m_runner;
};

} // namespace

TEST_CASE("a graph gives what its operators give one after the other") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(2), dim(2)}));
    const ValueId w = graph.add_constant(tensor_of({2, 2}, {1, 2, 3, 4}));
    const ValueId product = graph.add_one(op_info::Matmul(), {x, w});
    const ValueId sum = graph.add_one(op_info::Add(), {product, x});
    const ValueId flat = graph.add_one(op_info::Reshape(), {sum}, {{"shape", Shape{dim(4)}}});
    graph.set_outputs({graph.add_one(op_info::Relu(), {flat}), flat, x});
    Model model(std::move(graph));
    for (int i = 0; i < 2; ++i) {
        const auto results = model.run({tensor_of({2, 2}, {1, -1, 0, 2})});
        REQUIRE(results[0] == Numbers({0, 0, 6, 10}));
        REQUIRE(results[1] == Numbers({-1, -3, 6, 10}));
        REQUIRE(results[2] == Numbers({1, -1, 0, 2}));
    }
}

TEST_CASE("dynamic extents are those of the inputs, and of sums of them") {
    Graph graph;
    const Dim n = symbol_dim("n");
    const ValueId x = graph.add_input("x", f32({n, dim(2)}));
    const ValueId flat = graph.add_one(op_info::Reshape(), {x}, {{"shape", Shape{ir::mul(n, dim(2))}}});
    graph.set_outputs({graph.add_one(op_info::Relu(), {graph.add_one(op_info::Add(), {flat, flat})})});
    Model model(std::move(graph));
    REQUIRE(model.run({tensor_of({1, 2}, {1, -1})})[0] == Numbers({2, 0}));
    REQUIRE(model.run({tensor_of({3, 2}, {1, 2, 3, 4, 5, -6})})[0] == Numbers({2, 4, 6, 8, 10, 0}));
    REQUIRE(model.run({tensor_of({0, 2}, {})})[0].empty());
}

TEST_CASE("what depends on data is run on the host, and what follows has its extents") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4)}));
    const ValueId some = graph.add_one(positive_elements(), {graph.add_one(op_info::Relu(), {x})});
    const ValueId twice = graph.add_one(op_info::Add(), {some, some});
    graph.set_outputs({graph.add_one(op_info::Add(), {twice, some}), some});
    Model model(std::move(graph));
    REQUIRE(model.run({tensor_of({4}, {1, -1, 2, -2})})[0] == Numbers({3, 6}));
    REQUIRE(model.run({tensor_of({4}, {-1, -1, -2, -2})})[0].empty());
    const auto results = model.run({tensor_of({4}, {1, 2, 3, 4})});
    REQUIRE(results[0] == Numbers({3, 6, 9, 12}));
    REQUIRE(results[1] == Numbers({1, 2, 3, 4}));
}

TEST_CASE("an execution can be repeated on other data of the same tensors") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4)}));
    graph.set_outputs({graph.add_one(
        op_info::Add(), {graph.add_one(positive_elements(), {x}), graph.add_constant(tensor_of({1}, {1}))})});
    Model model(std::move(graph));
    const lang::TensorRef input = tensor_of({4}, {1, -1, 2, -2});
    Execution execution(model.runner(), {input});
    REQUIRE(execution.run(model.sink()));
    REQUIRE(values_of(execution.outputs()[0]) == Numbers({2, 3}));
    const Numbers others = {1, 2, 3, -4};
    std::memcpy(input->data(), others.data(), sizeof(float) * 4);
    REQUIRE(execution.run(model.sink()));
    REQUIRE(values_of(execution.outputs()[0]) == Numbers({2, 3, 4}));
}

TEST_CASE("inputs that do not fit are refused in words") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({symbol_dim("n"), dim(2)}));
    const ValueId y = graph.add_input("y", f32({symbol_dim("n")}));
    const ValueId three = graph.add_constant(tensor_of({3}, {1, 2, 3}));
    graph.set_outputs({graph.add_one(op_info::Relu(), {x}), graph.add_one(op_info::Add(), {y, three})});
    Model model(std::move(graph));
    const auto matrix = [](std::int64_t rows) {
        return tensor_of({rows, 2}, Numbers(static_cast<std::size_t>(rows * 2)));
    };
    const auto row = [](std::int64_t n) { return tensor_of({n}, Numbers(static_cast<std::size_t>(n))); };
    REQUIRE(model.refusal({matrix(3)}) == "the model takes 2 inputs ('x', 'y'), not 1");
    REQUIRE(model.refusal({row(3), row(3)}) == "input 'x' has 2 dimensions, [n, 2], not 1: [3]");
    REQUIRE(model.refusal({tensor_of({3, 1}, {1, 2, 3}), row(3)}) == "dimension 1 of input 'x' is 2, not 1");
    REQUIRE(model.refusal({matrix(3), row(4)}) == "dimension 0 of input 'y' is 4, but 'n' is 3 elsewhere");
    REQUIRE(model.refusal({matrix(4), row(4)}) == "'Add' does not take an extent of 4 (n) where 3 is expected");
    Graph sliced;
    const ValueId table = sliced.add_constant(tensor_of({3}, {1, 2, 3}));
    const ValueId long_one = sliced.add_input("x", f32({symbol_dim("n")}));
    const Attributes first_n = {{"starts", Ints{0}}, {"ends", Shape{symbol_dim("n")}}};
    const ValueId slice = sliced.add_one(op_info::StridedSlice(), {table}, first_n);
    sliced.set_outputs({sliced.add_one(op_info::Add(), {slice, long_one})});
    Model slicing(std::move(sliced));
    REQUIRE(slicing.run({row(2)}) == (std::vector<Numbers>{{1, 2}}));
    REQUIRE(slicing.refusal({row(4)}) == "'StridedSlice' wants n <= 3: slice of dimension 0 leaves its extent [3]");
    lang::TensorRef doubles = tensor_of({1}, {0, 0});
    doubles->dtype = ir::DType::F64;
    REQUIRE(model.refusal({matrix(1), doubles}) == "input 'y' is float32, not float64");
    REQUIRE(model.refusal({matrix(3), row(3)}) == "");
}

TEST_CASE("equal calls of an operator on tensors share what was built") {
    session::Work work;
    session::RunRequest request;
    request.target = session::Target::Emulate;
    session::ScriptEngine engine(work, request);
    EagerOperators eager(engine);
    const auto call = [&](const OpInfo& op, const Tensors& inputs, const Attributes& attributes = {}) {
        return values_of(eager.run(op, inputs, attributes, {}, work.sink).value()[0]);
    };
    const lang::TensorRef x = tensor_of({2, 2}, {1, -2, 3, -4});
    REQUIRE(call(op_info::Relu(), {x}) == Numbers({1, 0, 3, 0}));
    REQUIRE(call(op_info::Relu(), {tensor_of({2, 2}, {-1, 2, -3, 4})}) == Numbers({0, 2, 0, 4}));
    REQUIRE(eager.built() == 1u);
    REQUIRE(call(op_info::ReduceSum(), {x}, {{"dims", Ints{0}}}) == Numbers({4, -6}));
    REQUIRE(call(op_info::ReduceSum(), {x}, {{"dims", Ints{1}}}) == Numbers({-1, -1}));
    REQUIRE(call(op_info::Matmul(), {x, x}) == Numbers({-5, 6, -9, 10}));
    REQUIRE(call(op_info::Reshape(), {x}, {{"shape", Shape{dim(4)}}}) == Numbers({1, -2, 3, -4}));
    REQUIRE(eager.built() == 5u);
}
