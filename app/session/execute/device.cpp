// SPDX-License-Identifier: Apache-2.0
// A GPU: host functions in the virtual machine, their launches through the driver. The machine knows host code only, so a
// kernel may use what no emulator runs (inline assembly); its own text goes to NVRTC.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/execute/launch_record.h"
#include "app/session/execute/launched_kernels.h"
#include "app/session/execute/parallel.h"
#include "app/session/execute/timed_launches.h"
#include "app/session/tools/tools.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "app/session/work/user_text.h"
#include "compiler/artifact/source.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "runtime/cuda/device_tensor.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/timing.h"
#include "runtime/toolchain/ptx_text.h"

namespace hidet::session {

namespace {

std::vector<std::string> names_of(const std::vector<toolchain::PtxEntry>& entries) {
    return transformed(entries, &toolchain::PtxEntry::name);
}

// Empty: the kernel takes what the generated one takes.
std::string difference_in_parameters(const toolchain::PtxEntry& changed, const artifact::EntryPoint& generated) {
    const std::size_t count = changed.parameter_bytes.size(), wanted = generated.params.size();
    if (count != wanted)
        return cat("it takes ", count, count == 1 ? " parameter" : " parameters", ", and the generated one takes ",
                   wanted);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bytes = static_cast<std::int64_t>(cuda::bytes_of(generated.params[i]));
        if (changed.parameter_bytes[i] != bytes)
            return cat("its parameter ", i + 1, " ('", generated.params[i].name, "') has ", changed.parameter_bytes[i],
                       " bytes, and that of the generated one has ", bytes);
    }
    return {};
}

// Kernels on a GPU that run from a text of the user's in the place of the generated one, with the launches, arguments and checks
// of the script.
class ReplacedKernels {
public:
    ReplacedKernels(Work& work, const RunRequest& request) : m_work(work), m_request(request) {}

    struct Kernel {
        artifact::EntryPoint entry;
        std::string key; // of its code
        cuda::ModuleImage image;
    };
    // Those of a module that are replaced, compiled for a GPU. Nothing: one of them is refused, and the sink knows why.
    std::optional<std::vector<Kernel>> of(const std::vector<artifact::EntryPoint>& entries,
                                          const std::vector<std::string>& options, const artifact::TargetSpec& gpu,
                                          DiagnosticSink& sink) {
        open_texts();
        std::vector<Kernel> out;
        for (const artifact::EntryPoint& entry : entries) {
            m_seen.insert(entry.name);
            const auto text = std::ranges::find(m_texts, entry.name, &Text::kernel);
            if (text == m_texts.end())
                continue;
            std::optional<Kernel> kernel = compiled(*text, entry, options, artifact::architecture_name(gpu.arch), sink);
            if (!kernel)
                return std::nullopt;
            text->is_used = true;
            out.push_back(std::move(*kernel));
        }
        return out;
    }

    // "scale by scale.cu"
    std::vector<std::string> used() const {
        std::vector<std::string> out;
        for (const Text& text : m_texts)
            if (text.is_used)
                out.push_back(cat(text.kernel, " by ", text.text.source().name));
        return out;
    }

    // Those that no module of the script has.
    void report_unknown(DiagnosticSink& sink) const {
        for (const KernelReplacement& each : m_request.replacements)
            if (compiled_form(each.source.name) && !m_seen.contains(each.kernel))
                report_unknown_kernel(sink, each, m_seen);
    }

private:
    struct Text {
        std::string kernel;
        UserText text;
        bool is_used = false;
    };
    std::optional<Kernel> compiled(Text& text, const artifact::EntryPoint& entry,
                                   const std::vector<std::string>& options, const std::string& arch,
                                   DiagnosticSink& sink) {
        Tools& tools = *m_request.tools;
        std::string ptx = text.text.source().text;
        if (text.text.form() == Form::Cuda) {
            auto made = text.text.compiled(tools, {toolchain::Product::Ptx, arch, options}, sink);
            if (!made)
                return std::nullopt;
            ptx = std::move(made->bytes);
        }
        if (!takes_the_same(text, entry, ptx, sink))
            return std::nullopt;
        const bool is_known_to_driver_alone =
            text.text.form() == Form::Ptx &&
            tools.toolchain().locate(toolchain::Tool::Ptxas).state != toolchain::State::Found;
        if (is_known_to_driver_alone)
            return Kernel{entry, toolchain::cache_key({"driver", arch, ptx}), {ptx, arch, "", false}};
        auto made = text.text.compiled(tools, {toolchain::Product::Cubin, arch, options}, sink);
        if (!made)
            return std::nullopt;
        return Kernel{entry, cat(made->key, " by hand"), {std::move(made->bytes), arch, made->compiler, false}};
    }

