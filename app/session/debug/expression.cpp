// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/expression.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "lang/ast/walk.h"
#include "lang/base/text.h"
#include "lang/parse/parser.h"

namespace hidet::session {

namespace {

namespace ast = lang::ast;
using Computed = Result<DebugNumber>;

Error refused(std::string message) {
    return {"bad-expression", std::move(message)};
}

constexpr const char* not_computed =
    "this cannot be computed here: names, numbers, elements, arithmetic and comparisons can";

std::string dotted_name(const ast::Expr& e) {
    if (const auto* name = ast::as<ast::Name>(&e))
        return std::string(name->id);
    if (const auto* attribute = ast::as<ast::Attribute>(&e))
        if (const std::string object = dotted_name(*attribute->object); !object.empty())
            return cat(object, ".", attribute->name.text);
    return "";
}

std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    if (b == -1)
        return wrapped_product(a, -1);
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

class Evaluation {
public:
    explicit Evaluation(const DebugNames& names) : m_names(names) {}

    Computed value(const ast::Expr& e) const {
        switch (e.kind) {
        case ast::Kind::Name:
        case ast::Kind::Attribute: return named(e);
        case ast::Kind::Constant: return constant(ast::to<ast::Constant>(e));
        case ast::Kind::Unary: return unary(ast::to<ast::Unary>(e));
        case ast::Kind::Binary: return binary(ast::to<ast::Binary>(e));
        case ast::Kind::BoolOp: return logical(ast::to<ast::BoolOp>(e));
        case ast::Kind::Compare: return comparison(ast::to<ast::Compare>(e));
        case ast::Kind::Subscript: return element(ast::to<ast::Subscript>(e));
        case ast::Kind::IfExp: {
            const auto& choice = ast::to<ast::IfExp>(e);
            HIDET_TRY(const DebugNumber test, value(*choice.condition));
            return value(test.is_true() ? *choice.then_value : *choice.else_value);
        }
        default: return refused(not_computed);
        }
    }

private:
    Computed named(const ast::Expr& e) const {
        const std::string name = dotted_name(e);
        return name.empty() ? Computed(refused("an attribute of what is no name")) : m_names.number(name);
    }
    static Computed constant(const ast::Constant& e) {
        switch (e.what) {
        case ast::ConstantKind::True: return DebugNumber::of_bool(true);
        case ast::ConstantKind::False: return DebugNumber::of_bool(false);
        case ast::ConstantKind::Int: return DebugNumber::of(e.integer);
        case ast::ConstantKind::Float: return DebugNumber::of_real(e.real);
        default: return refused("only numbers can be written here");
        }
    }
    Computed unary(const ast::Unary& e) const {
        HIDET_TRY(const DebugNumber a, value(*e.operand));
        switch (e.op) {
        case ast::UnaryOp::Plus: return a;
        case ast::UnaryOp::Minus:
            return a.is_real ? DebugNumber::of_real(-a.real) : DebugNumber::of(wrapped_product(a.integer, -1));
        case ast::UnaryOp::Not: return DebugNumber::of_bool(!a.is_true());
        case ast::UnaryOp::Invert:
            return a.is_real ? Computed(refused("'~' wants an integer")) : Computed(DebugNumber::of(~a.integer));
        }
        return a;
    }
    Computed binary(const ast::Binary& e) const {
        HIDET_TRY(const DebugNumber a, value(*e.left));
        HIDET_TRY(const DebugNumber b, value(*e.right));
        return a.is_real || b.is_real || e.op == ast::BinaryOp::Div || e.op == ast::BinaryOp::Pow
                   ? of_reals(e.op, a.as_real(), b.as_real())
                   : of_integers(e.op, a.integer, b.integer);
    }
    static Computed of_reals(ast::BinaryOp op, double a, double b) {
        switch (op) {
        case ast::BinaryOp::Add: return DebugNumber::of_real(a + b);
        case ast::BinaryOp::Sub: return DebugNumber::of_real(a - b);
        case ast::BinaryOp::Mul: return DebugNumber::of_real(a * b);
        case ast::BinaryOp::Pow: return DebugNumber::of_real(std::pow(a, b));
        case ast::BinaryOp::Div:
        case ast::BinaryOp::FloorDiv:
        case ast::BinaryOp::Mod:
            if (b == 0)
                return refused("division by zero");
            return DebugNumber::of_real(op == ast::BinaryOp::Div        ? a / b
                                        : op == ast::BinaryOp::FloorDiv ? std::floor(a / b)
                                                                        : a - std::floor(a / b) * b);
        default: return refused(cat("'", ast::spelling(op), "' wants integers"));
        }
    }
    static Computed of_integers(ast::BinaryOp op, std::int64_t a, std::int64_t b) {
        const bool divides = op == ast::BinaryOp::FloorDiv || op == ast::BinaryOp::Mod;
        const bool shifts = op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr;
        if (divides && b == 0)
            return refused("division by zero");
        if (shifts && (b < 0 || b > 63))
            return refused("a shift by less than 0 or more than 63 bits");
        switch (op) {
        case ast::BinaryOp::Add: return DebugNumber::of(wrapped_sum(a, b));
        case ast::BinaryOp::Sub: return DebugNumber::of(wrapped_sum(a, wrapped_product(b, -1)));
        case ast::BinaryOp::Mul: return DebugNumber::of(wrapped_product(a, b));
        case ast::BinaryOp::FloorDiv: return DebugNumber::of(floor_quotient(a, b));
        case ast::BinaryOp::Mod: return DebugNumber::of(wrapped_sum(a, -wrapped_product(floor_quotient(a, b), b)));
        case ast::BinaryOp::Shl: return DebugNumber::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b));
        case ast::BinaryOp::Shr: return DebugNumber::of(a >> b);
        case ast::BinaryOp::BitAnd: return DebugNumber::of(a & b);
        case ast::BinaryOp::BitOr: return DebugNumber::of(a | b);
        case ast::BinaryOp::BitXor: return DebugNumber::of(a ^ b);
        default: return refused(cat("'", ast::spelling(op), "' cannot be computed here"));
        }
    }
    Computed logical(const ast::BoolOp& e) const {
        DebugNumber last;
        for (const ast::Expr* operand : e.operands) {
            HIDET_TRY(last, value(*operand));
            if (last.is_true() != e.is_and)
                return last;
        }
        return last;
    }
    Computed comparison(const ast::Compare& e) const {
        HIDET_TRY(DebugNumber left, value(*e.left));
        for (std::size_t i = 0; i < e.ops.size(); ++i) {
            HIDET_TRY(const DebugNumber right, value(*e.rights[i]));
            HIDET_TRY(const DebugNumber holds, compared(e.ops[i], left, right));
            if (!holds.is_true())
                return holds;
            left = right;
        }
        return DebugNumber::of_bool(true);
    }
    static Computed compared(ast::CompareOp op, const DebugNumber& a, const DebugNumber& b) {
        const auto order = a.is_real || b.is_real ? std::partial_ordering(a.as_real() <=> b.as_real())
                                                  : std::partial_ordering(a.integer <=> b.integer);
        switch (op) {
        case ast::CompareOp::Eq: return DebugNumber::of_bool(order == 0);
        case ast::CompareOp::Ne: return DebugNumber::of_bool(order != 0);
        case ast::CompareOp::Lt: return DebugNumber::of_bool(order < 0);
        case ast::CompareOp::Le: return DebugNumber::of_bool(order <= 0);
        case ast::CompareOp::Gt: return DebugNumber::of_bool(order > 0);
        case ast::CompareOp::Ge: return DebugNumber::of_bool(order >= 0);
        default: return refused(cat("'", ast::spelling(op), "' cannot be computed here"));
        }
    }
    Computed element(const ast::Subscript& e) const {
        const std::string tensor = dotted_name(*e.object);
        if (tensor.empty())
            return refused("an element of what is no tensor");
        std::vector<std::int64_t> index;
        const auto add = [&](const ast::Expr& part) -> Result<void> {
            HIDET_TRY(const DebugNumber at, value(part));
            if (at.is_real)
                return refused("an index is an integer");
            index.push_back(at.integer);
            return {};
        };
        if (const auto* several = ast::as<ast::Tuple>(e.index)) {
            for (const ast::Expr* part : several->items)
                HIDET_TRY_TO(add(*part));
        } else if (Result<void> done = add(*e.index); !done) {
            return done.error();
        }
        return m_names.element(tensor, index);
    }

