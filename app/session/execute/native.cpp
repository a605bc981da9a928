// SPDX-License-Identifier: Apache-2.0
// CPU functions at machine speed: C++ for a module, compiled by the system's compiler, loaded, called.
//
// Calls are checked: indices, divisions and asserts, in code that was generated for that. What is measured is compiled
// without the first. Accesses through addresses cannot be checked, so whoever runs scripts does so in a process that may be
// lost (session/worker), and is told before each call which one it may be lost by (RunRequest::calling).
#include "app/session/execute/native.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "app/session/execute/cpu_part.h"
#include "app/session/execute/parallel.h"
#include "app/session/tools/tools.h"
#include "app/session/work/large_thread.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/ir/module_options.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "lang/base/diagnostic.h"
#include "lang/base/finding_words.h"
#include "lang/base/text.h"
#include "runtime/cpu/library.h"

namespace hidet::session {

namespace {

// What compiled code found wrong, in the words of the emulator.

using Kind = artifact::RuntimeCheck::Kind;

DiagId id_of(Kind kind) {
    switch (kind) {
    case Kind::Bounds: return DiagId::EmulateOutOfBounds;
    case Kind::Division: return DiagId::EmulateDivisionByZero;
    case Kind::Assertion: return DiagId::EmulateAssertFailed;
    }
    return DiagId::NativeCallFailed;
}

std::string predicate(const cpu::CallFailure& failure, const artifact::RuntimeCheck& check) {
    if (check.kind != Kind::Bounds)
        return failure.message;
    return outside_of_shape(check.is_store ? AccessVerb::Writes : AccessVerb::Reads,
                            element_text(check.tensor, failure.index), failure.shape);
}

// `checks` are those of the source that the code was compiled from; `site` is where `function` was called.
Diagnostic native_finding(const cpu::CallFailure& failure, const std::vector<artifact::RuntimeCheck>& checks,
                          const std::string& function, Span site) {
    const auto row = static_cast<std::size_t>(failure.check);
    if (failure.check < 0 || row >= checks.size())
        return Diagnostic::make(DiagId::NativeCallFailed, site, function, failure.message);
    const artifact::RuntimeCheck& check = checks[row];
    const std::string sentence = cat("function '", check.function, "' ", predicate(failure, check));
    Diagnostic diagnostic = Diagnostic::make(id_of(check.kind), check.origin.span, sentence);
    if (!diagnostic.span.known())
        diagnostic.span = site;
    else if (site.known())
        diagnostic.notes.push_back({site, "called here"});
    return diagnostic;
}

// Calls of compiled code, made on a thread of their own: nothing stops machine code that never ends, but who asked for it can
// leave it. A call that was left runs on until the process ends, with all that its body holds.
class CallThread {
public:
    CallThread();
    ~CallThread(); // of a call that was left it waits for nothing
    CallThread(const CallThread&) = delete;
    CallThread& operator=(const CallThread&) = delete;

    enum class Ended { Returned, TimedOut, Cancelled };
    // The body owns, or shares, all that it uses. What it throws is thrown here. `seconds` 0: as long as it likes;
    // `cancelled` may be null. After a call that was left there is no other.
    Ended run(std::function<void()> body, double seconds, const std::atomic<bool>* cancelled);

    // The way by which a body reaches whoever waits for it. Once the call was left it does nothing; while it does something
    // no call is left.
    using Door = std::function<void(const std::function<void()>&)>;
    Door door() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_looks{20}; // at the token
struct CallThread::State {
    void work();

    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> body; // there is a call
    std::exception_ptr thrown;
    bool is_leaving = false;
    std::mutex door; // held while the body reaches out; of the next
    bool was_left = false;
    std::unique_ptr<LargeThread> thread;
};

void CallThread::State::work() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [this] { return is_leaving || body; });
        if (is_leaving)
            return;
        lock.unlock();
        std::exception_ptr caught;
        try {
            body();
        } catch (...) {
            caught = std::current_exception();
        }
        lock.lock();
        body = nullptr;
        thrown = caught;
        changed.notify_all();
    }
}

