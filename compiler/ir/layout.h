// SPDX-License-Identifier: Apache-2.0
// Data layouts: functions from a tensor index to a storage slot, as values (language.md 3.3).
#pragma once

#include <span>

#include "compiler/ir/node.h"

namespace hidet::ir {

// slot = sum(index * stride); row and column major are strides
struct StridesLayout : NodeOf<Kind::StridesLayout, Layout> {
    ExprVec shape;
    ExprVec strides;
    static void visit_fields(auto& s, auto&& v) { v(s.shape, s.strides); }
};

struct LocalLayout : NodeOf<Kind::LocalLayout, Layout> { // every index -> slot 0: the data is spread over workers
    ExprVec shape;
    static void visit_fields(auto& s, auto&& v) { v(s.shape); }
};

// slot = outer(index / inner.shape) * inner.size + inner(index % inner.shape)
struct ComposedLayout : NodeOf<Kind::ComposedLayout, Layout> {
    LayoutRef outer;
    LayoutRef inner;
    static void visit_fields(auto& s, auto&& v) { v(s.outer, s.inner); }
};

struct ConcatLayout : NodeOf<Kind::ConcatLayout, Layout> { // shape a ++ b; slot = a(first) * b.size + b(rest)
    LayoutRef first;
    LayoutRef second;
    static void visit_fields(auto& s, auto&& v) { v(s.first, s.second); }
};

// index[dim] ^= (index[regards] >> log_step) reduced to dim's extent
struct SwizzleLayout : NodeOf<Kind::SwizzleLayout, Layout> {
    LayoutRef base;
    std::int64_t dim = 0;
    std::int64_t regards = 0;
    std::int64_t log_step = 0;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.dim, s.regards, s.log_step); }
};

// shape[i] = base.shape[perm[i]]; base index[perm[i]] = index[i]
struct PermuteLayout : NodeOf<Kind::PermuteLayout, Layout> {
    LayoutRef base;
    std::vector<std::int64_t> perm;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.perm); }
};

// row-major linear index in `shape`, decomposed row-major over the base's shape
struct ReshapeLayout : NodeOf<Kind::ReshapeLayout, Layout> {
    LayoutRef base;
    ExprVec shape;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.shape); }
};

// ---- makers; they check ranks and throw InternalError, so callers check user input first --------------------------
LayoutRef row_major(ExprVec shape);
LayoutRef column_major(ExprVec shape);
LayoutRef strides_layout(ExprVec shape, ExprVec strides);
// ranks[d] = position of dim d from slowest (0) to fastest.
LayoutRef strided_layout(ExprVec shape, const std::vector<std::int64_t>& ranks);
LayoutRef local_layout(ExprVec shape);
LayoutRef compose(LayoutRef outer, LayoutRef inner);
LayoutRef concat(LayoutRef first, LayoutRef second);
LayoutRef swizzle(LayoutRef base, std::int64_t dim, std::int64_t regards, std::int64_t log_step);
LayoutRef permute(LayoutRef base, std::vector<std::int64_t> perm);
LayoutRef reshape(LayoutRef base, ExprVec shape);

// ---- meaning ------------------------------------------------------------------------------------------------------
ExprVec shape_of(const LayoutRef& layout);
std::size_t rank_of(const LayoutRef& layout);
ExprRef size_of(const LayoutRef& layout); // number of storage slots
ExprRef slot_of(const LayoutRef& layout, const ExprVec& index);
ExprRef within_bound(const LayoutRef& layout, const ExprVec& index); // bool expression over the logical shape
bool is_row_major(const LayoutRef& layout);
// For constant layouts: the slot of a constant index, without building expressions.
std::int64_t slot_of(const LayoutRef& layout, std::span<const std::int64_t> index);

} // namespace hidet::ir
