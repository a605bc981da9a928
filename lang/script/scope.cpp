// SPDX-License-Identifier: Apache-2.0
#include "lang/script/scope.h"

#include "lang/script/objects.h"
#include "lang/script/translator.h"

namespace hidet::lang {

ScriptEnvironment::ScriptEnvironment(Ref<Environment> outer, std::string function_name, Translator& translator)
    : m_outer(std::move(outer)), m_function_name(std::move(function_name)),
      m_self(new_extension<SelfReference>(m_function_name)), m_translator(&translator) {
    m_scopes.emplace_back();
}

Value* ScriptEnvironment::find(std::string_view name) {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (auto found = scope->names.find(name); found != scope->names.end())
            return &found->second.value;
    if (m_lost.contains(name))
        return nullptr; // Python would find the lost one, never an outer name
    if (name == m_function_name)
        return &m_self;
    Value* found = m_outer ? m_outer->find(name) : nullptr;
    if (found)
        m_captured.emplace(name);
    return found;
}

void ScriptEnvironment::bind(const ast::Ident& name, Value) {
    fail(DiagId::ScriptUnsupported, name.span, "':='");
}

void ScriptEnvironment::names(std::vector<std::string>& out) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        for (const auto& [name, binding] : scope->names)
            out.push_back(name);
    if (m_outer)
        m_outer->names(out);
}

void ScriptEnvironment::push(std::string_view what, Span span) {
    m_scopes.emplace_back();
    m_scopes.back().what = what;
    m_scopes.back().span = span;
}

ir::StmtVec ScriptEnvironment::pop() {
    ScriptScope& scope = m_scopes.back();
    for (const auto& [name, binding] : scope.names)
        m_lost[name] = {scope.what, binding.span};
    ir::StmtVec stmts = std::move(scope.stmts);
    m_scopes.pop_back();
    return stmts;
}

std::optional<ScriptEnvironment::Found> ScriptEnvironment::local(std::string_view name) {
    for (std::size_t depth = m_scopes.size(); depth-- > 0;)
        if (auto found = m_scopes[depth].names.find(name); found != m_scopes[depth].names.end())
            return Found{&found->second, depth};
    return std::nullopt;
}

Binding& ScriptEnvironment::declare(std::string_view name, Binding binding) {
    Binding& slot = m_scopes.back().names[std::string(name)];
    slot = std::move(binding);
    if (m_translator)
        m_translator->observe(slot);
    return slot;
}

const ScriptEnvironment::Lost* ScriptEnvironment::lost(std::string_view name) const {
    auto found = m_lost.find(name);
    return found == m_lost.end() ? nullptr : &found->second;
}

void ScriptEnvironment::explain_missing(std::string_view name, Span span) {
    if (m_translator)
        m_translator->explain_missing(name, span);
}

void ScriptEnvironment::clear() {
    m_translator = nullptr;
    m_scopes.clear();
    m_scopes.emplace_back();
    m_outer.reset();
}

} // namespace hidet::lang