CallThread::CallThread() : m_state(std::make_shared<State>()) {
    m_state->thread = std::make_unique<LargeThread>([state = m_state.get()] { state->work(); });
}

CallThread::~CallThread() {
    if (m_state->was_left) { // its thread keeps it, for good
        new std::shared_ptr<State>(m_state);
        return;
    }
    {
        std::lock_guard lock(m_state->mutex);
        m_state->is_leaving = true;
        m_state->changed.notify_all();
    }
    m_state->thread.reset();
}

CallThread::Ended CallThread::run(std::function<void()> body, double seconds, const std::atomic<bool>* cancelled) {
    State& state = *m_state;
    const auto start = Clock::now();
    Ended ended = Ended::Returned;
    {
        std::unique_lock lock(state.mutex);
        state.body = std::move(body);
        state.changed.notify_all();
        while (!state.changed.wait_for(lock, between_looks, [&] { return !state.body; })) {
            if (cancelled && cancelled->load(std::memory_order_relaxed))
                ended = Ended::Cancelled;
            else if (seconds > 0 && Clock::now() - start > std::chrono::duration<double>(seconds))
                ended = Ended::TimedOut;
            if (ended != Ended::Returned)
                break;
        }
        if (ended == Ended::Returned) {
            if (const std::exception_ptr thrown = std::exchange(state.thrown, nullptr))
                std::rethrow_exception(thrown);
            return ended;
        }
    }
    std::lock_guard lock(state.door);
    state.was_left = true;
    return ended;
}

CallThread::Door CallThread::door() const {
    return [state = m_state](const std::function<void()>& body) {
        std::lock_guard lock(state->door);
        if (!state->was_left)
            body();
    };
}

struct Compiled {
    std::unique_ptr<cpu::Library> library; // null: the reason is in the sink
    std::vector<artifact::RuntimeCheck> checks;
};

class NativeModule : public Executable {
public:
    using Executable::Executable;
    Compiled compiled;
    Compiled measured; // without checks of indices; made when it is needed
    CpuPart part;      // what of the script is compiled; script null: all
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

// Compiled code has no way to see that an address is another device's. That of a kernel takes the memory that is a GPU's in the
// script, and lies here.
bool may_take(const NativeModule& module, const FunctionCall& call, DiagnosticSink& sink) {
    if (module.script && has_gpu_kernel(*module.script))
        return true;
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
        if (function->func_kind == ir::FuncKind::CpuKernel || function->func_kind == ir::FuncKind::CudaKernel)
            return *function;
    return *ir::find_function(*module.module, name);
}

bool takes_addresses(const ir::Function& function) {
    return std::ranges::any_of(function.params,
                               [](const ir::VarRef& param) { return param->type->kind == ir::Kind::PointerType; });
}

// The name of what the user wrote.
const std::string& shown(const NativeModule& module, const std::string& function) {
    return module.script ? written(module, function).name : function;
}

// A call that is about to be made, with all that it needs.
struct Prepared {
    Prepared(NativeModule& module, const Compiled& compiled, const FunctionCall& call)
        : module(&module), library(*compiled.library), entry(*library.find(call.function)), args(call.args),
          symbols(module.script ? symbols_of(written(module, call.function), call) : call.symbols) {
        HIDET_CHECK(entry.params.size() == args.size(), call.function);
        for (std::size_t i = 0; i < args.size(); ++i)
            values.push_back(argument_of(args[i], entry.params[i].is_pointer, texts));
    }

    std::int64_t symbol(const std::string& wanted) const {
        const auto found = symbols.find(wanted);
        return found == symbols.end() ? 0 : found->second;
    }

    const Ref<NativeModule> module;
    cpu::Library& library;
    const artifact::EntryPoint& entry;
    const std::vector<lang::CallArgument> args; // which keep the tensors
    const SymbolValues symbols;
    std::deque<std::string> texts;
    std::vector<cpu::Argument> values;
    std::shared_ptr<cpu::ThreadPool> pool;
    std::function<void(std::string_view)> print;
    cpu::CallResult result;

