// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/engine.h"

#include <algorithm>

#include "app/session/tune/tuning.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

bool has_cpu_kernel(const ir::Module& module) {
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [](const ir::FunctionRef& function) { return function->func_kind == ir::FuncKind::CpuKernel; });
}

std::string functions_of(const ir::Module& module) {
    return join(
        transformed(module.functions, [](const ir::FunctionRef& function) { return "'" + function->name + "'"; }),
        ", ");
}

} // namespace

ScriptEngine::ScriptEngine(Work& work, const RunRequest& request)
    : ScriptEngine(work, request, make_emulator(work, request)) {}
ScriptEngine::ScriptEngine(Work& work, const RunRequest& request, std::unique_ptr<Executor> emulator)
    : m_work(work), m_request(request), m_emulator(std::move(emulator)), m_replaced(work, request) {}
ScriptEngine::~ScriptEngine() = default;

void ScriptEngine::print(std::string_view text) {
    if (m_request.print)
        m_request.print(text);
}

Executor* ScriptEngine::device() const {
    std::call_once(m_device_asked, [&] {
        if (!m_request.tools || info(m_request.target).gpu == GpuUse::None)
            return;
        Result<std::unique_ptr<Executor>> device = make_device(m_work, m_request);
        if (device)
            m_device = std::move(device).value();
        else
            m_gpu_error = device.error();
    });
    return m_device.get();
}

bool ScriptEngine::has_wanted_gpu() const {
    if (m_request.target != Target::Cuda || has_cuda())
        return true;
    m_work.sink.report(DiagId::NoGpu, {}, m_gpu_error ? m_gpu_error->message : "there is none");
    m_work.status = Status::Environment;
    return false;
}

std::optional<lang::DeviceFacts> ScriptEngine::device_facts() const {
    const artifact::TargetSpec& target = gpu() ? *gpu() : artifact::default_gpu();
    lang::DeviceFacts out{target.name, target.arch.number / 10, target.arch.number % 10};
    out.properties = {{"multiProcessorCount", target.multiprocessors},
                      {"totalGlobalMem", target.memory_bytes},
                      {"l2CacheSize", target.l2_bytes},
                      {"warpSize", target.warp_threads},
                      {"clockRate", std::int64_t{target.clock_mhz} * 1000},
                      {"maxThreadsPerBlock", target.threads_per_block},
                      {"maxThreadsPerMultiProcessor", std::int64_t{target.warps} * target.warp_threads},
                      {"maxBlocksPerMultiProcessor", target.blocks},
                      {"regsPerMultiprocessor", target.registers},
                      {"sharedMemPerBlock", target.shared_per_block},
                      {"sharedMemPerBlockOptin", target.shared_per_block_optin},
                      {"sharedMemPerMultiprocessor", target.shared_bytes},
                      {"reservedSharedMemPerBlock", target.shared_reserved}};
    return out;
}

// What is written as a kernel for the CPU runs as machine code, and on request what is written for a GPU. Launch code and other host functions run in the virtual
// machine, which checks their accesses, unless machine code is asked for.
Executor& ScriptEngine::choose(const ir::Module& module) {
    if (info(m_request.target).emulates)
        return *m_emulator;
    if (has_gpu_kernel(module) && m_request.target != Target::Cpu)
        return device() ? *device() : *m_emulator;
    if (m_request.target != Target::Cpu && !has_cpu_kernel(module))
        return *m_emulator;
    if (!m_native)
        m_native = make_native(m_work, m_request);
    return m_native ? *m_native : *m_emulator;
}

Ref<lang::BuiltModule> ScriptEngine::build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
    if (m_request.marks && m_request.target == Target::Cpu) {
        sink.report(DiagId::BadValue, site,
                    "marks are in kernels on a GPU or on the emulator, and this module is built for the CPU");
        return nullptr;
    }
    std::string outer = m_work.stage;
    const ir::ModuleRef replaced = replaced_by(module, site, sink);
    if (!replaced)
        return nullptr;
    Ref<Executable> built =
        replaced == module ? choose(*module).build(module, site, sink) : build_edited(module, replaced, site, sink);
    if (!built)
        return nullptr;
    m_modules.push_back(built);
    m_work.stage = outer;
    return built;
}

// Those of a graph all go to the same place.
std::vector<Ref<lang::BuiltModule>> ScriptEngine::build_all(const std::vector<ir::ModuleRef>& modules, Span site,
                                                            DiagnosticSink& sink,
                                                            const std::function<void(std::size_t)>& built) {
    const auto goes_elsewhere = [&](const ir::ModuleRef& module) { return &choose(*module) != &choose(*modules[0]); };
    if (modules.empty() || !m_request.replacements.empty() ||
        std::any_of(modules.begin(), modules.end(), goes_elsewhere))
        return Engine::build_all(modules, site, sink, built);
    std::string outer = m_work.stage;
    std::vector<Ref<lang::BuiltModule>> out;
    for (Ref<Executable>& module : choose(*modules[0]).build_all(modules, site, sink, built)) {
        if (module)
            m_modules.push_back(module);
        out.push_back(std::move(module));
    }
    m_work.stage = outer;
    return out;
}

