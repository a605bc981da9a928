// SPDX-License-Identifier: Apache-2.0
// Patterns over integer expressions, written as expressions: `(x + c0) + c1` matches a sum of a sum with two constants.
//
// A pattern is a type without state, so a table of rules is a table of function pointers, and matching compiles to
// comparisons of kinds. The same pattern is matched (left side) and built (right side, and the left side in tests).
#pragma once

#include "compiler/analysis/same.h"
#include "compiler/ir/expr.h"

namespace hidet::compiler {

class ExprSimplifier;

// What a match bound: handles inside of the expression that was matched, which outlives the match.
struct Match {
    const ir::ExprRef* exprs[3] = {};     // x, y, z
    const ir::ExprRef* constants[3] = {}; // c0, c1, c2
    std::int64_t value(int i) const { return *ir::constant_int(*constants[i]); }
};

// How the right side of a rule makes its nodes: simplified again, or as they are (tests).
class PatternBuilder {
public:
    virtual ~PatternBuilder() = default;
    virtual ir::ExprRef binary(ir::BinOp op, const ir::ExprRef& a, const ir::ExprRef& b) = 0;
    ir::DType dtype = ir::DType::I32; // of literals
};

namespace pattern {

struct Base {};
template <class P>
concept Pattern = std::is_base_of_v<Base, P>;

template <int I>
struct Any : Base { // any expression; the same one wherever the pattern stands again
    static bool match(const ir::ExprRef& expr, Match& m) {
        if (m.exprs[I])
            return same_expr(*m.exprs[I], expr);
        m.exprs[I] = &expr;
        return true;
    }
    static ir::ExprRef build(const Match& m, PatternBuilder&) { return *m.exprs[I]; }
};

template <int I>
struct Number : Base { // an integer constant
    static bool match(const ir::ExprRef& expr, Match& m) {
        if (expr->kind != ir::Kind::Constant || !ir::constant_int(expr))
            return false;
        if (m.constants[I])
            return same_expr(*m.constants[I], expr);
        m.constants[I] = &expr;
        return true;
    }
    static ir::ExprRef build(const Match& m, PatternBuilder&) { return *m.constants[I]; }
};

template <int V>
struct Literal : Base {
    static bool match(const ir::ExprRef& expr, Match&) { return ir::is_constant(expr, V); }
    static ir::ExprRef build(const Match&, PatternBuilder& b) { return ir::int_constant(V, b.dtype); }
};

template <ir::BinOp op, Pattern A, Pattern B>
struct Op : Base {
    static bool match(const ir::ExprRef& expr, Match& m) {
        const auto* e = ir::as<ir::Binary>(expr);
        return e && e->op == op && match_sides(*e, m);
    }
    // A commutative operator matches either way round.
    static bool match_sides(const ir::Binary& e, Match& m) {
        if (!ir::is_commutative(op))
            return A::match(e.a, m) && B::match(e.b, m);
        Match saved = m;
        if (A::match(e.a, m) && B::match(e.b, m))
            return true;
        m = saved;
        return A::match(e.b, m) && B::match(e.a, m);
    }
    static ir::ExprRef build(const Match& m, PatternBuilder& b) { return b.binary(op, A::build(m, b), B::build(m, b)); }
};

// The operator at the top with its sides as written, where swapping them would only reorder an expression for nothing.
template <class P>
struct Ordered;
template <ir::BinOp op, Pattern A, Pattern B>
struct Ordered<Op<op, A, B>> : Base {
    static bool match_sides(const ir::Binary& e, Match& m) { return A::match(e.a, m) && B::match(e.b, m); }
    static ir::ExprRef build(const Match& m, PatternBuilder& b) { return Op<op, A, B>::build(m, b); }
};
template <Pattern P>
constexpr Ordered<P> ordered(P) {
    return {};
}

#define HIDET_PATTERN_OPERATOR(name, op)                                                                               \
    template <Pattern A, Pattern B>                                                                                    \
    constexpr Op<ir::BinOp::op, A, B> name(A, B) {                                                                     \
        return {};                                                                                                     \
    }
HIDET_PATTERN_OPERATOR(operator+, Add)
HIDET_PATTERN_OPERATOR(operator-, Sub)
HIDET_PATTERN_OPERATOR(operator*, Mul)
HIDET_PATTERN_OPERATOR(operator<, Lt)
HIDET_PATTERN_OPERATOR(operator<=, Le)
HIDET_PATTERN_OPERATOR(operator==, Eq)
HIDET_PATTERN_OPERATOR(operator!=, Ne)
HIDET_PATTERN_OPERATOR(operator&, BitAnd)
HIDET_PATTERN_OPERATOR(operator|, BitOr)
HIDET_PATTERN_OPERATOR(operator^, BitXor)
HIDET_PATTERN_OPERATOR(operator<<, Shl)
HIDET_PATTERN_OPERATOR(operator>>, Shr)
// The two divisions and the two remainders have no operators of their own in C++.
HIDET_PATTERN_OPERATOR(div, Div)
HIDET_PATTERN_OPERATOR(rem, Mod)
HIDET_PATTERN_OPERATOR(floordiv, FloorDiv)
HIDET_PATTERN_OPERATOR(mod, FloorMod)
#undef HIDET_PATTERN_OPERATOR

inline constexpr Any<0> x;
inline constexpr Any<1> y;
inline constexpr Any<2> z;
inline constexpr Number<0> c0;
inline constexpr Number<1> c1;
template <int V>
inline constexpr Literal<V> lit;

} // namespace pattern
} // namespace hidet::compiler
