// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/functions.h"

#include <algorithm>

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/cpu_functions.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/signature.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/graph/plan/host_code.h"
#include "compiler/ir/structure.h"
#include "lang/base/generated_text.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

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
std::optional<std::size_t> module_row(ExportWork& out, ExportedProgram& program, const AskedModule& asked,
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
    const std::optional<std::size_t> row = module_row(out, program, asked, callable);
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
    std::vector<Callable> wanted;
    for (const Callable& each : all)
        if (name.empty() ? stands_for_module(each, all) : each.name == name || (name == "launch" && each.is_launch))
            wanted.push_back(each);
    return wanted;
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

bool ExportedProgram::has_gpu_code() const {
    return !modules.empty();
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
    Diagnostic unknown = Diagnostic::make(DiagId::NoSuchFunction, {}, out.request.path(), out.request.function)
                             .suggest({}, out.request.function, names);
    unknown.fixes.clear();
    report_wrong_usage(out.work, std::move(unknown));
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
