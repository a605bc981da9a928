// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <numeric>

#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// What cannot be negative, minus zero included: roots of it are safe.
bool is_positive(const Rewriting& rewriting, ValueId value, int depth = 4) {
    const NodeId node = rewriting.graph.value(value).producer;
    if (!node.valid() || depth == 0)
        return false;
    switch (rewriting.graph.node(node).op->id) {
    case OpId::Square:
    case OpId::Exp:
    case OpId::Abs:
    case OpId::Sigmoid:
    case OpId::Softmax: return true;
    case OpId::Multiply: return rewriting.input(node, 0) == rewriting.input(node, 1);
    case OpId::Pow: return rewriting.scalar(rewriting.input(node, 1)) == 2;
    case OpId::ReduceMean:
    case OpId::ReduceSum:
    case OpId::ReduceMax:
    case OpId::Reshape: return is_positive(rewriting, rewriting.input(node, 0), depth - 1);
    case OpId::Add: {
        const auto operand = constant_operand(rewriting, node);
        const auto scalar = operand ? rewriting.scalar(operand->constant) : std::nullopt;
        return scalar && *scalar >= 0 && is_positive(rewriting, operand->x, depth - 1);
    }
    default: return false;
    }
}

// How many sums a product of these extents is cut into, by graph.md 2.7.
std::int64_t parts_of(const std::string& option, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    std::int64_t wanted = 1;
    if (option == "default") {
        constexpr std::int64_t processors = 108;
        const std::int64_t blocks = batch * ((m + 63) / 64) * ((n + 63) / 64);
        for (std::int64_t each : {8, 4, 2})
            if (wanted == 1 && blocks * each <= 5 * processors)
                wanted = each;
    } else {
        std::from_chars(option.data(), option.data() + option.size(), wanted);
    }
    return wanted > 1 ? std::gcd(wanted, k) : 1;
}

} // namespace

bool simple_power(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    const auto exponent = rewriting.scalar(rewriting.input(root, 1));
    const TensorSpec result = rewriting.spec(rewriting.output(root));
    if (!exponent || rewriting.spec(x).dtype != result.dtype || !ir::is_float(result.dtype) ||
        !same_shape(rewriting.spec(x).shape, result.shape))
        return false;
    const OpId op = *exponent == 2                                  ? OpId::Square
                    : *exponent == 3                                ? OpId::Cube
                    : *exponent == -1                               ? OpId::Reciprocal
                    : *exponent == 0.5 && is_positive(rewriting, x) ? OpId::Sqrt
                                                                    : OpId::None;
    if (op == OpId::None && *exponent != 1)
        return false;
    return rewriting.becomes(root, op == OpId::None ? x : rewriting.add(op, {x}));
}

bool pool_to_reduction(Rewriting& rewriting, NodeId root) {
    if (rewriting.graph.node(root).outputs.size() != 1)
        return false;
    const ValueId x = rewriting.input(root, 0);
    const Shape shape = rewriting.spec(rewriting.output(root)).shape;
    Ints dims;
    for (std::size_t i = 2; i < shape.size(); ++i) {
        if (constant_of(shape[i]) != 1)
            return false;
        dims.push_back(static_cast<std::int64_t>(i));
    }
    const bool is_max =
        rewriting.is_any_of(root, {OpId::AdaptiveMaxPool1d, OpId::AdaptiveMaxPool2d, OpId::AdaptiveMaxPool3d});
    return rewriting.becomes(
        root, rewriting.add(is_max ? OpId::ReduceMax : OpId::ReduceMean, {x}, {{"dims", dims}, {"keepdims", true}}));
}

bool reduce_nothing(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    const TensorSpec given = rewriting.spec(x);
    const TensorSpec result = rewriting.spec(rewriting.output(root));
    if (given.dtype != result.dtype)
        return false;
    for (std::int64_t each : dims_attribute(rewriting, root, "dims"))
        if (constant_of(given.shape[static_cast<std::size_t>(each)]) != 1)
            return false;
    return rewriting.becomes(root, reshaped_to(rewriting, x, result.shape));
}

bool reduce_rows(Rewriting& rewriting, NodeId root) {
    const ValueId x = rewriting.input(root, 0);
    const Shape shape = rewriting.spec(x).shape;
    const Ints dims = dims_attribute(rewriting, root, "dims");
    if (dims.size() < 2 || dims.back() - dims.front() + 1 != static_cast<std::int64_t>(dims.size()))
        return false;
    const auto first = shape.begin() + dims.front();
    const auto last = shape.begin() + dims.back() + 1;
    Shape rows(shape.begin(), first);
    rows.push_back(element_count(Shape(first, last)));
    rows.insert(rows.end(), last, shape.end());
    Attributes attributes = rewriting.attributes(root);
    attributes.set("dims", Ints{dims.front()});
    const ValueId y = rewriting.add(rewriting.graph.node(root).op->id, {reshaped_to(rewriting, x, rows)}, attributes);
    return rewriting.becomes(root, reshaped_to(rewriting, y, rewriting.spec(rewriting.output(root)).shape));
}

