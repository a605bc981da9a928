// SPDX-License-Identifier: Apache-2.0
// The names of a script function while it is translated.
//
// A scope is opened by everything that becomes a block of IR: branches, loops, `with`. A variable lives to the end of its
// block, so a name that was bound in a closed block is remembered as lost: reading it later is a mistake we can explain.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"
#include "lang/host/evaluator.h"

namespace hidet::lang {

struct Binding {
    Value value; // Unknown: the statement that defined it failed
    Span span;
    bool is_variable = false; // value is a Var of this function that assignments change
    bool is_parameter = false;
    ir::ExprRef constant = nullptr; // the variable's only value, where that is a constant
};

struct ScriptScope {
    std::string_view what; // "'if'", "loop", ...: how messages call the block; empty for the function itself
    Span span;
    std::map<std::string, Binding, std::less<>> names;
    ir::StmtVec stmts;
};

class Translator;

class ScriptEnvironment final : public Environment {
public:
    ScriptEnvironment(Ref<Environment> outer, std::string function_name, Translator& translator);

    Value* find(std::string_view name) override;
    void bind(const ast::Ident& name, Value value) override;
    void names(std::vector<std::string>& out) const override;
    bool in_script() const override { return true; }
    void explain_missing(std::string_view name, Span span) override;

    void push(std::string_view what, Span span);
    ir::StmtVec pop();
    ScriptScope& top() { return m_scopes.back(); }
    std::size_t depth() const { return m_scopes.size(); }

    struct Found {
        Binding* binding;
        std::size_t depth; // 0: the function's scope
    };
    std::optional<Found> local(std::string_view name);
    Binding& declare(std::string_view name, Binding binding);
    // A name that was bound in a block which is closed.
    struct Lost {
        std::string_view what;
        Span span;
    };
    const Lost* lost(std::string_view name) const;
    // Whether the function has read the name from outside of itself.
    bool was_captured(std::string_view name) const { return m_captured.contains(name); }
    void clear() override;

private:
    Ref<Environment> m_outer;
    std::string m_function_name;
    Value m_self;
    std::vector<ScriptScope> m_scopes;
    std::map<std::string, Lost, std::less<>> m_lost;
    std::set<std::string, std::less<>> m_captured;
    Translator* m_translator; // null when the translation is over
};

} // namespace hidet::lang
