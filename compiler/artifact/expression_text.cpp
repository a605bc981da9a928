// SPDX-License-Identifier: Apache-2.0
// Postfix to infix, as Python would write it.
#include <cstdio>

#include "compiler/artifact/expression.h"
#include "lang/base/text.h"

namespace hidet::artifact {

namespace {

enum Level : int { Choice, Or, And, Compare, Bits, Shift, Sum, Product, Prefix, Atom };

struct Infix {
    ExprOp op;
    const char* text;
    Level level;
};
constexpr Infix infixes[] = {
    {ExprOp::Add, "+", Sum},          {ExprOp::Sub, "-", Sum},         {ExprOp::Mul, "*", Product},
    {ExprOp::Div, "/", Product},      {ExprOp::Mod, "rem", Product},   {ExprOp::FloorDiv, "//", Product},
    {ExprOp::FloorMod, "%", Product}, {ExprOp::Lt, "<", Compare},      {ExprOp::Le, "<=", Compare},
    {ExprOp::Eq, "==", Compare},      {ExprOp::Ne, "!=", Compare},     {ExprOp::And, "and", And},
    {ExprOp::Or, "or", Or},           {ExprOp::BitAnd, "&", Bits},     {ExprOp::BitOr, "|", Bits},
    {ExprOp::BitXor, "^", Bits},      {ExprOp::Shl, "<<", Shift},      {ExprOp::Shr, ">>", Shift},
    {ExprOp::RealAdd, "+", Sum},      {ExprOp::RealSub, "-", Sum},     {ExprOp::RealMul, "*", Product},
    {ExprOp::RealDiv, "/", Product},  {ExprOp::RealLt, "<", Compare},  {ExprOp::RealLe, "<=", Compare},
    {ExprOp::RealEq, "==", Compare},  {ExprOp::RealNe, "!=", Compare},
};

struct InfixPiece {
    std::string text;
    int level = Atom;
    std::optional<std::int64_t> constant = {}; // whose bits may be those of a real number
};

class InfixWriter {
public:
    InfixWriter(const std::vector<Expression>& table, const std::vector<std::string>& symbols)
        : m_table(table), m_symbols(symbols) {}

    InfixPiece write(std::uint32_t row) {
        std::vector<InfixPiece> stack;
        for (const ExprWord& word : m_table[row]) {
            if (--m_words_left < 0)
                return {"..."};
            if (word.op == ExprOp::Constant) {
                stack.push_back({cat(word.operand), word.operand < 0 ? Prefix : Atom, word.operand});
            } else if (word.op == ExprOp::Symbol) {
                stack.push_back({m_symbols[static_cast<std::size_t>(word.operand)]});
            } else if (word.op == ExprOp::Earlier) {
                stack.push_back(write(static_cast<std::uint32_t>(word.operand)));
            } else {
                const auto count = static_cast<std::size_t>(info(word.op).operands);
                std::vector<InfixPiece> operands(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
                stack.resize(stack.size() - count);
                stack.push_back(applied(word.op, std::move(operands)));
            }
        }
        return stack.back();
    }

private:
    static std::string within(const InfixPiece& piece, int level) {
        return piece.level < level ? "(" + piece.text + ")" : piece.text;
    }
    static void read_as_real(InfixPiece& piece) {
        if (!piece.constant)
            return;
        double real = 0;
        static_assert(sizeof real == sizeof *piece.constant);
        __builtin_memcpy(&real, &*piece.constant, sizeof real);
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", real);
        piece = {text};
    }
    static InfixPiece applied(ExprOp op, std::vector<InfixPiece> operands) {
        if (op >= ExprOp::Whole)
            for (InfixPiece& operand : operands)
                read_as_real(operand);
        if (op == ExprOp::Select)
            return {
                cat(within(operands[1], Or), " if ", within(operands[0], Or), " else ", within(operands[2], Choice)),
                Choice};
        for (const Infix& infix : infixes)
            if (infix.op == op)
                return {
                    cat(within(operands[0], infix.level), " ", infix.text, " ", within(operands[1], infix.level + 1)),
                    infix.level};
        if (op == ExprOp::Neg || op == ExprOp::RealNeg)
            return {"-" + within(operands[0], Prefix), Prefix};
        if (op == ExprOp::BitNot)
            return {"~" + within(operands[0], Prefix), Prefix};
        std::vector<std::string> texts;
        for (const InfixPiece& operand : operands)
            texts.push_back(operand.text);
        std::string name = info(op).text;
        if (name.starts_with("real."))
            name.erase(0, 5);
        return {cat(name, "(", join(texts, ", "), ")")};
    }

    const std::vector<Expression>& m_table;
    const std::vector<std::string>& m_symbols;
    int m_words_left = 400; // expressions share their parts, and texts do not
};

} // namespace

std::string text_of(const std::vector<Expression>& table, std::uint32_t row, const std::vector<std::string>& symbols) {
    return InfixWriter(table, symbols).write(row).text;
}

} // namespace hidet::artifact
