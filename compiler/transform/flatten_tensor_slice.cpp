// SPDX-License-Identifier: Apache-2.0
// `x[i, 2:][j, k]` means `x[i, 2 + j, k]`: an element of a slice is an element of the sliced tensor. What is left is a slice
// that is used as a tensor of its own, as an argument say; it becomes the address of its first element, which is right only
// where the elements lie one after the other, so anything else is refused.
//
// Needs: nothing.
// Guarantees: no TensorSlice.
// Why here: after inlining, which puts slices where parameters were.
#include "compiler/analysis/kinds.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

struct Place {
    ExprRef base;
    ExprVec indices;
};

// The place that indexing a chain of slices means.
Place through_slices(Place place) {
    while (const auto* slice = as<TensorSlice>(place.base)) {
        ExprVec indices;
        std::size_t next = 0;
        for (std::size_t i = 0; i < slice->indices.size(); ++i) {
            if (slice->indices[i]) {
                indices.push_back(slice->indices[i]);
                continue;
            }
            HIDET_CHECK(next < place.indices.size(), "too few indices for a slice");
            ExprRef index = place.indices[next++];
            indices.push_back(slice->starts[i] ? add(slice->starts[i], index) : index);
        }
        place = {slice->base, std::move(indices)};
    }
    return place;
}

// Row-major layouts, and those that are row-major outside of a block that the slice takes whole.
struct Tail {
    bool is_contiguous = false;
    LayoutRef layout; // of the slice, where it is not row-major
};
Tail tail_of(const TensorSlice& slice) {
    const TensorType* tensor = tensor_of(slice.base->type);
    if (!tensor)
        return {true, nullptr};
    std::size_t rank = slice.indices.size();
    std::size_t fixed = 0;
    while (fixed < rank && slice.indices[fixed])
        ++fixed;
    auto is_whole = [&](std::size_t i) {
        bool from_start = !slice.starts[i] || is_constant(slice.starts[i], 0);
        return !slice.indices[i] && from_start && !slice.stops[i];
    };
    bool rest_whole = true;
    for (std::size_t i = fixed + 1; i < rank; ++i)
        rest_whole = rest_whole && is_whole(i);
    LayoutRef layout = layout_of(*tensor);
    if (is_row_major(layout))
        return {rest_whole, nullptr};
    const auto* concat = as<ConcatLayout>(layout);
    bool takes_block =
        concat && shape_of(concat->first).size() == fixed && rest_whole && fixed < rank && is_whole(fixed);
    return {takes_block, takes_block ? concat->second : nullptr};
}

class SliceFlattener : public Rewriter {
public:
    explicit SliceFlattener(PassContext& context) : Rewriter(context.pass), m_context(context) {}

protected:
    using Rewriter::visit;

    ExprRef visit(const TensorElement& expr) override {
        if (expr.base->kind != Kind::TensorSlice)
            return rebuild(expr);
        Place place = through_slices({expr.base, expr.indices});
        return make_element(rewrite(place.base), rewrite(place.indices), expr.is_protected);
    }
    StmtRef visit(const StoreStmt& stmt) override {
        if (stmt.base->kind != Kind::TensorSlice)
            return rebuild(stmt);
        Place place = through_slices({stmt.base, stmt.indices});
        return make_store(rewrite(place.base), rewrite(place.indices), rewrite(stmt.value), stmt.is_protected);
    }
    ExprRef visit(const TensorSlice& expr) override {
        if (const auto* inner = as<TensorSlice>(expr.base))
            return rewrite(merged(expr, *inner));
        Tail tail = tail_of(expr);
        if (!tail.is_contiguous)
            m_context.diagnostics.report(DiagId::LowerSliceNotContiguous, expr.origin.span, to_string(NodeRef(&expr)));
        ExprVec first;
        for (std::size_t i = 0; i < expr.indices.size(); ++i) {
            const ExprRef& index = expr.indices[i] ? expr.indices[i] : expr.starts[i];
            first.push_back(index ? rewrite(index) : int_constant(0));
        }
        ExprRef address = make_address(make_element(rewrite(expr.base), std::move(first)));
        TypeRef type = expr.type;
        if (const TensorType* tensor = tensor_of(type); tensor && tail.layout)
            type = tensor_pointer_type(tensor_type(tensor->element, tensor->shape, tail.layout));
        return same_type(address->type, type) ? address : make_cast(std::move(address), std::move(type));
    }

private:
    // A slice of a slice as one slice of the inner one's base.
    static ExprRef merged(const TensorSlice& outer, const TensorSlice& inner) {
        TensorSlice result = inner;
        std::size_t next = 0;
        for (std::size_t i = 0; i < inner.indices.size(); ++i) {
            if (inner.indices[i])
                continue;
            auto shifted = [&](const ExprRef& by) {
                return by && inner.starts[i] ? add(inner.starts[i], by) : by ? by : inner.starts[i];
            };
            if (outer.indices[next]) {
                result.indices[i] = shifted(outer.indices[next]);
                result.starts[i] = nullptr;
                result.stops[i] = nullptr;
            } else {
                result.starts[i] = shifted(outer.starts[next]);
                if (outer.stops[next])
                    result.stops[i] = shifted(outer.stops[next]);
            }
            ++next;
        }
        return make<TensorSlice>(std::move(result));
    }

    PassContext& m_context;
};

} // namespace

ModuleRef flatten_tensor_slice(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::TensorSlice))
            return function;
        return SliceFlattener(context).rewrite(function);
    });
}

} // namespace hidet::compiler
