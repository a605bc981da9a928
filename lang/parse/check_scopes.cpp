// SPDX-License-Identifier: Apache-2.0
//
// One walk over the tree with a stack of scopes, as Python's symbol table and compiler do it. Parts of a definition that
// run outside of it (decorators, defaults, annotations, the first source of a comprehension) are visited in the scope
// around it. A block below a broken line may belong to anything, so nothing is said about its surroundings.
#include "lang/parse/check_scopes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "lang/ast/walk.h"

namespace hidet::lang {

namespace scopes { // so that the names of trees are known in it alone

namespace {

using namespace ast;

enum class ScopeKind : std::uint8_t { Module, Class, Function, AsyncFunction, Lambda, Comprehension, Unknown };

enum NameFlag : unsigned {
    IsParam = 1,
    IsAssigned = 2,
    IsUsed = 4,
    IsAnnotated = 8,
    IsGlobal = 16,
    IsNonlocal = 32,
};

enum class Around : std::uint8_t { Loop, Group }; // Group: a handler of except*

struct Scope {
    ScopeKind kind{};
    std::vector<Around> around; // the current statement
    bool is_generator = false;
    std::optional<Span> value_return;
    bool has_await = false; // a comprehension that awaits
    std::map<std::string_view, unsigned> names;
    std::vector<std::string_view> targets; // of a comprehension
    std::vector<Ident> walrus;             // bound by ':=' inside a comprehension
    std::vector<Ident> nonlocals;          // declared here
    std::vector<Ident> wanted;             // declared in scopes inside, and not found yet
};

const char* const futures[] = {"nested_scopes",  "generators",     "division",         "absolute_import",
                               "with_statement", "print_function", "unicode_literals", "barry_as_FLUFL",
                               "generator_stop", "annotations"};

// The first word of a statement or an expression.
Span word(const Node& n, std::size_t length) {
    return {n.span.file, n.span.begin, n.span.begin + static_cast<std::uint32_t>(length)};
}

void fault(Faults& faults, Span where, const std::string& what) {
    if (!faults.any_in(where.begin, where.begin)) // `x = yield = 3` is one mistake
        faults.add(Diagnostic::make(DiagId::SyntaxPlace, where, what));
}

void refuse_debug(const Ident& name, Faults& faults) {
    if (name.text == "__debug__")
        faults.add(Diagnostic::make(DiagId::SyntaxAssignTarget, name.span, "'__debug__'"));
}

// ---- what stands in the wrong place ----

void check_jump(const Stmt& n, std::string_view name, const Scope& s, Faults& faults) {
    if (s.kind == ScopeKind::Unknown || (!s.around.empty() && s.around.back() == Around::Loop))
        return;
    const char* why = s.around.empty() ? "' outside of a loop" : "' cannot leave an 'except*' block";
    fault(faults, word(n, name.size()), cat("'", name, why));
}

void need_async(Span where, const char* what, ScopeKind kind, Faults& faults) {
    if (kind == ScopeKind::Module || kind == ScopeKind::Class)
        fault(faults, where, cat(what, " outside of a function"));
    else if (kind == ScopeKind::Function || kind == ScopeKind::Lambda || kind == ScopeKind::Comprehension)
        fault(faults, where, cat(what, " outside of an async function"));
}

// ---- from __future__ ----

bool is_future(const ImportFrom& from) {
    return from.level == 0 && from.module.text == "__future__";
}

// Those that stand where they may: at the beginning, behind a docstring at most.
std::vector<const ImportFrom*> early_futures(ast::Block body) {
    std::vector<const ImportFrom*> early;
    for (const Stmt* s : body) {
        const auto* from = as<ImportFrom>(s);
        const auto* text = as<ExprStmt>(s);
        const auto* constant = text ? as<Constant>(text->value) : nullptr;
        if (from && is_future(*from))
            early.push_back(from);
        else if (s != body.front() || !constant || constant->what != ConstantKind::String)
            break;
    }
    return early;
}

void check_features(const ImportFrom& from, Faults& faults) {
    for (const ImportName& name : from.names)
        if (std::ranges::find(futures, name.name.text) == std::end(futures))
            fault(faults, name.name.span, cat("'__future__' has no feature '", name.name.text, "'"));
}

// The scopes around a place, the innermost last, and what they know of names.
class Scopes {
public:
    Scopes(NameTracking names, Faults& faults) : m_names(names), m_faults(faults) { enter(ScopeKind::Module); }

