// SPDX-License-Identifier: Apache-2.0
#include "lang/service/bind_tokens.h"

#include <algorithm>

#include "lang/service/text_walk.h"

namespace hidet::lang::service {

NameCollector::NameCollector(std::string_view text) : m_text(text) {
    NameScope module;
    module.range = {0, static_cast<std::uint32_t>(text.size())};
    m_out.scopes.push_back(std::move(module));
}

int NameCollector::open(ScopeKind kind, int parent, Range range, std::uint32_t head, std::string_view name) {
    NameScope scope;
    scope.kind = kind;
    scope.parent = parent;
    scope.range = range;
    scope.head = head;
    scope.name = name;
    bool is_block = kind != ScopeKind::Lambda && kind != ScopeKind::Comprehension;
    if (is_block) { // lines below that are empty, comments or deeper belong to it, too
        std::size_t indent = blanks_at(m_text, start_of_line(m_text, head)).size();
        std::uint32_t at = end_of_line(m_text, range.end);
        while (at < m_text.size()) {
            std::uint32_t line = at + (m_text[at] == '\r' && at + 1 < m_text.size() && m_text[at + 1] == '\n' ? 2 : 1);
            std::string_view blanks = blanks_at(m_text, line);
            std::uint32_t code = line + static_cast<std::uint32_t>(blanks.size());
            bool is_empty = code >= m_text.size() || is_line_end(m_text[code]);
            if (!is_empty && blanks.size() <= indent)
                break;
            at = end_of_line(m_text, line);
            scope.range.end = at;
        }
    }
    m_out.scopes.push_back(std::move(scope));
    return static_cast<int>(m_out.scopes.size() - 1);
}

int NameCollector::declare(std::string_view name, Range range, BindingKind kind, int scope) {
    auto& here = m_out.scopes[static_cast<std::size_t>(scope)];
    if (auto outer = here.outer.find(name); outer != here.outer.end()) {
        if (outer->second)
            return declare(name, range, kind, 0);
        int found = m_out.find(here.parent, name);
        if (found >= 0)
            return declare(name, range, kind, binding(found).scope);
    }
    auto [entry, is_new] = here.names.try_emplace(std::string(name), static_cast<int>(m_out.bindings.size()));
    int index = entry->second;
    if (is_new) {
        Binding made;
        made.name = name;
        made.kind = kind;
        made.scope = scope;
        made.definition = range;
        m_out.bindings.push_back(std::move(made));
    }
    note(range);
    m_out.occurrences.push_back({range, scope, index, true});
    return index;
}

void NameCollector::use(std::string_view name, Range range, int scope) {
    note(range);
    m_pending.push_back({name, m_out.occurrences.size()});
    m_out.occurrences.push_back({range, scope, -1, false});
}

void NameCollector::use_outer(std::string_view name, Range range, int scope, bool is_global) {
    if (scope > 0)
        m_out.scopes[static_cast<std::size_t>(scope)].outer.try_emplace(std::string(name), is_global);
    use(name, range, scope);
}

void NameCollector::attribute(const ast::Attribute& node, int scope, bool is_write) {
    Range name{node.name.span.begin, node.name.span.end};
    note(name);
    Range object = node.object ? Range{node.object->span.begin, node.object->span.end} : Range{name.begin, name.begin};
    m_out.attributes.push_back({name, object, &node, scope, is_write});
}

void NameCollector::attribute(Range name, Range object, int scope) {
    note(name);
    m_out.attributes.push_back({name, object, nullptr, scope, false});
}

void NameCollector::argument(const ArgumentUse& use) {
    note(use.range);
    m_out.arguments.push_back(use);
}

void NameCollector::decorator(const ast::Expr& node) {
    const ast::Expr* name = &node;
    if (const auto* call = ast::as<ast::Call>(name))
        name = call->callee;
    if (const auto* attribute = ast::as<ast::Attribute>(name))
        m_out.decorators.push_back({attribute->name.span.begin, attribute->name.span.end});
    else if (name && name->kind == ast::Kind::Name)
        m_out.decorators.push_back({name->span.begin, name->span.end});
}

// Each part of a dotted name is a module of its own.
void NameCollector::import(const ast::ImportName& name, int scope) {
    std::string dotted(name.name.text);
    std::uint32_t begin = name.name.span.begin;
    bool is_plain = name.name.span.end - begin == dotted.size(); // no blanks around the dots
    for (std::size_t at = 0; at <= dotted.size();) {
        std::size_t dot = std::min(dotted.find('.', at), dotted.size());
        Range part{begin + static_cast<std::uint32_t>(at), begin + static_cast<std::uint32_t>(dot)};
        if (is_plain && (at > 0 || !name.as.text.empty())) {
            note(part);
            m_out.imports.push_back({part, dotted.substr(0, dot), ""});
        }
        at = dot + 1;
    }
    std::string first = dotted.substr(0, dotted.find('.'));
    Range place{begin, begin + static_cast<std::uint32_t>(is_plain ? first.size() : name.name.span.end - begin)};
    bool renamed = !name.as.text.empty();
    if (renamed)
        place = {name.as.span.begin, name.as.span.end};
    int index = declare(renamed ? name.as.text : std::string_view(first), place, BindingKind::Module, scope);
    binding(index).module = renamed ? dotted : first;
    binding(index).is_renamed = renamed;
}

void NameCollector::import_from(const ast::Ident& module, int level, const ast::ImportName& name, int scope) {
    std::string dotted(module.text);
    Range place{module.span.begin, module.span.end};
    if (!dotted.empty() && !has_seen(place.begin)) {
        note(place);
        m_out.imports.push_back({place, dotted, ""});
    }
    if (name.name.text == "*") {
        m_out.scopes[static_cast<std::size_t>(scope)].star_modules.push_back(dotted);
        return;
    }
    bool renamed = !name.as.text.empty();
    Range member{name.name.span.begin, name.name.span.end};
    bool is_module = level > 0 && dotted.empty(); // from . import helper
    if (renamed) {
        note(member);
        m_out.imports.push_back(
            {member, is_module ? std::string(name.name.text) : dotted, is_module ? "" : std::string(name.name.text)});
    }
    const ast::Ident& bound = renamed ? name.as : name.name;
    int index = declare(bound.text, {bound.span.begin, bound.span.end},
                        is_module ? BindingKind::Module : BindingKind::Imported, scope);
    binding(index).module = is_module ? std::string(name.name.text) : dotted;
    binding(index).member = is_module ? "" : std::string(name.name.text);
    binding(index).is_renamed = renamed;
}

int NameCollector::outside_of_comprehensions(int scope) const {
    while (scope > 0 && m_out.scopes[static_cast<std::size_t>(scope)].kind == ScopeKind::Comprehension)
        scope = m_out.scopes[static_cast<std::size_t>(scope)].parent;
    return scope;
}

bool NameCollector::imports_script(std::string_view name, int scope) const {
    int found = m_out.find(scope, name);
    return found >= 0 && m_out.bindings[static_cast<std::size_t>(found)].member == "script";
}

Bindings NameCollector::take() {
    for (const Pending& pending : m_pending) {
        Occurrence& occurrence = m_out.occurrences[pending.occurrence];
        occurrence.binding = m_out.find(occurrence.scope, pending.name);
    }
    auto by_place = [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; };
    std::ranges::stable_sort(m_out.occurrences, by_place);
    std::ranges::stable_sort(m_out.attributes, by_place);
    std::ranges::stable_sort(m_out.imports, by_place);
    auto earlier = [](Range a, Range b) { return a.begin < b.begin; };
    std::ranges::stable_sort(m_out.arguments, by_place);
    std::ranges::sort(m_out.decorators, earlier);
    auto last = std::unique(m_out.occurrences.begin(), m_out.occurrences.end(),
                            [](const Occurrence& a, const Occurrence& b) { return a.range == b.range; });
    m_out.occurrences.erase(last, m_out.occurrences.end());
    for (const Occurrence& occurrence : m_out.occurrences)
        if (occurrence.binding >= 0)
            binding(occurrence.binding).uses.push_back({occurrence.range, occurrence.is_write});
    return std::move(m_out);
}

// ---- what is not in the tree ------------------------------------------------------------------------------------------

namespace {

class LooseTokens {
public:
    LooseTokens(std::string_view text, const Tokens& tokens, NameCollector& out)
        : m_text(text), m_tokens(tokens), m_out(out) {}