    // When the first module is there, so that the script is the first text of the work.
    void open_texts() {
        if (!m_texts.empty())
            return;
        for (const KernelReplacement& each : m_request.replacements)
            if (const auto form =
                    compiled_form(each.source.name)) // else it is IR, which was lowered as the script's is
                m_texts.push_back({each.kernel, UserText(m_work, each.source, *form)});
    }

    bool takes_the_same(const Text& text, const artifact::EntryPoint& entry, const std::string& ptx,
                        DiagnosticSink& sink) const {
        const std::vector<toolchain::PtxEntry> entries = toolchain::entries_of_ptx(ptx);
        const auto found = std::ranges::find(entries, entry.symbol, &toolchain::PtxEntry::name);
        const std::string& file = text.text.source().name;
        if (found == entries.end()) {
            const std::string others = entries.empty() ? "it has none" : cat("it has ", quoted_list(names_of(entries)));
            sink.report(DiagId::BadValue, Span{}, cat("'", file, "' has no kernel '", entry.symbol, "'; ", others));
            return false;
        }
        const std::string difference = difference_in_parameters(*found, entry);
        if (!difference.empty())
            sink.report(DiagId::BadValue, Span{},
                        cat("'", entry.name, "' of '", file,
                            "' cannot run in the place of the generated kernel: ", difference));
        return difference.empty();
    }