    cpu::CallContext context() {
        return {pool.get(), print, [this](const std::string& wanted) { return symbol(wanted); }};
    }
};

class NativeRepeat : public Repeat {
public:
    explicit NativeRepeat(std::shared_ptr<Prepared> prepared)
        : m_prepared(std::move(prepared)), m_context(m_prepared->context()) {}
    Result<void> once() override {
        cpu::CallResult called = m_prepared->library.call(m_prepared->entry, m_prepared->values, m_context);
        if (!called.failure)
            return {};
        return Error{"call-failed", called.failure->message};
    }

private:
    const std::shared_ptr<Prepared> m_prepared;
    const cpu::CallContext m_context;
};

class Native : public Executor {
public:
    Native(Work& work, const RunRequest& request, NativeOptions options)
        : m_work(work), m_request(request), m_options(std::move(options)) {
        if (!work.pool)
            work.pool = std::make_shared<cpu::ThreadPool>();
        m_pool = work.pool;
    }

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

    bool call(Executable& executable, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override {
        auto& module = static_cast<NativeModule&>(executable);
        if (const auto refused = module.part.refused.find(call.function); refused != module.part.refused.end()) {
            for (const Diagnostic& each : refused->second)
                sink.report(Diagnostic(each).note(call.site, "called here"));
            return false;
        }
        if (!module.compiled.library->find(call.function)) { // it was left out
            sink.report(DiagId::NativeCallFailed, call.site, call.function,
                        "it sets a symbol or works on the memory of a GPU; use '--target emulate' to run it here");
            return false;
        }
        if (!may_take(module, call, sink))
            return false;
        m_work.enter("running '" + call.function + "'");
        const std::shared_ptr<Prepared> prepared = this->prepared(module, module.compiled, call);
        Work::Clock clock(m_work, "call");
        announce(module, call);
        auto start = std::chrono::steady_clock::now();
        const bool returned = make(prepared, call, sink);
        m_ms += milliseconds_since(start);
        ++m_calls;
        m_takes_addresses |= module.script && takes_addresses(written(module, call.function));
        mark_written(call.args);
        if (!returned)
            return false;
        const cpu::CallResult& called = prepared->result;
        if (called.failure) {
            sink.report(native_finding(*called.failure, module.compiled.checks, call.function, call.site));
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

    std::unique_ptr<Repeat> prepare(Executable& executable, const FunctionCall& call) override {
        auto& module = static_cast<NativeModule&>(executable);
        const bool is_checked = m_request.checks_bounds && module.script;
        if (is_checked && !module.measured.library)
            module.measured = compile(m_work, module, false, call.site, m_work.sink);
        const Compiled& compiled = module.measured.library ? module.measured : module.compiled;
        return std::make_unique<NativeRepeat>(prepared(module, compiled, call));
    }

    void add_to(RunSummary& summary) const override {
        summary.native_calls += m_calls;
        if (m_calls > 0 && !m_request.checks_bounds)
            summary.not_checked = "indices of tensors";
        else if (m_takes_addresses)
            summary.not_checked = "accesses through addresses";
        summary.ms += m_ms;
    }

    std::string name() const override {
        return cat("CPU, ", m_pool->threads(), m_pool->threads() == 1 ? " thread" : " threads");
    }

private:
    Ref<Executable> build_in(Work& work, const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
        Ref<NativeModule> built(new NativeModule(*this, module));
        built->compiled = compile(work, *built, m_request.checks_bounds, site, sink);
        return built->compiled.library || (m_options.is_part && built->kept) ? built : nullptr;
    }

    Compiled compile(Work& work, NativeModule& module, bool checks_bounds, Span site, DiagnosticSink& sink) {
        work.enter("lowering a module for the CPU");
        module.module = lower(work, module, checks_bounds, sink);
        if (!module.module)
            return {};
        work.enter("generating C++");
        std::optional<artifact::Source> source = compiler::generate_cpp(module.module, sink);
        if (!source)
            return {};
        work.enter("compiling C++");
        toolchain::CompileRequest request;
        request.language = artifact::Language::Cxx;
        request.text = source->text;
        request.product = m_options.is_part ? toolchain::Product::Object : toolchain::Product::SharedObject;
        const std::string processor = module.script ? ir::options_of(*module.script).processor : "";
        request.arch = processor.empty() ? m_options.processor : processor;
        request.cancelled = work.cancelled;
        Result<toolchain::CompileResult> compiled = compiled_by(work, *m_request.tools, request);
        if (!compiled) {
            report_compile_error(work, sink, *module.script, *source, compiled.error());
            return {};
        }
        if (m_options.is_part) {
            module.kept = {std::move(compiled).value().bytes, std::move(source->entries)};
            return {};
        }
        Result<std::unique_ptr<cpu::Library>> library = cpu::Library::load(compiled.value().bytes, source->entries);
        if (!library) {
            report_environment(work, sink, library.error(), site);
            return {};
        }
        return {std::move(library).value(), std::move(source->checks)};
    }

    // A kernel that only a GPU can run refuses the functions that launch it; where no function is left, the module.
    ir::ModuleRef lower(Work& work, NativeModule& module, bool checks_bounds, DiagnosticSink& sink) const {
        if (module.part.script)
            return lowered_for_cpu(work, module.part.script, checks_bounds, sink);
        DiagnosticSink whole;
        ir::ModuleRef lowered = lowered_for_cpu(work, module.script, checks_bounds, whole);
        if (!lowered && only_kernels_refused(whole)) {
            module.part = cpu_part(work, module.script, checks_bounds);
            if (module.part.script)
                return lowered_for_cpu(work, module.part.script, checks_bounds, sink);
        }
        for (Diagnostic& each : whole.take())
            sink.report(std::move(each));
        return lowered;
    }

    std::shared_ptr<Prepared> prepared(NativeModule& module, const Compiled& compiled, const FunctionCall& call) const {
        auto made = std::make_shared<Prepared>(module, compiled, call);
        made->pool = m_pool;
        made->print = m_request.print;
        return made;
    }

    // False: it did not return, and the process has to leave.
    bool make(const std::shared_ptr<Prepared>& prepared, const FunctionCall& call, DiagnosticSink& sink) {
        const auto body = [prepared] {
            prepared->result = prepared->library.call(prepared->entry, prepared->values, prepared->context());
        };
        if (!m_request.watches_calls) {
            body();
            return true;
        }
        if (m_request.print)
            prepared->print = [door = m_thread.door(), print = m_request.print](std::string_view text) {
                door([&] { print(text); });
            };
        const CallThread::Ended ended = m_thread.run(body, m_request.kernel_seconds, m_work.cancelled);
        if (ended == CallThread::Ended::Returned)
            return true;
        m_work.device_hangs = true;
        const bool is_late = ended == CallThread::Ended::TimedOut;
        if (is_late)
            m_work.status = Status::TimedOut;
        sink.report(DiagId::NativeCallFailed, call.site, shown(*prepared->module, call.function),
                    is_late
                        ? cat("it has not ended after ", m_request.kernel_seconds, " s, the limit that --timeout sets")
                        : "it was cancelled");
        return false;
    }

    // Told anew only where it is another call, and its place made only then.
    void announce(const NativeModule& module, const FunctionCall& call) {
        if (!m_request.calling)
            return;
        if (std::exchange(m_announced, {call.function, call.site}) == std::pair(call.function, call.site))
            return m_request.calling(nullptr);
        const DiagnosticView fault = session::view_of(
            Diagnostic::make(DiagId::NativeFault, call.site, shown(module, call.function)), m_work.sources);
        m_request.calling(&fault);
    }

    Work& m_work;
    const RunRequest& m_request;
    const NativeOptions m_options;
    std::shared_ptr<cpu::ThreadPool> m_pool; // a call that was left keeps it
    CallThread m_thread;
    std::pair<std::string, Span> m_announced;
    bool m_takes_addresses = false; // a function that was called
    int m_calls = 0;
    double m_ms = 0;
};

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

} // namespace hidet::session
