// SPDX-License-Identifier: Apache-2.0
// What legalising asks of integers: what value ranges tell at a place of the function, and which i32 and i64 expressions a
// C-like language computes with the unsigned type of that width.
#pragma once

#include <unordered_map>

#include "compiler/analysis/launch_bounds.h"
#include "compiler/codegen/text/dialect.h"
#include "compiler/ir/stmt.h"

namespace hidet::compiler::text {

bool is_plain_signed(const ir::TypeRef& type); // i32, i64

class Signs {
public:
    // `bounds` may be null: nothing is known of the launch. `uses` is kept.
    Signs(const Dialect& dialect, const Uses& uses, const LaunchBounds* bounds);

    // ---- facts; those added since mark() are taken back by restore() ----
    void assume(const ir::ExprRef& condition, bool truth);
    void learn(const ir::DeclareStmt& stmt);
    void learn(const ir::ForStmt& stmt); // in the loop
    std::size_t mark() const { return m_ranges.mark(); }
    void restore(std::size_t mark);

    // ---- questions ----
    bool is_nonnegative(const ir::ExprRef& expr) const;
    bool are_nonnegative(const ir::ExprRef& a, const ir::ExprRef& b) const; // and the language lets them be unsigned
    bool may_wrap(const ir::ExprRef& expr) const { return !m_ranges.never_wraps(expr); }
    bool has_plain_count(const ir::Binary& shift) const;
    bool may_trap(const ir::Binary& division) const;
    bool is_unsigned(const ir::ExprRef& expr); // expressions live as long as this

private:
    void bind(const ir::Var& var, Range range);
    bool computes_unsigned(const ir::ExprRef& expr);
    bool computes_unsigned(const ir::Binary& expr);

    const Dialect& m_dialect;
    const Uses& m_uses;
    Ranges m_ranges;
    std::unordered_map<const ir::Expr*, bool> m_unsigned; // while the facts are the same
};

} // namespace hidet::compiler::text
