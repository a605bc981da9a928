// SPDX-License-Identifier: Apache-2.0
//
// Precedence climbing with an explicit stack: 5,000 minus signs cost no recursion. `and`, `or` and comparisons stay on the
// stack until a looser operator comes, and then become one node with many operands.
#include "lang/parse/operators.h"

#include <array>
#include <iterator>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

using ast::BinaryOp;
using ast::CompareOp;

namespace {
struct Row {
    Tok op;
    Precedence precedence;
    int node; // BinaryOp or CompareOp
};
constexpr int b(BinaryOp op) {
    return static_cast<int>(op);
}
constexpr int c(CompareOp op) {
    return static_cast<int>(op);
}
constexpr Row rows[] = {
    {Tok::OR, BindsOr, 0},
    {Tok::AND, BindsAnd, 0},
    {Tok::EQUAL_EQUAL, BindsCompare, c(CompareOp::Eq)},
    {Tok::NOT_EQUAL, BindsCompare, c(CompareOp::Ne)},
    {Tok::LESS, BindsCompare, c(CompareOp::Lt)},
    {Tok::LESS_EQUAL, BindsCompare, c(CompareOp::Le)},
    {Tok::GREATER, BindsCompare, c(CompareOp::Gt)},
    {Tok::GREATER_EQUAL, BindsCompare, c(CompareOp::Ge)},
    {Tok::IN, BindsCompare, c(CompareOp::In)},
    {Tok::NOT_IN, BindsCompare, c(CompareOp::NotIn)},
    {Tok::IS, BindsCompare, c(CompareOp::Is)},
    {Tok::IS_NOT, BindsCompare, c(CompareOp::IsNot)},
    {Tok::BAR, BindsBitOr, b(BinaryOp::BitOr)},
    {Tok::CARET, BindsBitXor, b(BinaryOp::BitXor)},
    {Tok::AMPERSAND, BindsBitAnd, b(BinaryOp::BitAnd)},
    {Tok::LEFT, BindsShift, b(BinaryOp::Shl)},
    {Tok::RIGHT, BindsShift, b(BinaryOp::Shr)},
    {Tok::PLUS, BindsSum, b(BinaryOp::Add)},
    {Tok::MINUS, BindsSum, b(BinaryOp::Sub)},
    {Tok::STAR, BindsProduct, b(BinaryOp::Mul)},
    {Tok::SLASH, BindsProduct, b(BinaryOp::Div)},
    {Tok::SLASH_SLASH, BindsProduct, b(BinaryOp::FloorDiv)},
    {Tok::PERCENT, BindsProduct, b(BinaryOp::Mod)},
    {Tok::AT, BindsProduct, b(BinaryOp::MatMul)},
    {Tok::STAR_STAR, BindsPower, b(BinaryOp::Pow)},
    // Assignments, for the operator in them.
    {Tok::PLUS_EQUAL, BindsSum, b(BinaryOp::Add)},
    {Tok::MINUS_EQUAL, BindsSum, b(BinaryOp::Sub)},
    {Tok::STAR_EQUAL, BindsProduct, b(BinaryOp::Mul)},
    {Tok::SLASH_EQUAL, BindsProduct, b(BinaryOp::Div)},
    {Tok::SLASH_SLASH_EQUAL, BindsProduct, b(BinaryOp::FloorDiv)},
    {Tok::PERCENT_EQUAL, BindsProduct, b(BinaryOp::Mod)},
    {Tok::STAR_STAR_EQUAL, BindsPower, b(BinaryOp::Pow)},
    {Tok::AT_EQUAL, BindsProduct, b(BinaryOp::MatMul)},
    {Tok::LEFT_EQUAL, BindsShift, b(BinaryOp::Shl)},
    {Tok::RIGHT_EQUAL, BindsShift, b(BinaryOp::Shr)},
    {Tok::AMPERSAND_EQUAL, BindsBitAnd, b(BinaryOp::BitAnd)},
    {Tok::BAR_EQUAL, BindsBitOr, b(BinaryOp::BitOr)},
    {Tok::CARET_EQUAL, BindsBitXor, b(BinaryOp::BitXor)},
};

// Row of each token; a token that is no operator has the first one.
constexpr auto row_of = [] {
    std::array<std::uint8_t, 256> out{};
    for (std::size_t i = 0; i < std::size(rows); ++i)
        out[static_cast<std::size_t>(rows[i].op)] = static_cast<std::uint8_t>(i);
    return out;
}();

const Row& row(Tok op) {
    return rows[row_of[static_cast<std::size_t>(op)]];
}

bool is_chain(int precedence) {
    return precedence == BindsOr || precedence == BindsAnd || precedence == BindsCompare;
}
} // namespace

Precedence infix_precedence(Tok op) {
    return row(op).precedence;
}

Precedence prefix_precedence(Tok op) {
    return op == Tok::NOT ? BindsNot : op == Tok::AWAIT ? BindsAwait : BindsUnary;
}

BinaryOp binary_op(Tok op) {
    return static_cast<BinaryOp>(row(op).node);
}

