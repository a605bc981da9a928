// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/layout.h"

#include <algorithm>
#include <limits>

#include "compiler/ir/family.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

// ---- makers -----------------------------------------------------------------------------------------------------------

static ExprVec strides_in_order(const ExprVec& shape, const std::vector<std::int64_t>& ranks) {
    HIDET_CHECK(ranks.size() == shape.size());
    std::vector<std::size_t> dim_at(shape.size(), shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
        auto rank = static_cast<std::size_t>(ranks[d]);
        HIDET_CHECK(rank < shape.size() && dim_at[rank] == shape.size(), "ranks are no permutation");
        dim_at[rank] = d;
    }
    ExprVec strides(shape.size());
    ExprRef stride = int_constant(1);
    for (std::size_t rank = shape.size(); rank-- > 0;) {
        strides[dim_at[rank]] = stride;
        stride = widening_mul(stride, shape[dim_at[rank]]);
    }
    return strides;
}

LayoutRef strides_layout(ExprVec shape, ExprVec strides) {
    HIDET_CHECK(shape.size() == strides.size());
    return make_node<StridesLayout>(std::move(shape), std::move(strides));
}

LayoutRef strided_layout(ExprVec shape, const std::vector<std::int64_t>& ranks) {
    ExprVec strides = strides_in_order(shape, ranks);
    return strides_layout(std::move(shape), std::move(strides));
}

LayoutRef row_major(ExprVec shape) {
    std::vector<std::int64_t> ranks(shape.size());
    for (std::size_t d = 0; d < ranks.size(); ++d)
        ranks[d] = static_cast<std::int64_t>(d);
    return strided_layout(std::move(shape), ranks);
}

LayoutRef column_major(ExprVec shape) {
    std::vector<std::int64_t> ranks(shape.size());
    for (std::size_t d = 0; d < ranks.size(); ++d)
        ranks[d] = static_cast<std::int64_t>(ranks.size() - 1 - d);
    return strided_layout(std::move(shape), ranks);
}

LayoutRef local_layout(ExprVec shape) {
    return make_node<LocalLayout>(std::move(shape));
}

LayoutRef compose(LayoutRef outer, LayoutRef inner) {
    HIDET_CHECK(rank_of(outer) == rank_of(inner));
    return make_node<ComposedLayout>(std::move(outer), std::move(inner));
}

LayoutRef concat(LayoutRef first, LayoutRef second) {
    return make_node<ConcatLayout>(std::move(first), std::move(second));
}

LayoutRef swizzle(LayoutRef base, std::int64_t dim, std::int64_t regards, std::int64_t log_step) {
    ExprVec shape = shape_of(base);
    auto rank = static_cast<std::int64_t>(shape.size());
    HIDET_CHECK(dim >= 0 && dim < rank && regards >= 0 && regards < rank && dim != regards);
    HIDET_CHECK(log_step >= 0 && log_step < 31);
    auto extent = constant_int(shape[static_cast<std::size_t>(dim)]);
    HIDET_CHECK(extent && *extent > 0 && (*extent & (*extent - 1)) == 0, "the swizzled extent must be a power of two");
    return make_node<SwizzleLayout>(std::move(base), dim, regards, log_step);
}

LayoutRef permute(LayoutRef base, std::vector<std::int64_t> perm) {
    std::vector<bool> seen(shape_of(base).size());
    HIDET_CHECK(perm.size() == seen.size());
    for (std::int64_t dim : perm) {
        auto d = static_cast<std::size_t>(dim);
        HIDET_CHECK(d < seen.size() && !seen[d], "perm is no permutation");
        seen[d] = true;
    }
    return make_node<PermuteLayout>(std::move(base), std::move(perm));
}

LayoutRef reshape(LayoutRef base, ExprVec shape) {
    auto have = constant_int(product(shape_of(base)));
    auto want = constant_int(product(shape));
    HIDET_CHECK(!have || !want || *have == *want, "a reshape keeps the number of elements");
    return make_node<ReshapeLayout>(std::move(base), std::move(shape));
}

