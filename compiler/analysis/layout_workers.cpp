// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/layout_workers.h"

#include "compiler/ir/expr.h"

namespace hidet::compiler {

using namespace ir;

namespace {

using Index = std::vector<std::int64_t>;

std::optional<Index> extents_of(const LayoutRef& layout) {
    Index out;
    for (const ExprRef& extent : shape_of(layout)) {
        const auto known = constant_int(extent);
        if (!known || *known <= 0)
            return std::nullopt;
        out.push_back(*known);
    }
    return out;
}

std::optional<std::int64_t> product_of_counts(const LayoutRef& a, const LayoutRef& b) {
    const auto first = worker_count(a), second = worker_count(b);
    return first && second ? std::optional(*first * *second) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> worker_count(const LayoutRef& layout) {
    const auto shape = extents_of(layout);
    if (!shape)
        return std::nullopt;
    switch (layout->kind) {
    case Kind::StridesLayout: return 1;
    case Kind::LocalLayout: {
        std::int64_t count = 1;
        for (const std::int64_t extent : *shape)
            count *= extent;
        return count;
    }
    case Kind::ComposedLayout: {
        const auto& composed = static_cast<const ComposedLayout&>(*layout);
        return product_of_counts(composed.outer, composed.inner);
    }
    case Kind::ConcatLayout: {
        const auto& concat = static_cast<const ConcatLayout&>(*layout);
        return product_of_counts(concat.first, concat.second);
    }
    case Kind::PermuteLayout: return worker_count(static_cast<const PermuteLayout&>(*layout).base);
    default: return std::nullopt;
    }
}

std::int64_t worker_of(const LayoutRef& layout, const Index& index) {
    switch (layout->kind) {
    case Kind::LocalLayout: {
        const Index shape = *extents_of(layout);
        std::int64_t worker = 0;
        for (std::size_t d = 0; d < index.size(); ++d)
            worker = worker * shape[d] + index[d];
        return worker;
    }
    case Kind::ComposedLayout: {
        const auto& composed = static_cast<const ComposedLayout&>(*layout);
        const Index inner = *extents_of(composed.inner);
        Index of_outer, of_inner;
        for (std::size_t d = 0; d < index.size(); ++d)
            of_outer.push_back(index[d] / inner[d]), of_inner.push_back(index[d] % inner[d]);
        return worker_of(composed.outer, of_outer) * *worker_count(composed.inner) +
               worker_of(composed.inner, of_inner);
    }
    case Kind::ConcatLayout: {
        const auto& concat = static_cast<const ConcatLayout&>(*layout);
        const auto rest = index.begin() + static_cast<std::ptrdiff_t>(rank_of(concat.first));
        return worker_of(concat.first, {index.begin(), rest}) * *worker_count(concat.second) +
               worker_of(concat.second, {rest, index.end()});
    }
    case Kind::PermuteLayout: {
        const auto& permuted = static_cast<const PermuteLayout&>(*layout);
        Index of_base(index.size());
        for (std::size_t d = 0; d < index.size(); ++d)
            of_base[static_cast<std::size_t>(permuted.perm[d])] = index[d];
        return worker_of(permuted.base, of_base);
    }
    default: return 0;
    }
}

} // namespace hidet::compiler
