// SPDX-License-Identifier: Apache-2.0
// Counting n-grams of integers: every gram of the pool is compared with every place of the input where it may begin.
#include <algorithm>

#include "compiler/graph/onnx/conversions.h"

namespace hidet::graph::onnx {

namespace {

struct Pool {
    Ints elements;
    Ints starts;  // in the elements, by length
    Ints columns; // of the result, by gram
};

// The grams of one length, and which they are among all.
struct Grams {
    std::int64_t length = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    Ints elements;
};

std::vector<Grams> grams_of(const Pool& pool) {
    std::vector<Grams> all;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < pool.starts.size(); ++i) {
        const auto size = static_cast<std::int64_t>(pool.elements.size());
        const std::int64_t start = pool.starts[i];
        const std::int64_t end = i + 1 < pool.starts.size() ? pool.starts[i + 1] : size;
        const auto length = static_cast<std::int64_t>(i) + 1;
        if (start < 0 || end < start || end > size || (end - start) % length != 0)
            throw OpError("ngram_counts do not fit to the pool");
        all.push_back(
            {length, first, (end - start) / length, Ints(pool.elements.begin() + start, pool.elements.begin() + end)});
        first += all.back().count;
    }
    if (first != static_cast<std::int64_t>(pool.columns.size()))
        throw OpError("there are ", pool.columns.size(), " ngram_indexes for ", first, " grams");
    return all;
}

// How often each gram of one length is in x, with so many elements left out between its own: [..., grams].
Val counts_of(NodeCall& node, const Val& x, const Grams& grams, std::int64_t skip, std::int64_t extent) {
    const std::int64_t places = extent - (grams.length - 1) * (skip + 1);
    Ints index;
    for (std::int64_t place = 0; place < places; ++place)
        for (std::int64_t k = 0; k < grams.length; ++k)
            index.push_back(place + k * (skip + 1));
    const lang::TensorRef at = make_ints(index);
    at->shape = {places, 1, grams.length};
    const lang::TensorRef wanted = make_ints(grams.elements);
    wanted->shape = {grams.count, grams.length};
    const Val windows = node.add(OpId::Take, {x, node.builder().constant(at)}, {{"axis", std::int64_t{-1}}});
    const Val is_equal = node.add(OpId::Equal, {windows, node.builder().constant(wanted)});
    const Val matches = node.add(OpId::ReduceAnd, {is_equal}, {{"dims", Ints{-1}}, {"keepdims", false}});
    return node.add(OpId::ReduceSum, {node.cast(matches, ir::DType::F32)}, {{"dims", Ints{-2}}, {"keepdims", false}});
}

} // namespace

Vals tf_idf_vectorizer(NodeCall& node) {
    const Pool pool{node.ints("pool_int64s"), node.ints("ngram_counts"), node.ints("ngram_indexes")};
    if (node.has_attribute("pool_strings"))
        throw OpError("tensors of strings are not supported");
    const std::string mode = node.s("mode", "TF");
    const Val x = node.cast(node.in(), ir::DType::I64);
    const auto extent = node.rank() == 0 ? std::nullopt : constant_of(node.shape().back());
    if (!extent || pool.columns.empty() || std::ranges::min(pool.columns) < 0)
        throw OpError("the length of the input, or the columns of the result, are not known");
    const std::int64_t columns = std::ranges::max(pool.columns) + 1;
    const Floats weights = node.floats("weights");
    if (columns > 1 << 20 || (!weights.empty() && weights.size() != pool.columns.size()))
        throw OpError("the weights or columns do not fit to the grams");
    Shape shape(node.shape().begin(), node.shape().end() - 1);
    shape.push_back(dim(columns));
    Val total = node.full(shape, 0, ir::DType::F32);
    for (const Grams& grams : grams_of(pool)) {
        if (grams.length < node.i("min_gram_length") || grams.length > node.i("max_gram_length") || grams.count == 0)
            continue;
        const std::int64_t skips = grams.length == 1 ? 0 : node.i("max_skip_count");
        Val counts;
        for (std::int64_t skip = 0; skip <= skips; ++skip) {
            if ((grams.length - 1) * (skip + 1) >= *extent)
                break;
            const Val more = counts_of(node, x, grams, skip, *extent);
            counts = counts ? node.add(OpId::Add, {counts, more}) : more;
        }
        if (!counts)
            continue;
        if (mode == "IDF")
            counts = node.cast(node.add(OpId::Greater, {counts, node.scalar(ir::DType::F32, 0)}), ir::DType::F32);
        // Each gram goes to its column, times its weight.
        const lang::TensorRef spread = make_tensor(ir::DType::F32, {grams.count, columns});
        auto* cells = reinterpret_cast<float*>(spread->data());
        for (std::int64_t g = 0; g < grams.count; ++g) {
            const auto gram = static_cast<std::size_t>(grams.first + g);
            const bool is_weighted = mode != "TF" && !weights.empty();
            cells[g * columns + pool.columns[gram]] = is_weighted ? static_cast<float>(weights[gram]) : 1.0F;
        }
        total = node.add(OpId::Add, {total, node.add(OpId::Matmul, {counts, node.builder().constant(spread)})});
    }
    return {total};
}

} // namespace hidet::graph::onnx
