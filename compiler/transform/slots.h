// SPDX-License-Identifier: Apache-2.0
// A rewriter that turns elements of tensors into slots of their storage.
#pragma once

#include <unordered_map>

#include "compiler/analysis/range_rewriter.h"
#include "compiler/ir/layout.h"

namespace hidet::compiler {

class SlotRewriter : public RangeRewriter {
public:
    using RangeRewriter::RangeRewriter;

protected:
    using RangeRewriter::visit;
    ir::StmtRef visit(const ir::DeclareStmt& stmt) override;

    // The slot of an element, simplified. Layouts that divide an index see through lets, because what an index is made of
    // is what decides: with i = 2 * t + 1, a layout's i % 2 is 1.
    ir::ExprRef slot_in(const ir::TensorType& tensor, const ir::ExprVec& indices);

private:
    struct Known { // a slot that was computed; it depends on nothing but its indices, so it stays true
        ir::LayoutRef layout;
        ir::ExprVec indices;
        ir::ExprRef slot;
    };
    ir::ExprRef through_lets(const ir::ExprRef& expr);
    ir::ExprRef deep_slot(const ir::LayoutRef& layout, const ir::ExprVec& indices);

    ir::Rewriter m_lets; // gives what always has the same value
    std::unordered_multimap<std::size_t, Known> m_slots;
};

} // namespace hidet::compiler
