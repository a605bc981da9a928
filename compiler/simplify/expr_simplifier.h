// SPDX-License-Identifier: Apache-2.0
// Simplifies one expression node whose operands are simplified already: constants fold, rules apply, ranges decide.
#pragma once

#include "compiler/analysis/ranges.h"
#include "compiler/simplify/pattern.h"

namespace hidet::compiler {

class ExprSimplifier : public PatternBuilder {
public:
    explicit ExprSimplifier(const Ranges& ranges) : m_ranges(ranges) {}

    // What the node is better written as; null when it is fine as it is.
    ir::ExprRef better(const ir::Unary& expr);
    ir::ExprRef better(const ir::Binary& expr);
    ir::ExprRef better(const ir::Select& expr);
    ir::ExprRef better(const ir::Cast& expr);
    ir::ExprRef better(const ir::Intrinsic& expr);
    ir::ExprRef better(const ir::Deref& expr);
    ir::ExprRef better(const ir::Address& expr);

    ir::ExprRef binary(ir::BinOp op, const ir::ExprRef& a, const ir::ExprRef& b) override;

private:
    ir::ExprRef better_logic(const ir::Binary& expr);
    ir::ExprRef by_rules(const ir::Binary& expr);
    ir::ExprRef by_ranges(const ir::Binary& expr);

    const Ranges& m_ranges;
    int m_depth = 0; // of rules applied to the results of rules
};

// The whole expression, bottom up. What it evaluates to, and the effects of that, stay.
ir::ExprRef simplified(const ir::ExprRef& expr, const Ranges& ranges);

// Quotients and remainders of sums by constants (divide.cpp); null when there is nothing to gain.
ir::ExprRef divide_sum(const ir::Binary& expr, const Ranges& ranges, PatternBuilder& builder);

} // namespace hidet::compiler
