// SPDX-License-Identifier: Apache-2.0
#include "app/session/reduce/part_cuts.h"

#include <algorithm>
#include <array>
#include <map>

#include "app/session/reduce/statement_cuts.h"
#include "lang/ast/walk.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

using namespace lang;

namespace {

// In the order in which they are tried: sizes early, since smaller scripts run faster.
enum class PartKind : std::uint8_t { Blanks, Blocks, Sizes, Items, Expressions, Constants };
constexpr std::size_t part_kinds = 6;

// Where an expression stands: what may take its place there.
enum class PartRole : std::uint8_t { Value, Target, Callee, Type };

// Cuts of a script, by kind.
struct CutLists {
    const ScriptText& script;
    std::array<std::vector<Cut>, part_kinds> by_kind = {};

    void offer(PartKind kind, Cut cut) { by_kind[static_cast<std::size_t>(kind)].push_back(std::move(cut)); }
    void replace(PartKind kind, Span span, std::string text) {
        if (script.text_of(span) != text)
            offer(kind, {{span.begin, span.end, std::move(text)}});
    }
    std::vector<Cut> all() {
        std::vector<Cut> out;
        for (std::vector<Cut>& kind : by_kind)
            std::ranges::move(kind, std::back_inserter(out));
        return out;
    }
};

// Those that the formatter puts back belong there.
Cut blank_lines(const ScriptText& script) {
    Cut cut;
    const Tokens& tokens = script.tokens();
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i].kind == Tok::LINE_END && tokens[i - 1].kind == Tok::LINE_END)
            cut.push_back({tokens[i - 1].end, tokens[i].end, ""});
    return cut;
}

TextEdit without_comment(const ScriptText& script, const Token& comment) {
    const std::uint32_t line = script.line_begin(comment.begin), last = script.line_end(comment.begin);
    if (!script.is_blank(line, comment.begin))
        return {comment.begin, comment.end, ""};
    return {line, std::min(last + 1, static_cast<std::uint32_t>(script.text().size())), ""};
}

void add_blanks(CutLists& out) {
    const ScriptText& script = out.script;
    Cut all, joined;
    for (const Token& comment : script.comments())
        all.push_back(without_comment(script, comment));
    if (all.size() > 1)
        out.offer(PartKind::Blanks, all);
    for (const TextEdit& each : all)
        out.offer(PartKind::Blanks, {each});
    out.offer(PartKind::Blanks, blank_lines(script));
    int depth = 0;
    const Tokens& tokens = script.tokens();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        depth += opens_bracket(tokens[i].kind) - closes_bracket(tokens[i].kind);
        if (tokens[i].kind != Tok::LINE_END || depth <= 0 || i == 0)
            continue;
        const bool is_tight = opens_bracket(tokens[i - 1].kind) || closes_bracket(tokens[i + 1].kind);
        joined.push_back({tokens[i - 1].end, tokens[i + 1].begin, is_tight ? "" : " "});
    }
    if (!joined.empty() && script.comments().empty())
        out.offer(PartKind::Blanks, std::move(joined));
}

void set_all(const std::vector<Span>& places, std::int64_t value, Cut& cut) {
    for (const Span& place : places)
        cut.push_back({place.begin, place.end, cat(value)});
}

// Sizes agree with each other: all large ones together, then those that are equal, then each alone.
void add_sizes(const std::map<std::int64_t, std::vector<Span>>& integers, CutLists& out) {
    constexpr std::int64_t large = 8;
    Cut all;
    for (const auto& [value, places] : integers)
        if (value >= large)
            set_all(places, value / 2, all);
    if (!all.empty())
        out.offer(PartKind::Sizes, std::move(all));
    for (auto row = integers.rbegin(); row != integers.rend(); ++row) {
        const auto& [value, places] = *row;
        for (const std::int64_t less : std::array<std::int64_t, 3>{1, value / 2, value - 1}) {
            if (less >= value || less < 1 || (less == value - 1 && value > 2 * large))
                continue;
            Cut equal;
            set_all(places, less, equal);
            if (places.size() > 1)
                out.offer(PartKind::Sizes, std::move(equal));
            for (const Span& place : places)
                out.replace(PartKind::Constants, place, cat(less));
        }
    }
}

std::string indent_of(const ScriptText& script, const ast::Stmt& node) {
    const std::uint32_t line = script.line_begin(script.begin_of(node));
    const std::string& text = script.text();
    return text.substr(line, text.find_first_not_of(" \t", line) - line);
}

// Without the indentation of its first line; other lines are moved to the left as much.
std::string block_text(const ScriptText& script, ast::Block body, std::size_t outer) {
    const std::uint32_t begin = script.begin_of(*body.front()), end = body.back()->span.end;
    const std::uint32_t line = script.line_begin(begin);
    const std::string text(script.text_of({1, begin, end}));
    if (!script.is_blank(line, begin) || begin - line <= outer)
        return text;
    const std::size_t moved = begin - line - outer;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] != '\n')
            continue;
        for (std::size_t n = 0; n < moved && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '\t');)
            ++i, ++n;
    }
    return out;
}