    const DebugNames& m_names;
};

} // namespace

std::string text_of(const DebugNumber& number) {
    if (number.is_bool)
        return number.integer ? "True" : "False";
    return number.is_real ? shortest(number.real) : cat(number.integer);
}

Result<DebugExpression> DebugExpression::parse(const std::string& text) {
    auto held = std::make_shared<Text>();
    const FileId file = held->sources.add("expression", text + "\n");
    held->module = lang::parse(held->sources, file, held->sink);
    DebugExpression out;
    if (!held->sink.has_errors() && held->module.body.size() == 1)
        if (const auto* statement = ast::as<ast::ExprStmt>(held->module.body.front()))
            out.m_root = statement->value;
    if (!out.m_root)
        return refused(held->sink.has_errors() ? held->sink.all().front().message
                                               : "an expression is wanted, as a script has it");
    out.m_text = std::move(held);
    return out;
}

Result<void> DebugExpression::computable() const {
    constexpr ast::Kind kinds[] = {ast::Kind::Name,   ast::Kind::Attribute, ast::Kind::Constant, ast::Kind::Unary,
                                   ast::Kind::Binary, ast::Kind::BoolOp,    ast::Kind::Compare,  ast::Kind::Subscript,
                                   ast::Kind::IfExp,  ast::Kind::Tuple};
    bool is_fine = m_root->kind != ast::Kind::Tuple;
    const std::function<void(const ast::Expr&)> look = [&](const ast::Expr& e) {
        is_fine = is_fine && std::ranges::find(kinds, e.kind) != std::end(kinds);
        ast::each_child(e, look);
    };
    look(*m_root);
    return is_fine ? Result<void>() : refused(not_computed);
}

