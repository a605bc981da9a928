// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>

#include "compiler/graph/plan/expressions.h"
#include "compiler/graph/plan/memory.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/naive_lowering.h"

using namespace hidet::graph;
namespace artifact = hidet::artifact;
using hidet::ir::DType;
using hidet::test::f32;
using hidet::test::lower_naively;
using hidet::test::one_group_each;
using hidet::test::positive_elements;

namespace {

ValueId reshaped(Graph& graph, ValueId x, Shape shape) {
    return graph.add_one(op_info::Reshape(), {x}, {{"shape", std::move(shape)}});
}

// Pointwise operators and reshapes over tensors of the same number of elements, each reading one of the last few.
Graph random_graph(std::mt19937& random, int nodes, const Dim& rows) {
    Graph graph;
    std::vector<ValueId> matrices = {graph.add_input("x", f32({rows, dim(64)}))};
    for (int i = 0; i < nodes; ++i) {
        const auto recent = [&] {
            return matrices[matrices.size() - 1 - random() % std::min<std::size_t>(matrices.size(), 6)];
        };
        switch (random() % 4) {
        case 0: matrices.push_back(graph.add_one(op_info::Relu(), {recent()})); break;
        case 1:
            matrices.push_back(
                reshaped(graph, reshaped(graph, recent(), {hidet::ir::mul(rows, dim(64))}), {rows, dim(64)}));
            break;
        default: matrices.push_back(graph.add_one(op_info::Add(), {recent(), recent()}));
        }
    }
    graph.set_outputs({matrices.back(), matrices[matrices.size() / 2]});
    return graph;
}

Plan planned(const Graph& graph, const hidet::artifact::TargetSpec& target = hidet::artifact::default_cpu()) {
    PlanOptions options;
    options.target = target;
    return make_plan(graph, one_group_each(graph), options, lower_naively);
}

const artifact::PlanValue& value_of(const Plan& plan, ValueId id) {
    return plan.launch.values[plan.rows[id.index]];
}

std::vector<artifact::ExprValue> evaluated(const Plan& plan, std::int64_t symbols) {
    return artifact::evaluate(plan.launch.expressions,
                              std::vector<artifact::ExprValue>(plan.launch.symbols.size(), symbols));
}

// Runs the steps on labels instead of numbers: whoever reads a value finds what its producer wrote.
void expect_values_survive(const Plan& plan, std::int64_t symbols) {
    const artifact::LaunchPlan& launch = plan.launch;
    const auto known = evaluated(plan, symbols);
    REQUIRE(artifact::problem_of(launch) == "");
    REQUIRE(launch.sections.size() == 1u);
    std::vector<artifact::Row> owner(static_cast<std::size_t>(*known[launch.sections[0].arena_bytes] / arena_alignment),
                                     artifact::no_row);
    const auto visit = [&](artifact::Row row, const auto& each) {
        const artifact::PlanValue& value = launch.values[row];
        if (value.place != artifact::Place::Arena)
            return;
        const std::int64_t begin = *known[value.offset], bytes = *known[value.bytes];
        REQUIRE(begin % arena_alignment == 0);
        for (std::int64_t at = begin; at < begin + bytes; at += arena_alignment)
            each(owner.at(static_cast<std::size_t>(at / arena_alignment)));
    };
    for (const artifact::PlanStep& step : launch.steps) {
        for (const artifact::Row read : step.reads)
            visit(root_of(launch, read), [&](artifact::Row& unit) { REQUIRE(unit == root_of(launch, read)); });
        for (const artifact::Row written : step.writes)
            visit(written, [&](artifact::Row& unit) { unit = written; });
    }
}

} // namespace

TEST_CASE("a value is not written over while it is still to be read") {
    std::mt19937 random(1);
    for (int round = 0; round < 30; ++round) {
        const Graph graph = random_graph(random, 30, dim(8));
        const Plan plan = planned(graph);
        const artifact::ArenaSizes sizes = arena_sizes(plan.launch);
        REQUIRE((sizes.bytes && sizes.bound && *sizes.bound <= *sizes.bytes));
        expect_values_survive(plan, 0);
    }
}