    Scope& innermost() { return m_scopes.back(); }
    void enter(ScopeKind kind) {
        m_scopes.emplace_back();
        m_scopes.back().kind = kind;
    }
    void leave() {
        Scope done = std::move(m_scopes.back());
        m_scopes.pop_back();
        for (const Ident& name : done.wanted)
            look_up(done, name);
        std::vector<Ident>& outer = innermost().wanted;
        outer.insert(outer.end(), done.nonlocals.begin(), done.nonlocals.end());
    }

    void leave_module() {
        for (const Ident& name : innermost().wanted)
            not_found(name);
    }

    // ---- names ----
    void flag(std::string_view name, unsigned flags) { flag_in(innermost(), name, flags); }
    void use(std::string_view name) { flag(name, IsUsed); }
    void bind(const Ident& name) {
        refuse_debug(name, m_faults);
        flag(name.text, IsAssigned);
    }

    // By ':=', which binds a variable of what the comprehensions stand in.
    void bind_by_walrus(const Ident& name, bool is_source) {
        if (is_source)
            return walrus_fault(name.span, "':=' cannot stand in the part behind 'in' of a comprehension");
        std::size_t i = m_scopes.size() - 1;
        for (; m_scopes[i].kind == ScopeKind::Comprehension; --i)
            for (std::string_view target : m_scopes[i].targets)
                if (target == name.text)
                    return walrus_fault(name.span,
                                        cat("':=' cannot bind the comprehension's own variable '", target, "'"));
        bool inside = i + 1 < m_scopes.size();
        if (inside && m_scopes[i].kind == ScopeKind::Class)
            return walrus_fault(name.span, "':=' in a comprehension cannot bind a variable of a class");
        if (inside)
            innermost().walrus.push_back(name);
        refuse_debug(name, m_faults);
        flag_in(m_scopes[i], name.text, IsAssigned);
    }

    void annotate(const Ident& name, const Expr* given) {
        unsigned flags = m_names == NameTracking::On ? innermost().names[name.text] : 0;
        if ((flags & (IsGlobal | IsNonlocal)) != 0 && innermost().kind != ScopeKind::Module)
            fault(m_faults, name.span,
                  cat("'", name.text, "' is declared ", (flags & IsGlobal) ? "global" : "nonlocal",
                      " and cannot have a type annotation here"));
        flag(name.text, IsAnnotated | (given ? IsAssigned : 0u));
    }

    void declare(std::span<Ident> names, unsigned as_what, const char* keyword) {
        for (const Ident& name : names) {
            unsigned flags = innermost().names[name.text];
            if (flags & IsParam)
                fault(m_faults, name.span, cat("'", name.text, "' is a parameter and cannot be ", keyword));
            else if (flags & IsUsed)
                fault(m_faults, name.span, cat("'", name.text, "' is used before it is declared ", keyword));
            else if (flags & IsAnnotated)
                fault(m_faults, name.span, cat("'", name.text, "' has a type annotation and cannot be ", keyword));
            else if (flags & IsAssigned)
                fault(m_faults, name.span, cat("'", name.text, "' is assigned before it is declared ", keyword));
            else if ((flags | as_what) >= (IsGlobal | IsNonlocal))
                fault(m_faults, name.span, cat("'", name.text, "' is declared both global and nonlocal"));
            else if (as_what == IsNonlocal && innermost().kind != ScopeKind::Unknown)
                innermost().nonlocals.push_back(name);
            flag(name.text, as_what);
        }
    }

private:
    // A name that a scope inside of `done` declared nonlocal: does `done` bind it?
    void look_up(const Scope& done, const Ident& name) {
        if (done.kind == ScopeKind::Unknown || (done.kind == ScopeKind::Class && name.text == "__class__"))
            return;
        auto found = done.names.find(name.text);
        unsigned flags = done.kind == ScopeKind::Class || found == done.names.end() ? 0 : found->second;
        if (flags & IsGlobal)
            not_found(name);
        else if (!(flags & (IsParam | IsAssigned | IsAnnotated | IsNonlocal)))
            innermost().wanted.push_back(name);
    }
    void not_found(const Ident& name) {
        fault(m_faults, name.span, cat("no enclosing function has a variable '", name.text, "'"));
    }