Result<DebugNumber> DebugExpression::value_of(const ast::Expr& part, const DebugNames& names) const {
    return Evaluation(names).value(part);
}

std::string DebugExpression::name() const {
    const auto* name = ast::as<ast::Name>(m_root);
    return name ? std::string(name->id) : "";
}

static std::optional<DebugExpression::Element> element_of(const ast::Expr* e) {
    const auto* subscript = e ? ast::as<ast::Subscript>(e) : nullptr;
    DebugExpression::Element out;
    if (subscript)
        out.tensor = dotted_name(*subscript->object);
    if (out.tensor.empty())
        return std::nullopt;
    if (const auto* several = ast::as<ast::Tuple>(subscript->index))
        out.index.assign(several->items.begin(), several->items.end());
    else
        out.index = {subscript->index};
    return out;
}

std::optional<DebugExpression::Element> DebugExpression::element() const {
    return element_of(m_root);
}

Result<DebugExpression::Element> DebugExpression::written_element() const {
    const auto* call = ast::as<ast::Call>(m_root);
    if (!call || dotted_name(*call->callee) != "last_writer")
        return Element{};
    const bool is_one = call->args.size() == 1 && call->keywords.empty();
    std::optional<Element> out = element_of(is_one ? call->args[0] : nullptr);
    if (!out)
        return refused("last_writer wants an element of a tensor, as in last_writer(tile[3, 4])");
    return *out;
}

} // namespace hidet::session