// Of what a loop goes through, where it stands in the script.
const ast::Expr* first_of(const ast::Expr& iterable) {
    const auto* list = ast::as<ast::List>(&iterable);
    const auto* tuple = ast::as<ast::Tuple>(&iterable);
    const ast::ExprList items = list ? list->items : tuple ? tuple->items : ast::ExprList();
    return items.empty() ? nullptr : items[0];
}

// "i = 0" for each name of a loop.
std::vector<std::string> zeroes(const ast::Expr& target) {
    std::vector<std::string> out;
    if (const auto* name = ast::as<ast::Name>(&target))
        out.push_back(cat(name->id, " = 0"));
    if (const auto* tuple = ast::as<ast::Tuple>(&target))
        for (const ast::Expr* item : tuple->items)
            if (const auto* name = ast::as<ast::Name>(item))
                out.push_back(cat(name->id, " = 0"));
    return out;
}

TextEdit without_item(const ScriptText& script, const std::vector<Span>& items, std::size_t i) {
    if (i + 1 < items.size())
        return {items[i].begin, items[i + 1].begin, ""};
    if (i > 0)
        return {items[i - 1].end, items[i].end, ""};
    const std::string& text = script.text();
    const std::size_t comma = text.find_first_not_of(" \t\r\n", items[0].end);
    const bool has_comma = comma != std::string::npos && text[comma] == ',';
    return {items[0].begin, has_comma ? static_cast<std::uint32_t>(comma + 1) : items[0].end, ""};
}

std::vector<Span> arguments(const ScriptText& script, const ast::Call& call) {
    std::vector<Span> items =
        transformed(call.args, [&](const ast::Expr* argument) { return script.whole(*argument); });
    for (const ast::Keyword& keyword : call.keywords)
        items.push_back(keyword.span);
    return items;
}

class PartCollector : CutLists {
public:
    explicit PartCollector(const ScriptText& text) : CutLists{text} {}

    std::vector<Cut> run() {
        add_blanks(*this);
        statements(script.tree().body);
        for (const ast::FunctionDef* function : m_functions) {
            parameters(*function);
            take_in(*function);
        }
        add_sizes(m_integers, *this);
        return all();
    }

private:
    std::string text_of(const ast::Expr& expression) const {
        return std::string(script.text_of(script.whole(expression)));
    }

    // ---- statements
    void statements(ast::Block block) {
        for (const ast::Stmt* statement : block) {
            ast::visit(*statement, [this](const auto& node) { parts(node); });
            for (const ast::Block& below : blocks_of(*statement))
                statements(below);
        }
    }

    template <class Node>
    void parts(const Node& node) {
        each_part(node, PartRole::Value);
    }
    void each_part(const ast::Stmt& node, PartRole role) {
        ast::each_child(
            node, [&](const ast::Expr& part) { expression(part, role); }, [](const ast::Stmt&) {});
    }

