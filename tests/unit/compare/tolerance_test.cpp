// SPDX-License-Identifier: Apache-2.0
// How far recorded results may be from ours: what lies on the way to them decides.
#include "app/session/compare/tolerance.h"

#include <doctest/doctest.h>

#include "lang/tensor/elements.h"

using namespace hidet;
using namespace hidet::graph;
using session::recorded_tolerance;
using session::Way;
using session::way_to;

namespace {

Shape small_shape() {
    return shape_of(std::vector<std::int64_t>{2, 3});
}

ValueId cast(Graph& graph, ValueId value, ir::DType dtype) {
    return graph.add_one(op_info::Cast(), {value}, {{"dtype", dtype}});
}

TEST_CASE("the least precise float on the way counts, not that of the result") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, small_shape()});
    const ValueId half = cast(graph, x, ir::DType::F16);
    const ValueId y = cast(graph, half, ir::DType::F32);
    const ValueId beside = cast(graph, x, ir::DType::BF16);
    REQUIRE(way_to(graph, y).share == 5e-3);
    REQUIRE(way_to(graph, y).step_bits == 0);
    REQUIRE(way_to(graph, beside).share == 4e-2);
    REQUIRE(way_to(graph, x).share == 0);
}

TEST_CASE("an operator is compared as the least precise float on the way to it allows") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, small_shape()});
    const ValueId half = cast(graph, x, ir::DType::F16);
    const ValueId y = cast(graph, half, ir::DType::F32);
    const ValueId beside = cast(graph, x, ir::DType::F64);
    const std::vector<session::NodeTolerance> tolerances = session::node_tolerances(graph);
    REQUIRE(tolerances[x.index].share == 0);
    REQUIRE(tolerances[half.index].share == session::node_tolerance(ir::DType::F16));
    REQUIRE(tolerances[y.index].share == session::node_tolerance(ir::DType::F16));
    REQUIRE(tolerances[beside.index].share == session::node_tolerance(ir::DType::F64));
}

TEST_CASE("an operator that quantises, and what comes after it, may be a step away from its float64") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, small_shape()});
    const ValueId rounded = graph.add_one(op_info::Round(), {x});
    const ValueId moved = graph.add_one(op_info::Add(), {rounded, x});
    const ValueId bytes = cast(graph, moved, ir::DType::U8);
    const ValueId y = cast(graph, bytes, ir::DType::F32);
    const ValueId index = cast(graph, x, ir::DType::I64);
    const std::vector<session::NodeTolerance> tolerances = session::node_tolerances(graph);
    const double share = session::node_tolerance(ir::DType::F32);
    const auto of = [&](ValueId value) { return tolerances[value.index].of(graph.value(value).spec.dtype, 100); };
    REQUIRE(of(rounded) == 1.0 / 100);
    REQUIRE(of(moved) == 1.0 / 100);
    REQUIRE(of(bytes) == 1.0 / 100);
    REQUIRE(of(y) == share + 1.0 / 128);
    REQUIRE(of(index) == 0);
}

TEST_CASE("a float that becomes a narrow integer has steps, an index has none") {
    Graph graph;
    const ValueId x = graph.add_input("x", {ir::DType::F32, small_shape()});
    const ValueId bytes = cast(graph, x, ir::DType::I8);
    const ValueId y = cast(graph, bytes, ir::DType::F32);
    const ValueId index = cast(graph, x, ir::DType::I64);
    REQUIRE(way_to(graph, y).step_bits == 8);
    REQUIRE(way_to(graph, bytes).step_bits == 8);
    REQUIRE(way_to(graph, index).step_bits == 0);
}

TEST_CASE("a step is a part of the greatest magnitude of floats, and one of integers") {
    lang::Tensor floats;
    floats.dtype = ir::DType::F32;
    floats.shape = {2};
    floats.storage = std::make_shared<lang::Storage>(8);
    lang::write_doubles(floats, {64, -1});
    const session::Tolerance usual = recorded_tolerance(floats);
    REQUIRE(*usual.absolute == 2e-5 * 64);
    const session::Tolerance quantised = recorded_tolerance(floats, Way{2e-5, 8});
    REQUIRE(*quantised.absolute == (2e-5 + 1.0 / 128) * 64);
    REQUIRE(*quantised.relative == *usual.relative);
    lang::Tensor bytes;
    bytes.dtype = ir::DType::U8;
    bytes.shape = {2};
    bytes.storage = std::make_shared<lang::Storage>(2);
    lang::write_doubles(bytes, {200, 3});
    REQUIRE(*recorded_tolerance(bytes).absolute == 0);
    REQUIRE(*recorded_tolerance(bytes, Way{2e-5, 8}).absolute == 200.0 / 128);
}

} // namespace