    Work& m_work;
    const RunRequest& m_request;
    std::vector<Text> m_texts;
    std::set<std::string> m_seen; // kernels of the modules
};

bool waits_for_kernel_before(const ir::Function& kernel) {
    return ir::any_node(kernel, [](const ir::Node& node) {
        return node.kind == ir::Kind::Intrinsic &&
               static_cast<const ir::Intrinsic&>(node).id == ir::IntrinsicId::GridWait;
    });
}

// Kernels as declarations: their names and parameters are all that a launch needs, and whether they wait for the kernel
// before, as such a one is launched before that has ended.
ir::ModuleRef host_part(const ir::ModuleRef& module) {
    ir::Module host = *module;
    std::erase_if(host.functions,
                  [](const ir::FunctionRef& function) { return function->func_kind == ir::FuncKind::CudaInternal; });
    for (ir::FunctionRef& function : host.functions) {
        if (function->func_kind != ir::FuncKind::CudaKernel)
            continue;
        ir::Function declared = *function;
        const bool waits = waits_for_kernel_before(*function);
        declared.body = waits ? ir::make_evaluate(ir::make_intrinsic(ir::IntrinsicId::GridWait, {}, ir::void_type()))
                              : ir::make_seq({});
        ir::FunctionRef made = ir::make<ir::Function>(std::move(declared));
        made->origin = function->origin;
        function = made;
    }
    return ir::make<ir::Module>(std::move(host));
}

// What marks in kernels cost: the time of a call with them and without, sample by sample in turn; where it launches several
// kernels, of each of them alone too.
constexpr cuda::TimingOptions few_samples{.warm_up_ms = 5, .budget_ms = 60, .most_samples = 200};

// The bytes of the tensors that a call is given.
class KeptTensors {
public:
    explicit KeptTensors(const std::vector<lang::CallArgument>& args) {
        for (const lang::CallArgument& arg : args)
            if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
                keep(*(*tensor)->storage);
    }
    void restore() const {
        for (const auto& [storage, bytes] : m_kept) {
            std::byte* to = storage->write(); // a device takes it from there
            if (!bytes.empty())
                std::memcpy(to, bytes.data(), bytes.size());
        }
    }

private:
    void keep(lang::Storage& storage) {
        std::vector<std::byte>& bytes = m_kept[&storage];
        if (!storage.uninitialised && bytes.empty())
            bytes.assign(storage.read(), storage.read() + storage.bytes);
    }
    std::map<lang::Storage*, std::vector<std::byte>> m_kept;
};

Result<std::vector<cuda::Timing>> timed(Gpu& gpu, GpuModule& module, const FunctionCall& call, std::int64_t block) {
    GpuRepeat without(gpu, *module.unmarked, call), with(gpu, module, call);
    const cuda::Timer::Work variants[] = {[&] { return without.start(); }, [&] { return with.start(); }};
    HIDET_TRY(std::unique_ptr<cuda::Timer> timer, cuda::Timer::create(gpu.backend.stream(), few_samples));
    HIDET_TRY_TO(gpu.backend.write_marks(module.program, block));
    Result<std::vector<cuda::Timing>> timings = timer->compare(variants);
    HIDET_TRY_TO(gpu.backend.write_marks(module.program, std::nullopt));
    return timings;
}

MarksCost cost_in(const std::vector<cuda::Timing>& timings) {
    return {timings[1].hot.median_us * 1e-6, timings[0].hot.median_us * 1e-6};
}

// Each kernel by itself: what marks cost it is not hidden by what others take.
Result<std::map<std::string, MarksCost>> timed_alone(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                                     std::int64_t block) {
    std::map<std::string, MarksCost> out;
    const std::set<std::string> kernels = launched_kernels(module.program, call.function);
    for (const std::string& kernel : kernels) {
        if (kernels.size() == 1)
            break;
        gpu.backend.launch_only(kernel);
        const auto timings = timed(gpu, module, call, block);
        gpu.backend.launch_only("");
        if (!timings)
            return timings.error();
        out.emplace(kernel, cost_in(timings.value()));
    }
    return out;
}

// Leaves the tensors as they were. Without times where there is no memory to measure; an error where a kernel failed.
Result<MarksSource> cost_of_marks(Gpu& gpu, GpuModule& module, const FunctionCall& call,
                                  const artifact::BlockIndex& block) {
    const KeptTensors kept(call.args);
    // A number is {number, -1, -1}, and that of an index in the first row is its x; else any block will do.
    const bool is_number_known = block[1] <= 0 && block[2] <= 0;
    const std::int64_t marked = is_number_known ? block[0] : 0;
    const auto timings = timed(gpu, module, call, marked);
    const bool tells_itself = !timings && timings.error().code == "call-failed"; // in the call that follows
    if (!timings && !tells_itself && timings.error().code != "out-of-device-memory")
        return timings.error(); // the device gives no bytes any more
    MarksSource out;
    out.device = gpu.device().name();
    if (timings) {
        out.call = cost_in(timings.value());
        HIDET_TRY(out.kernels, timed_alone(gpu, module, call, marked));
    }
    kept.restore();
    return out;
}

class OnDevice : public Executor {
public:
    OnDevice(Work& work, const RunRequest& request, const std::shared_ptr<cuda::Stream>& stream)
        : m_work(work), m_request(request), m_gpu(stream, options_of(work, request, stream->context().device().spec)),
          m_timed(request), m_replaced(work, request) {
        m_gpu.waits = request.waits;
        if (request.marks)
            m_gpu.backend.read_marks([this](const artifact::Function& kernel) { return m_timed.wants(kernel); },
                                     request.timed_block);
    }

    ~OnDevice() override {
        for (const Ref<GpuModule>& module : m_modules)
            m_gpu.backend.remove(module->program);
    }

    Ref<Executable> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override {
        return take(make(m_work, module, site, sink), sink);
    }