    void parts(const ast::If& node) {
        const std::string_view text = script.text_of(node.span);
        if (text.starts_with("elif")) {
            if (node.else_body.empty())
                replace(PartKind::Blocks, {node.span.file, node.span.begin, script.whole(*node.condition).end}, "else");
        } else {
            unwrap(node, node.body);
            unwrap(node, node.else_body);
        }
        drop_rest(node, node.body, node.else_body);
        expression(*node.condition, PartRole::Value);
    }
    void parts(const ast::For& node) {
        if (const ast::Expr* value = first_of(*node.iterable))
            unwrap(node, node.body, {cat(script.text_of(node.target->span), " = ", text_of(*value))});
        unwrap(node, node.body, zeroes(*node.target));
        drop_rest(node, node.body, node.else_body);
        expression(*node.target, PartRole::Target);
        expression(*node.iterable, PartRole::Value);
    }
    void parts(const ast::While& node) {
        unwrap(node, node.body);
        drop_rest(node, node.body, node.else_body);
        expression(*node.condition, PartRole::Value);
    }
    void parts(const ast::Try& node) { unwrap(node, node.body); }
    void parts(const ast::With& node) {
        unwrap(node, node.body);
        std::vector<Span> items;
        for (const ast::WithItem& item : node.items) {
            const Span context = script.whole(*item.context);
            expression(*item.context, PartRole::Value);
            if (item.target)
                offer(PartKind::Items, {{context.end, script.whole(*item.target).end, ""}});
            items.push_back(item.target ? cover(context, script.whole(*item.target)) : context);
        }
        list(items);
    }
    void parts(const ast::FunctionDef& node) {
        m_functions.push_back(&node);
        definition(node, node.decorators);
        if (node.returns) {
            const std::size_t arrow = script.text().rfind("->", node.returns->span.begin);
            offer(PartKind::Items, {{static_cast<std::uint32_t>(arrow), script.whole(*node.returns).end, ""}});
            expression(*node.returns, PartRole::Type);
        }
        for (const ast::Param& param : node.params) {
            if (param.annotation)
                expression(*param.annotation, PartRole::Type);
            if (param.default_value)
                expression(*param.default_value, PartRole::Value);
        }
    }
    void parts(const ast::ClassDef& node) {
        definition(node, node.decorators);
        for (const ast::Expr* base : node.bases)
            expression(*base, PartRole::Type);
    }
    void definition(const ast::Stmt& node, ast::ExprList decorators) {
        for (std::size_t i = 0; i < decorators.size(); ++i) {
            const std::uint32_t line = script.line_begin(decorators[i]->span.begin);
            const std::uint32_t next =
                i + 1 < decorators.size() ? decorators[i + 1]->span.begin : std::max(node.span.begin, line);
            if (const std::uint32_t end = script.line_begin(next); end > line)
                offer(PartKind::Blocks, {{line, end, ""}});
            expression(*decorators[i], PartRole::Type);
        }
    }
    void parts(const ast::Assign& node) {
        for (const ast::Expr* target : node.targets)
            expression(*target, PartRole::Target);
        expression(*node.value, PartRole::Value);
    }
    void parts(const ast::AugAssign& node) {
        expression(*node.target, PartRole::Target);
        expression(*node.value, PartRole::Value);
    }
    void parts(const ast::AnnAssign& node) {
        expression(*node.target, PartRole::Target);
        expression(*node.annotation, PartRole::Type);
        if (node.value)
            expression(*node.value, PartRole::Value);
    }
    void parts(const ast::Del& node) { each_part(node, PartRole::Target); }
    void parts(const ast::Return& node) {
        if (!node.value)
            return;
        replace(PartKind::Items, script.whole(*node.value), "");
        expression(*node.value, PartRole::Value);
    }
    void parts(const ast::Assert& node) {
        if (node.message)
            offer(PartKind::Items, {{script.whole(*node.condition).end, script.whole(*node.message).end, ""}});
        each_part(node, PartRole::Value);
    }
    void parts(const ast::Import& node) { names(node.names); }
    void parts(const ast::ImportFrom& node) { names(node.names); }
    void names(std::span<ast::ImportName> imported) {
        list(transformed(imported, [&](const ast::ImportName& name) {
            return name.as.text.empty() ? name.name.span : cover(name.name.span, name.as.span);
        }));
    }

    // The block in the place of its statement, with what comes before it there.
    void unwrap(const ast::Stmt& node, ast::Block body, const std::vector<std::string>& before = {}) {
        if (body.empty())
            return;
        const std::string indent = indent_of(script, node);
        std::string text;
        for (const std::string& line : before)
            text += line + "\n" + indent;
        offer(PartKind::Blocks, {{node.span.begin, node.span.end, text + block_text(script, body, indent.size())}});
    }
    void drop_rest(const ast::Stmt& node, ast::Block body, ast::Block rest) {
        if (!body.empty() && !rest.empty())
            offer(PartKind::Blocks, {{body.back()->span.end, node.span.end, ""}});
    }
    // A function without parameters that is called in one statement: its body in its place.
    void take_in(const ast::FunctionDef& node) {
        if (!node.params.empty() || !node.decorators.empty() || node.body.empty())
            return;
        for (const ast::ExprStmt* call : m_plain_calls) {
            const auto* callee = ast::as<ast::Name>(ast::as<ast::Call>(call->value)->callee);
            if (!callee || callee->id != node.name.text || call->span.begin < node.span.end)
                continue;
            const std::string body = block_text(script, node.body, indent_of(script, node).size());
            offer(PartKind::Blocks,
                  {{node.span.begin, node.span.end, body}, {call->span.begin, call->span.end, "pass"}});
            return;
        }
    }
    void parts(const ast::ExprStmt& node) {
        const auto* call = ast::as<ast::Call>(node.value);
        if (call && call->args.empty() && call->keywords.empty())
            m_plain_calls.push_back(&node);
        expression(*node.value, PartRole::Value);
    }

