// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/product_units.h"

#include <algorithm>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/schedule/templates.h"
#include "lang/base/text.h"
#include "lang/host/options.h"

namespace hidet::graph {

namespace {

constexpr const char* simt_product = "product_simt.matmul"; // takes all products
constexpr const char* simt_convolution = "product_simt.convolution";

ir::DType operand_dtype(const Graph& graph, const Node& node) {
    return graph.value(node.inputs[0]).spec.dtype;
}

bool is_for_matrix_units(const Graph& graph, const Node& node) {
    return is_half(operand_dtype(graph, node)) || permits_tf32(node);
}

bool are_extents_known(const Graph& graph, const Node& node) {
    return std::ranges::all_of(
        node.inputs, [&](ValueId value) { return constant_shape(graph.value(value).spec.shape).has_value(); });
}

// Empty: no template with matrix units is for the operator. Channels that are for themselves are no products.
std::string schedule_without(const Graph& graph, const Node& node) {
    if (node.inputs.empty() || !is_for_matrix_units(graph, node) || !are_extents_known(graph, node))
        return "";
    if (node.is(OpId::Matmul))
        return simt_product;
    const bool is_dense = node.is(OpId::Conv2dChannelLast) && node.get<std::int64_t>("groups") == 1;
    if (is_dense && constant_of(graph.value(node.inputs[0]).spec.shape.back()).value_or(1) % 4 == 0)
        return simt_convolution;
    return is_dense || node.is_any_of({OpId::Attn, OpId::AttnMaskAdd, OpId::PackedMatmul}) ? by_rules : "";
}

} // namespace

std::vector<NodeChoice> without_matrix_units(const Graph& graph) {
    const NodeKeys keys(graph);
    std::vector<NodeChoice> choices;
    for (const NodeId id : graph.topological())
        if (std::string schedule = schedule_without(graph, graph.node(id)); !schedule.empty())
            choices.push_back({keys.of(id), std::move(schedule)});
    return choices;
}

void check_products(lang::Evaluator& evaluator, const Graph& graph, const GraphOptions& options, Span span) {
    if (asks_in_vain_for_tf32(options))
        lang::without_effect(
            evaluator, span, "set_precision",
            cat(options.target.is_cuda() ? options.target.name : "a CPU", " multiplies float32 as it is"));
    if (options.mma != "mma")
        return;
    if (!options.target.is_cuda())
        return lang::without_effect(evaluator, span, "set_mma", "the graph is on the CPU, which has no matrix units");
    for (const NodeId id : graph.topological()) {
        const Node& node = graph.node(id);
        if (node.is(OpId::Matmul) && !is_for_matrix_units(graph, node))
            return lang::without_effect(
                evaluator, span, "set_mma",
                cat("no operator template multiplies ", ir::info(operand_dtype(graph, node)).name,
                    " by matrix units; set_precision('tf32') or ('float16') makes products that they take"));
    }
}

} // namespace hidet::graph
