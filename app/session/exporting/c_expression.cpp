// SPDX-License-Identifier: Apache-2.0
// Expressions of a plan as C. Whole numbers are int64_t; what divides by zero sets `wrong`, which the caller looks at.
#include <bit>
#include <cmath>

#include "app/session/exporting/c_text.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using artifact::ExprOp;

struct Piece {
    std::string text;
    bool is_real = false;
    std::optional<std::int64_t> constant = {}; // whose bits may be those of an f64
};

Piece as_real(const Piece& piece) {
    return piece.constant ? Piece{real_text(std::bit_cast<double>(*piece.constant)), true} : piece;
}

const char* between(ExprOp op) {
    switch (op) {
    case ExprOp::Add:
    case ExprOp::RealAdd: return "+";
    case ExprOp::Sub:
    case ExprOp::RealSub: return "-";
    case ExprOp::Mul:
    case ExprOp::RealMul: return "*";
    case ExprOp::RealDiv: return "/";
    case ExprOp::Lt:
    case ExprOp::RealLt: return "<";
    case ExprOp::Le:
    case ExprOp::RealLe: return "<=";
    case ExprOp::Eq:
    case ExprOp::RealEq: return "==";
    case ExprOp::Ne:
    case ExprOp::RealNe: return "!=";
    case ExprOp::And: return "&&";
    case ExprOp::Or: return "||";
    case ExprOp::BitAnd: return "&";
    case ExprOp::BitOr: return "|";
    case ExprOp::BitXor: return "^";
    case ExprOp::Shl: return "<<";
    case ExprOp::Shr: return ">>";
    default: return nullptr;
    }
}

const char* function_of(ExprOp op) {
    switch (op) {
    case ExprOp::Div: return "quotient";
    case ExprOp::Mod: return "remainder_of";
    case ExprOp::FloorDiv: return "floor_quotient";
    case ExprOp::FloorMod: return "floor_remainder";
    case ExprOp::CeilDiv: return "ceil_quotient";
    case ExprOp::Min: return "least";
    case ExprOp::Max: return "greatest";
    case ExprOp::RealMin: return "fmin";
    case ExprOp::RealMax: return "fmax";
    case ExprOp::RealFloor: return "floor";
    case ExprOp::RealCeil: return "ceil";
    case ExprOp::RealTrunc: return "trunc";
    case ExprOp::RealRound: return "rint";
    case ExprOp::RealSqrt: return "sqrt";
    case ExprOp::RealIsNan: return "isnan";
    case ExprOp::RealIsInf: return "isinf";
    case ExprOp::RealIsFinite: return "isfinite";
    default: return nullptr;
    }
}

bool divides(ExprOp op) {
    return op == ExprOp::Div || op == ExprOp::Mod || op == ExprOp::FloorDiv || op == ExprOp::FloorMod ||
           op == ExprOp::CeilDiv;
}
bool takes_reals(ExprOp op) {
    return op >= ExprOp::RealAdd;
}
bool makes_real(ExprOp op) {
    return takes_reals(op) && op != ExprOp::RealLt && op != ExprOp::RealLe && op != ExprOp::RealEq &&
           op != ExprOp::RealNe && op != ExprOp::RealIsNan && op != ExprOp::RealIsInf && op != ExprOp::RealIsFinite;
}

class Writer {
public:
    explicit Writer(const ExportedFunction& function) : m_function(function) {}

    Piece run(artifact::Row row) {
        std::vector<Piece> stack;
        for (const artifact::ExprWord& word : m_function.body.expressions[row]) {
            const auto operands = static_cast<std::size_t>(artifact::info(word.op).operands);
            HIDET_CHECK(stack.size() >= operands, "an expression lacks operands");
            const std::vector<Piece> taken(stack.end() - static_cast<std::ptrdiff_t>(operands), stack.end());
            stack.resize(stack.size() - operands);
            stack.push_back(operands == 0 ? leaf(word) : operation(word.op, taken));
        }
        HIDET_CHECK(stack.size() == 1, "an expression is one value");
        return stack.back();
    }

private:
    Piece leaf(const artifact::ExprWord& word) {
        if (word.op == ExprOp::Earlier)
            return run(static_cast<artifact::Row>(word.operand));
        if (word.op == ExprOp::Constant)
            return {word.operand == INT64_MIN ? "INT64_MIN" : cat(word.operand), false, word.operand};
        const auto symbol = static_cast<std::size_t>(word.operand);
        // Numbers that are parameters have types of their own; dimensions are int64_t.
        const bool is_parameter = m_function.body.symbols[symbol].name.starts_with(".");
        const bool is_real = m_function.symbol_is_real[symbol];
        return {cat(is_parameter && !is_real ? "(int64_t)" : "", m_function.symbol_texts[symbol]), is_real};
    }
    Piece operation(ExprOp op, std::vector<Piece> of) {
        if (takes_reals(op))
            for (Piece& each : of)
                each = as_real(each);
        if (op == ExprOp::Select)
            return select(of);
        if (op == ExprOp::Real)
            return {cat("(double)", of[0].text), true};
        if (op == ExprOp::Whole)
            return {cat("(int64_t)", as_real(of[0]).text)};
        if (op == ExprOp::RealF32)
            return {cat("(double)(float)", as_real(of[0]).text), true};
        if (op == ExprOp::Neg || op == ExprOp::RealNeg)
            return {cat("(-", of[0].text, ")"), op == ExprOp::RealNeg};
        if (op == ExprOp::Not)
            return {cat("(!", of[0].text, ")")};
        if (op == ExprOp::BitNot)
            return {cat("(~", of[0].text, ")")};
        if (const char* sign = between(op))
            return {cat("(", of[0].text, " ", sign, " ", of[1].text, ")"), makes_real(op)};
        const char* name = function_of(op);
        HIDET_CHECK(name, artifact::info(op).text);
        return {cat(name, "(", of[0].text, of.size() > 1 ? cat(", ", of[1].text) : "", divides(op) ? ", &wrong)" : ")"),
                makes_real(op)};
    }
    static Piece select(std::vector<Piece> of) {
        const bool is_real = of[1].is_real || of[2].is_real;
        if (is_real)
            of[1] = as_real(of[1]), of[2] = as_real(of[2]);
        return {cat("(", of[0].text, " ? ", of[1].text, " : ", of[2].text, ")"), is_real};
    }

    const ExportedFunction& m_function;
};

// The parentheses around all of it.
std::string bare(const std::string& text) {
    if (text.empty() || text.front() != '(')
        return text;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return i + 1 == text.size() ? text.substr(1, text.size() - 2) : text;
    }
    return text;
}

} // namespace

std::string real_text(double value) {
    return std::isfinite(value) ? shortest(value) : std::isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY";
}

std::string c_expression(const ExportedFunction& function, artifact::Row row) {
    return bare(Writer(function).run(row).text);
}

} // namespace hidet::session