    std::vector<Ref<Executable>> build_all(const std::vector<ir::ModuleRef>& modules, Span site, DiagnosticSink& sink,
                                           const Built& done) override {
        std::vector<Compiled> compiled(modules.size());
        in_parallel(
            m_work, sink, modules.size(),
            [&](std::size_t i, Work& work) { compiled[i] = make(work, modules[i], site, work.sink); }, done);
        return transformed<Ref<Executable>>(compiled, [&](Compiled& each) { return take(std::move(each), sink); });
    }

    bool call(Executable& executable, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override {
        auto& module = static_cast<GpuModule&>(executable);
        const ir::Function* callee = ir::find_function(*module.module, call.function);
        HIDET_CHECK(callee && call.args.size() == callee->params.size(), call.function);
        if (auto timed = time_marks(module, call); !timed) {
            report_failure(m_work, sink, timed.error(), call.function, call.site);
            return false;
        }
        m_work.enter("running '" + call.function + "' on the GPU");
        Work::Clock clock(m_work, "call");
        auto start = std::chrono::steady_clock::now();
        GpuArguments arguments(m_gpu, *callee, call, device_placer(m_gpu));
        if (arguments.error()) {
            report_failure(m_work, sink, *arguments.error(), call.function, call.site);
            return false;
        }
        const TimedLaunches::Counting counting(m_timed);
        vm::CallResult called = m_gpu.machine.call(module.program, call.function, arguments.values());
        for (const artifact::MarkedBlock& marked : m_gpu.backend.take_marked())
            m_timed.add(timeline_view(marked, module.marks, module.marks_source, m_work.sources));
        arguments.mark_newer();
        mark_written(call.args);
        bool fine = report(called, call, sink);
        m_launches += static_cast<std::int64_t>(called.statistics.launches);
        if (called.statistics.launches > 0)
            for (const artifact::Function& function : module.program.functions)
                if (function.kind == artifact::FunctionKind::Kernel)
                    m_launched.emplace(&module, function.name);
        // What a kernel does wrong is told at the call that launched it, not where somebody reads the result.
        const bool waits = m_gpu.waits || m_gpu.backend.stream()->output_expected();
        if (Result<void> ended = waits ? m_gpu.backend.wait() : Result<void>{}; !ended && fine) {
            report_failure(m_work, sink, ended.error(), call.function, call.site);
            fine = false;
        }
        m_ms += milliseconds_since(start);
        result = returned_by(called);
        return fine;
    }

    std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) override {
        auto& compiled = static_cast<GpuModule&>(module);
        return std::make_unique<GpuRepeat>(m_gpu, compiled.unmarked ? *compiled.unmarked : compiled, call);
    }

    std::unique_ptr<LaunchRecord> record(Executable& executable, const FunctionCall& call) override {
        auto& module = static_cast<GpuModule&>(executable);
        const ir::Function& callee = *ir::find_function(*module.module, call.function);
        std::optional<ArgumentSources> sources = argument_sources(callee);
        const bool is_watched = m_request.marks || m_request.keep_calls || m_gpu.waits;
        if (!sources || is_watched || m_gpu.backend.stream()->output_expected()) // what it prints is waited for
            return nullptr;
        std::vector<cuda::NotedLaunch> noted;
        m_gpu.backend.note_launches(&noted);
        const GpuArguments arguments(m_gpu, callee, call, device_placer(m_gpu));
        const bool is_done =
            !arguments.error() && m_gpu.machine.call(module.program, call.function, arguments.values()).ok;
        m_gpu.backend.note_launches(nullptr);
        if (!is_done || noted.size() != sources->size())
            return nullptr;
        return std::make_unique<LaunchRecord>(std::move(noted), std::move(*sources));
    }

    void report_unknown_kernels(DiagnosticSink& sink) const override { m_replaced.report_unknown(sink); }
    void add_to(RunSummary& summary) const override {
        summary.device = name();
        summary.emulated = false;
        summary.launches += m_launches;
        summary.kernels += static_cast<int>(m_launched.size());
        summary.ms += m_ms;
        summary.replaced = m_replaced.used();
        for (TimelineView& timeline : m_timed.timelines())
            summary.timelines.push_back(std::move(timeline));
    }