    void run() {
        constexpr std::size_t most_work = 20'000'000; // a huge text without a tree keeps what was found so far
        for (m_at = 0; m_at < m_tokens.size() && m_work < most_work; ++m_at) {
            Tok kind = m_tokens[m_at].kind;
            if (kind == Tok::LINE_END && m_depth == 0) {
                m_first = true;
                m_in_import = m_in_loop = false;
                continue;
            }
            if (kind == Tok::LINE_END)
                continue;
            if (m_first && m_depth > 0 && is_keyword(kind)) // the bracket was never closed
                m_depth = 0;
            step(kind);
            m_first = false;
        }
    }

private:
    Tok kind_at(std::size_t i) const { return i < m_tokens.size() ? m_tokens[i].kind : Tok::EndOfFile; }
    Tok before() const { return m_at > 0 ? m_tokens[m_at - 1].kind : Tok::LINE_END; }
    Tok after() const { return kind_at(m_at + 1); }
    Range range() const { return {m_tokens[m_at].begin, m_tokens[m_at].end}; }
    std::string_view word() const { return m_text.substr(range().begin, range().end - range().begin); }

    void step(Tok kind) {
        if (opens_bracket(kind))
            ++m_depth;
        else if (closes_bracket(kind))
            m_depth = std::max(0, m_depth - 1);
        else if (kind == Tok::FROM && m_first)
            m_module.clear();
        else if (kind == Tok::IMPORT)
            m_in_import = true;
        else if (kind == Tok::FOR)
            m_in_loop = true;
        else if (kind == Tok::IN)
            m_in_loop = false;
        else if (kind == Tok::NAME && !m_out.has_seen(range().begin))
            name();
    }