namespace {

// Parts of the sum are one more dimension of the batch.
bool parallel_batches(Rewriting& rewriting, NodeId root, const std::vector<std::int64_t>& left,
                      const std::vector<std::int64_t>& right) {
    const Shape result = rewriting.spec(rewriting.output(root)).shape;
    const auto extents = constant_shape(result);
    const std::int64_t k = left.back();
    if (!extents || k == 0)
        return false;
    const auto rank = static_cast<std::int64_t>(extents->size());
    const std::int64_t m = (*extents)[static_cast<std::size_t>(rank - 2)];
    const std::int64_t n = extents->back();
    const std::int64_t batch =
        std::accumulate(extents->begin(), extents->end() - 2, std::int64_t(1), std::multiplies<>());
    const std::int64_t parts = parts_of(rewriting.options.parallel_k, batch, m, n, k);
    if (parts <= 1)
        return false;
    std::vector<std::int64_t> a(left.begin(), left.end() - 1);
    a.insert(a.end(), {parts, k / parts});
    Ints axes(a.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[axes.size() - 3], axes[axes.size() - 2]);
    std::vector<std::int64_t> b(right.begin(), right.end() - 2);
    b.insert(b.end(), {parts, k / parts, right.back()});
    const ValueId cut = rewriting.reshaped(rewriting.input(root, 0), shape_of(a));
    const ValueId x = rewriting.permuted(cut, axes);
    const ValueId w = rewriting.reshaped(rewriting.input(root, 1), shape_of(b));
    const ValueId sums = rewriting.add(OpId::Matmul, {x, w}, rewriting.attributes(root));
    const ValueId y = rewriting.add(OpId::ReduceSum, {sums}, {{"dims", Ints{rank - 2}}, {"keepdims", false}});
    rewriting.note(std::to_string(parts) + " sums of " + std::to_string(k / parts));
    return rewriting.becomes(root, reshaped_to(rewriting, y, result));
}

} // namespace

bool parallel_k(Rewriting& rewriting, NodeId root) {
    const std::string& option = rewriting.options.parallel_k;
    const TensorSpec a = rewriting.spec(rewriting.input(root, 0));
    const TensorSpec b = rewriting.spec(rewriting.input(root, 1));
    const auto left = constant_shape(a.shape);
    const auto right = constant_shape(b.shape);
    const bool is_part = rewriting.graph.node(root).rule == "parallel-k";
    if (option == "disabled" || is_part || !left || !right || left->size() < 2 || right->size() < 2 ||
        a.dtype != b.dtype || rewriting.graph.node(root).get<bool>("transpose_b"))
        return false;
    if (right->size() > 2)
        return parallel_batches(rewriting, root, *left, *right);
    const std::int64_t k = left->back();
    const std::int64_t n = right->back();
    const std::int64_t rows = std::accumulate(left->begin(), left->end() - 1, std::int64_t(1), std::multiplies<>());
    const std::int64_t parts = k > 0 ? parts_of(option, 1, rows, n, k) : 1;
    if (parts <= 1)
        return false;
    const ValueId cut = rewriting.reshaped(rewriting.input(root, 0), shape_of({rows, parts, k / parts}));
    const ValueId x = rewriting.permuted(cut, Ints{1, 0, 2});
    const ValueId w = rewriting.reshaped(rewriting.input(root, 1), shape_of({parts, k / parts, n}));
    const ValueId sums = rewriting.add(OpId::Matmul, {x, w}, rewriting.attributes(root));
    const ValueId y = rewriting.add(OpId::ReduceSum, {sums}, {{"dims", Ints{0}}, {"keepdims", false}});
    rewriting.note(std::to_string(parts) + " sums of " + std::to_string(k / parts));
    return rewriting.becomes(root, reshaped_to(rewriting, y, rewriting.spec(rewriting.output(root)).shape));
}

bool constant_to_scalar(Rewriting& rewriting, NodeId root) {
    const auto found = constant_operand(rewriting, root);
    const auto value = found ? rewriting.scalar(found->constant) : std::nullopt;
    if (!value)
        return false;
    const TensorSpec& x = rewriting.spec(found->x);
    const TensorSpec& result = rewriting.spec(rewriting.output(root));
    if (!ir::is_float(x.dtype) || x.dtype != result.dtype || x.dtype != rewriting.spec(found->constant).dtype ||
        !same_shape(x.shape, result.shape))
        return false;
    const OpId id = rewriting.graph.node(root).op->id;
    const OpId op = id == OpId::Add        ? OpId::AddScalar
                    : id == OpId::Multiply ? OpId::MultiplyScalar
                    : id == OpId::Divide   ? (found->is_left ? OpId::RDivideScalar : OpId::DivideScalar)
                                           : (found->is_left ? OpId::RSubScalar : OpId::SubScalar);
    return rewriting.becomes(root, rewriting.add(op, {found->x}, {{"scalar", *value}}));
}

} // namespace hidet::graph
