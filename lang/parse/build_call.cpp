// SPDX-License-Identifier: Apache-2.0
// Arguments of calls and classes, parameters of functions.
#include <algorithm>
#include <utility>

#include "lang/parse/builder_state.h"

namespace hidet::lang {

Height ExpressionBuilder::arguments() {
    return s.arguments.size();
}

void ExpressionBuilder::argument(Expr* value) {
    value = s.or_error(value);
    s.arguments.push_back({ArgumentForm::Positional, value, {}, value->span});
}

void ExpressionBuilder::named_argument(Height from) {
    argument(s.exprs.size() > from ? s.exprs[from] : nullptr);
    s.exprs.resize(std::min(from, s.exprs.size()));
}

void ExpressionBuilder::star_argument(Expr* value, Extent at) {
    s.arguments.push_back({ArgumentForm::Star, starred(value, StarForm::Any, at), {}, s.span(at)});
}

void ExpressionBuilder::star_star_argument(Expr* value, Extent at) {
    s.arguments.push_back({ArgumentForm::StarStar, s.or_error(value), {}, s.span(at)});
}

void ExpressionBuilder::keyword_argument(Expr* name, Expr* value, Extent at) {
    const auto* word = ast::as<ast::Name>(name);
    ast::Ident ident;
    if (word && !word->parenthesized)
        ident = {word->id, word->span};
    else if (const auto* constant = ast::as<ast::Constant>(name);
             constant && constant->what <= ast::ConstantKind::False)
        s.fault(DiagId::SyntaxAssignTarget, name->span,
                cat("'", s.text.substr(name->span.begin, name->span.end - name->span.begin), "'"));
    else if (name && !ast::as<ast::ErrorExpr>(name))
        s.fault(DiagId::SyntaxArgument, name->span,
                cat("a keyword argument needs a plain name before '=', not ", describe(name), "; did you mean '=='?"));
    if (ident.text.empty())
        ident = {"?", s.span(at)};
    s.arguments.push_back({ArgumentForm::Keyword, s.or_error(value), ident, s.span(at)});
}

void ExpressionBuilder::generator_argument(Height from, Extent at) {
    Expr* value = comprehension(Display::Generator, from, at);
    s.arguments.push_back({ArgumentForm::Generator, value, {}, s.span(at)});
}

namespace {

struct TakenArguments {
    ast::ExprList positional;
    std::span<ast::Keyword> keywords;
};

void check_order(BuilderState& s, const Argument& a, const Argument*& keyword, const Argument*& double_star) {
    if (a.form == ArgumentForm::Positional || a.form == ArgumentForm::Generator) {
        if (double_star)
            s.fault(DiagId::SyntaxArgument, a.span, "positional argument follows '**' unpacking");
        else if (keyword)
            s.faults.add(
                Diagnostic::make(DiagId::SyntaxArgument, a.span,
                                 cat("positional argument follows keyword argument '", keyword->name.text, "'"))
                    .note(keyword->span, "the keyword argument is here"));
    } else if (a.form == ArgumentForm::Star && double_star) {
        s.fault(DiagId::SyntaxArgument, a.span, "'*' unpacking follows '**' unpacking");
    } else if (a.form == ArgumentForm::Keyword) {
        keyword = &a;
    } else if (a.form == ArgumentForm::StarStar) {
        double_star = &a;
    }
}

void check_repeated(BuilderState& s, Height from) {
    for (std::size_t i = from; i < s.arguments.size(); ++i) {
        const Argument& a = s.arguments[i];
        if (a.form != ArgumentForm::Keyword || a.name.text == "?")
            continue;
        for (std::size_t k = from; k < i; ++k)
            if (s.arguments[k].form == ArgumentForm::Keyword && s.arguments[k].name.text == a.name.text) {
                s.fault(DiagId::SyntaxArgument, a.name.span, cat("keyword argument '", a.name.text, "' is repeated"));
                break;
            }
    }
}

TakenArguments take_arguments(BuilderState& s, Height from, bool is_call, Index closer) {
    from = std::min(from, s.arguments.size());
    std::vector<Expr*> positional;
    std::vector<ast::Keyword> keywords;
    const Argument* keyword = nullptr;
    const Argument* double_star = nullptr;
    std::size_t count = s.arguments.size() - from;
    for (std::size_t i = from; i < s.arguments.size(); ++i) {
        const Argument& a = s.arguments[i];
        check_order(s, a, keyword, double_star);
        bool alone = is_call && count == 1 && s.token(closer - 1).kind != Tok::COMMA;
        if (a.form == ArgumentForm::Generator && !alone)
            s.fault(DiagId::SyntaxArgument, a.span, "a generator needs its own parentheses beside other arguments");
        if (a.form == ArgumentForm::Keyword || a.form == ArgumentForm::StarStar)
            keywords.push_back({a.name, a.value, a.span});
        else
            positional.push_back(a.value);
    }
    if (keywords.size() > 1 && keywords.size() < 1000)
        check_repeated(s, from);
    s.arguments.resize(from);
    return {s.arena.copy(positional), s.arena.copy(keywords)};
}

} // namespace

Expr* ExpressionBuilder::call(Expr* callee, Height from, Extent at) {
    // f(x for x in y): the parentheses of the call are the generator's.
    if (s.arguments.size() == from + 1 && s.arguments[from].form == ArgumentForm::Generator && callee) {
        Index open = at.last;
        std::uint32_t begin = s.arguments[from].value->span.begin;
        while (open > at.first && s.token(open).begin >= begin)
            --open;
        s.arguments[from].value->span = s.span({open, at.last});
    }
    TakenArguments taken = take_arguments(s, from, true, at.last);
    return s.expression(at, ast::Call{{}, s.or_error(callee), taken.positional, taken.keywords});
}

void StatementBuilder::class_definition(Index name, Height from, Block body, Extent at) {
    TakenArguments taken = take_arguments(s, from, false, at.first);
    s.statement(at, ast::ClassDef{{}, {}, s.ident(name), taken.positional, taken.keywords, s.block(body)});
}

// ---- parameters ----

Height StatementBuilder::parameters() {
    return s.parameters.size();
}

void StatementBuilder::parameter(ParameterForm form, Index name, Expr* annotation, Expr* value, Extent at) {
    s.parameters.push_back({form, {ast::ParamKind::Normal, s.ident(name), annotation, value, s.span(at)}});
}

namespace {

class ParameterChecker {
public:
    ParameterChecker(BuilderState& state, Height from) : s(state), m_from(std::min(from, state.parameters.size())) {}

