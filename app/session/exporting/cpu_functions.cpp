// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/cpu_functions.h"

#include <algorithm>
#include <set>

#include "app/session/execute/cpu_part.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/signature.h"
#include "app/session/package/plan_images.h"
#include "app/session/preview/sites.h"
#include "app/session/work/steps.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/generated_text.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// The dimensions that code asks the program for that runs it.
class AskedSymbols : public ir::Walker {
public:
    std::set<std::string> names;

protected:
    using ir::Walker::visit;
    void visit(const ir::Intrinsic& call) override {
        if (call.id == ir::IntrinsicId::GetSymbolValue)
            names.insert(std::get<std::string>(ir::as<ir::Constant>(call.args[0])->value));
        walk_children(call);
    }
};

// A module of what some functions reach, as C++.
class CpuModuleMaker {
public:
    CpuModuleMaker(ExportWork& out, ExportedProgram& program, const AskedModule& asked)
        : m_out(out), m_program(program), m_asked(asked) {}

    // All of one module; false: the reason is in the work's sink.
    bool run(const std::vector<const Callable*>& callables) {
        std::vector<std::string> names;
        for (const Callable* callable : callables)
            names.push_back(callable->function->name);
        ExportedCpuModule module{
            m_asked.number, m_asked.of, m_asked.name, reached_part(callables.front()->module, names), {}};
        if (callables.front()->module != m_asked.script)
            module.name += "_" + identifier_of(callables.front()->name);
        m_out.work.enter("lowering a module for the CPU");
        m_lowered = lowered_for_cpu(m_out.work, module.script, false, m_out.work.sink);
        if (!m_lowered)
            return false;
        m_out.work.enter("generating C++");
        std::optional<artifact::Source> source = compiler::generate_cpp(m_lowered, m_out.work.sink);
        if (!source)
            return false;
        module.source = std::move(*source);
        m_program.cpu_modules.push_back(std::move(module));
        return std::ranges::all_of(callables, [&](const Callable* callable) { return add(*callable); });
    }

private:
    bool add(const Callable& callable) {
        const ExportedCpuModule& module = m_program.cpu_modules.back();
        const auto entry = std::ranges::find(module.source.entries, callable.callee, &artifact::EntryPoint::name);
        if (entry == module.source.entries.end())
            return m_out.refuse(callable.name, "it works on the memory of a GPU, or sets a symbol",
                                callable.function->origin.span);
        ExportedFunction function;
        function.name = name_of_function(callable, m_asked);
        function.script_name = callable.name;
        function.is_on_cpu = true;
        function.module = m_program.cpu_modules.size() - 1;
        function.entry = entry->symbol;
        if (entry->returns_value) {
            function.result = ir::scalar_of(callable.function->ret);
            if (!function.result || !is_number_of_c(*function.result))
                return m_out.refuse(callable.name, "it returns what is no number of C", callable.function->origin.span);
        }
        SignatureMaker signature(m_out, callable, function);
        if (!signature.add_parameters())
            return false;
        AskedSymbols asked;
        const ir::ModuleRef reached = reached_part(m_lowered, {callable.callee});
        for (const ir::FunctionRef& each : reached->functions)
            asked.walk(ir::NodeRef(each->body));
        for (const std::string& name : asked.names)
            signature.expressions().symbol(name);
        signature.add_symbols();
        for (ExportedSymbol& symbol : function.symbols)
            symbol.is_read_as_i32 = asked.names.contains(function.body.symbols[symbol.row].name);
        m_program.functions.push_back(std::move(function));
        return true;
    }

    ExportWork& m_out;
    ExportedProgram& m_program;
    const AskedModule& m_asked;
    ir::ModuleRef m_lowered;
};

bool is_level(const std::string& name) {
    return std::ranges::any_of(processor_levels, [&](const ProcessorLevel& level) { return name == level.name; });
}

// Of x86-64, that the code of the program is compiled for; the best last.
bool choose_levels(ExportWork& out, ExportedProgram& program, const AskedModule& asked) {
    std::vector<std::string> names = named_architectures(out, true);
    if (const std::vector<std::string> gpus = named_architectures(out, false);
        !program.has_gpu_code() && !gpus.empty()) {
        report_wrong_usage(out.work, Diagnostic::make(DiagId::BadValue, {},
                                                      cat("'", gpus.front(),
                                                          "' is no level of x86-64; there are 'x86-64-v2', "
                                                          "'x86-64-v3' and 'x86-64-v4'")));
        return false;
    }
    const std::string processor = ir::options_of(*asked.script).processor;
    if (names.empty() && !processor.empty() && processor != "native")
        names.push_back(processor);
    for (const std::string& name : names)
        if (!is_level(name))
            return out.refuse(out.request.path(),
                              cat("it is to be compiled for '", name,
                                  "', and code for the CPU is exported for x86-64-v2, x86-64-v3 and x86-64-v4"),
                              asked.site);
    std::vector<std::string> levels;
    for (const ProcessorLevel& level : processor_levels)
        if (names.empty() || std::ranges::find(names, level.name) != names.end())
            levels.insert(levels.begin(), level.name);
    if (!program.levels.empty() && program.levels != levels)
        return out.refuse(out.request.path(), "its modules are to be compiled for different processors", asked.site);
    program.levels = std::move(levels);
    return true;
}

} // namespace

bool add_cpu_functions(ExportWork& out, ExportedProgram& program, const AskedModule& asked,
                       const std::vector<Callable>& callables) {
    if (callables.empty())
        return true;
    if (!choose_levels(out, program, asked))
        return false;
    std::vector<std::vector<const Callable*>> groups; // by module
    for (const Callable& callable : callables) {
        const auto known =
            std::ranges::find(groups, callable.module, [](const auto& group) { return group[0]->module; });
        if (known == groups.end())
            groups.push_back({&callable});
        else
            known->push_back(&callable);
    }
    return std::ranges::all_of(groups, [&](const std::vector<const Callable*>& group) {
        return CpuModuleMaker(out, program, asked).run(group);
    });
}

} // namespace hidet::session