bool ScriptEngine::call(lang::BuiltModule& built, const std::string& function,
                        const std::vector<lang::CallArgument>& args, Span site, ReturnValue& result,
                        DiagnosticSink& sink) {
    auto& module = static_cast<Executable&>(built);
    std::string outer = m_work.stage;
    module.called = true;
    FunctionCall call{function, args, site, symbols};
    if (!module.script) // it was loaded: nobody looks into what it does
        return module.executor.call(module, call, result, sink);
    // Behind some pass the parameters of an edited module are pointers, which say nothing of dimensions.
    if (module.edited && module.generated)
        if (const ir::Function* callee = ir::find_function(*module.generated->module, function))
            call.symbols = symbols_of(*callee, call);
    if (before_call)
        before_call({Ref<Executable>(&module), function, args, site, call.symbols});
    bool fine = module.executor.call(module, call, result, sink);
    ++m_calls;
    if (!fine && call_failed)
        call_failed({Ref<Executable>(&module), function, args, site, call.symbols});
    if (fine && m_request.keep_calls)
        keep(module, call);
    m_work.stage = outer;
    return fine;
}

bool ScriptEngine::save(lang::BuiltModule& built, const std::string& path, Span site, DiagnosticSink& sink) {
    auto& module = static_cast<Executable&>(built);
    if (!packages)
        return Engine::save(built, path, site, sink);
    if (module.generated) {
        sink.report(DiagId::BadValue, site,
                    "a kernel of this module is replaced, and packages hold what was generated");
        return false;
    }
    if (!module.script) {
        sink.report(DiagId::BadValue, site, "this module was loaded from a package, which is the package of it");
        return false;
    }
    module.called = true; // by whoever loads it
    return packages->save_module(module.script, gpu() ? *gpu() : artifact::default_gpu(), path, site, sink);
}

Ref<lang::BuiltModule> ScriptEngine::load(const lang::LoadOptions& options, DiagnosticSink& sink) {
    if (!packages)
        return Engine::load(options, sink);
    return packages->load_module(options, sink);
}

void ScriptEngine::keep(Executable& module, const FunctionCall& call) {
    KeptCall kept{Ref<Executable>(&module), call.function, call.args, call.site, call.symbols};
    for (KeptCall& other : m_kept)
        if (other.module.get() == &module && other.function == call.function) {
            other = std::move(kept);
            return;
        }
    m_kept.push_back(std::move(kept));
}

// The module, where nothing replaces it; null: what does is refused.
ir::ModuleRef ScriptEngine::replaced_by(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
    if (m_request.replacements.empty())
        return module;
    const auto target = gpu_of(*module, gpu() ? *gpu() : artifact::default_gpu(), site, sink);
    return target ? m_replaced.of(module, *target, sink) : nullptr;
}

// With what was generated beside it, which it is measured against. What nobody can build of the script is no reason not to run
// what a person made of it.
Ref<Executable> ScriptEngine::build_edited(const ir::ModuleRef& script, const ir::ModuleRef& edited, Span site,
                                           DiagnosticSink& sink) {
    Executor& executor = choose(*edited);
    Ref<Executable> built = executor.build(edited, site, sink);
    if (!built)
        return nullptr;
    DiagnosticSink ignored;
    built->generated = executor.build(script, site, ignored);
    built->edited = edited;
    built->script = script;
    return built;
}

ir::ModuleRef ScriptEngine::origin_of(const ir::ModuleRef& script) const {
    const auto found = std::ranges::find(m_modules, script, [](const auto& module) { return module->script; });
    return found == m_modules.end() ? script : (*found)->origin();
}

bool ScriptEngine::may_replace() const {
    const auto refuse_ir = [this](const char* why) {
        return report_wrong_usage(m_work, cat("IR that was edited runs on a GPU or on the emulator: ", why));
    };
    const auto refuse = [this](Status status, const std::string& why) {
        m_work.status = status;
        m_work.sink.report(status == Status::WrongUsage ? DiagId::BadValue : DiagId::EnvironmentRefused, {},
                           cat("a kernel is replaced on a GPU alone, as the emulator and the CPU run IR: ", why));
        return false;
    };
    if (m_request.replacements.empty())
        return true;
    const auto is_ir = [](const KernelReplacement& each) { return is_ir_file(each.source.name); };
    if (m_request.target == Target::Cpu && std::ranges::any_of(m_request.replacements, is_ir))
        return refuse_ir("'--target cpu' uses neither");
    if (std::ranges::all_of(m_request.replacements, is_ir))
        return !m_request.marks || refuse_ir("'--markers' puts marks into generated kernels");
    if (info(m_request.target).gpu == GpuUse::None)
        return refuse(Status::WrongUsage, cat("'--target ", info(m_request.target).name, "' uses none"));
    if (m_request.marks)
        return refuse(Status::WrongUsage, "marks are put into generated kernels, so '--markers' does not go with it");
    if (!has_cuda())
        return refuse(Status::Environment, m_gpu_error ? m_gpu_error->message : "there is none");
    return true;
}

void ScriptEngine::report_unknown_kernels() {
    m_replaced.report_unknown(m_work.sink);
    if (Executor* gpu = m_request.replacements.empty() ? nullptr : device())
        gpu->report_unknown_kernels(m_work.sink);
}

RunSummary ScriptEngine::summary() const {
    RunSummary summary;
    m_emulator->add_to(summary);
    if (m_native)
        m_native->add_to(summary);
    if (m_device)
        m_device->add_to(summary);
    for (std::string& text : m_replaced.used())
        summary.replaced.push_back(std::move(text));
    summary.calls = m_calls;
    if (schedules)
        summary.schedules = schedules->text();
    summary.modules = static_cast<int>(m_modules.size());
    for (const Ref<Executable>& module : m_modules)
        if (!module->called)
            summary.uncalled.push_back(functions_of(*module->module));
    return summary;
}

} // namespace hidet::session
