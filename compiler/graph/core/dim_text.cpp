// SPDX-License-Identifier: Apache-2.0
// Dimensions as people write them: "4", "seq", "batch * (seq + 1) // 2", and back.
#include <cctype>
#include <charconv>

#include "compiler/graph/core/shape.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/text/print.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using ir::BinOp;

struct Spelling {
    BinOp op;
    const char* text;
    int strength;
};
// A longer spelling stands before one that begins it.
constexpr Spelling spellings[] = {
    {BinOp::Or, "or", 1},       {BinOp::And, "and", 2},    {BinOp::Le, "<=", 3},   {BinOp::Lt, "<", 3},
    {BinOp::Eq, "==", 3},       {BinOp::Ne, "!=", 3},      {BinOp::Add, "+", 4},   {BinOp::Sub, "-", 4},
    {BinOp::FloorDiv, "//", 5}, {BinOp::FloorMod, "%", 5}, {BinOp::Mod, "rem", 5}, {BinOp::Mul, "*", 5},
    {BinOp::Div, "/", 5},
};
constexpr int strength_of_unary = 6;

class DimPrinter {
public:
    std::string text;

    void put(const Dim& dim, int place = 0) {
        if (const auto extent = constant_of(dim)) {
            enclosed(*extent < 0 && place > 4, [&] { text += std::to_string(*extent); });
        } else if (const auto* symbol = ir::as<ir::SymbolVar>(dim)) {
            text += is_identifier(symbol->name) ? symbol->name : "'" + symbol->name + "'";
        } else if (const auto* var = ir::as<ir::Var>(dim)) {
            text += var->name;
        } else if (const auto* binary = ir::as<ir::Binary>(dim)) {
            put_binary(*binary, place);
        } else if (const auto* select = ir::as<ir::Select>(dim)) {
            enclosed(true,
                     [&] { put(select->a), text += " if ", put(select->condition), text += " else ", put(select->b); });
        } else if (const auto* call = ir::as<ir::Intrinsic>(dim); call && is_extreme(*call)) {
            text += call->id == ir::IntrinsicId::Min ? "min(" : "max(";
            put(call->args[0]), text += ", ", put(call->args[1]), text += ")";
        } else if (const auto* unary = ir::as<ir::Unary>(dim); unary && unary->op == ir::UnOp::Neg) {
            enclosed(place > 4, [&] { text += "-", put(unary->a, strength_of_unary); });
        } else {
            text += ir::to_string(dim);
        }
    }

private:
    static bool is_extreme(const ir::Intrinsic& call) {
        return call.id == ir::IntrinsicId::Min || call.id == ir::IntrinsicId::Max;
    }
    static bool is_identifier(const std::string& name) {
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
            return false;
        for (char c : name)
            if (!is_word(c))
                return false;
        return name != "min" && name != "max" && name != "if" && name != "else" && name != "or" && name != "and" &&
               name != "rem";
    }
    template <class F>
    void enclosed(bool in_parentheses, F&& inside) {
        text += in_parentheses ? "(" : "";
        inside();
        text += in_parentheses ? ")" : "";
    }
    void put_binary(const ir::Binary& binary, int place) {
        for (const Spelling& each : spellings) {
            if (each.op != binary.op)
                continue;
            enclosed(place > each.strength, [&] {
                put(binary.a, each.strength);
                text += std::string(" ") + each.text + " ";
                put(binary.b, each.strength + 1);
            });
            return;
        }
        text += ir::to_string(ir::ExprRef(&binary));
    }
};

class DimReader {
public:
    explicit DimReader(std::string_view text) : m_rest(text) {}

    Dim whole() {
        Dim result = expression(0);
        return result && blank() ? result : nullptr;
    }

private:
    bool blank() {
        while (!m_rest.empty() && m_rest[0] == ' ')
            m_rest.remove_prefix(1);
        return m_rest.empty();
    }
    bool take(std::string_view mark) {
        blank();
        if (!m_rest.starts_with(mark))
            return false;
        if (is_word(mark.back()) && m_rest.size() > mark.size() && is_word(m_rest[mark.size()]))
            return false;
        m_rest.remove_prefix(mark.size());
        return true;
    }
    const Spelling* take_operator(int at_least) {
        for (const Spelling& each : spellings)
            if (each.strength >= at_least && take(each.text))
                return &each;
        return nullptr;
    }
    Dim expression(int at_least) {
        if (++m_nesting > 200)
            return nullptr;
        Dim left = operand();
        while (left) {
            const Spelling* spelling = take_operator(at_least);
            if (!spelling)
                break;
            const Dim right = expression(spelling->strength + 1);
            left = right ? ir::binary(spelling->op, left, right) : nullptr;
        }
        --m_nesting;
        return left;
    }
    Dim operand() {
        if (blank() || ++m_operands > 500)
            return nullptr;
        if (take("("))
            return parenthesised();
        if (take("-")) {
            const Dim value = expression(strength_of_unary);
            return value ? ir::negate(value) : nullptr;
        }
        if (m_rest[0] == '\'')
            return quoted();
        if (std::isdigit(static_cast<unsigned char>(m_rest[0])))
            return number();
        std::size_t size = 0;
        while (size < m_rest.size() && is_word(m_rest[size]))
            ++size;
        if (size == 0)
            return nullptr;
        const std::string word(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        const bool is_min = word == "min" || word == "Min"; // as SymPy writes it
        if ((is_min || word == "max" || word == "Max") && take("("))
            return extreme(is_min ? ir::IntrinsicId::Min : ir::IntrinsicId::Max);
        return symbol_dim(word);
    }
    Dim parenthesised() {
        Dim value = expression(0);
        if (value && take("if")) {
            const Dim condition = expression(0);
            const Dim otherwise = condition && take("else") ? expression(0) : nullptr;
            value = otherwise ? ir::select(condition, value, otherwise) : nullptr;
        }
        return value && take(")") ? value : nullptr;
    }
    Dim extreme(ir::IntrinsicId id) {
        const Dim a = expression(0);
        const Dim b = a && take(",") ? expression(0) : nullptr;
        return b && take(")") ? ir::math(id, {a, b}) : nullptr;
    }
    Dim quoted() {
        const std::size_t end = m_rest.find('\'', 1);
        if (end == std::string_view::npos || end == 1)
            return nullptr;
        const std::string name(m_rest.substr(1, end - 1));
        m_rest.remove_prefix(end + 1);
        return symbol_dim(name);
    }
    Dim number() {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (error != std::errc())
            return nullptr;
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return dim(value);
    }

    std::string_view m_rest;
    int m_nesting = 0;
    int m_operands = 0;
};

} // namespace

std::string text_of(const Dim& dim) {
    DimPrinter printer;
    printer.put(dim);
    return std::move(printer.text);
}

Dim parse_dim(std::string_view text) {
    try {
        return DimReader(text).whole();
    } catch (const ir::TypeError&) {
        return nullptr;
    }
}

} // namespace hidet::graph
