// SPDX-License-Identifier: Apache-2.0
// Data layouts: functions from a tensor index to a storage slot, as values (language.md 3.3).
#pragma once

#include <span>

#include "compiler/ir/node.h"

namespace hidet::ir {

struct StridesLayout : Layout { // slot = sum(index * stride); row and column major are strides
    static constexpr Kind tag = Kind::StridesLayout;
    StridesLayout() : Layout(tag) {}
    ExprVec shape;
    ExprVec strides;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("shape", s.shape), v("strides", s.strides);
    }
};

struct LocalLayout : Layout { // every index -> slot 0: the data is spread over workers
    static constexpr Kind tag = Kind::LocalLayout;
    LocalLayout() : Layout(tag) {}
    ExprVec shape;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("shape", s.shape);
    }
};

struct ComposedLayout : Layout { // slot = outer(index / inner.shape) * inner.size + inner(index % inner.shape)
    static constexpr Kind tag = Kind::ComposedLayout;
    ComposedLayout() : Layout(tag) {}
    LayoutRef outer;
    LayoutRef inner;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("outer", s.outer), v("inner", s.inner);
    }
};

struct ConcatLayout : Layout { // shape a ++ b; slot = a(first) * b.size + b(rest)
    static constexpr Kind tag = Kind::ConcatLayout;
    ConcatLayout() : Layout(tag) {}
    LayoutRef first;
    LayoutRef second;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("first", s.first), v("second", s.second);
    }
};

struct SwizzleLayout : Layout { // index[dim] ^= (index[regards] >> log_step) reduced to dim's extent
    static constexpr Kind tag = Kind::SwizzleLayout;
    SwizzleLayout() : Layout(tag) {}
    LayoutRef base;
    std::int64_t dim = 0;
    std::int64_t regards = 0;
    std::int64_t log_step = 0;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base), v("dim", s.dim), v("regards", s.regards), v("log_step", s.log_step);
    }
};

struct PermuteLayout : Layout { // shape[i] = base.shape[perm[i]]; base index[perm[i]] = index[i]
    static constexpr Kind tag = Kind::PermuteLayout;
    PermuteLayout() : Layout(tag) {}
    LayoutRef base;
    std::vector<std::int64_t> perm;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base), v("perm", s.perm);
    }
};

struct ReshapeLayout : Layout { // row-major linear index in `shape`, decomposed row-major over the base's shape
    static constexpr Kind tag = Kind::ReshapeLayout;
    ReshapeLayout() : Layout(tag) {}
    LayoutRef base;
    ExprVec shape;
    template <class S, class V>
    static void visit_fields(S& s, V&& v) {
        v("base", s.base), v("shape", s.shape);
    }
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
