// SPDX-License-Identifier: Apache-2.0
// hidet.script_module(): the functions of one compilation unit, in the order of their definition.
#pragma once

#include <string>
#include <vector>

#include "lang/host/members.h"
#include "lang/script/objects.h"

namespace hidet::lang {

class ScriptModule final : public WithMembers<ScriptModule> {
public:
    std::string type_name() const override { return "script module"; }
    static std::span<const Member<ScriptModule>> members();
    std::unique_ptr<Value> enter(Evaluator& evaluator, Span span) override;
    void exit(Evaluator& evaluator, Span span) override;

    // A function that stands in the module.
    void define(const Ref<TranslatedFunction>& function, DiagnosticSink& sink);
    // A function that is called from the module, with everything that it calls. False: its name is taken by another one.
    bool import(const Ref<TranslatedFunction>& function);
    // Null when the module is empty or one of its functions has mistakes, which ends a run.
    ir::ModuleRef ir_module(Span span, Evaluator& evaluator);
    // Its functions without mistakes, which call no others; null when there are none.
    ir::ModuleRef translated() const;
    bool is_taken() const { return m_taken; } // somebody has its IR
    const TranslatedFunction* find(std::string_view name) const;
    void add_global(const ir::VarRef& var);
    void add_extern(const ir::VarRef& var);

private:
    void add(const Ref<TranslatedFunction>& function);

    std::vector<Ref<TranslatedFunction>> m_functions;
    ir::VarVec m_globals;
    ir::VarVec m_externs;
    bool m_refused = false; // a function that has the name of another one
    bool m_taken = false;
};

} // namespace hidet::lang
