// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/race_fix.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lang/ast/walk.h"
#include "lang/base/text.h"
#include "lang/parse/parser.h"

namespace hidet::session {

namespace {

namespace ast = lang::ast;

bool has(Span outer, Span inner) {
    return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

// Names of a kernel whose value differs from thread to thread of a block, as it follows from one that does, by data or by
// control. What is read from memory or returned by a function may be anything.
class VaryingNames {
public:
    explicit VaryingNames(const ast::FunctionDef& function) {
        std::size_t known = 0;
        while (std::exchange(known, m_names.size()) != m_names.size())
            for (const ast::Stmt* each : function.body)
                look(*each, Under::All);
    }

    bool varies(const ast::Expr& expr) const {
        if (const auto* name = ast::as<ast::Name>(&expr))
            return m_names.contains(name->id);
        if (const auto* member = ast::as<ast::Attribute>(&expr); member && m_names.contains(member->name.text))
            return true;
        if (ast::as<ast::Subscript>(&expr) || is_call_of_any(expr))
            return true;
        bool found = false;
        ast::each_child(expr, [&](const ast::Expr& child) { found = found || varies(child); });
        return found;
    }
    // Some threads leave the kernel, or a turn of a loop, before others.
    bool are_parted() const { return m_are_parted; }

private:
    enum class Under { All, Some }; // threads that come there

    static bool is_call_of_any(const ast::Expr& expr) {
        constexpr std::string_view same_for_all[] = {"range", "grid", "min", "max"};
        const auto* call = ast::as<ast::Call>(&expr);
        const auto* callee = call ? ast::as<ast::Name>(call->callee) : nullptr;
        return call && (!callee || std::ranges::find(same_for_all, callee->id) == std::end(same_for_all));
    }

    void look(const ast::Stmt& stmt, Under under) {
        if (const auto* assign = ast::as<ast::Assign>(&stmt)) {
            for (const ast::Expr* target : assign->targets)
                bind(*target, *assign->value, under);
        } else if (const auto* update = ast::as<ast::AugAssign>(&stmt)) {
            bind(*update->target, *update->value, under);
        } else if (const auto* typed = ast::as<ast::AnnAssign>(&stmt); typed && typed->value) {
            bind(*typed->target, *typed->value, under);
        } else if (const auto* loop = ast::as<ast::For>(&stmt)) {
            bind(*loop->target, *loop->iterable, under);
            under = under_of(*loop->iterable, under);
        } else if (const auto* branch = ast::as<ast::If>(&stmt)) {
            under = under_of(*branch->condition, under);
        } else if (const auto* turns = ast::as<ast::While>(&stmt)) {
            under = under_of(*turns->condition, under);
        }
        const bool leaves =
            stmt.kind == ast::Kind::Return || stmt.kind == ast::Kind::Break || stmt.kind == ast::Kind::Continue;
        m_are_parted = m_are_parted || (leaves && under == Under::Some);
        ast::each_child(
            stmt, [](const ast::Expr&) {}, [&](const ast::Stmt& child) { look(child, under); });
    }

    Under under_of(const ast::Expr& condition, Under outer) const { return varies(condition) ? Under::Some : outer; }

    void bind(const ast::Expr& target, const ast::Expr& value, Under under) {
        if (under == Under::All && !varies(value))
            return;
        if (const auto* name = ast::as<ast::Name>(&target))
            m_names.insert(name->id);
        else if (const ast::ExprList* items = ast::written_items(&target))
            for (const ast::Expr* item : *items)
                bind(*item, value, under);
    }

    std::set<std::string_view> m_names{"threadIdx"};
    bool m_are_parted = false;
};

const ast::FunctionDef* function_around(const ast::Stmt& stmt, const RacingPair& pair) {
    if (!has(stmt.span, pair.first) || !has(stmt.span, pair.second))
        return nullptr;
    const ast::FunctionDef* found = ast::as<ast::FunctionDef>(&stmt);
    ast::each_child(
        stmt, [](const ast::Expr&) {},
        [&](const ast::Stmt& child) {
            if (const ast::FunctionDef* inner = function_around(child, pair))
                found = inner;
        });
    return found;
}

// The statement of the access, if all threads come there together; null: they may not.
const ast::Stmt* statement_of(ast::Block block, Span access, const VaryingNames& names) {
    const auto here = std::ranges::find_if(block, [&](const ast::Stmt* each) { return has(each->span, access); });
    if (here == block.end())
        return nullptr;
    const ast::Stmt* stmt = *here;
    if (const auto* branch = ast::as<ast::If>(stmt); branch && !has(branch->condition->span, access)) {
        if (names.varies(*branch->condition))
            return nullptr;
        const ast::Stmt* inner = statement_of(branch->body, access, names);
        return inner ? inner : statement_of(branch->else_body, access, names);
    }
    if (const auto* loop = ast::as<ast::For>(stmt); loop && !has(loop->iterable->span, access))
        return names.varies(*loop->iterable) ? nullptr : statement_of(loop->body, access, names);
    if (const auto* turns = ast::as<ast::While>(stmt)) // its condition is read again behind its body
        return names.varies(*turns->condition) ? nullptr : statement_of(turns->body, access, names);
    const bool is_plain = stmt->kind == ast::Kind::ExprStmt || stmt->kind == ast::Kind::Assign ||
                          stmt->kind == ast::Kind::AugAssign || stmt->kind == ast::Kind::AnnAssign ||
                          stmt->kind == ast::Kind::If || stmt->kind == ast::Kind::For;
    return is_plain ? stmt : nullptr;
}

// As the script calls it; empty: it imports nothing that has it.
std::string barrier_name(const ast::Module& script) {
    std::string out;
    for (const ast::Stmt* stmt : script.body) {
        if (const auto* from = ast::as<ast::ImportFrom>(stmt))
            for (const ast::ImportName& each : from->names)
                if (each.name.text == "syncthreads")
                    return std::string(each.as.text.empty() ? each.name.text : each.as.text);
        if (const auto* import = ast::as<ast::Import>(stmt))
            for (const ast::ImportName& each : import->names)
                if (each.name.text == "hidet")
                    out = cat(each.as.text.empty() ? each.name.text : each.as.text, ".lang.cuda.syncthreads");
    }
    return out;
}

} // namespace

std::optional<FixIt> barrier_between(const RacingPair& pair, const SourceMap& sources) {
    if (!sources.holds(pair.first) || !sources.holds(pair.second) || pair.first.file != pair.second.file)
        return std::nullopt;
    DiagnosticSink sink;
    const ast::Module script = lang::parse(sources, pair.second.file, sink);
    const ast::FunctionDef* function = nullptr;
    for (const ast::Stmt* stmt : script.body)
        if (!function)
            function = function_around(*stmt, pair);
    if (!function)
        return std::nullopt;
    const VaryingNames names(*function);
    const ast::Stmt* stmt = names.are_parted() ? nullptr : statement_of(function->body, pair.second, names);
    if (!stmt || has(stmt->span, pair.first)) // within one statement, or one turn of a loop, it comes too late
        return std::nullopt;
    const SourceFile& file = sources.file(pair.second.file);
    const std::uint32_t begin = file.line_start(file.position(stmt->span.begin).line);
    const std::string_view indent = std::string_view(file.text()).substr(begin, stmt->span.begin - begin);
    const std::string name = barrier_name(script);
    const bool begins_line = indent.find_first_not_of(" \t") == std::string_view::npos;
    const bool is_elif = std::string_view(file.text()).substr(stmt->span.begin).starts_with("elif");
    if (name.empty() || !begins_line || is_elif)
        return std::nullopt;
    const Span at{stmt->span.file, stmt->span.begin, stmt->span.begin};
    return FixIt{at, cat(name, "()\n", indent), cat("insert '", name, "()' before this statement")};
}

} // namespace hidet::session