TEST_CASE("offsets of dynamic extents are right for every binding") {
    std::mt19937 random(2);
    for (int round = 0; round < 10; ++round) {
        const Graph graph = random_graph(random, 30, symbol_dim("rows"));
        const Plan plan = planned(graph);
        REQUIRE(!arena_sizes(plan.launch).bytes);
        for (const std::int64_t rows : {1, 7, 100, 0})
            expect_values_survive(plan, rows);
        const auto bytes = [&](std::int64_t rows) { return *arena_sizes(plan.launch, evaluated(plan, rows)).bytes; };
        REQUIRE(bytes(100) > bytes(7));
    }
}

TEST_CASE("dynamic extents need no more memory than the same as numbers") {
    std::mt19937 one(3), other(3);
    for (int round = 0; round < 10; ++round) {
        const Plan fixed = planned(random_graph(one, 40, dim(64)));
        const Plan dynamic = planned(random_graph(other, 40, symbol_dim("rows")));
        REQUIRE(*arena_sizes(dynamic.launch, evaluated(dynamic, 64)).bytes == *arena_sizes(fixed.launch).bytes);
    }
}

TEST_CASE("equal operators share a program") {
    Graph graph;
    ValueId x = graph.add_input("x", f32({dim(4), dim(8)}));
    for (int i = 0; i < 10; ++i)
        x = graph.add_one(op_info::Relu(), {x});
    const ValueId other = graph.add_one(op_info::Relu(), {reshaped(graph, x, {dim(8), dim(4)})});
    graph.set_outputs({other});
    const Plan plan = planned(graph);
    REQUIRE(plan.sources.size() == 11u);
    REQUIRE(plan.programs.size() == 2u);
    REQUIRE(plan.programs[0].key.size() == 16u);
    REQUIRE(plan.launch.modules[1].key == plan.programs[1].key);
    REQUIRE(plan.sources[3].kernels[0].nodes[0] == plan.sources[3].node);
}

TEST_CASE("a program knows which of its inputs are the same tensor") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4)}));
    const ValueId y = graph.add_input("y", f32({dim(4)}));
    graph.set_outputs({graph.add_one(op_info::Add(), {x, y}), graph.add_one(op_info::Add(), {x, x})});
    const Partition partition = one_group_each(graph);
    int lowered = 0;
    PlanOptions options;
    options.threads = 1;
    make_plan(graph, partition, options,
              [&](const Graph& whole, const Group& group, const hidet::artifact::TargetSpec& target) {
                  ++lowered;
                  return lower_naively(whole, group, target);
              });
    REQUIRE(lowered == 2);
}

TEST_CASE("a reshape is the same bytes, also of an input and of a result") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(4), dim(8)}));
    const ValueId flat = reshaped(graph, x, {dim(32)});
    const ValueId y = graph.add_one(op_info::Relu(), {flat});
    const ValueId z = reshaped(graph, y, {dim(8), dim(4)});
    graph.set_outputs({z});
    const Plan plan = planned(graph);
    REQUIRE(plan.sources.size() == 1u);
    REQUIRE(value_of(plan, flat).of == plan.rows[x.index]);
    REQUIRE(value_of(plan, z).of == plan.rows[y.index]);
    REQUIRE(value_of(plan, y).place == artifact::Place::Output);
    REQUIRE(*arena_sizes(plan.launch).bytes == 0);
}