    // ---- lists
    void list(const std::vector<Span>& items) {
        constexpr std::size_t many = 4;
        if (items.size() >= many) {
            const std::size_t half = items.size() / 2;
            offer(PartKind::Items, {{items[half - 1].end, items.back().end, ""}});
            offer(PartKind::Items, {{items.front().begin, items[half].begin, ""}});
        }
        for (std::size_t i = items.size(); i-- > 0;)
            offer(PartKind::Items, {without_item(script, items, i)});
    }
    void list(ast::ExprList expressions) {
        list(transformed(expressions, [&](const ast::Expr* item) { return script.whole(*item); }));
    }
    // A parameter goes with what is passed for it: in calls by the function's name, or in all with as many arguments, which
    // may be of the module that it is in.
    void parameters(const ast::FunctionDef& node) {
        const std::vector<Span> spans = transformed(node.params, &ast::Param::span);
        for (std::size_t i = spans.size(); i-- > 0;) {
            Cut named = {without_item(script, spans, i)}, any = named;
            for (const ast::Call* call : m_calls) {
                if (call->args.size() != spans.size())
                    continue;
                const auto* callee = ast::as<ast::Name>(call->callee);
                const TextEdit edit = without_item(script, arguments(script, *call), i);
                any.push_back(edit);
                if (callee && callee->id == node.name.text)
                    named.push_back(edit);
            }
            const bool is_same = named.size() == any.size();
            offer(PartKind::Items, std::move(named));
            if (!is_same)
                offer(PartKind::Items, std::move(any));
        }
    }

    // ---- expressions
    void expression(const ast::Expr& node, PartRole role) {
        if (node.parenthesized)
            replace(PartKind::Expressions, script.whole(node), std::string(script.text_of(node.span)));
        switch (node.kind) {
        case ast::Kind::Constant: return constant(ast::to<ast::Constant>(node), role);
        case ast::Kind::Call: return call(ast::to<ast::Call>(node), role);
        case ast::Kind::Attribute:
            shrink(node, role);
            return expression(*ast::to<ast::Attribute>(node).object, PartRole::Callee);
        case ast::Kind::Subscript: return subscript(ast::to<ast::Subscript>(node), role);
        case ast::Kind::Tuple: list(ast::to<ast::Tuple>(node).items); break;
        case ast::Kind::List: list(ast::to<ast::List>(node).items); break;
        case ast::Kind::Set: list(ast::to<ast::Set>(node).items); break;
        case ast::Kind::FString: return replace(PartKind::Constants, node.span, "''");
        case ast::Kind::Comprehension: return comprehension(ast::to<ast::Comprehension>(node), role);
        case ast::Kind::Lambda:
        case ast::Kind::ErrorExpr: return;
        default: shrink(node, role);
        }
        ast::each_child(node, [&](const ast::Expr& part) { expression(part, role); });
    }
    // A part of it, or zero, in its place.
    void shrink(const ast::Expr& node, PartRole role) {
        if (role != PartRole::Value && role != PartRole::Callee)
            return;
        const Span span = node.span;
        if (role == PartRole::Value)
            replace(PartKind::Expressions, script.whole(node), "0");
        ast::each_child(node, [&](const ast::Expr& part) {
            if (part.kind != ast::Kind::Slice && part.kind != ast::Kind::Starred)
                replace(PartKind::Expressions, span, text_of(part));
        });
    }
    void call(const ast::Call& node, PartRole role) {
        m_calls.push_back(&node);
        shrink(node, role);
        list(arguments(script, node));
        expression(*node.callee, PartRole::Callee);
        for (const ast::Expr* argument : node.args)
            expression(*argument, PartRole::Value);
        for (const ast::Keyword& keyword : node.keywords)
            expression(*keyword.value, PartRole::Value);
    }
    void subscript(const ast::Subscript& node, PartRole role) {
        shrink(node, role);
        expression(*node.object, role == PartRole::Type ? role : PartRole::Callee);
        expression(*node.index, role == PartRole::Type ? PartRole::Type : PartRole::Value);
    }
    void comprehension(const ast::Comprehension& node, PartRole role) {
        if (role == PartRole::Value)
            replace(PartKind::Expressions, script.whole(node), "[]");
        for (const ast::Clause& clause : node.clauses)
            expression(*clause.iterable, PartRole::Value);
        expression(*node.element, PartRole::Value);
    }

    // ---- constants
    void constant(const ast::Constant& node, PartRole role) {
        switch (node.what) {
        case ast::ConstantKind::Int:
            if (!node.too_big && node.integer >= 0)
                m_integers[node.integer].push_back(node.span);
            return;
        case ast::ConstantKind::Float:
            replace(PartKind::Constants, node.span, "0.0");
            return replace(PartKind::Constants, node.span, "1.0");
        case ast::ConstantKind::String:
            if (role == PartRole::Value)
                replace(PartKind::Constants, node.span, "''");
            return;
        default: return;
        }
    }
    std::vector<const ast::FunctionDef*> m_functions;
    std::vector<const ast::Call*> m_calls;
    std::vector<const ast::ExprStmt*> m_plain_calls;
    std::map<std::int64_t, std::vector<Span>> m_integers;
};

} // namespace

std::vector<Cut> part_cuts(const ScriptText& script) {
    return PartCollector(script).run();
}

} // namespace hidet::session
