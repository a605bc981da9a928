// SPDX-License-Identifier: Apache-2.0
// Where a function of CPython's that we translate stands: its text, and the names around it as CPython has them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tvm/ffi/function.h>

#include "app/python/lib/python_session.h"
#include "lang/host/evaluator.h"

namespace hidet::python {

// Asks CPython for each name once. What it does not know is a builtin of ours, or unknown.
class CallerScope final : public lang::Environment {
public:
    CallerScope(std::shared_ptr<PythonSession> session, tvm::ffi::Function resolve)
        : m_session(std::move(session)), m_resolve(std::move(resolve)) {}
    lang::Value* find(std::string_view name) override;
    void bind(const lang::ast::Ident& name, lang::Value value) override { m_known[std::string(name.text)] = value; }
    void names(std::vector<std::string>& out) const override;

private:
    std::shared_ptr<PythonSession> m_session;
    tvm::ffi::Function m_resolve;
    std::map<std::string, std::optional<lang::Value>, std::less<>> m_known; // nothing: there is no such name
};

// The definition of `name` whose decorators or `def` begin in the line (from 1 on). Throws a DiagnosticError: what our parser says
// of the function, or that it is not there.
const lang::ast::FunctionDef& find_definition(PythonSession& session, const std::string& file, const std::string& text,
                                              int line, const std::string& name);

} // namespace hidet::python
