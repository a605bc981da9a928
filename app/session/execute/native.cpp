// SPDX-License-Identifier: Apache-2.0
// CPU functions at machine speed: C++ for a module, compiled by the system's compiler, loaded, called.
#include <chrono>
#include <cstdio>
#include <deque>

#include "app/session/execute/native.h"
#include "app/session/execute/parallel.h"
#include "app/session/tools/tools.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "runtime/cpu/crash_guard.h"
#include "runtime/cpu/library.h"

namespace hidet::session {

namespace {

class NativeModule : public Executable {
public:
    using Executable::Executable;
    std::unique_ptr<cpu::Library> library;
    std::optional<CompiledObject> kept;
};

cpu::Argument argument_of(const lang::CallArgument& arg, bool is_pointer, std::deque<std::string>& texts) {
    if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value))
        return *tensor ? static_cast<void*>((*tensor)->data()) : nullptr;
    if (const auto* text = std::get_if<std::string>(&arg.value))
        return static_cast<void*>(texts.emplace_back(*text).data());
    if (const auto* real = std::get_if<double>(&arg.value))
        return *real;
    std::int64_t integer = std::get<std::int64_t>(arg.value);
    if (is_pointer)
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(integer));
    return integer;
}

// Compiled code has no way to see that an address is another device's.
bool may_take(const FunctionCall& call, DiagnosticSink& sink) {
    for (const lang::CallArgument& arg : call.args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
            tensor && *tensor && (*tensor)->device != Device::Cpu) {
            sink.report(DiagId::ArgumentDevice, arg.span, arg.name, call.function, device_name(Device::Cpu),
                        device_name((*tensor)->device));
            return false;
        }
    return true;
}

// The function as the script has it: lowered parameters have lost their dimensions. A launch function that was made for the
// only kernel takes what the kernel takes.
const ir::Function& written(const NativeModule& module, const std::string& name) {
    if (const ir::Function* function = ir::find_function(*module.script, name))
        return *function;
    for (const ir::FunctionRef& function : module.script->functions)
        if (function->func_kind == ir::FuncKind::CpuKernel)
            return *function;
    return *ir::find_function(*module.module, name);
}

struct Prepared {
    Prepared(const NativeModule& module, const artifact::EntryPoint& entry, const FunctionCall& call)
        : symbols(module.script ? symbols_of(written(module, call.function), call) : call.symbols) {
        HIDET_CHECK(entry.params.size() == call.args.size(), call.function);
        for (std::size_t i = 0; i < call.args.size(); ++i)
            values.push_back(argument_of(call.args[i], entry.params[i].is_pointer, texts));
    }
    cpu::CallContext context(cpu::ThreadPool& pool, const RunRequest& request) const {
        return {&pool, request.print, [this](const std::string& wanted) {
                    for (const auto& [name, value] : symbols)
                        if (name == wanted)
                            return value;
                    return std::int64_t{0};
                }};
    }
    SymbolValues symbols;
    std::deque<std::string> texts;
    std::vector<cpu::Argument> values;
};

class NativeRepeat : public Repeat {
public:
    NativeRepeat(NativeModule& module, const FunctionCall& call, cpu::ThreadPool& pool, const RunRequest& request)
        : m_library(*module.library), m_entry(*module.library->find(call.function)), m_args(call.args),
          m_prepared(module, m_entry, call), m_context(m_prepared.context(pool, request)) {}
    Result<void> once() override {
        cpu::CallResult called = m_library.call(m_entry, m_prepared.values, m_context);
        if (called.failure.empty())
            return {};
        return Error{"call-failed", called.failure};
    }

private:
    cpu::Library& m_library;
    const artifact::EntryPoint& m_entry;
    std::vector<lang::CallArgument> m_args; // which keep the tensors
    Prepared m_prepared;
    cpu::CallContext m_context;
};

class Native : public Executor {
public:
    Native(Work& work, const RunRequest& request, NativeOptions options)
        : m_work(work), m_request(request), m_options(std::move(options)) {}

    Ref<Executable> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override {
        return build_in(m_work, module, site, sink);
    }
    std::vector<Ref<Executable>> build_all(const std::vector<ir::ModuleRef>& modules, Span site, DiagnosticSink& sink,
                                           const Built& done) override {
        std::vector<Ref<Executable>> built(modules.size());
        in_parallel(
            m_work, sink, modules.size(),
            [&](std::size_t i, Work& work) { built[i] = build_in(work, modules[i], site, work.sink); }, done);
        return built;
    }
    bool call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override;
    Result<Ref<Executable>> load(const CompiledObject& object) {
        HIDET_TRY(std::unique_ptr<cpu::Library> library, cpu::Library::load(object.bytes, object.entries));
        Ref<NativeModule> loaded(new NativeModule(*this, nullptr));
        loaded->library = std::move(library);
        return Ref<Executable>(loaded);
    }
    std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) override {
        return std::make_unique<NativeRepeat>(static_cast<NativeModule&>(module), call, m_pool, m_request);
    }
    void add_to(RunSummary& summary) const override {
        summary.native_calls += m_calls;
        summary.ms += m_ms;
    }

    std::string name() const override {
        return cat("CPU, ", m_pool.threads(), m_pool.threads() == 1 ? " thread" : " threads");
    }