    void flag_in(Scope& s, std::string_view name, unsigned flags) {
        if (m_names == NameTracking::On && !name.empty())
            s.names[name] |= flags;
    }
    void walrus_fault(Span where, const std::string& what) {
        m_faults.add(Diagnostic::make(DiagId::SyntaxWalrus, where, what));
    }

    NameTracking m_names;
    Faults& m_faults;
    std::vector<Scope> m_scopes;
};

class ScopeChecker {
public:
    ScopeChecker(NameTracking names, Faults& faults) : m_faults(faults), m_scopes(names, faults) {}

    void run(ast::Block body) {
        m_early_futures = early_futures(body);
        for (const ImportFrom* from : m_early_futures)
            check_features(*from, m_faults);
        block(body);
        m_scopes.leave_module();
    }

    // ---- statements ----
    void operator()(const Stmt& n) {
        each_child(n, m_on_expr, m_on_stmt);
    } // those below stand for more than their parts
    void operator()(const Assign& n) {
        for (const Expr* target : n.targets)
            store(target);
        value(n.value);
    }
    void operator()(const AugAssign& n) {
        store(n.target);
        value(n.value);
    }
    void operator()(const AnnAssign& n) {
        if (const auto* name = as<Name>(n.target); name && !name->parenthesized)
            m_scopes.annotate({name->id, name->span}, n.value);
        else
            store(n.target);
        value(n.annotation);
        value(n.value);
    }
    void operator()(const For& n) {
        if (n.is_async)
            need_async(word(n, 5), "'async for'", scope().kind, m_faults);
        store(n.target);
        value(n.iterable);
        loop(n.body);
        block(n.else_body);
    }
    void operator()(const While& n) {
        value(n.condition);
        loop(n.body);
        block(n.else_body);
    }
    void operator()(const FunctionDef& n) {
        m_scopes.bind(n.name);
        parameter_values(n.params);
        for (const Param& p : n.params)
            value(p.annotation);
        value(n.returns);
        list(n.decorators);
        function(n.is_async ? ScopeKind::AsyncFunction : ScopeKind::Function, n.params, [&] { block(n.body); });
    }
    void operator()(const ClassDef& n) {
        m_scopes.bind(n.name);
        list(n.bases);
        keywords(n.keywords);
        list(n.decorators);
        m_scopes.enter(ScopeKind::Class);
        block(n.body);
        m_scopes.leave();
    }
    void operator()(const Return& n) {
        Scope& s = scope();
        if (s.kind == ScopeKind::Module || s.kind == ScopeKind::Class)
            fault(m_faults, word(n, 6), "'return' outside of a function");
        else if (std::ranges::count(s.around, Around::Group) > 0)
            fault(m_faults, word(n, 6), "'return' cannot leave an 'except*' block");
        else if (n.value && !s.value_return)
            s.value_return = n.value->span;
        value(n.value);
    }
    void operator()(const Break& n) { check_jump(n, "break", scope(), m_faults); }
    void operator()(const Continue& n) { check_jump(n, "continue", scope(), m_faults); }
    void operator()(const With& n) {
        if (n.is_async)
            need_async(word(n, 5), "'async with'", scope().kind, m_faults);
        for (const WithItem& item : n.items) {
            value(item.context);
            store(item.target);
        }
        block(n.body);
    }
    void operator()(const Try& n) {
        block(n.body);
        for (const Handler& h : n.handlers) {
            value(h.type);
            m_scopes.bind(h.name);
            if (n.is_group)
                inside(Around::Group, h.body);
            else
                block(h.body);
        }
        block(n.else_body);
        block(n.finally_body);
    }
    void operator()(const Import& n) {
        for (const ImportName& name : n.names)
            m_scopes.bind(name.as.text.empty()
                              ? Ident{name.name.text.substr(0, name.name.text.find('.')), name.name.span}
                              : name.as);
    }
    void operator()(const ImportFrom& n) {
        if (is_future(n) && std::ranges::count(m_early_futures, &n) == 0)
            fault(m_faults, n.module.span, "'from __future__' must stand at the beginning of the file");
        for (const ImportName& name : n.names) {
            if (name.name.text == "*") {
                if (scope().kind != ScopeKind::Module && scope().kind != ScopeKind::Unknown)
                    fault(m_faults, name.name.span, "'import *' is only allowed at module level");
                continue;
            }
            m_scopes.bind(name.as.text.empty() ? name.name : name.as);
        }
    }
    void operator()(const Global& n) { m_scopes.declare(n.names, IsGlobal, "global"); }
    void operator()(const Nonlocal& n) {
        if (scope().kind == ScopeKind::Module)
            fault(m_faults, word(n, 8), "'nonlocal' at module level, where nothing is around it");
        else
            m_scopes.declare(n.names, IsNonlocal, "nonlocal");
    }
    void operator()(const Del& n) {
        for (const Expr* target : n.targets)
            store(target);
    }
    void operator()(const Match& n) {
        value(n.subject);
        for (const MatchCase& c : n.cases) {
            value(c.guard);
            for (const Ident& name : c.names)
                m_scopes.bind(name);
            block(c.body);
        }
    }
    void operator()(const ErrorStmt& n) {
        m_scopes.enter(ScopeKind::Unknown);
        block(n.body);
        m_scopes.leave();
    }