    std::string name() const override { return m_gpu.device().name(); }
    const artifact::TargetSpec* gpu() const override { return &m_gpu.device().spec; }
    Gpu* own_gpu() override { return &m_gpu; }
    void report(const Error& error, const std::string& function, Span site, DiagnosticSink& sink) override {
        report_failure(m_work, sink, error, function, site);
    }

private:
    vm::MachineOptions options_of(const Work& work, const RunRequest& request, const artifact::TargetSpec& target) {
        vm::MachineOptions options;
        options.target = target;
        options.cancelled = work.cancelled;
        options.print = request.print;
        options.launched = launch_keeper(request);
        return options;
    }

    struct Compiled {
        Ref<GpuModule> module; // null: it could not be compiled
        std::string key;
        cuda::ModuleImage image;
        std::vector<artifact::EntryPoint> entries;
        std::shared_ptr<Compiled> unmarked; // the same without marks, where it has any
    };
    enum class Marks : bool { No, Yes };
    // All that needs no GPU; from any thread.
    Compiled make(Work& work, const ir::ModuleRef& module, Span site, DiagnosticSink& sink) {
        work.enter("lowering a module for the GPU");
        const std::optional<artifact::TargetSpec> target = target_of(*module, site, sink);
        if (!target)
            return {};
        Compiled out = make(work, module, *target, m_request.marks ? Marks::Yes : Marks::No, sink);
        if (!out.module || out.module->marks.empty())
            return out;
        out.unmarked = std::make_shared<Compiled>(make(work, module, *target, Marks::No, sink));
        return out.unmarked->module ? std::move(out) : Compiled{};
    }

    Compiled make(Work& work, const ir::ModuleRef& module, const artifact::TargetSpec& target, Marks marks,
                  DiagnosticSink& sink) {
        Compiled out{Ref<GpuModule>(new GpuModule(*this, module)), {}, {}, {}, {}};
        out.module->module = marks == Marks::Yes ? lowered_with_marks(work, module, target, out.module->marks, sink)
                                                 : lowered(work, module, compiler::LowerTo::Emulation, target, sink);
        if (!out.module->module)
            return {};
        work.enter("generating bytecode");
        std::optional<artifact::Program> program = bytecode_of(work, host_part(out.module->module), sink);
        if (!program)
            return {};
        out.module->program = std::move(*program);
        return compile(work, target, out, sink) ? std::move(out) : Compiled{};
    }

    // A GPU runs code for those before it, not for those to come.
    std::optional<artifact::TargetSpec> target_of(const ir::Module& module, Span site, DiagnosticSink& sink) const {
        std::optional<artifact::TargetSpec> target = gpu_of(module, *gpu(), site, sink);
        if (!target || target->arch.number <= gpu()->arch.number)
            return target;
        sink.report(DiagId::BadValue, site,
                    cat("the script wants code for ", artifact::architecture_name(target->arch),
                        ", and the GPU here is of ", artifact::architecture_name(gpu()->arch)));
        return std::nullopt;
    }

    // Code for a GPU before this one is PTX, which the driver translates.
    bool compile(Work& work, const artifact::TargetSpec& target, Compiled& out, DiagnosticSink& sink) const {
        ir::ModuleRef kernels = kernels_of(work, out.module->module, target, sink);
        if (!kernels)
            return false;
        work.enter("generating CUDA C++");
        std::optional<artifact::Source> source = compiler::generate_cuda(kernels, target, sink);
        if (!source)
            return false;
        work.enter("compiling for the GPU");
        toolchain::CompileRequest request;
        request.text = source->text;
        request.product = target.arch == gpu()->arch ? toolchain::Product::Cubin : toolchain::Product::Ptx;
        request.arch = artifact::architecture_name(target.arch);
        request.options = gpu_options(m_request.contracts, *out.module->script);
        request.cancelled = work.cancelled;
        Result<toolchain::CompileResult> compiled = compiled_by(work, *m_request.tools, request);
        if (!compiled) {
            report_compile_error(work, sink, *out.module->script, *source, compiled.error());
            return false;
        }
        out.key = compiled.value().key;
        out.image = {compiled.value().bytes, request.arch, compiled.value().compiler};
        out.entries = source->entries;
        return true;
    }

