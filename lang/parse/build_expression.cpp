// SPDX-License-Identifier: Apache-2.0
// Names, tuples, displays, comprehensions, subscripts, lambda: all expressions but operators, calls and literals.
#include <algorithm>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

Height ExpressionBuilder::mark() {
    return s.exprs.size();
}

void ExpressionBuilder::push(Expr* value) {
    s.exprs.push_back(s.or_error(value));
}

static Expr* make_tuple(BuilderState& s, Height from, Extent at) {
    return s.expression(at, ast::Tuple{{}, s.take(from)});
}

static Expr* only(BuilderState& s, Height from) {
    Expr* value = s.exprs.size() > from ? s.exprs[from] : s.error({});
    s.exprs.resize(std::min(from, s.exprs.size()));
    return value;
}

Expr* ExpressionBuilder::tuple_or_single(Height from, bool comma, Extent at) {
    return comma ? make_tuple(s, from, at) : only(s, from);
}

Expr* ExpressionBuilder::targets(Height from, bool comma, Extent at) {
    Expr* target = tuple_or_single(from, comma, at);
    s.check_target(target, true);
    return target;
}

Expr* MatchBuilder::subject(Height from, bool comma, Extent at) {
    Expr* value = s.builder.expression.tuple_or_single(from, comma, at);
    s.require_no_star(value);
    return value;
}

Expr* ExpressionBuilder::starred(Expr* value, StarForm form, Extent at) {
    const char* what = nullptr;
    if (value && form == StarForm::Bitwise && s.is_open(value, what))
        s.fault(DiagId::SyntaxStarred, s.span(at), cat("put parentheses around the ", what, " behind '*'"));
    return s.expression(at, ast::Starred{{}, s.or_error(value)});
}

Expr* ExpressionBuilder::yield_from(Expr* value, Extent at) {
    return s.expression(at, ast::Yield{{}, true, s.or_error(value)});
}

Expr* ExpressionBuilder::yield_value(Expr* value, Extent at) {
    s.require_no_star(value);
    return s.expression(at, ast::Yield{{}, false, value});
}

Expr* ExpressionBuilder::named_expression(Expr* target, Expr* value, Extent at) {
    const auto* name = ast::as<ast::Name>(target);
    if (!name || name->parenthesized) {
        if (target && !ast::as<ast::ErrorExpr>(target))
            s.fault(DiagId::SyntaxWalrus, target->span,
                    cat("':=' can only name a plain variable, not ", describe(target)));
        return s.error(s.span(at));
    }
    return s.expression(at, ast::NamedExpr{{}, {name->id, name->span}, s.or_error(value)});
}

Expr* ExpressionBuilder::conditional(Expr* condition, Expr* then_value, Expr* else_value, Extent at) {
    return s.expression(at, ast::IfExp{{}, s.or_error(condition), s.or_error(then_value), s.or_error(else_value)});
}

Expr* ExpressionBuilder::lambda(Height from, Expr* body, Extent at) {
    return s.expression(at, ast::Lambda{{}, s.take_parameters(from), s.or_error(body)});
}

Expr* ExpressionBuilder::name(Index token) {
    return s.node(s.span(token), ast::Name{{}, s.word(token)});
}

Expr* ExpressionBuilder::error(Extent at) {
    return s.error(s.span(at));
}

Expr* ExpressionBuilder::attribute(Expr* object, Index name, Extent at) {
    return s.expression(at, ast::Attribute{{}, s.or_error(object), s.ident(name)});
}

Expr* ExpressionBuilder::subscript(Expr* object, Expr* index, Extent at) {
    return s.expression(at, ast::Subscript{{}, s.or_error(object), s.or_error(index)});
}

Expr* ExpressionBuilder::subscripts(Height from, bool comma, Extent at) {
    bool single_star = !comma && s.exprs.size() > from && ast::as<ast::Starred>(s.exprs[from]);
    return tuple_or_single(from, comma || single_star, at);
}

Expr* ExpressionBuilder::slice(Expr* start, Expr* stop, Expr* step, Extent at) {
    if (ast::as<ast::NamedExpr>(start) && !start->parenthesized)
        s.fault(DiagId::SyntaxWalrus, start->span, "put parentheses around ':=' in a slice");
    return s.expression(at, ast::Slice{{}, start, stop, step});
}

Expr* ExpressionBuilder::group(Height from, bool comma, Extent at) {
    if (comma || s.exprs.size() <= from)
        return make_tuple(s, from, at);
    Expr* value = only(s, from);
    if (ast::as<ast::Starred>(value)) {
        s.fault(DiagId::SyntaxStarred, value->span, "cannot use a starred expression here; '(*a,)' makes a tuple");
        return s.error(value->span);
    }
    value->parenthesized = true;
    return value;
}

Expr* ExpressionBuilder::list(Height from, Extent at) {
    return s.expression(at, ast::List{{}, s.take(from)});
}