// ---- shape and size ---------------------------------------------------------------------------------------------------

template <class V>
static decltype(auto) visit_layout(const Layout& layout, V&& visitor) {
    switch (kind_of(layout)) {
// clang-format off
#define HIDET_LAYOUT(name) \
    case LayoutKind::name: return visitor(static_cast<const name&>(layout));
// clang-format on
#include "compiler/ir/nodes.def"
    }
    no_such_kind(layout);
}

namespace {

struct ShapeOf {
    ExprVec operator()(const StridesLayout& l) const { return l.shape; }
    ExprVec operator()(const LocalLayout& l) const { return l.shape; }
    ExprVec operator()(const ReshapeLayout& l) const { return l.shape; }
    ExprVec operator()(const SwizzleLayout& l) const { return shape_of(l.base); }
    ExprVec operator()(const ComposedLayout& l) const {
        ExprVec shape = shape_of(l.outer);
        ExprVec inner = shape_of(l.inner);
        for (std::size_t d = 0; d < shape.size(); ++d)
            shape[d] = widening_mul(shape[d], inner[d]);
        return shape;
    }
    ExprVec operator()(const ConcatLayout& l) const {
        ExprVec shape = shape_of(l.first);
        ExprVec second = shape_of(l.second);
        shape.insert(shape.end(), second.begin(), second.end());
        return shape;
    }
    ExprVec operator()(const PermuteLayout& l) const {
        ExprVec base = shape_of(l.base);
        return transformed(l.perm, [&](std::int64_t dim) { return base[static_cast<std::size_t>(dim)]; });
    }
};

// The slowest dim of a layout without gaps, whose stride times extent is the size; -1 when there are gaps or overlaps.
std::int64_t slowest_dim(const StridesLayout& l) {
    std::size_t rank = l.shape.size();
    std::vector<bool> placed(rank);
    ExprRef stride = int_constant(1);
    std::int64_t slowest = 0;
    for (std::size_t step = 0; step < rank; ++step) {
        std::size_t dim = rank; // prefer the last, so that row-major is found in its own order
        for (std::size_t d = rank; d-- > 0;)
            if (dim == rank && !placed[d] && structural_equal(l.strides[d], stride))
                dim = d;
        if (dim == rank)
            return -1;
        placed[dim] = true;
        slowest = static_cast<std::int64_t>(dim);
        stride = widening_mul(stride, l.shape[dim]);
    }
    return slowest;
}

} // namespace

std::size_t rank_of(const LayoutRef& layout) {
    switch (kind_of(*layout)) {
    case LayoutKind::ComposedLayout: return rank_of(static_cast<const ComposedLayout&>(*layout).outer);
    case LayoutKind::SwizzleLayout: return rank_of(static_cast<const SwizzleLayout&>(*layout).base);
    case LayoutKind::PermuteLayout: return static_cast<const PermuteLayout&>(*layout).perm.size();
    case LayoutKind::ConcatLayout: {
        const auto& l = static_cast<const ConcatLayout&>(*layout);
        return rank_of(l.first) + rank_of(l.second);
    }
    case LayoutKind::StridesLayout:
    case LayoutKind::LocalLayout:
    case LayoutKind::ReshapeLayout: return shape_of(layout).size();
    }
    no_such_kind(*layout);
}

ExprVec shape_of(const LayoutRef& layout) {
    return visit_layout(*layout, ShapeOf{});
}

// ---- slots --------------------------------------------------------------------------------------------------------------
// Indices inside the bounds are not negative, so truncating division is right, and cheaper than rounding down. The same
// code computes with expressions and with numbers.