private:
    Ref<Executable> build_in(Work& work, const ir::ModuleRef& module, Span site, DiagnosticSink& sink);
    std::unique_ptr<cpu::Library> compile(Work& work, NativeModule& module, Span site, DiagnosticSink& sink);
    std::string last_words(const FunctionCall& call) const {
        return render(Diagnostic::make(DiagId::NativeFault, call.site, call.function), m_work.sources);
    }

    Work& m_work;
    const RunRequest& m_request;
    const NativeOptions m_options;
    cpu::ThreadPool m_pool;
    int m_calls = 0;
    double m_ms = 0;
};

std::unique_ptr<cpu::Library> Native::compile(Work& work, NativeModule& module, Span site, DiagnosticSink& sink) {
    work.enter("generating C++");
    std::optional<artifact::Source> source = compiler::generate_cpp(module.module, sink);
    if (!source)
        return nullptr;
    work.enter("compiling C++");
    toolchain::CompileRequest request;
    request.language = artifact::Language::Cxx;
    request.text = source->text;
    request.product = toolchain::Product::SharedObject;
    request.arch = m_options.processor;
    request.cancelled = work.cancelled;
    Result<toolchain::CompileResult> compiled = compiled_by(work, *m_request.tools, request);
    if (!compiled) {
        report_compile_error(work, sink, *module.script, *source, compiled.error());
        return nullptr;
    }
    Result<std::unique_ptr<cpu::Library>> library = cpu::Library::load(compiled.value().bytes, source->entries);
    if (!library) {
        report_environment(work, sink, library.error(), site);
        return nullptr;
    }
    if (m_options.keeps_objects)
        module.kept = {std::move(compiled).value().bytes, std::move(source->entries)};
    return std::move(library).value();
}

Ref<Executable> Native::build_in(Work& work, const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
    work.enter("lowering a module for the CPU");
    Ref<NativeModule> built(new NativeModule(*this, module));
    built->module = lowered(work, module, compiler::LowerTo::Kernel, artifact::default_cpu(), sink);
    if (!built->module)
        return nullptr;
    built->library = compile(work, *built, site, sink);
    return built->library ? built : nullptr;
}

bool Native::call(Executable& executable, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) {
    auto& module = static_cast<NativeModule&>(executable);
    const artifact::EntryPoint* entry = module.library->find(call.function);
    HIDET_CHECK(entry, call.function);
    if (!may_take(call, sink))
        return false;
    m_work.enter("running '" + call.function + "'");
    Prepared prepared(module, *entry, call);
    Work::Clock clock(m_work, "call");
    auto start = std::chrono::steady_clock::now();
    std::fflush(stdout); // what the script printed so far is not lost with the process
    cpu::CrashGuard guard(last_words(call), 1);
    cpu::CallResult called = module.library->call(*entry, prepared.values, prepared.context(m_pool, m_request));
    m_ms += milliseconds_since(start);
    ++m_calls;
    mark_written(call.args);
    if (!called.failure.empty()) {
        sink.report(DiagId::NativeCallFailed, call.site, call.function, called.failure);
        return false;
    }
    if (const auto* integer = std::get_if<std::int64_t>(&called.value))
        result = *integer;
    else if (const auto* real = std::get_if<double>(&called.value))
        result = *real;
    else if (const auto* pointer = std::get_if<void*>(&called.value))
        result = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(*pointer));
    return true;
}

} // namespace

std::unique_ptr<Executor> make_native(Work& work, const RunRequest& request) {
    if (!request.tools ||
        request.tools->toolchain().locate(toolchain::Tool::CxxCompiler).state != toolchain::State::Found)
        return nullptr;
    return make_native(work, request, {});
}

std::unique_ptr<Executor> make_native(Work& work, const RunRequest& request, NativeOptions options) {
    return std::make_unique<Native>(work, request, std::move(options));
}

const CompiledObject* object_of(const Executable& module) {
    const std::optional<CompiledObject>& kept = static_cast<const NativeModule&>(module).kept;
    return kept ? &*kept : nullptr;
}

Result<Ref<Executable>> load_object(Executor& native, const CompiledObject& object) {
    return static_cast<Native&>(native).load(object);
}

} // namespace hidet::session