    // ---- expressions ----
    void operator()(const Expr& n) { each_child(n, m_on_expr); }
    void operator()(const Name& n) { m_scopes.use(n.id); }
    void operator()(const Call& n) {
        value(n.callee);
        list(n.args);
        keywords(n.keywords);
    }
    void operator()(const Lambda& n) {
        parameter_values(n.params);
        function(ScopeKind::Lambda, n.params, [&] { value(n.body); });
    }
    void operator()(const Comprehension& n) {
        if (n.clauses.empty())
            return;
        source(n.clauses[0].iterable);
        m_scopes.enter(ScopeKind::Comprehension);
        bool is_async = false;
        for (std::size_t i = 0; i < n.clauses.size(); ++i) {
            const Clause& c = n.clauses[i];
            is_async |= c.is_async;
            comprehension_target(c.target);
            if (i > 0)
                source(c.iterable);
            list(c.conditions);
        }
        value(n.element);
        value(n.value);
        is_async |= scope().has_await;
        m_scopes.leave();
        if (!is_async || n.what == ComprehensionKind::Generator)
            return;
        // A list that awaits makes the code around it await.
        Scope& outer = scope();
        if (outer.kind == ScopeKind::Comprehension)
            outer.has_await = true;
        else if (outer.kind != ScopeKind::AsyncFunction && outer.kind != ScopeKind::Unknown)
            fault(m_faults, n.span, "asynchronous comprehension outside of an async function");
    }
    void operator()(const NamedExpr& n) {
        m_scopes.bind_by_walrus(n.name, m_sources > 0);
        value(n.value);
    }
    void operator()(const Await& n) {
        Scope& s = scope();
        if (s.kind == ScopeKind::Comprehension)
            s.has_await = true;
        else
            need_async(word(n, 5), "'await'", scope().kind, m_faults);
        value(n.value);
    }
    void operator()(const Yield& n) {
        Scope& s = scope();
        const char* what = n.is_from ? "'yield from'" : "'yield'";
        if (s.kind == ScopeKind::Module || s.kind == ScopeKind::Class)
            fault(m_faults, word(n, 5), cat(what, " outside of a function"));
        else if (s.kind == ScopeKind::Comprehension)
            fault(m_faults, word(n, 5), cat(what, " inside a comprehension"));
        else if (s.kind == ScopeKind::AsyncFunction && n.is_from)
            fault(m_faults, word(n, 5), "'yield from' inside an async function");
        s.is_generator = true;
        value(n.value);
    }

private:
    Scope& scope() { return m_scopes.innermost(); }