TEST_CASE("what follows an extent that depends on data has a section of its own") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(100)}));
    const ValueId kept = graph.add_one(op_info::Relu(), {x});
    const ValueId some = positive_elements(graph, kept);
    const ValueId sum = graph.add_one(op_info::Add(), {some, some});
    graph.set_outputs({graph.add_one(op_info::Relu(), {sum})});
    const Plan plan = planned(graph, artifact::default_gpu());
    const artifact::LaunchPlan& launch = plan.launch;
    REQUIRE(launch.sections.size() == 2u);
    REQUIRE(launch.sections[1].first_step == 3u);
    REQUIRE(value_of(plan, kept).place == artifact::Place::Host); // read on the host
    REQUIRE(value_of(plan, sum).place == artifact::Place::Arena);
    REQUIRE(launch.symbols.size() == 1u);
    REQUIRE(launch.symbols[0].value == plan.rows[some.index]);
    REQUIRE(*evaluated(plan, 65)[launch.sections[1].arena_bytes] == 512);
    REQUIRE(value_of(planned(graph), kept).place == artifact::Place::Arena);
}

TEST_CASE("branches are plans inside of the plan, and one that fits to nothing refuses what it is given") {
    using GraphPtr = std::shared_ptr<const Graph>;
    const auto body = [](const OpInfo& op) {
        auto graph = std::make_shared<Graph>();
        const ValueId x = graph->add_input("x", f32({symbol_dim("n"), dim(3)}));
        graph->set_outputs({graph->add_one(op, {x})});
        return GraphPtr(graph);
    };
    Graph graph;
    const ValueId x = graph.add_input("x", f32({symbol_dim("n"), dim(3)}));
    const ValueId condition = graph.add_input("condition", {DType::Bool, {}});
    const Attributes results = {{"dtypes", Texts{"float32"}}, {"shape0", Shape{dim(-1), dim(3)}}};
    const auto branch = [&](const GraphPtr& other, const std::string& problem) {
        Attributes attributes = results;
        attributes.set("then_branch", body(op_info::Relu()));
        attributes.set("else_branch", other);
        attributes.set("else_problem", problem);
        return graph.add_one(op_info::OnnxIf(), {condition, x}, attributes);
    };
    const ValueId first = branch(body(op_info::Relu()), "");
    const ValueId second = branch(std::make_shared<const Graph>(), "{} fits to nothing");
    graph.set_outputs({first, second});
    const Plan plan = planned(graph);
    const artifact::LaunchPlan& launch = plan.launch;
    REQUIRE(artifact::problem_of(launch) == "");
    REQUIRE(launch.steps.size() == 2u);
    REQUIRE(launch.steps[0].kind == artifact::StepKind::If);
    REQUIRE(launch.steps[1].bodies == std::vector<artifact::Row>{2, 3});
    REQUIRE(launch.sections.size() == 3u); // the extents of each are known when it is made
    REQUIRE(plan.programs.size() == 1u);   // of all branches
    REQUIRE(launch.bodies.size() == 4u);
    REQUIRE(launch.bodies[1].steps[0].kind == artifact::StepKind::Call);
    REQUIRE(launch.bodies[3].steps.empty());
    REQUIRE(launch.bodies[3].requirements[0].message == "{ } fits to nothing");
    REQUIRE(!plan.bodies[3].graph);
    const auto read = artifact::plan_from_bytes(to_bytes(launch));
    REQUIRE((read.ok() ? "" : read.error().message) == "");
    REQUIRE(read.value() == launch);
}

TEST_CASE("the operators on the host are those that plans can name") {
    std::vector<std::string> operators, known;
    for (const OpInfo* op : all_ops())
        if (op->run && op->id != OpId::OnnxIf && op->id != OpId::OnnxLoop) // which are steps with bodies
            operators.emplace_back(op->name);
    for (std::size_t i = 0; i < artifact::enum_count<artifact::HostOperator>; ++i)
        known.emplace_back(enum_name(static_cast<artifact::HostOperator>(i)));
    std::ranges::sort(operators);
    std::ranges::sort(known);
    REQUIRE(hidet::join(operators, " ") == hidet::join(known, " "));
}