// ---- braces ----

void ExpressionBuilder::begin_entries() {
    s.entries.push_back({});
}

void ExpressionBuilder::push_pair(Expr* key, Expr* value, Extent at) {
    const char* what = nullptr;
    if (ast::as<ast::NamedExpr>(key) && !key->parenthesized)
        s.fault(DiagId::SyntaxWalrus, key->span, "put parentheses around ':=' in a dict");
    if (!key && value && s.is_open(value, what))
        s.fault(DiagId::SyntaxDict, s.span(at), cat("put parentheses around the ", what, " behind '**'"));
    if (!s.entries.empty()) {
        if (s.entries.back().elements && !s.entries.back().pairs)
            s.fault(DiagId::SyntaxDict, s.entries.back().element,
                    "this entry has no ': value', as the dict's others have");
        s.entries.back().pairs = true;
    }
    s.exprs.push_back(key);
    s.exprs.push_back(s.or_error(value));
}

void ExpressionBuilder::push_element(Expr* value, Extent at) {
    if (!s.entries.empty()) {
        Entries& entries = s.entries.back();
        if (entries.pairs && !entries.elements)
            s.fault(DiagId::SyntaxDict, s.span(at), "this entry has no ': value', as the dict's others have");
        if (!entries.elements)
            entries.element = s.span(at);
        entries.elements = true;
    }
    s.exprs.push_back(s.or_error(value));
}

static Entries pop_entries(BuilderState& s) {
    if (s.entries.empty())
        return {};
    Entries out = s.entries.back();
    s.entries.pop_back();
    return out;
}

Expr* ExpressionBuilder::dict_or_set(Height from, Extent at) {
    Entries entries = pop_entries(s);
    ast::ExprList items = s.take(from);
    if (entries.pairs && entries.elements)
        return s.error(s.span(at));
    if (entries.elements)
        return s.expression(at, ast::Set{{}, items});
    std::vector<Expr*> keys, values;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        keys.push_back(items[i]);
        values.push_back(items[i + 1]);
    }
    return s.expression(at, ast::Dict{{}, s.arena.copy(keys), s.arena.copy(values)});
}

// ---- comprehensions ----

void ExpressionBuilder::begin_clauses() {
    s.clause_marks.push_back(s.clauses.size());
}

void ExpressionBuilder::clause(bool is_async, Expr* target, Expr* source) {
    s.clauses.push_back({{s.or_error(target), s.or_error(source), {}, is_async}, s.conditions.size()});
}

void ExpressionBuilder::clause_condition(Expr* condition) {
    s.conditions.push_back(s.or_error(condition));
}

Expr* ExpressionBuilder::comprehension(Display form, Height from, Extent at) {
    ast::Comprehension node;
    Entries entries = form == Display::DictOrSet ? pop_entries(s) : Entries{};
    bool is_dict = entries.pairs;
    node.what = form == Display::Generator ? ast::ComprehensionKind::Generator
                : form == Display::List    ? ast::ComprehensionKind::List
                : is_dict                  ? ast::ComprehensionKind::Dict
                                           : ast::ComprehensionKind::Set;
    ast::ExprList parts = s.take(from);
    bool unpacks = false;
    if (is_dict && parts.size() > 1) {
        unpacks = parts[0] == nullptr;
        node.element = s.or_error(parts[0]);
        node.value = parts[1];
    } else {
        node.element = parts.empty() ? s.error({}) : s.or_error(parts[0]);
        unpacks = ast::as<ast::Starred>(node.element) != nullptr;
    }
    if (unpacks)
        s.fault(DiagId::SyntaxStarred, is_dict ? node.value->span : node.element->span,
                is_dict ? "'**' cannot unpack a dict in a comprehension"
                        : "'*' cannot unpack a value in a comprehension");
    std::size_t base = s.clause_marks.empty() ? s.clauses.size() : s.clause_marks.back();
    if (!s.clause_marks.empty())
        s.clause_marks.pop_back();
    std::vector<ast::Clause> clauses;
    std::size_t conditions_end = s.conditions.size();
    for (std::size_t i = s.clauses.size(); i-- > base;) {
        ClauseDraft& draft = s.clauses[i];
        std::vector<Expr*> list(s.conditions.begin() +
                                    static_cast<std::ptrdiff_t>(std::min(draft.conditions, conditions_end)),
                                s.conditions.begin() + static_cast<std::ptrdiff_t>(conditions_end));
        conditions_end = std::min(draft.conditions, conditions_end);
        draft.clause.conditions = s.arena.copy(list);
        clauses.push_back(draft.clause);
    }
    std::ranges::reverse(clauses);
    s.conditions.resize(conditions_end);
    s.clauses.resize(base);
    node.clauses = s.arena.copy(clauses);
    return s.expression(at, node);
}

} // namespace hidet::lang
