// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/plan.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "tests/unit/graph/floats.h"
#include "tests/unit/graph/naive_lowering.h"

using namespace hidet::graph;
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

ValueId root_of(const Plan& plan, ValueId id) {
    const Placement& place = plan.placements[id.index];
    return place.kind == Placement::Kind::Alias ? place.alias_of : id;
}

// Runs the steps on labels instead of numbers: whoever reads a value finds what its producer wrote.
void expect_values_survive(const Plan& plan, const SymbolValues& symbols) {
    for (std::uint32_t s = 0; s < plan.sections.size(); ++s) {
        const Section& section = plan.sections[s];
        const ArenaLayout layout = arena_of(section, symbols);
        std::vector<std::uint32_t> owner(static_cast<std::size_t>(layout.bytes / arena_alignment), UINT32_MAX);
        const auto units = [&](std::size_t i) {
            const std::int64_t bytes = *evaluate(section.buffers[i].bytes, symbols);
            return std::pair(layout.offsets[i] / arena_alignment,
                             (layout.offsets[i] + bytes + arena_alignment - 1) / arena_alignment);
        };
        for (std::size_t step = section.first_step; step < plan.steps.size(); ++step)
            for (std::size_t i = 0; i < section.buffers.size(); ++i) {
                const PlannedBuffer& buffer = section.buffers[i];
                const bool is_read = std::ranges::any_of(plan.steps[step].arguments, [&](ValueId argument) {
                    return root_of(plan, argument) == buffer.value;
                });
                const auto [begin, end] = units(i);
                if (buffer.first == static_cast<std::int32_t>(step))
                    for (std::int64_t unit = begin; unit < end; ++unit)
                        owner[static_cast<std::size_t>(unit)] = static_cast<std::uint32_t>(i);
                else if (is_read)
                    for (std::int64_t unit = begin; unit < end; ++unit)
                        REQUIRE(owner[static_cast<std::size_t>(unit)] == i);
            }
    }
}

} // namespace

TEST_CASE("a value is not written over while it is still to be read") {
    std::mt19937 random(1);
    for (int round = 0; round < 30; ++round) {
        const Graph graph = random_graph(random, 30, dim(8));
        const Plan plan = planned(graph);
        REQUIRE(plan.arena_bytes != nullptr);
        REQUIRE(*constant_of(plan.liveness_bound) <= *constant_of(plan.arena_bytes));
        expect_values_survive(plan, {});
    }
}

TEST_CASE("offsets of dynamic extents are planned for each binding") {
    std::mt19937 random(2);
    for (int round = 0; round < 10; ++round) {
        const Graph graph = random_graph(random, 30, symbol_dim("rows"));
        const Plan plan = planned(graph);
        REQUIRE(plan.arena_bytes == nullptr);
        for (const std::int64_t rows : {1, 7, 100, 0})
            expect_values_survive(plan, {{"rows", rows}});
        REQUIRE(arena_of(plan.sections[0], {{"rows", 100}}).bytes > arena_of(plan.sections[0], {{"rows", 7}}).bytes);
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
    REQUIRE(plan.steps.size() == 11u);
    REQUIRE(plan.programs.size() == 2u);
    REQUIRE(plan.programs[0].key.size() == 16u);
    REQUIRE(plan.steps[3].kernels[0].nodes[0] == plan.steps[3].node);
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
    REQUIRE(plan.steps.size() == 1u);
    REQUIRE(plan.placements[flat.index].alias_of == x);
    REQUIRE(plan.placements[z.index].alias_of == y);
    REQUIRE(plan.placements[y.index].kind == Placement::Kind::Output);
    REQUIRE(hidet::graph::same_dim(plan.arena_bytes, dim(0)));
}

TEST_CASE("what follows an extent that depends on data has a section of its own") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({dim(100)}));
    const ValueId kept = graph.add_one(op_info::Relu(), {x});
    const ValueId some = graph.add_one(positive_elements(), {kept});
    const ValueId sum = graph.add_one(op_info::Add(), {some, some});
    graph.set_outputs({graph.add_one(op_info::Relu(), {sum})});
    const Plan plan = planned(graph, hidet::artifact::default_gpu());
    REQUIRE(plan.sections.size() == 2u);
    REQUIRE(plan.sections[1].first_step == 2u);
    REQUIRE(plan.placements[kept.index].kind == Placement::Kind::Host); // read on the host
    REQUIRE(plan.placements[sum.index].kind == Placement::Kind::Arena);
    REQUIRE(plan.sections[1].buffers.size() == 1u);
    REQUIRE(arena_of(plan.sections[1], {{"count_0", 65}}).bytes == 512);
    REQUIRE(planned(graph).placements[kept.index].kind == Placement::Kind::Arena);
}

TEST_CASE("a size that nothing can hold is an error of the model") {
    Graph graph;
    const ValueId x = graph.add_input("x", f32({symbol_dim("n"), symbol_dim("n")}));
    graph.set_outputs({graph.add_one(op_info::Relu(), {graph.add_one(op_info::Relu(), {x})})});
    const Plan plan = planned(graph);
    for (const std::int64_t n : {std::int64_t{1} << 40, std::int64_t{1} << 24, std::int64_t{-3037000500}}) {
        bool refused = false;
        try {
            arena_of(plan.sections[0], {{"n", n}});
        } catch (const OpError&) {
            refused = true;
        }
        REQUIRE(refused);
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