    void run() {
        for (m_at = m_from; m_at < s.parameters.size(); ++m_at)
            check(s.parameters[m_at]);
        if (m_bare_star)
            fault(*m_bare_star, "a bare '*' must be followed by a named parameter");
    }

private:
    void fault(const ast::Param& p, std::string what) { s.fault(DiagId::SyntaxParameter, p.span, what); }

    void check(Parameter& p) {
        if (m_after_end && !std::exchange(m_end_reported, true))
            fault(p.param, cat("no parameter can follow '**", m_after_end->name.text, "'"));
        if (!p.param.name.text.empty())
            check_repeated(p.param);
        switch (p.form) {
        case ParameterForm::Slash: return slash(p.param);
        case ParameterForm::Star: return star(p.param);
        case ParameterForm::StarStar:
            p.param.what = ast::ParamKind::VarKeywords;
            m_after_end = &p.param;
            if (m_bare_star) {
                fault(*m_bare_star, "a bare '*' must be followed by a named parameter");
                m_bare_star = nullptr;
            }
            return;
        case ParameterForm::Normal: return normal(p.param);
        }
    }

    void slash(const ast::Param& p) {
        if (m_slash)
            fault(p, "'/' may appear only once");
        else if (m_star)
            fault(p, "'/' must come before '*'");
        else if (m_at == m_from)
            fault(p, "at least one parameter must come before '/'");
        m_slash = true;
        for (std::size_t i = m_from; i < m_at; ++i)
            if (s.parameters[i].form == ParameterForm::Normal)
                s.parameters[i].param.what = ast::ParamKind::PositionalOnly;
    }

    void star(ast::Param& p) {
        if (m_star)
            fault(p, "'*' may appear only once");
        m_star = true;
        p.what = ast::ParamKind::VarArgs;
        if (p.name.text.empty())
            m_bare_star = &p;
    }

    void normal(ast::Param& p) {
        m_bare_star = nullptr;
        p.what = m_star ? ast::ParamKind::KeywordOnly : ast::ParamKind::Normal;
        if (m_star)
            return;
        if (p.default_value)
            m_default = &p;
        else if (m_default)
            s.faults.add(Diagnostic::make(DiagId::SyntaxParameter, p.span,
                                          cat("parameter '", p.name.text, "' without a default follows '",
                                              m_default->name.text, "', which has one"))
                             .note(m_default->span, cat("'", m_default->name.text, "' has a default here")));
    }

    void check_repeated(const ast::Param& p) {
        for (std::size_t i = m_from; i < m_at; ++i)
            if (s.parameters[i].param.name.text == p.name.text)
                return s.faults.add(Diagnostic::make(DiagId::SyntaxParameter, p.name.span,
                                                     cat("parameter '", p.name.text, "' appears twice"))
                                        .note(s.parameters[i].param.name.span, "the first one is here"));
    }

    BuilderState& s;
    std::size_t m_from;
    std::size_t m_at = 0;
    bool m_slash = false, m_star = false, m_end_reported = false;
    const ast::Param* m_default = nullptr;
    const ast::Param* m_bare_star = nullptr;
    const ast::Param* m_after_end = nullptr;
};

} // namespace

void StatementBuilder::check_parameters(Height from) {
    ParameterChecker(s, from).run();
}

std::span<ast::Param> BuilderState::take_parameters(Height from) {
    std::vector<ast::Param> params;
    from = std::min(from, parameters.size());
    for (std::size_t i = from; i < parameters.size(); ++i)
        if (parameters[i].form != ParameterForm::Slash && !parameters[i].param.name.text.empty())
            params.push_back(parameters[i].param);
    parameters.resize(from);
    return arena.copy(params);
}

void StatementBuilder::function(Index name, Height from, Expr* result, Block body, Extent at) {
    const bool is_async = s.token(at.first).kind == Tok::ASYNC;
    s.statement(at, ast::FunctionDef{{}, {}, s.ident(name), s.take_parameters(from), result, s.block(body), is_async});
}

void StatementBuilder::decorate(Height from) {
    ast::ExprList decorators = s.take(from);
    if (s.statements.empty())
        return;
    ast::Stmt* last = s.statements.back();
    if (last->kind == ast::Kind::FunctionDef)
        static_cast<ast::FunctionDef*>(last)->decorators = decorators;
    else if (last->kind == ast::Kind::ClassDef)
        static_cast<ast::ClassDef*>(last)->decorators = decorators;
    for (const Expr* decorator : decorators)
        last->depth = std::max(last->depth, static_cast<std::uint16_t>(decorator->depth + 1));
}

} // namespace hidet::lang