TEST_CASE("an extent in a plan is what it is in the graph") {
    namespace ir = hidet::ir;
    const Dim n = symbol_dim("n");
    const auto scaled = [&](ir::DType dtype, double by) {
        const auto floor =
            ir::math(ir::IntrinsicId::Floor, {ir::mul(ir::cast_to(n, dtype), ir::float_constant(by, dtype))});
        return ir::cast_to(floor, ir::DType::I64);
    };
    const auto root = ir::math(ir::IntrinsicId::Sqrt, {ir::cast_to(n, ir::DType::F64)});
    const Dim extents[] = {ir::floor_div(n, dim(4)),
                           ir::floor_mod(n, dim(4)),
                           ir::truncating_mod(n, dim(4)),
                           ir::floor_div(dim(4), n),
                           ir::math(ir::IntrinsicId::Max, {n, dim(0)}),
                           ir::select(ir::less(n, dim(0)), ir::negate(n), n),
                           ir::mul(n, n),
                           scaled(ir::DType::F64, 1.5),
                           scaled(ir::DType::F32, static_cast<double>(0.7F)),
                           scaled(ir::DType::F64, static_cast<double>(0.7F)),
                           scaled(ir::DType::F64, 1e30),
                           ir::select(ir::math(ir::IntrinsicId::IsNan, {root}), dim(1), dim(2)),
                           root};
    artifact::LaunchPlan plan;
    Expressions expressions(plan);
    expressions.symbol("n");
    for (const Dim& extent : extents)
        for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{10}, std::int64_t{1} << 32}) {
            const artifact::Row row = expressions.of(extent);
            REQUIRE(artifact::evaluate(plan.expressions, {value})[row] == evaluate(extent, {{"n", value}}));
        }
}

TEST_CASE("extents are evaluated as Python counts") {
    const Dim n = symbol_dim("n");
    const auto at = [&](const Dim& extent, std::int64_t value) {
        return evaluate(extent, {{"n", value}}).value_or(-99);
    };
    using namespace hidet;
    REQUIRE(at(ir::floor_div(n, dim(4)), -5) == -2);
    REQUIRE(at(ir::floor_mod(n, dim(4)), -5) == 3);
    REQUIRE(at(ir::truncating_mod(n, dim(4)), -5) == -1);
    REQUIRE(at(ir::floor_div(dim(4), n), 0) == -99);
    REQUIRE(at(ir::math(ir::IntrinsicId::Max, {n, dim(0)}), -5) == 0);
    REQUIRE(at(ir::select(ir::less(n, dim(0)), ir::negate(n), n), -5) == 5);
    REQUIRE(at(ir::mul(n, n), std::int64_t{1} << 32) == -99);
    REQUIRE(!evaluate(symbol_dim("m"), {{"n", 1}}));
}

TEST_CASE("extents that scales make are rounded when the model runs") {
    using namespace hidet;
    const auto scaled = [](ir::DType dtype, double by, std::int64_t n) {
        const auto extent = ir::cast_to(symbol_dim("n"), dtype);
        const auto floor = ir::math(ir::IntrinsicId::Floor, {ir::mul(extent, ir::float_constant(by, dtype))});
        return evaluate(ir::cast_to(floor, ir::DType::I64), {{"n", n}}).value_or(-99);
    };
    REQUIRE(scaled(ir::DType::F64, 1.5, 5) == 7);
    REQUIRE(scaled(ir::DType::F64, -1.5, 5) == -8);
    REQUIRE(scaled(ir::DType::F32, static_cast<double>(0.7F), 10) == 7); // the product rounds up to 7
    REQUIRE(scaled(ir::DType::F64, static_cast<double>(0.7F), 10) == 6);
    REQUIRE(scaled(ir::DType::F64, 1e30, 5) == -99);
    const auto root = ir::math(ir::IntrinsicId::Sqrt, {ir::cast_to(symbol_dim("n"), ir::DType::F64)});
    const auto is_nan = ir::select(ir::math(ir::IntrinsicId::IsNan, {root}), dim(1), dim(2));
    REQUIRE(evaluate(is_nan, {{"n", -4}}).value_or(-99) == 1);
    REQUIRE(evaluate(is_nan, {{"n", 4}}).value_or(-99) == 2);
}