CompareOp compare_op(Tok op) {
    return static_cast<CompareOp>(row(op).node);
}

namespace {

class Reducer {
public:
    explicit Reducer(BuilderState& state) : s(state) {}

    // Makes a node of the operator on top, or of the chain of equals that it ends.
    void reduce() {
        Operator top = s.operators.back();
        if (s.operands.empty()) {
            s.operators.pop_back();
        } else if (top.is_prefix) {
            s.operators.pop_back();
            prefix(top);
        } else if (is_chain(top.precedence)) {
            chain(top.precedence);
        } else {
            s.operators.pop_back();
            binary(top);
        }
    }

private:
    Operand pop() {
        if (s.operands.empty())
            return {s.error({}), 0, 0};
        Operand out = s.operands.back();
        s.operands.pop_back();
        return out;
    }
    void push(Expr* value, std::uint32_t begin, std::uint32_t end) { s.operands.push_back({value, begin, end}); }

    void prefix(const Operator& op) {
        Operand x = pop();
        std::uint32_t begin = s.token(op.token).begin;
        Span where{s.file, begin, x.end};
        Tok kind = s.token(op.token).kind;
        const ast::UnaryOp unary = kind == Tok::NOT     ? ast::UnaryOp::Not
                                   : kind == Tok::MINUS ? ast::UnaryOp::Minus
                                   : kind == Tok::TILDE ? ast::UnaryOp::Invert
                                                        : ast::UnaryOp::Plus;
        Expr* value = kind == Tok::AWAIT ? s.expression(where, ast::Await{{}, x.value})
                                         : s.expression(where, ast::Unary{{}, unary, x.value});
        push(value, begin, x.end);
    }

    void binary(const Operator& op) {
        Operand right = pop();
        Operand left = pop();
        const ast::Binary node{{}, binary_op(s.token(op.token).kind), left.value, right.value};
        push(s.expression(Span{s.file, left.begin, right.end}, node), left.begin, right.end);
    }

    void chain(int precedence) {
        std::size_t first = s.operators.size();
        while (first > 0 && s.operators[first - 1].precedence == precedence && !s.operators[first - 1].is_prefix)
            --first;
        std::size_t count = s.operators.size() - first + 1;
        if (s.operands.size() < count) {
            s.operators.resize(first);
            return;
        }
        std::size_t base = s.operands.size() - count;
        std::vector<Expr*> values;
        for (std::size_t i = base; i < s.operands.size(); ++i)
            values.push_back(s.operands[i].value);
        std::uint32_t begin = s.operands[base].begin, end = s.operands.back().end;
        Span where{s.file, begin, end};
        Expr* value = precedence == BindsCompare ? comparison(first, values, where) : logic(precedence, values, where);
        s.operators.resize(first);
        s.operands.resize(base);
        push(value, begin, end);
    }

    Expr* logic(int precedence, const std::vector<Expr*>& values, Span where) {
        return s.expression(where, ast::BoolOp{{}, precedence == BindsAnd, s.arena.copy(values)});
    }

    Expr* comparison(std::size_t first, const std::vector<Expr*>& values, Span where) {
        std::vector<CompareOp> ops;
        for (std::size_t i = first; i < s.operators.size(); ++i)
            ops.push_back(compare_op(s.token(s.operators[i].token).kind));
        const std::vector<Expr*> rights(values.begin() + 1, values.end());
        return s.expression(where, ast::Compare{{}, values[0], s.arena.copy(ops), s.arena.copy(rights)});
    }

    BuilderState& s;
};

} // namespace

Height ExpressionBuilder::begin_operators() {
    s.operators.push_back({});
    return s.operators.size();
}

void ExpressionBuilder::prefix(Index op) {
    Precedence precedence = prefix_precedence(s.token(op).kind);
    const Operator& top = s.operators.back();
    bool too_tight = precedence == BindsNot && top.precedence > BindsNot;
    bool after_await = top.precedence == BindsAwait;
    if (too_tight || after_await)
        s.fault(DiagId::SyntaxOperator, s.span(op), s.word(op), s.word(top.token));
    s.operators.push_back({precedence, true, op});
}

void ExpressionBuilder::infix(Index op) {
    Precedence precedence = infix_precedence(s.token(op).kind);
    bool stays = is_chain(precedence) || precedence == BindsPower; // at equal precedence
    while (s.operators.back().precedence > precedence || (s.operators.back().precedence == precedence && !stays))
        Reducer(s).reduce();
    s.operators.push_back({precedence, false, op});
}

void ExpressionBuilder::operand(Expr* value, Extent at) {
    Span where = s.span(at);
    s.operands.push_back({s.or_error(value), where.begin, where.end});
}

Expr* ExpressionBuilder::end_operators(Height from) {
    while (s.operators.size() > from)
        Reducer(s).reduce();
    if (s.operators.size() == from && from > 0)
        s.operators.pop_back();
    if (s.operands.empty())
        return s.error({});
    Expr* value = s.operands.back().value;
    s.operands.pop_back();
    return value;
}

} // namespace hidet::lang
