// SPDX-License-Identifier: Apache-2.0
// A decoding step writes a key and a value into its cache and attends to the whole. Attention that reads the cache as it was,
// and the new row beside it, waits for no kernel that writes the row: the cache is written when there is time, by one launch
// for all layers (share_launches.cpp).
#include <functional>
#include <numeric>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/rules/rules.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t most_queries = 32; // of queries that read one key, as attention_decode.py takes them
constexpr std::int64_t longest_key = 128;

struct Update { // of one row of each matrix
    ValueId before;
    ValueId place; // one index
    ValueId row;
};

std::optional<Update> updated_row(const Rewriting& rewriting, ValueId value) {
    for (NodeId view = rewriting.made_by(value, OpId::Reshape); view.valid();
         view = rewriting.made_by(value, OpId::Reshape)) {
        const ValueId before = rewriting.input(view, 0);
        if (!keeps_matrices(rewriting.spec(before).shape, rewriting.spec(value).shape))
            return std::nullopt;
        value = before;
    }
    const NodeId update = rewriting.made_by(value, OpId::ScatterND);
    if (!update.valid())
        return std::nullopt;
    const Node& node = rewriting.graph.node(update);
    const auto rank = static_cast<std::int64_t>(rewriting.spec(value).shape.size());
    const Shape& indices = rewriting.spec(node.inputs[1]).shape;
    if (node.get<std::string>("reduction") != "none" || node.get<std::int64_t>("first") != rank - 2 ||
        constant_of(element_count(indices)) != 1)
        return std::nullopt;
    return Update{node.inputs[0], node.inputs[1], node.inputs[2]};
}

// As attention_decode.py.
bool is_taken(const Rewriting& rewriting, const Node& node) {
    const TensorSpec& q = rewriting.spec(node.inputs[0]);
    const auto queries = constant_shape(q.shape), keys = constant_shape(rewriting.spec(node.inputs[1]).shape);
    const auto values = constant_shape(rewriting.spec(node.inputs[2]).shape);
    if (!is_half(q.dtype) || !queries || !keys || !values || node.get<double>("scale") <= 0)
        return false;
    const auto takes = [](std::int64_t length, std::int64_t run) {
        return length > 0 && length % run == 0 && length <= longest_key;
    };
    const auto matrices = [](const Ints& shape) {
        return std::accumulate(shape.begin(), shape.end() - 2, std::int64_t{1}, std::multiplies());
    };
    const std::int64_t rows = matrices(*queries), shared = matrices(*keys);
    return queries->at(queries->size() - 2) == 1 && takes(queries->back(), 16) && takes(values->back(), 8) &&
           shared > 0 && rows > 0 && rows <= most_queries * shared;
}

} // namespace

bool attention_beside_update(Rewriting& rewriting, NodeId root) {
    const GraphOptions& options = rewriting.options;
    const Node node = rewriting.graph.node(root); // until something is added, which may move it
    if (!options.target.is_cuda() || options.target.arch.number < 90 || options.mma == "simt" ||
        node.inputs.size() != 4 || !node.get<bool>("transpose_k") || !is_taken(rewriting, node))
        return false;
    const auto k = updated_row(rewriting, node.inputs[1]), v = updated_row(rewriting, node.inputs[2]);
    if (!k || !v || k->place != v->place)
        return false;
    const auto row_of = [&](ValueId row, ValueId rows) {
        Shape shape = rewriting.spec(rows).shape;
        shape[shape.size() - 2] = dim(1);
        return reshaped_to(rewriting, row, shape);
    };
    std::vector<ValueId> inputs = node.inputs;
    inputs[1] = reshaped_to(rewriting, k->before, rewriting.spec(node.inputs[1]).shape);
    inputs[2] = reshaped_to(rewriting, v->before, rewriting.spec(node.inputs[2]).shape);
    inputs.push_back(row_of(k->row, node.inputs[1]));
    inputs.push_back(row_of(v->row, node.inputs[2]));
    inputs.push_back(reshaped_to(rewriting, k->place, {dim(1)}));
    return rewriting.becomes(root, rewriting.add(OpId::AttnMaskAdd, std::move(inputs), node.attributes));
}

} // namespace hidet::graph
