// SPDX-License-Identifier: Apache-2.0
// What a device needs at least is never above what was measured on it.
#include <algorithm>

#include <doctest/doctest.h>

#include "compiler/artifact/target_spec.h"
#include "compiler/graph/core/graph.h"
#include "compiler/graph/document/costs.h"
#include "compiler/graph/fuse/partition.h"
#include "compiler/perf/launch_time.h"
#include "compiler/perf/roofs.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

using ir::DType;
using Extents = std::vector<std::int64_t>;

Shape shape_from(const Extents& extents) {
    Shape out;
    for (const std::int64_t extent : extents)
        out.push_back(dim(extent));
    return out;
}

// A graph of one operator.
class Single {
public:
    ValueId input(DType dtype, const Extents& extents) { return m_graph.add_input("", {dtype, shape_from(extents)}); }
    ValueId constant(DType dtype, const Extents& extents) {
        lang::TensorRef shape(new lang::Tensor);
        shape->dtype = dtype;
        shape->shape = extents;
        return m_graph.add_constant(shape, "");
    }
    NodeCost cost(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
        const ValueId result = m_graph.add_one(op, std::move(inputs), std::move(attributes));
        m_graph.set_outputs({result});
        const NodeId node = m_graph.value(result).producer;
        return cost_of(m_graph, Group{node, {node}, {Role::Anchor}});
    }

private:
    Graph m_graph;
};

double number(const Dim& extent) {
    return static_cast<double>(constant_of(extent).value());
}

// Weights come from memory, as there were more of them than the cache holds, and the rest may come from the cache.
double least_us(const char* card, const NodeCost& cost, perf::Factors factors = perf::Factors::Half) {
    const artifact::TargetSpec target = *artifact::find_target(card);
    perf::DeviceRoofs roofs = perf::roofs_of(target);
    roofs.launch_seconds = perf::least_launch_seconds(target);
    const double bytes = number(cost.bytes), constants = number(cost.constant_bytes);
    const double cached = std::min(bytes - constants, roofs.cache_bytes);
    return perf::least_time(roofs, {number(cost.flops), bytes, 1, factors, cached}).seconds * 1e6;
}

struct TimedProduct {
    std::int64_t m, n, k;
    double us;
};

TEST_CASE("products in half precision take no less than the least, one after the other in a graph") {
    const TimedProduct rows[] = {
        {128, 768, 768, 3.13},    {128, 2304, 768, 3.62},  {128, 3072, 768, 4.36},  {128, 768, 3072, 5.6},
        {196, 256, 1024, 3.33},   {196, 1024, 256, 2.18},  {49, 512, 2048, 3.6},    {49, 512, 4608, 5.07},
        {196, 256, 2304, 4.74},   {784, 128, 1152, 3.65},  {3136, 64, 576, 3.08},   {16, 4096, 4096, 10.2},
        {128, 4096, 4096, 13.0},  {1024, 1024, 1024, 5.6}, {1, 4096, 4096, 10.2},   {8, 4096, 4096, 10.1},
        {32, 4096, 4096, 10.7},   {64, 4096, 4096, 11.1},  {16, 6144, 4096, 14.3},  {16, 4096, 11008, 23.1},
        {16, 11008, 4096, 24.8},  {1, 11008, 4096, 23.4},  {8, 768, 768, 2.1},      {1, 3072, 768, 2.75},
        {2048, 2048, 2048, 32.2}, {4096, 4096, 4096, 199}, {8192, 8192, 8192, 1630}};
    for (const TimedProduct& each : rows) {
        Single graph;
        const ValueId a = graph.input(DType::F16, {each.m, each.k});
        const NodeCost cost = graph.cost(op_info::Matmul(), {a, graph.constant(DType::F16, {each.k, each.n})});
        CAPTURE(each.m);
        CAPTURE(each.n);
        CAPTURE(each.k);
        CHECK(least_us("h200", cost) <= each.us);
    }
}

struct TimedFewBits {
    std::int64_t rows, bits;
    double us;
};

TEST_CASE("products with weights of few bits take no less than the least") {
    const TimedFewBits rows[] = {{1, 4, 6.3},   {1, 8, 7.4},   {8, 4, 6.8}, {8, 8, 7.4},
                                 {32, 4, 10.7}, {32, 8, 10.5}, {512, 4, 65}};
    for (const TimedFewBits& each : rows) {
        Single graph;
        const ValueId a = graph.input(DType::F16, {each.rows, 4096});
        const ValueId weight = graph.constant(DType::U8, {4096, 4096 * each.bits / 8});
        const std::int64_t groups = each.bits == 4 ? 32 : 1;
        const NodeCost cost =
            graph.cost(op_info::PackedMatmul(), {a, weight, graph.constant(DType::F16, {4096, groups})},
                       {{"bits", each.bits}, {"group_size", each.bits == 4 ? std::int64_t{128} : std::int64_t{0}}});
        CAPTURE(each.rows);
        CAPTURE(each.bits);
        CHECK(least_us("h100", cost) <= each.us);
    }
}