    void block(ast::Block body) {
        for (const Stmt* s : body)
            visit(*s, *this);
    }
    void value(const Expr* e) {
        if (e)
            visit(*e, *this);
    }
    void list(ExprList items) {
        for (const Expr* e : items)
            value(e);
    }
    void keywords(std::span<Keyword> items) {
        for (const Keyword& k : items) {
            refuse_debug(k.name, m_faults);
            value(k.value);
        }
    }
    void inside(Around what, ast::Block body) {
        scope().around.push_back(what);
        block(body);
        scope().around.pop_back();
    }
    void loop(ast::Block body) { inside(Around::Loop, body); }

    template <class Body>
    void function(ScopeKind kind, std::span<Param> params, Body body) {
        m_scopes.enter(kind);
        for (const Param& p : params) {
            m_scopes.flag(p.name.text, IsParam);
            refuse_debug(p.name, m_faults);
        }
        body();
        const Scope& s = scope();
        if (kind == ScopeKind::AsyncFunction && s.is_generator && s.value_return)
            fault(m_faults, *s.value_return, "'return' with a value in an async generator");
        m_scopes.leave();
    }
    void parameter_values(std::span<Param> params) {
        for (const Param& p : params)
            value(p.default_value);
    }

    void source(const Expr* e) {
        ++m_sources;
        value(e);
        --m_sources;
    }

    void comprehension_target(const Expr* target) {
        if (const auto* name = as<Name>(target)) {
            for (const Ident& bound : scope().walrus)
                if (bound.text == name->id)
                    m_faults.add(
                        Diagnostic::make(DiagId::SyntaxWalrus, name->span,
                                         cat("the comprehension variable '", name->id, "' is already bound by ':='")));
            scope().targets.push_back(name->id);
        } else if (const auto* items = ast::written_items(target)) {
            for (const Expr* item : *items)
                comprehension_target(item);
        } else if (const auto* star = as<Starred>(target)) {
            comprehension_target(star->value);
        } else {
            value(target);
        }
    }

    void store(const Expr* target) {
        if (!target)
            return;
        if (const auto* name = as<Name>(target))
            m_scopes.flag(name->id, IsAssigned);
        else if (const auto* items = ast::written_items(target))
            for (const Expr* item : *items)
                store(item);
        else if (const auto* star = as<Starred>(target))
            store(star->value);
        else {
            if (const auto* attribute = as<Attribute>(target))
                refuse_debug(attribute->name, m_faults);
            value(target);
        }
    }

    Faults& m_faults;
    Scopes m_scopes;
    int m_sources = 0; // of comprehensions around here
    std::vector<const ImportFrom*> m_early_futures;
    const OnExpr m_on_expr = [this](const Expr& part) { visit(part, *this); };
    const OnStmt m_on_stmt = [this](const Stmt& part) { visit(part, *this); };
};

} // namespace

} // namespace scopes

void check_scopes(ast::Block body, NameTracking names, Faults& faults) {
    scopes::ScopeChecker(names, faults).run(body);
}

} // namespace hidet::lang