namespace {

struct Symbolic {
    using Value = ExprRef;
    static Value constant(std::int64_t value) { return int_constant(value); }
    static Value number(const ExprRef& expr) { return expr; }
    static Value add(const Value& a, const Value& b) { return ir::add(a, b); }
    static Value mul(const Value& a, const Value& b) { return widening_mul(a, b); }
    static Value div(const Value& a, const Value& b) { return ir::div(a, b); }
    static Value mod(const Value& a, const Value& b) { return truncating_mod(a, b); }
    static Value bit_xor(const Value& a, const Value& b) { return ir::bit_xor(a, b); }
    static Value shift_right(const Value& a, std::int64_t by) { return ir::shift_right(a, int_constant(by)); }
};

struct Numeric {
    using Value = std::int64_t;
    static constexpr Value too_large = std::numeric_limits<Value>::max();
    static Value constant(std::int64_t value) { return value; }
    static Value number(const ExprRef& expr) {
        auto value = constant_int(expr);
        HIDET_CHECK(value.has_value(), "the layout is not constant");
        return *value;
    }
    static Value add(Value a, Value b) { return __builtin_add_overflow(a, b, &a) ? too_large : a; }
    static Value mul(Value a, Value b) { return __builtin_mul_overflow(a, b, &a) ? too_large : a; }
    static Value div(Value a, Value b) { return a / b; }
    static Value mod(Value a, Value b) { return a % b; }
    static Value bit_xor(Value a, Value b) { return a ^ b; }
    static Value shift_right(Value a, std::int64_t by) { return a >> by; }
};

template <class Math>
struct SizeOf {
    using Value = typename Math::Value;

    static Value size(const LayoutRef& layout) { return visit_layout(*layout, SizeOf{}); }

    Value operator()(const StridesLayout& l) const {
        bool is_dense = slowest_dim(l) >= 0;
        Value size = Math::constant(1);
        for (std::size_t d = 0; d < l.shape.size(); ++d) {
            Value extent = Math::number(l.shape[d]);
            Value last = Math::mul(Math::add(extent, Math::constant(-1)), Math::number(l.strides[d]));
            size = is_dense ? Math::mul(size, extent) : Math::add(size, last);
        }
        return size;
    }
    Value operator()(const LocalLayout&) const { return Math::constant(1); }
    Value operator()(const ReshapeLayout& l) const { return size(l.base); }
    Value operator()(const SwizzleLayout& l) const { return size(l.base); }
    Value operator()(const PermuteLayout& l) const { return size(l.base); }
    Value operator()(const ComposedLayout& l) const { return Math::mul(size(l.outer), size(l.inner)); }
    Value operator()(const ConcatLayout& l) const { return Math::mul(size(l.first), size(l.second)); }
};

bool is_constant_layout(const Node& layout) {
    bool is_constant = true;
    for_each_child(layout, [&](const Node* child) {
        bool is_number = child->kind == Kind::Constant;
        is_constant = is_constant && (is_number || (!runs(*child) && is_constant_layout(*child)));
    });
    return is_constant;
}

template <class Math>
struct SlotOf {
    using Value = typename Math::Value;
    std::vector<Value> index;

    static Value slot(const LayoutRef& layout, std::vector<Value> index) {
        HIDET_CHECK(index.size() == rank_of(layout), "as many indices as dims");
        return visit_layout(*layout, SlotOf{std::move(index)});
    }

