// SPDX-License-Identifier: Apache-2.0
// Value ranges of integer expressions.
//
// Integers wrap, so a range is only as good as the proof that nothing wraps on the way: bounds are computed in 128 bits,
// and a result that leaves its type's range becomes the type's whole range. What is known about variables is scoped: a
// loop or an `if` adds facts, and takes them back at its end.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/uses.h"
#include "compiler/ir/expr.h"

namespace hidet::compiler {

__extension__ using Wide = __int128;

struct Range { // lo <= value <= hi
    Wide lo = 0;
    Wide hi = 0;

    bool is_single() const { return lo == hi; }
    bool contains(const Range& other) const { return lo <= other.lo && other.hi <= hi; }
    friend bool operator==(const Range&, const Range&) = default;
};

Range type_range(ir::DType dtype); // bool and integers

class Ranges {
public:
    // Of an expression of integer or bool type; nothing for other types.
    std::optional<Range> of(const ir::ExprRef& expr) const { return of(expr, 0); }
    // True when the arithmetic in the expression, down to leaves and non-arithmetic nodes, provably does not wrap.
    bool never_wraps(const ir::ExprRef& expr) const { return never_wraps(expr, 0); }
    // The constant that an integer expression always is; null when that is not known.
    ir::ExprRef constant_of(const ir::ExprRef& expr) const;
    // The truth of a bool expression, where it is known.
    std::optional<bool> truth_of(const ir::ExprRef& condition) const;

    // Facts. Only for variables that keep their value while the fact holds.
    void bind(const ir::Var& var, Range range);
    void bind(ir::Builtin which, Range range);
    void assume(const ir::ExprRef& condition, bool truth);
    // By a comparison that holds here, whatever the values are: a < b.
    bool is_below(const ir::ExprRef& a, const ir::ExprRef& b) const;
    // Conditions tell only about variables that never change; without uses, about none.
    void set_uses(const Uses* uses) { m_uses = uses; }

    // Nothing but what always holds of the variables: no branch has narrowed a range.
    bool is_unconditional() const { return m_narrowed == 0; }

    // Facts added since mark() are taken back by restore().
    std::size_t mark() const { return m_trail.size(); }
    void restore(std::size_t mark);

private:
    struct Change { // what was there before
        const ir::Var* var = nullptr;
        ir::Builtin builtin{};
        std::optional<Range> before;
        bool is_narrowing = false;
        bool is_comparison = false;
    };
    struct Less { // a < b
        ir::ExprRef a, b;
    };
    std::optional<Range> of(const ir::ExprRef& expr, int depth) const;
    std::optional<Range> of_binary(const ir::Binary& expr, int depth) const;
    std::optional<Range> of_intrinsic(const ir::Intrinsic& expr, int depth) const;
    std::optional<Range> unwrapped(const ir::Binary& expr, int depth) const;
    bool never_wraps(const ir::ExprRef& expr, int depth) const;
    std::optional<bool> compare(const ir::Binary& expr) const;
    Range of_builtin(ir::Builtin which) const;
    void narrow(const ir::ExprRef& place, Range by);
    void note_less(const ir::ExprRef& a, const ir::ExprRef& b);
    void assume_comparison(const ir::Binary& comparison, bool truth);

    std::unordered_map<const ir::Var*, Range> m_vars;
    const Uses* m_uses = nullptr;
    std::optional<Range> m_builtins[16];
    std::vector<Change> m_trail;
    std::vector<Less> m_less;
    int m_narrowed = 0;
};

} // namespace hidet::compiler