    void name() {
        m_work += m_out.scope_count(); // what finding a scope takes
        int scope = m_out.scope_at(range().begin);
        if (before() == Tok::DOT) {
            Range object = m_at > 1 ? Range{m_tokens[m_at - 2].begin, m_tokens[m_at - 2].end} : range();
            return m_out.attribute(range(), object, scope);
        }
        if (m_depth > 0 && after() == Tok::EQUAL)
            return m_out.argument({range(), nullptr, scope});
        if (before() == Tok::DEF)
            return function(scope);
        if (before() == Tok::CLASS || before() == Tok::AS)
            return declare(before() == Tok::CLASS ? BindingKind::Class : BindingKind::Variable, scope);
        if (m_in_import && kind_at(m_at + 1) != Tok::AS)
            return declare(BindingKind::Variable, scope);
        if (m_in_loop)
            return declare(BindingKind::LoopVariable, scope);
        bool starts = before() == Tok::LINE_END || before() == Tok::SEMICOLON;
        bool binds = after() == Tok::EQUAL || after() == Tok::COLON;
        if (starts && binds && m_depth == 0)
            return declare(BindingKind::Variable, scope);
        if (m_at > 0 && before() == Tok::FROM)
            return; // of a module
        m_out.use(word(), range(), scope);
    }

    void declare(BindingKind kind, int scope) { m_out.declare(word(), range(), kind, scope); }

    // `def name(a: t, b`: the head of a function that could not be read; its body is what stands deeper below.
    void function(int scope) {
        std::uint32_t head = m_tokens[m_at - 1].begin;
        bool script = false;
        if (std::uint32_t line = start_of_line(m_text, head); line > 0) {
            std::uint32_t above = start_of_line(m_text, line - 1);
            std::string_view decorator = m_text.substr(above, line - above);
            script =
                decorator.find('@') != std::string_view::npos && decorator.find("script") != std::string_view::npos;
        }
        m_out.declare(word(), range(), script ? BindingKind::Kernel : BindingKind::Function, scope);
        int inner = m_out.open(script ? ScopeKind::Kernel : ScopeKind::Function, scope,
                               {range().end, end_of_line(m_text, range().end)}, head, word());
        if (kind_at(m_at + 1) != Tok::LPAREN)
            return;
        int depth = 1;
        for (std::size_t i = m_at + 2; i < m_tokens.size() && depth > 0; ++i) {
            Tok kind = m_tokens[i].kind;
            Tok previous = m_tokens[i - 1].kind;
            if (is_keyword(kind) && previous == Tok::LINE_END)
                break;
            depth += opens_bracket(kind) ? 1 : closes_bracket(kind) ? -1 : 0;
            bool begins = previous == Tok::LPAREN || previous == Tok::COMMA || previous == Tok::STAR ||
                          previous == Tok::STAR_STAR || previous == Tok::LINE_END;
            if (depth == 1 && kind == Tok::NAME && begins && !m_out.has_seen(m_tokens[i].begin))
                m_out.declare(m_text.substr(m_tokens[i].begin, m_tokens[i].end - m_tokens[i].begin),
                              {m_tokens[i].begin, m_tokens[i].end}, BindingKind::Parameter, inner);
        }
    }

    std::string_view m_text;
    const Tokens& m_tokens;
    NameCollector& m_out;
    std::size_t m_at = 0;
    std::size_t m_work = 0;
    int m_depth = 0;
    bool m_first = true; // of its line
    bool m_in_import = false;
    bool m_in_loop = false;
    std::string m_module;
};

} // namespace

void bind_loose_tokens(std::string_view text, const Tokens& tokens, NameCollector& out) {
    LooseTokens(text, tokens, out).run();
}

} // namespace hidet::lang::service
