// SPDX-License-Identifier: Apache-2.0
// Postfix to infix, as Python would write it.
#pragma once

#include <cstdio>

#include "runtime/package/expression.h"

namespace hidet::package {

enum class ExprLevel : std::uint8_t { Choice, Or, And, Compare, Bits, Shift, Sum, Product, Prefix, Atom };

struct ExprInfix {
    ExprOp op;
    const char* text;
    ExprLevel level;
};
inline constexpr ExprInfix expr_infixes[] = {
    {ExprOp::Add, "+", ExprLevel::Sum},          {ExprOp::Sub, "-", ExprLevel::Sum},
    {ExprOp::Mul, "*", ExprLevel::Product},      {ExprOp::Div, "/", ExprLevel::Product},
    {ExprOp::Mod, "rem", ExprLevel::Product},    {ExprOp::FloorDiv, "//", ExprLevel::Product},
    {ExprOp::FloorMod, "%", ExprLevel::Product}, {ExprOp::Lt, "<", ExprLevel::Compare},
    {ExprOp::Le, "<=", ExprLevel::Compare},      {ExprOp::Eq, "==", ExprLevel::Compare},
    {ExprOp::Ne, "!=", ExprLevel::Compare},      {ExprOp::And, "and", ExprLevel::And},
    {ExprOp::Or, "or", ExprLevel::Or},           {ExprOp::BitAnd, "&", ExprLevel::Bits},
    {ExprOp::BitOr, "|", ExprLevel::Bits},       {ExprOp::BitXor, "^", ExprLevel::Bits},
    {ExprOp::Shl, "<<", ExprLevel::Shift},       {ExprOp::Shr, ">>", ExprLevel::Shift},
    {ExprOp::RealAdd, "+", ExprLevel::Sum},      {ExprOp::RealSub, "-", ExprLevel::Sum},
    {ExprOp::RealMul, "*", ExprLevel::Product},  {ExprOp::RealDiv, "/", ExprLevel::Product},
    {ExprOp::RealLt, "<", ExprLevel::Compare},   {ExprOp::RealLe, "<=", ExprLevel::Compare},
    {ExprOp::RealEq, "==", ExprLevel::Compare},  {ExprOp::RealNe, "!=", ExprLevel::Compare},
};
inline const ExprInfix* find_infix(ExprOp op) {
    for (const ExprInfix& infix : expr_infixes)
        if (infix.op == op)
            return &infix;
    return nullptr;
}

// Table: rows of rows of words. Symbols: what each is called. Out has add(), as a TextWriter has.
template <class Table, class Symbols, class Out>
class ExprPrinter {
public:
    ExprPrinter(const Table& table, const Symbols& symbols, Out& out)
        : m_table(table), m_symbols(symbols), m_out(out) {}

    void print(std::size_t row) { print_until(row, m_table[row].size(), ExprLevel::Choice, false); }

private:
    // The expression that ends before word `end`, in parentheses where it binds less than `least`. A constant may be the
    // bits of a real number.
    void print_until(std::size_t row, std::size_t end, ExprLevel least, bool is_real) {
        const ExprWord& word = m_table[row][end - 1];
        if (--m_words_left < 0)
            return m_out.add("...");
        if (word.op == ExprOp::Earlier) {
            const auto other = static_cast<std::size_t>(word.operand);
            return print_until(other, m_table[other].size(), least, is_real);
        }
        const bool is_enclosed = level_of(word, is_real) < least;
        m_out.add(is_enclosed ? "(" : "");
        if (word.op == ExprOp::Constant)
            print_constant(word.operand, is_real);
        else if (word.op == ExprOp::Symbol)
            m_out.add(m_symbols[static_cast<std::size_t>(word.operand)]);
        else
            print_operator(row, end, word.op);
        m_out.add(is_enclosed ? ")" : "");
    }
    static ExprLevel level_of(const ExprWord& word, bool is_real) {
        if (word.op == ExprOp::Constant)
            return word.operand < 0 && !is_real ? ExprLevel::Prefix : ExprLevel::Atom;
        if (word.op == ExprOp::Select)
            return ExprLevel::Choice;
        if (is_prefix(word.op))
            return ExprLevel::Prefix;
        const ExprInfix* infix = find_infix(word.op);
        return infix ? infix->level : ExprLevel::Atom;
    }
    static bool is_prefix(ExprOp op) { return op == ExprOp::Neg || op == ExprOp::RealNeg || op == ExprOp::BitNot; }

    void print_constant(std::int64_t bits, bool is_real) {
        if (!is_real)
            return m_out.add(bits);
        double real = 0;
        std::memcpy(&real, &bits, sizeof real);
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.9g", real);
        m_out.add(static_cast<const char*>(digits));
    }

    void print_operator(std::size_t row, std::size_t end, ExprOp op) {
        const int count = info(op).operands;
        std::size_t ends[3] = {};
        ends[count - 1] = end - 1;
        for (int i = count - 1; i > 0; --i)
            ends[i - 1] = begin_of(row, ends[i]);
        const bool takes_reals = op >= ExprOp::Whole;
        const auto operand = [&](int i, ExprLevel least) { print_until(row, ends[i], least, takes_reals); };
        if (op == ExprOp::Select) {
            operand(1, ExprLevel::Or);
            m_out.add(" if ");
            operand(0, ExprLevel::Or);
            m_out.add(" else ");
            operand(2, ExprLevel::Choice);
        } else if (const ExprInfix* infix = find_infix(op)) {
            operand(0, infix->level);
            m_out.add(" ", infix->text, " ");
            operand(1, static_cast<ExprLevel>(static_cast<int>(infix->level) + 1));
        } else if (is_prefix(op)) {
            m_out.add(op == ExprOp::BitNot ? "~" : "-");
            operand(0, ExprLevel::Prefix);
        } else {
            const char* name = info(op).text;
            m_out.add(std::strncmp(name, "real.", 5) == 0 ? name + 5 : name, "(");
            for (int i = 0; i < count; ++i) {
                m_out.add(i ? ", " : "");
                operand(i, ExprLevel::Choice);
            }
            m_out.add(")");
        }
    }
    // Where the expression begins that ends before word `end`.
    std::size_t begin_of(std::size_t row, std::size_t end) const {
        for (std::size_t wanted = 1; wanted > 0; --end)
            wanted += static_cast<std::size_t>(info(m_table[row][end - 1].op).operands) - 1;
        return end;
    }

    const Table& m_table;
    const Symbols& m_symbols;
    Out& m_out;
    int m_words_left = 400; // expressions share their parts, and texts do not
};

} // namespace hidet::package
