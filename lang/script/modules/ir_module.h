// SPDX-License-Identifier: Apache-2.0
// IRModule: functions by name, which scripts may add to before the module is built.
#pragma once

#include "lang/host/compiled_module.h"
#include "lang/host/members.h"
#include "lang/script/module.h"

namespace hidet::lang {

class IrModule final : public WithMembers<IrModule, IrModuleValue> {
public:
    // `functions`: a dict of names and script functions.
    explicit IrModule(Value functions) : m_functions(std::move(functions)) {}
    static std::span<const Member<IrModule>> members();
    bool set_attribute(Evaluator& evaluator, std::string_view name, const Value& value, Span span) override;
    std::string repr() const override;
    void clear() override { m_functions = m_task = Value(); }
    ir::ModuleRef module(Span site, Evaluator& evaluator) const override;

    ir::VarVec globals, externs;

private:
    void fill(ScriptModule& out, Span span) const;

    Value m_functions, m_task;
    std::string m_namespace;
};

} // namespace hidet::lang
