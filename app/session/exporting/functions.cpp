// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/functions.h"

#include <algorithm>
#include <set>

#include "app/session/execute/cpu_part.h"
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/signature.h"
#include "app/session/package/plan_images.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/graph/plan/host_code.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/generated_text.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Functions of the CPU: C++ of the modules that hold them, and how each of them is called in it.

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
        std::vector<std::string> names =
            transformed<std::string>(callables, [&](const Callable* callable) { return callable->function->name; });
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
    if (const std::vector<std::string> gpus = named_architectures(out, false); !program.has_gpu_code() && !gpus.empty())
        return report_wrong_usage(out.work, cat("'", gpus.front(),
                                                "' is no level of x86-64; there are 'x86-64-v2', "
                                                "'x86-64-v3' and 'x86-64-v4'"));
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

// False: one of them cannot run on the CPU, and the reason is in the work's sink.
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

// Makes one of ExportedFunction of what can be called and launches.
class FunctionMaker {
public:
    FunctionMaker(ExportWork& out, const Callable& callable, const ExportedModule& module)
        : m_out(out), m_callable(callable), m_module(module), m_signature(out, callable, m_function) {}

    std::optional<ExportedFunction> run(std::string name, std::size_t module) {
        m_function.name = std::move(name);
        m_function.script_name = m_callable.name;
        m_function.module = module;
        const ExportedCode& code = m_module.code.front();
        const ir::Function* host = ir::find_function(*code.emulated, m_callable.callee);
        HIDET_CHECK(host && host->params.size() >= m_callable.function->params.size(), m_callable.callee);
        graph::HostCode launches(
            *code.emulated, m_function.body, m_signature.expressions(),
            [&](artifact::PlanStep& step, const ir::LaunchStmt& launch) { describe(step, launch.kernel, code.cuda); },
            graph::HostCode::Scalars::All);
        if (!m_signature.add_parameters())
            return std::nullopt;
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i)
            launches.bind(*host->params[i], m_signature.arguments()[i]);
        try {
            launches.run(host->body);
        } catch (const graph::NotLaunching& statement) {
            m_out.refuse(m_callable.name, "its host code does more than launching kernels", statement.origin.span);
            return std::nullopt;
        }
        judge_maps(*code.emulated);
        m_signature.add_symbols();
        return std::move(m_function);
    }

private:
    // Memory that kernels reach by tensor maps alone: whoever makes a map knows nothing of its use.
    void judge_maps(const ir::Module& module) {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            bool reads = false, writes = false, is_by_maps = false, is_by_address = false;
            for (const artifact::PlanStep& step : m_function.body.steps) {
                const ir::Function* kernel = ir::find_function(module, step.kernels.front());
                for (std::size_t a = 0; a < step.arguments.size(); ++a) {
                    const artifact::PlanArgument& argument = step.arguments[a];
                    if (argument.kind == artifact::ArgumentKind::Scalar || argument.value != i)
                        continue;
                    (argument.kind == artifact::ArgumentKind::TensorMap ? is_by_maps : is_by_address) = true;
                    const compiler::ParameterAccess use = map_use(*kernel, *kernel->params[a]);
                    reads |= use.read;
                    writes |= use.written;
                }
            }
            if (!is_by_maps || is_by_address)
                continue;
            m_function.parameters[i].is_read = reads;
            m_function.parameters[i].is_written = writes;
        }
    }
    void describe(artifact::PlanStep& step, const std::string& kernel, const artifact::Source& cuda) {
        const auto entry = std::ranges::find(cuda.entries, kernel, &artifact::EntryPoint::name);
        HIDET_CHECK(entry != cuda.entries.end(), kernel);
        const auto found = std::ranges::find(m_function.kernels, entry->symbol);
        step.function = static_cast<artifact::Row>(found - m_function.kernels.begin());
        step.kernels = {kernel};
        if (found == m_function.kernels.end())
            m_function.kernels.push_back(entry->symbol);
    }

    ExportWork& m_out;
    const Callable& m_callable;
    const ExportedModule& m_module;
    ExportedFunction m_function;
    SignatureMaker m_signature;
};

// A kernel that nothing launches gets a module of its own, in which something does.
std::optional<std::size_t> row_of_module(ExportWork& out, ExportedProgram& program, const AskedModule& asked,
                                         const Callable& callable) {
    const auto known = std::ranges::find(program.modules, callable.module, &ExportedModule::script);
    if (known != program.modules.end())
        return static_cast<std::size_t>(known - program.modules.begin());
    ExportedModule module{asked, {}};
    if (callable.module != asked.script) {
        module.script = callable.module;
        module.name += "_" + identifier_of(callable.name);
    }
    module.code = exported_code(out, module.script, module.site);
    if (module.code.empty())
        return std::nullopt;
    program.modules.push_back(std::move(module));
    return program.modules.size() - 1;
}