struct TimedConvolution {
    std::int64_t size, from, to, filter, stride;
    double us;
};

TEST_CASE("the convolutions of ResNet-50 take no less than the least, one after the other in a graph") {
    const TimedConvolution rows[] = {
        {56, 64, 64, 1, 1, 1.90},    {56, 64, 64, 3, 1, 3.30},    {56, 64, 256, 1, 1, 2.88},
        {56, 256, 64, 1, 1, 2.35},   {56, 256, 128, 1, 1, 2.68},  {28, 128, 128, 3, 1, 4.14},
        {56, 128, 128, 3, 2, 4.12},  {28, 128, 512, 1, 1, 2.24},  {28, 512, 128, 1, 1, 3.07},
        {14, 256, 256, 3, 1, 4.42},  {28, 256, 256, 3, 2, 4.33},  {14, 256, 1024, 1, 1, 2.28},
        {14, 1024, 256, 1, 1, 2.94}, {7, 512, 512, 3, 1, 5.82},   {14, 512, 512, 3, 2, 5.78},
        {7, 512, 2048, 1, 1, 3.04},  {7, 2048, 512, 1, 1, 3.69},  {56, 256, 512, 1, 2, 2.62},
        {28, 512, 1024, 1, 2, 3.15}, {14, 1024, 2048, 1, 2, 4.20}};
    for (const TimedConvolution& each : rows) {
        Single graph;
        const std::int64_t pad = each.filter / 2;
        const ValueId x = graph.input(DType::F16, {1, each.from, each.size + 2 * pad, each.size + 2 * pad});
        const NodeCost cost = graph.cost(
            op_info::Conv2d(), {x, graph.constant(DType::F16, {each.to, each.from, each.filter, each.filter})},
            {{"stride", Ints{each.stride, each.stride}}});
        CAPTURE(each.size);
        CAPTURE(each.from);
        CAPTURE(each.to);
        CAPTURE(each.filter);
        CHECK(least_us("h200", cost) <= each.us);
    }
}

TEST_CASE("attention needs as many operations as it has keys to look at, on matrix units") {
    const auto cost = [](std::int64_t queries, std::int64_t keys, bool is_causal) {
        Single graph;
        const ValueId q = graph.input(DType::F16, {32, queries, 64}), k = graph.input(DType::F16, {32, 64, keys});
        return graph.cost(op_info::Attn(), {q, k, graph.input(DType::F16, {32, keys, 64})}, {{"is_causal", is_causal}});
    };
    CHECK(number(cost(2048, 2048, false).flops) == 4.0 * 32 * 64 * 2048 * 2048);
    CHECK(number(cost(2048, 2048, true).flops) == 2.0 * 32 * 64 * 2048 * 2049);
    CHECK(number(cost(4, 2, true).flops) == 4.0 * 32 * 64 * 7);
    // A prefill of 2,048 tokens takes 7,193 us with all 16 layers.
    CHECK(16 * least_us("h200", cost(2048, 2048, true)) <= 7193);
}

TEST_CASE("of a large tensor no more is read and written than what is taken from it or put there") {
    Single slice;
    const NodeCost sliced = slice.cost(op_info::StridedSlice(), {slice.input(DType::F16, {4096, 1024})},
                                       {{"starts", Shape{dim(0)}}, {"ends", Shape{dim(8)}}});
    CHECK(number(sliced.bytes) == 2.0 * 2 * 8 * 1024);
    Single table;
    const ValueId rows = table.constant(DType::F16, {128256, 2048});
    const NodeCost taken =
        table.cost(op_info::Take(), {rows, table.input(DType::I64, {1})}, {{"axis", std::int64_t{0}}});
    CHECK(number(taken.bytes) == 2.0 * 2 * 2048 + 8);
    CHECK(number(taken.constant_bytes) == 2.0 * 2048);
    Single cache;
    const ValueId keys = cache.input(DType::F16, {2048, 512}), token = cache.input(DType::F16, {1, 512});
    const NodeCost put = cache.cost(op_info::ScatterND(), {keys, cache.input(DType::I64, {1, 1}), token});
    CHECK(number(put.bytes) == 2.0 * 2 * 512 + 8);
}

} // namespace
