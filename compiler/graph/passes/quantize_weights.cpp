// SPDX-License-Identifier: Apache-2.0
// Stores the constant matrices of products in few bits where the user asks for it. One that loses too much by that stays as
// it is, and so does one that would not become smaller.
#include <cmath>
#include <map>

#include "compiler/graph/core/data.h"
#include "compiler/graph/passes/packed_weight.h"
#include "compiler/graph/passes/passes.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

// Null: the product has no matrix of floats that is constant.
const Value* matrix_of(const Graph& graph, const Node& matmul) {
    const Value& weight = graph.value(matmul.inputs[1]);
    const TensorSpec& a = graph.value(matmul.inputs[0]).spec;
    const ir::DType dtype = weight.spec.dtype;
    const bool is_float = dtype == ir::DType::F32 || dtype == ir::DType::F16 || dtype == ir::DType::BF16;
    const bool is_matrix = weight.data && weight.data->has_data() && weight.spec.shape.size() == 2;
    return is_float && is_matrix && a.dtype == dtype && weight.data->count() > 0 ? &weight : nullptr;
}

// A GPU would read it far slower than the matrix in full.
std::string why_in_vain(const GraphOptions& options, const Value& weight, bool is_transposed,
                        const QuantizeKind& kind) {
    const std::int64_t k = weight.data->shape[is_transposed ? 1 : 0];
    if (!options.target.is_cuda())
        return "";
    if (weight.spec.dtype == ir::DType::F32)
        return "is multiplied in float32, in which no kernel reads few bits: --precision float16 is one in which they "
               "do";
    if (!has_kernels_for_few_bits(options, weight.spec.dtype))
        return "is multiplied without matrix units";
    return is_form_of_kernels(k, kind.bits, kind.group_size) ? "" : cat("sums of ", k, " are not a multiple of 8");
}

std::string why_left(const WeightRecord& record, double limit) {
    if (!std::isfinite(record.error))
        return "has numbers that are not finite";
    if (record.error > limit)
        return cat("an error of ", number_text(record.error), " is above the limit of ", number_text(limit));
    return record.after < record.before ? "" : "would not become smaller";
}

std::string text_of(const WeightRecord& record, const QuantizeKind& kind) {
    return cat(kind.name, ", ", bytes_text(static_cast<double>(record.before)), " to ",
               bytes_text(static_cast<double>(record.after)), ", error ", number_text(record.error));
}

std::string name_of(const Graph& graph, const Node& matmul, const Value& weight) {
    for (const std::string* name : {&matmul.name, &graph.value(matmul.outputs[0]).name, &weight.name})
        if (!name->empty())
            return *name;
    return matmul.op->name;
}

} // namespace

void quantize_weights(PassState& state) {
    const QuantizeKind* kind = find_quantize_kind(state.options.quantize);
    if (!kind)
        return;
    Graph& graph = state.graph;
    const double limit = state.options.quantize_limit > 0 ? state.options.quantize_limit : kind->limit;
    // By the constant and whether it is transposed: several products may read it.
    std::map<std::pair<std::uint32_t, bool>, PackedOperands> made;
    std::map<std::pair<std::uint32_t, bool>, WeightRecord> records;
    for (const NodeId id : graph.topological()) {
        if (state.is_cancelled())
            return;
        const Node& node = graph.node(id);
        const Value* weight = node.is(OpId::Matmul) ? matrix_of(graph, node) : nullptr;
        if (!weight)
            continue;
        const std::pair key(node.inputs[1].index, node.get<bool>("transpose_b"));
        const auto [known, is_new] = records.try_emplace(key);
        WeightRecord& record = known->second;
        record.node = name_of(graph, node, *weight);
        if (is_new)
            record.left = why_in_vain(state.options, *weight, key.second, *kind);
        if (is_new && !record.left.empty()) {
            record.before = static_cast<std::int64_t>(bytes_of(*weight->data));
            record.after = record.before;
        } else if (is_new) {
            const QuantizedWeight quantised = quantized(*weight->data, key.second, *kind);
            record.error = quantised.error;
            record.before = static_cast<std::int64_t>(bytes_of(*weight->data));
            record.after = quantised.numbers ? bytes_of(quantised) : record.before;
            record.left = why_left(record, limit);
            if (record.left.empty())
                made.emplace(key, add_packed(graph, quantised, std::string(weight->name)));
        }
        state.record.weights.push_back(record);
        if (record.left.empty())
            take_place_of_matmul(state, id, made.at(key), "quantize-weights", text_of(record, *kind));
    }
}

} // namespace hidet::graph
