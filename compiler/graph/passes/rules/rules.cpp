// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/rules/rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

enum : bool { Off = false, On = true };

} // namespace

#define ROOTS(...)                                                                                                     \
    { __VA_ARGS__ }

const std::vector<RuleInfo>& rewrite_rules() {
    using enum OpId;
    static const std::vector<RuleInfo> rules = {
#define HIDET_REWRITE(function, name, roots, is_on, summary) {name, roots, is_on, function, summary},
#define HIDET_RESOLVE(function, name, roots, is_on, summary)
#include "compiler/graph/passes/rules/rules.def"
#undef HIDET_REWRITE
#undef HIDET_RESOLVE
    };
    return rules;
}

const std::vector<RuleInfo>& resolve_rules() {
    using enum OpId;
    static const std::vector<RuleInfo> rules = {
#define HIDET_REWRITE(function, name, roots, is_on, summary)
#define HIDET_RESOLVE(function, name, roots, is_on, summary) {name, roots, is_on, function, summary},
#include "compiler/graph/passes/rules/rules.def"
#undef HIDET_REWRITE
#undef HIDET_RESOLVE
    };
    return rules;
}
#undef ROOTS

std::optional<ConstantOperand> constant_operand(const Rewriting& rewriting, NodeId node) {
    const ValueId a = rewriting.input(node, 0);
    const ValueId b = rewriting.input(node, 1);
    if (rewriting.is_constant(a) == rewriting.is_constant(b))
        return std::nullopt;
    const bool is_left = rewriting.is_constant(a);
    return ConstantOperand{is_left ? b : a, is_left ? a : b, is_left};
}

std::optional<std::int64_t> dimension_of(const Shape& constant, std::size_t rank) {
    if (constant.size() > rank)
        return std::nullopt;
    std::int64_t found = -1;
    for (std::size_t i = 0; i < constant.size(); ++i) {
        if (constant_of(constant[i]) == 1)
            continue;
        if (found >= 0)
            return std::nullopt;
        found = static_cast<std::int64_t>(rank - constant.size() + i);
    }
    return found;
}

bool is_ordinary_addend(const lang::Tensor& constant) {
    const auto digits = [&] {
        switch (constant.dtype) {
        case ir::DType::F64: return 26;
        case ir::DType::F32: return 12;
        case ir::DType::F16: return 5;
        default: return 4;
        }
    };
    const double most = ir::is_float(constant.dtype) ? std::ldexp(1.0, digits()) : 0;
    return !ir::is_float(constant.dtype) || std::ranges::all_of(lang::read_doubles(constant), [&](double value) {
        return std::abs(value) <= most; // false for a NaN
    });
}

bool is_finite(const lang::Tensor& tensor) {
    return !ir::is_float(tensor.dtype) ||
           std::ranges::all_of(lang::read_doubles(tensor), [](double value) { return std::isfinite(value); });
}

ValueId reshaped_to(Rewriting& rewriting, ValueId value, const Shape& shape) {
    return same_shape(rewriting.spec(value).shape, shape) ? value : rewriting.reshaped(value, shape);
}

bool keeps_matrices(const Shape& from, const Shape& to) {
    return from.size() >= 2 && to.size() >= 2 && same_dim(from.back(), to.back()) &&
           same_dim(from[from.size() - 2], to[to.size() - 2]);
}

bool same_attributes(const Rewriting& rewriting, NodeId a, NodeId b) {
    const auto& x = rewriting.attributes(a).items();
    const auto& y = rewriting.attributes(b).items();
    return std::ranges::equal(
        x, y, [](const auto& p, const auto& q) { return p.first == q.first && same_attribute(p.second, q.second); });
}

bool is_contraction(const Rewriting& rewriting, NodeId node) {
    return node.valid() && rewriting.graph.is_live(node) && rewriting.graph.node(node).op->cls == OpClass::Contraction;
}

Ints dims_attribute(const Rewriting& rewriting, NodeId node, std::string_view name) {
    const std::size_t rank = rewriting.spec(rewriting.input(node, 0)).shape.size();
    Ints dims = rewriting.graph.node(node).get<Ints>(name);
    if (dims.empty()) {
        dims.resize(rank);
        std::iota(dims.begin(), dims.end(), 0);
    }
    for (std::int64_t& each : dims)
        each = normalise_axis(each, rank, "dimension");
    std::ranges::sort(dims);
    return dims;
}

} // namespace hidet::graph