    Ref<GpuModule> take(Compiled compiled, DiagnosticSink& sink) {
        if (!compiled.module)
            return nullptr;
        m_modules.push_back(compiled.module);
        m_gpu.backend.add(compiled.module->program, m_gpu.modules.find_or_add(compiled.key, compiled.image),
                          compiled.entries);
        if (!replace_kernels(*compiled.module, compiled, sink))
            return nullptr;
        if (compiled.unmarked)
            compiled.module->unmarked = take(std::move(*compiled.unmarked), sink);
        return compiled.module;
    }

    // The module keeps its generated kernels in a twin.
    bool replace_kernels(GpuModule& module, const Compiled& compiled, DiagnosticSink& sink) {
        const auto replaced =
            m_replaced.of(compiled.entries, gpu_options(m_request.contracts, *module.script), *gpu(), sink);
        if (!replaced || replaced->empty())
            return replaced.has_value();
        const Ref<GpuModule> generated(new GpuModule(*this, module.script));
        generated->module = module.module;
        generated->program = module.program;
        module.generated = generated;
        m_modules.push_back(generated);
        m_gpu.backend.add(generated->program, m_gpu.modules.find_or_add(compiled.key, compiled.image),
                          compiled.entries);
        for (const ReplacedKernels::Kernel& kernel : *replaced)
            m_gpu.backend.replace(module.program, m_gpu.modules.find_or_add(kernel.key, kernel.image), kernel.entry);
        return true;
    }

    // Once for each module, with the first call of it that can be measured.
    Result<void> time_marks(GpuModule& module, const FunctionCall& call) {
        if (!module.unmarked || !module.marks_source.device.empty())
            return {};
        m_work.enter("measuring what marks cost");
        HIDET_TRY(module.marks_source, cost_of_marks(m_gpu, module, call, m_request.timed_block));
        return {};
    }

    bool report(const vm::CallResult& called, const FunctionCall& call, DiagnosticSink& sink) {
        for (const vm::Finding& finding : called.findings) {
            if (finding.kind == vm::FindingKind::Cancelled)
                continue;
            if (finding.kind == vm::FindingKind::DeviceError) {
                report_failure(m_work, sink, {finding.code, finding.message}, call.function, call.site);
                continue;
            }
            Diagnostic diagnostic = vm::to_diagnostic(finding);
            if (!diagnostic.span.known())
                diagnostic.span = call.site;
            else if (call.site.known())
                diagnostic.notes.push_back({call.site, "called here"});
            sink.report(std::move(diagnostic));
        }
        return called.ok;
    }

    Work& m_work;
    const RunRequest& m_request;
    std::vector<Ref<GpuModule>> m_modules; // outlive the machine, which refers to their programs
    Gpu m_gpu;
    std::int64_t m_launches = 0;
    std::set<std::pair<const GpuModule*, std::string>> m_launched;
    TimedLaunches m_timed;
    ReplacedKernels m_replaced;
    double m_ms = 0;
};

} // namespace

Result<std::unique_ptr<Executor>> make_device(Work& work, const RunRequest& request) {
    HIDET_CHECK(request.tools, "a GPU without tools");
    HIDET_TRY(std::shared_ptr<cuda::Stream> stream, request.tools->gpu());
    stream->set_limits({.seconds = request.kernel_seconds, .cancelled = work.cancelled});
    if (request.print)
        stream->set_printer(request.print);
    return std::unique_ptr<Executor>(std::make_unique<OnDevice>(work, request, std::move(stream)));
}

} // namespace hidet::session
