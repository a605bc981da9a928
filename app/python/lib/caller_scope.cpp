// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/caller_scope.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/string.h>

#include "app/python/lib/value_object.h"
#include "lang/ast/walk.h"
#include "lang/host/data_model.h"

namespace hidet::python {

namespace ffi = tvm::ffi;
namespace ast = lang::ast;
using lang::Value;

Value* CallerScope::find(std::string_view name) {
    const auto [known, is_new] = m_known.try_emplace(std::string(name));
    std::optional<Value>& value = known->second;
    if (is_new) {
        const auto answer = m_resolve(ffi::String(known->first)).cast<ffi::Array<ffi::Any>>();
        if (answer[0].cast<bool>())
            value = from_python(m_session, answer[1]);
        else if (const Value* builtin = m_session->evaluator().builtin(name))
            value = *builtin;
    }
    return value ? &*value : nullptr;
}

void CallerScope::names(std::vector<std::string>& out) const {
    for (const auto& [name, value] : m_known)
        if (value)
            out.push_back(name);
}

namespace {

const ast::FunctionDef* find_in(ast::Block block, const SourceMap& sources, int line, std::string_view name);

const ast::FunctionDef* find_below(const ast::Stmt& stmt, const SourceMap& sources, int line, std::string_view name) {
    const ast::FunctionDef* found = nullptr;
    ast::each_child(
        stmt, [](const ast::Expr&) {},
        [&](const ast::Stmt& below) {
            auto* one = const_cast<ast::Stmt*>(&below);
            if (!found)
                found = find_in(ast::Block(&one, 1), sources, line, name);
        });
    return found;
}

const ast::FunctionDef* find_in(ast::Block block, const SourceMap& sources, int line, std::string_view name) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* def = ast::as<ast::FunctionDef>(stmt); def && def->name.text == name) {
            const Span first = def->decorators.empty() ? def->span : def->decorators.front()->span;
            const SourceFile& file = sources.file(first.file);
            const int begin = file.position(first.begin).line, end = file.position(def->name.span.begin).line;
            if (begin <= line && line <= end)
                return def;
        }
        if (const ast::FunctionDef* below = find_below(*stmt, sources, line, name))
            return below;
    }
    return nullptr;
}

} // namespace

const ast::FunctionDef& find_definition(PythonSession& session, const std::string& file, const std::string& text,
                                        int line, const std::string& name) {
    const ast::Module& module = session.parsed(file, text);
    std::vector<Diagnostic> said = session.work().sink.take(); // of the whole file, which CPython could read
    const ast::FunctionDef* found = find_in(module.body, session.work().sources, line, name);
    if (!found)
        fail(DiagId::BadValue, Span{}, cat("the text of '", name, "' is not in ", file, " at line ", line));
    for (Diagnostic& each : said)
        if (each.severity == Severity::Error && each.span.begin >= found->span.begin &&
            each.span.end <= found->span.end)
            throw DiagnosticError(std::move(each));
    return *found;
}

} // namespace hidet::python
