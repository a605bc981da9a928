// SPDX-License-Identifier: Apache-2.0
// A composition as its user wrote it: factors, their numbers, and where each number can be changed.
#include <algorithm>
#include <charconv>

#include "lang/ast/walk.h"
#include "lang/base/text.h"
#include "lang/service/canvas/canvas_parts.h"

namespace hidet::lang::service {

namespace {

constexpr int most_names = 16; // that are followed: a = b, b = c, ...

std::string text_at(const Document& document, Range range) {
    std::string out;
    if (range.end > document.text().size())
        return out;
    for (char c : document.at(range)) // a text of one line
        if (c != '\n' && c != '\r' && !(c == ' ' && !out.empty() && out.back() == ' '))
            out += c;
    return out.size() <= 60 ? out : out.substr(0, 57) + "...";
}

bool is_pictured(const Document& document, const ast::Expr& expr) {
    const Fact* fact = document.facts.find(text_range(expr));
    return fact && !fact->pictured.empty();
}

const Binding* binding_at(const Document& document, const ast::Name& name) {
    const Occurrence* use = document.names().occurrence_at(name.span.begin);
    return use && use->binding >= 0 ? &document.names().bindings[static_cast<std::size_t>(use->binding)] : nullptr;
}

// The value that a statement gives to the name at the range, also of `a, b = 4, 8`.
const ast::Expr* value_for(const ast::Expr& target, const ast::Expr* value, Range range) {
    if (!value)
        return nullptr;
    if (text_range(target) == range)
        return value;
    const auto* targets = ast::as<ast::Tuple>(&target);
    const auto* values = ast::as<ast::Tuple>(value);
    if (!targets || !values || targets->items.size() != values->items.size())
        return nullptr;
    for (std::size_t i = 0; i < targets->items.size(); ++i)
        if (const ast::Expr* found = value_for(*targets->items[i], values->items[i], range))
            return found;
    return nullptr;
}

const ast::Expr* assignment_in(const ast::Stmt& statement, Range target) {
    if (statement.span.begin > target.begin || statement.span.end < target.end)
        return nullptr;
    if (const auto* assign = ast::as<ast::Assign>(&statement)) {
        for (const ast::Expr* item : assign->targets)
            if (const ast::Expr* found = value_for(*item, assign->value, target))
                return found;
        return nullptr;
    }
    if (const auto* annotated = ast::as<ast::AnnAssign>(&statement))
        return annotated->target ? value_for(*annotated->target, annotated->value, target) : nullptr;
    const ast::Expr* found = nullptr;
    ast::each_child(
        statement, [](const ast::Expr&) {},
        [&](const ast::Stmt& inner) {
            if (!found)
                found = assignment_in(inner, target);
        });
    return found;
}

bool is_integer(const ast::Expr& expr) {
    const auto* constant = ast::as<ast::Constant>(&expr);
    return constant && constant->what == ast::ConstantKind::Int && !constant->too_big;
}

std::optional<std::int64_t> value_of(const Document& document, const ast::Expr& expr) {
    if (is_integer(expr))
        return ast::to<ast::Constant>(expr).integer;
    const Fact* fact = document.facts.find(text_range(expr));
    if (!fact || fact->values.empty())
        return std::nullopt;
    const std::string& text = fact->values.front();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// Where the literal stands that the expression has its value from.
void find_literal(const Document& document, const ast::Expr& expr, CanvasNumber& out) {
    const ast::Expr* at = &expr;
    for (int i = 0; i < most_names && !is_integer(*at); ++i) {
        const auto* name = ast::as<ast::Name>(at);
        const Binding* binding = name ? binding_at(document, *name) : nullptr;
        if (!binding) {
            out.refusal = cat("is computed: ", text_at(document, text_range(*at)));
            return;
        }
        if (binding->kind == BindingKind::Parameter || binding->kind == BindingKind::LoopVariable) {
            out.refusal =
                cat(binding->kind == BindingKind::Parameter ? "comes from the argument " : "comes from the loop over ",
                    name->id);
            return;
        }
        at = assigned_to(document, *name);
        if (!at) {
            out.refusal = cat("'", name->id, "' is not assigned in one place of this script");
            return;
        }
    }
    if (!is_integer(*at))
        out.refusal = "is defined by itself";
    else if (text_range(*at).end <= document.text().size())
        out.literal = text_range(*at);
    else
        out.refusal = "comes from a call that is not in the text";
}

class Factors {
public:
    explicit Factors(const Document& document) : m_document(document) {}
    std::vector<CanvasFactor> take() { return std::move(m_out); }

    void add(const ast::Expr& expr, int names = 0) {
        if (const auto* binary = ast::as<ast::Binary>(&expr); binary && is_product(*binary)) {
            add(*binary->left, names);
            return add(*binary->right, names);
        }
        if (const auto* call = ast::as<ast::Call>(&expr))
            return add_call(*call, names);
        CanvasFactor factor;
        factor.range = text_range(expr);
        factor.name = text_at(m_document, factor.range);
        factor.is_atom =
            expr.kind == ast::Kind::Name || expr.kind == ast::Kind::Attribute || expr.kind == ast::Kind::Subscript;
        if (const auto* name = ast::as<ast::Name>(&expr); name && names < most_names)
            if (const ast::Expr* value = assigned_to(m_document, *name)) // what its own factors are made of
                for (CanvasFactor& inner : factors_behind(*value, names + 1))
                    std::ranges::move(inner.numbers, std::back_inserter(factor.numbers));
        if (const auto* sum = ast::as<ast::Binary>(&expr)) {
            for (const ast::Expr* side : {sum->left, sum->right})
                for (CanvasFactor& inner : factors_behind(*side, names))
                    std::ranges::move(inner.numbers, std::back_inserter(factor.numbers));
        }
        m_out.push_back(std::move(factor));
    }

private:
    bool is_product(const ast::Binary& expr) const {
        return expr.op == ast::BinaryOp::Mul && is_pictured(m_document, *expr.left) &&
               is_pictured(m_document, *expr.right);
    }

    std::vector<CanvasFactor> factors_behind(const ast::Expr& expr, int names) const {
        Factors inner(m_document);
        inner.add(expr, names);
        return inner.take();
    }

    void add_call(const ast::Call& call, int names) {
        CanvasFactor factor;
        factor.range = text_range(call);
        const auto* attribute = ast::as<ast::Attribute>(call.callee);
        if (attribute && is_pictured(m_document, *attribute->object)) {
            add(*attribute->object, names);
            factor.range.begin = attribute->name.span.begin;
            factor.is_method = true;
            factor.name = attribute->name.text;
            if (factor.name == "swizzle" || factor.name == "permute" || factor.name == "reshape" ||
                factor.name == "projection")
                factor.refusal = cat(factor.name, "() changes all that stands before it, and stays behind it");
        } else {
            const auto* name = ast::as<ast::Name>(call.callee);
            factor.name = name        ? std::string(name->id)
                          : attribute ? std::string(attribute->name.text)
                                      : text_at(m_document, text_range(*call.callee));
            if (factor.name == "chain" && !call.args.empty()) {
                for (const ast::Expr* arg : call.args)
                    add(*arg, names);
                return;
            }
        }
        add_numbers(factor, call);
        m_out.push_back(std::move(factor));
    }

    // Of shape and ranks the second is an order, and not for dragging.
    static bool has_order(const std::string& name) {
        return name == "spatial_map" || name == "repeat_map" || name == "strided_layout" || name == "permute";
    }

    void add_numbers(CanvasFactor& factor, const ast::Call& call) {
        const std::size_t most = factor.name == "permute" ? 0 : has_order(factor.name) ? 1 : call.args.size();
        for (std::size_t i = 0; i < most && i < call.args.size(); ++i)
            add_number(factor, *call.args[i], "");
        for (const ast::Keyword& keyword : call.keywords)
            if (keyword.name.text != "ranks" && keyword.name.text != "attrs" && keyword.value)
                add_number(factor, *keyword.value, keyword.name.text);
    }

    void add_number(CanvasFactor& factor, const ast::Expr& expr, std::string_view name) {
        if (const auto* items = ast::written_items(&expr))
            return add_all(factor, *items);
        const auto value = value_of(m_document, expr);
        if (!value)
            return;
        const Range range = text_range(expr);
        CanvasNumber number{std::string(name), std::string(text_at(m_document, range)), *value, range, {}, {}};
        find_literal(m_document, expr, number);
        factor.numbers.push_back(std::move(number));
    }
    void add_all(CanvasFactor& factor, ast::ExprList items) {
        for (const ast::Expr* item : items)
            add_number(factor, *item, "");
    }

    const Document& m_document;
    std::vector<CanvasFactor> m_out;
};

bool asks_a_mapping(std::string_view method) {
    return method == "on" || method == "map" || method == "worker2task" || method == "single_task_of";
}

} // namespace

const ast::Expr* assigned_to(const Document& document, const ast::Name& name) {
    const Binding* binding = binding_at(document, name);
    if (!binding)
        return nullptr;
    const auto is_write = [](const Use& use) { return use.is_write; };
    if (std::ranges::count_if(binding->uses, is_write) != 1)
        return nullptr;
    const Range target = std::ranges::find_if(binding->uses, is_write)->range;
    for (const ast::Stmt* statement : document.tree().body)
        if (const ast::Expr* found = assignment_in(*statement, target))
            return found;
    return nullptr;
}

const ast::Expr* composition_of(const Document& document, const ast::Expr& expr) {
    const ast::Expr* at = &expr;
    for (int i = 0; i < most_names; ++i) {
        if (const auto* name = ast::as<ast::Name>(at)) {
            const ast::Expr* value = assigned_to(document, *name);
            if (!value || !is_pictured(document, *value))
                return i == 0 ? nullptr : at;
            at = value;
            continue;
        }
        const auto* call = ast::as<ast::Call>(at);
        if (!call)
            return at;
        const auto* method = ast::as<ast::Attribute>(call->callee);
        if (method && asks_a_mapping(method->name.text) && is_pictured(document, *method->object)) {
            at = method->object;
            continue;
        }
        const Fact* fact = document.facts.find(text_range(*call));
        if (!fact || fact->kind != ItemKind::Tensor)
            return at;
        const ast::Expr* layout = nullptr; // of a tensor that is declared
        for (const ast::Expr* arg : call->args)
            if (is_pictured(document, *arg))
                layout = arg;
        for (const ast::Keyword& keyword : call->keywords)
            if (keyword.value && is_pictured(document, *keyword.value))
                layout = keyword.value;
        if (!layout)
            return nullptr;
        at = layout;
    }
    return nullptr;
}

std::vector<CanvasFactor> factors_of(const Document& document, const ast::Expr& composition) {
    Factors factors(document);
    factors.add(composition);
    return factors.take();
}

} // namespace hidet::lang::service