    Value operator()(const StridesLayout& l) const {
        Value sum = Math::constant(0);
        for (std::size_t d = 0; d < index.size(); ++d)
            sum = Math::add(sum, Math::mul(index[d], Math::number(l.strides[d])));
        return sum;
    }
    Value operator()(const LocalLayout&) const { return Math::constant(0); }
    Value operator()(const ComposedLayout& l) const {
        ExprVec inner_shape = shape_of(l.inner);
        std::vector<Value> outer;
        std::vector<Value> inner;
        for (std::size_t d = 0; d < index.size(); ++d) {
            Value extent = Math::number(inner_shape[d]);
            outer.push_back(Math::div(index[d], extent));
            inner.push_back(Math::mod(index[d], extent));
        }
        Value block = Math::mul(slot(l.outer, std::move(outer)), SizeOf<Math>::size(l.inner));
        return Math::add(block, slot(l.inner, std::move(inner)));
    }
    Value operator()(const ConcatLayout& l) const {
        auto middle = index.begin() + static_cast<std::ptrdiff_t>(rank_of(l.first));
        Value block = Math::mul(slot(l.first, {index.begin(), middle}), SizeOf<Math>::size(l.second));
        return Math::add(block, slot(l.second, {middle, index.end()}));
    }
    Value operator()(const SwizzleLayout& l) const {
        ExprVec shape = shape_of(l.base);
        auto dim = static_cast<std::size_t>(l.dim);
        auto regards = static_cast<std::size_t>(l.regards);
        Value mask = Math::shift_right(index[regards], l.log_step);
        auto regards_extent = constant_int(shape[regards]);
        auto extent = constant_int(shape[dim]);
        bool fits = regards_extent && extent && (((*regards_extent - 1) >> l.log_step) < *extent);
        if (!fits)
            mask = Math::mod(mask, Math::number(shape[dim]));
        std::vector<Value> swizzled = index;
        swizzled[dim] = Math::bit_xor(index[dim], mask);
        return slot(l.base, std::move(swizzled));
    }
    Value operator()(const PermuteLayout& l) const {
        std::vector<Value> base(index.size());
        for (std::size_t i = 0; i < index.size(); ++i)
            base[static_cast<std::size_t>(l.perm[i])] = index[i];
        return slot(l.base, std::move(base));
    }
    Value operator()(const ReshapeLayout& l) const {
        Value linear = Math::constant(0);
        for (std::size_t d = 0; d < index.size(); ++d)
            linear = Math::add(Math::mul(linear, Math::number(l.shape[d])), index[d]);
        ExprVec base_shape = shape_of(l.base);
        std::vector<Value> base(base_shape.size());
        Value stride = Math::constant(1);
        for (std::size_t d = base_shape.size(); d-- > 0;) {
            Value extent = Math::number(base_shape[d]);
            base[d] = Math::div(linear, stride);
            if (d > 0)
                base[d] = Math::mod(base[d], extent);
            stride = Math::mul(stride, extent);
        }
        return slot(l.base, std::move(base));
    }
};

} // namespace

ExprRef size_of(const LayoutRef& layout) {
    if (!is_constant_layout(*layout))
        return SizeOf<Symbolic>::size(layout);
    std::int64_t size = SizeOf<Numeric>::size(layout);
    return int_constant(size, size > std::numeric_limits<std::int32_t>::max() ? DType::I64 : DType::I32);
}

// A layout with more slots than an i32 counts is indexed in i64.
ExprRef slot_of(const LayoutRef& layout, const ExprVec& index) {
    bool is_wide =
        is_constant_layout(*layout) && SizeOf<Numeric>::size(layout) > std::numeric_limits<std::int32_t>::max();
    if (!is_wide)
        return SlotOf<Symbolic>::slot(layout, index);
    ExprVec wide = transformed(index, [&](const ExprRef& item) { return cast_to(item, DType::I64); });
    return SlotOf<Symbolic>::slot(layout, wide);
}

std::int64_t slot_of(const LayoutRef& layout, std::span<const std::int64_t> index) {
    return SlotOf<Numeric>::slot(layout, {index.begin(), index.end()});
}

ExprRef within_bound(const LayoutRef& layout, const ExprVec& index) {
    ExprVec shape = shape_of(layout);
    HIDET_CHECK(index.size() == shape.size());
    ExprRef inside = bool_constant(true);
    for (std::size_t d = 0; d < index.size(); ++d) {
        inside = logical_and(inside, less_equal(int_constant(0), index[d]));
        inside = logical_and(inside, less(index[d], shape[d]));
    }
    return inside;
}

bool is_row_major(const LayoutRef& layout) {
    const auto* strided = as<StridesLayout>(layout);
    if (!strided)
        return false;
    ExprRef stride = int_constant(1);
    for (std::size_t d = strided->shape.size(); d-- > 0;) {
        if (!structural_equal(strided->strides[d], stride))
            return false;
        stride = widening_mul(stride, strided->shape[d]);
    }
    return true;
}

} // namespace hidet::ir