bool add_launching(ExportWork& out, ExportedProgram& program, const AskedModule& asked, const Callable& callable) {
    const std::optional<std::size_t> row = row_of_module(out, program, asked, callable);
    if (!row)
        return false;
    std::optional<ExportedFunction> function =
        FunctionMaker(out, callable, program.modules[*row]).run(name_of_function(callable, asked), *row);
    if (function)
        program.functions.push_back(std::move(*function));
    return function.has_value();
}

// The functions of a module that stand for it, or the one that is asked for by name.
std::vector<Callable> wanted_of(const std::vector<Callable>& all, const std::string& name) {
    return those_in(all, [&](const Callable& each) {
        return name.empty() ? stands_for_module(each, all) : each.name == name || (name == "launch" && each.is_launch);
    });
}

bool add_functions(ExportWork& out, ExportedProgram& program, const AskedModule& asked,
                   const std::vector<Callable>& wanted, Devices devices) {
    std::vector<Callable> on_cpu;
    for (const Callable& callable : wanted) {
        const bool is_for_cpu = devices == Devices::Cpu || (devices == Devices::Both && !launches_gpu_code(callable));
        if (is_for_cpu)
            on_cpu.push_back(callable);
        else if (callable.function->func_kind != ir::FuncKind::CpuKernel &&
                 !add_launching(out, program, asked, callable))
            return false;
    }
    return add_cpu_functions(out, program, asked, on_cpu);
}

} // namespace

bool is_number_of_c(ir::DType dtype) {
    return !ir::is_complex(dtype) && ir::info(dtype).lanes <= 1 && !ir::is_subbyte(dtype) &&
           (!ir::is_float(dtype) || dtype == ir::DType::F32 || dtype == ir::DType::F64 || fraction_of_short(dtype));
}

std::optional<int> fraction_of_short(ir::DType dtype) {
    if (dtype == ir::DType::F16)
        return 10;
    return dtype == ir::DType::BF16 ? std::optional(7) : std::nullopt;
}

std::string name_of_function(const Callable& callable, const AskedModule& module) {
    if (callable.is_launch)
        return module.name;
    std::string own = identifier_of(callable.name);
    while (is_own_name(own)) // softmax_error() is there already
        own += "_";
    return cat(module.name, "_", own);
}

int module_number(const ExportedProgram& program, const ExportedFunction& function) {
    return function.is_on_cpu ? program.cpu_modules[function.module].number : program.modules[function.module].number;
}

std::optional<ExportedProgram> exported_program(ExportWork& out, Devices devices) {
    ExportedProgram program;
    const std::vector<AskedModule> modules = asked_modules(out, devices != Devices::Gpu);
    if (modules.empty())
        return std::nullopt;
    std::vector<std::string> names;
    for (const AskedModule& module : modules) {
        const std::vector<Callable> all = callables_of(module.script, module.number, module.site);
        for (const Callable& each : all)
            names.push_back(each.name);
        if (!add_functions(out, program, module, wanted_of(all, out.request.function), devices))
            return std::nullopt;
    }
    if (!program.functions.empty())
        return program;
    report_wrong_usage(out.work, Diagnostic::make(DiagId::NoSuchFunction, {}, out.request.path(), out.request.function)
                                     .suggest({}, out.request.function, names));
    return std::nullopt;
}

std::optional<ExportedImage> image_of(ExportWork& out, const ExportedModule& module, const ExportedCode& code,
                                      bool with_ptx) {
    HIDET_CHECK(out.request.tools, "an export that needs a compiler, and no tools");
    ExportedImage image;
    image.target = code.target;
    for (const toolchain::Product product : {toolchain::Product::Cubin, toolchain::Product::Ptx}) {
        if (product == toolchain::Product::Ptx && !with_ptx)
            continue;
        out.work.enter(product == toolchain::Product::Ptx ? "compiling to PTX" : "compiling to machine code");
        toolchain::CompileRequest asked;
        asked.text = code.cuda.text;
        asked.product = product;
        asked.arch = artifact::architecture_name(code.target.arch);
        asked.options = gpu_options(out.request.contracts, *module.script);
        asked.cancelled = out.work.cancelled;
        Result<toolchain::CompileResult> made = compiled_by(out.work, *out.request.tools, asked);
        if (!made) {
            report_compile_error(out.work, out.work.sink, *module.script, code.cuda, made.error());
            return std::nullopt;
        }
        (product == toolchain::Product::Ptx ? image.ptx : image.cubin) = made.value().bytes;
        image.compiler = made.value().compiler;
    }
    return image;
}

bool add_images(ExportWork& out, ExportedProgram& program) {
    for (const ExportedModule& module : program.modules) {
        std::vector<ExportedImage>& images = program.images.emplace_back();
        for (const ExportedCode& code : module.code) {
            // What is compiled for features of one generation runs on no other as PTX either.
            const bool runs_later =
                artifact::architecture_name(code.target.arch).find_first_of("af") == std::string::npos;
            std::optional<ExportedImage> image =
                image_of(out, module, code, runs_later && &code == &module.code.back());
            if (!image)
                return false;
            images.push_back(std::move(*image));
        }
    }
    return true;
}

} // namespace hidet::session
