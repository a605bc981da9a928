// SPDX-License-Identifier: Apache-2.0
// A built module as a value of the host language: module(*args), module['name'](*args), module.source().
#pragma once

#include <string>

#include "compiler/ir/module_options.h"
#include "lang/host/engine.h"
#include "lang/host/evaluator.h"
#include "lang/host/members.h"
#include "lang/host/value.h"

namespace hidet::lang {

// Builds a module with the evaluator's engine and records it in the result; what script_module.build() and
// hidet.driver.build_ir_module() do. In preview it is only recorded. The value is a compiled module, or Unknown when
// the module could not be built (which was reported).
Value build_module(Evaluator& evaluator, const ir::ModuleRef& module, const ir::ModuleOptions& options, Span site);

// hidet.load_compiled_module(path, device=None, trust=False): the module that a package is of. Unknown in preview, which reads
// no data file.
Value load_compiled_module(Evaluator& evaluator, Args& args, Span span);

class CompiledModule : public WithMembers<CompiledModule> {
public:
    // Of a module that was loaded, `file` is what it was loaded from, and the functions have no bodies.
    CompiledModule(ir::ModuleRef module, Ref<BuiltModule> built, Span site, std::string file = "")
        : m_module(std::move(module)), m_built(std::move(built)), m_site(site), m_file(std::move(file)) {}

    std::string type_name() const override { return "CompiledModule"; }
    static std::span<const Member<CompiledModule>> members();
    std::unique_ptr<Value> call(Evaluator& evaluator, Args& args, Span span) override; // of `launch`
    std::unique_ptr<Value> subscript(Evaluator& evaluator, const Value& index, Span span) override;

    Value call_function(Evaluator& evaluator, const std::string& function, Args& args, Span span);
    void save(Evaluator& evaluator, const std::string& path, Span span); // as a package
    const ir::ModuleRef& module() const { return m_module; }             // as the script wrote it
    const Ref<BuiltModule>& built() const { return m_built; }            // null in preview

private:
    Value functions(Evaluator& evaluator, Span span); // by their names
    Engine* build(Evaluator& evaluator);              // unless that is done; null in preview

    ir::ModuleRef m_module;
    Ref<BuiltModule> m_built;
    Span m_site;
    std::string m_file;
};

// The module that is called, itself or one of its functions; null: it is something else.
const CompiledModule* module_called_by(const Value& value);

// An IR module that is not built yet: script_module.ir_module(), what hidet.driver.build_ir_module() takes. The one
// implementation is lang/script's.
struct IrModuleValue : NativeObject {
    std::string type_name() const override { return "IRModule"; }
    virtual ir::ModuleRef module(Span site,
                                 Evaluator& evaluator) const = 0; // null: it has mistakes, which are reported
};
// A module that stands, as such a value. Defined by lang/script.
Value ir_module_of(Evaluator& evaluator, const ir::Module& module, Span span);

} // namespace hidet::lang
