// SPDX-License-Identifier: Apache-2.0
#include "app/session/engine.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <set>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/print.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "runtime/vm/machine.h"

namespace hidet::session {

namespace {

class EmulatedModule : public lang::BuiltModule {
public:
    const ir::ModuleRef& lowered() const override { return module; }
    std::string source() const override {
        return "# Lowered IR, as the emulator takes it. CUDA and C++ text need a toolchain, which this build has none "
               "of.\n" +
               ir::print_module(*module).text;
    }

    ir::ModuleRef module;
    artifact::Program program;
    bool called = false;
};

// The kernels that a function may launch, by name.
void add_kernels(const artifact::Program& program, int index, std::set<int>& seen, std::set<std::string>& kernels) {
    if (index < 0 || !seen.insert(index).second)
        return;
    const artifact::Function& function = program.functions[static_cast<std::size_t>(index)];
    if (function.kind == artifact::FunctionKind::Kernel)
        kernels.insert(function.name);
    for (const artifact::Launch& launch : function.launches)
        add_kernels(program, launch.function, seen, kernels);
}

std::set<std::string> kernels_of(const artifact::Program& program, const std::string& function) {
    std::set<int> seen;
    std::set<std::string> kernels;
    add_kernels(program, artifact::function_index(program, function), seen, kernels);
    return kernels;
}

// The tensors of one call, mapped while it runs.
class Mapping {
public:
    explicit Mapping(vm::Machine& machine) : m_machine(machine) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        for (vm::Pointer pointer : m_mapped)
            m_machine.unmap(pointer);
    }

    vm::Pointer map(lang::Tensor& tensor, const std::string& name) {
        std::size_t bytes =
            static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
        vm::BufferInfo info;
        info.name = name;
        info.dtype = ir::info(tensor.dtype).short_name;
        info.shape = tensor.shape;
        info.device = tensor.device == lang::Device::Cuda ? vm::Device::Cuda : vm::Device::Cpu;
        info.initialised = !tensor.storage->uninitialised;
        return add(tensor.data(), bytes, std::move(info));
    }
    vm::Pointer map(std::string& text, const std::string& name) {
        vm::BufferInfo info;
        info.name = name;
        info.dtype = "i8";
        info.shape = {static_cast<std::int64_t>(text.size() + 1)};
        info.device = vm::Device::Cpu;
        info.read_only = true;
        return add(text.data(), text.size() + 1, std::move(info));
    }

private:
    vm::Pointer add(void* data, std::size_t bytes, vm::BufferInfo info) {
        vm::Pointer pointer = m_machine.map(data, bytes, std::move(info));
        if (std::find(m_mapped.begin(), m_mapped.end(), pointer) == m_mapped.end())
            m_mapped.push_back(pointer);
        return pointer;
    }

    vm::Machine& m_machine;
    std::vector<vm::Pointer> m_mapped;
};

vm::Argument argument_of(const lang::CallArgument& arg, const ir::TypeRef& type, Mapping& mapping,
                         std::deque<std::string>& texts) {
    if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value))
        return *tensor ? mapping.map(**tensor, arg.name) : vm::Pointer{};
    if (const auto* text = std::get_if<std::string>(&arg.value))
        return mapping.map(texts.emplace_back(*text), arg.name);
    if (const auto* real = std::get_if<double>(&arg.value))
        return *real;
    std::int64_t integer = std::get<std::int64_t>(arg.value);
    if (ir::is_pointer(type))
        return vm::Pointer{static_cast<std::uint64_t>(integer)};
    auto scalar = ir::scalar_of(type);
    return scalar && ir::is_float(*scalar) ? vm::Argument(static_cast<double>(integer)) : vm::Argument(integer);
}

// Dynamic dimensions get their values from the shapes of the arguments; launch code reads them from the machine.
void bind_symbols(const ir::TypeRef& type, const lang::CallArgument& arg, vm::Machine& machine) {
    const ir::TensorType* wanted = ir::tensor_of(type);
    const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
    if (!wanted || !tensor || !*tensor || (*tensor)->shape.size() != wanted->shape.size())
        return;
    for (std::size_t d = 0; d < wanted->shape.size(); ++d)
        if (const auto* symbol = ir::as<ir::SymbolVar>(wanted->shape[d]))
            machine.set_symbol_value(symbol->name, (*tensor)->shape[d]);
}

ThreadPlace thread_of(const vm::Finding& finding) {
    ThreadPlace place;
    for (std::size_t i = 0; i < 3; ++i) {
        place.block[i] = finding.block[i];
        place.thread[i] = finding.thread[i];
    }
    return place;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string functions_of(const ir::Module& module) {
    std::vector<std::string> names;
    for (const ir::FunctionRef& function : module.functions)
        names.push_back("'" + function->name + "'");
    return join(names, ", ");
}

} // namespace

struct EmulatorEngine::Impl {
    Impl(Work& work, const RunRequest& request) : work(work), request(request), machine(options_of(work, request)) {}

    static vm::MachineOptions options_of(const Work& work, const RunRequest& request) {
        vm::MachineOptions options;
        options.seed = request.seed;
        options.cancelled = work.cancelled;
        if (request.max_steps > 0)
            options.max_steps = 1024 * (options.max_block_instructions = request.max_steps);
        options.print = request.print;
        return options;
    }

    bool report(const std::vector<vm::Finding>& findings, Span site, DiagnosticSink& sink);
    bool may_call(const EmulatedModule& module, const std::string& function, Span site, DiagnosticSink& sink);

    Work& work;
    const RunRequest& request;
    std::vector<Ref<EmulatedModule>> modules; // destroyed after the machine, which refers to their programs
    vm::Machine machine;
    std::set<std::pair<const EmulatedModule*, std::string>> launched;
    RunSummary summary;
};

EmulatorEngine::EmulatorEngine(Work& work, const RunRequest& request) : m_impl(std::make_unique<Impl>(work, request)) {}
EmulatorEngine::~EmulatorEngine() = default;

void EmulatorEngine::print(std::string_view text) {
    if (m_impl->request.print)
        m_impl->request.print(text);
}

Ref<lang::BuiltModule> EmulatorEngine::build(const ir::ModuleRef& module, Span, DiagnosticSink& sink) {
    Work& work = m_impl->work;
    std::string outer = work.stage;
    work.enter("lowering a module for the emulator");
    compiler::LowerOptions options;
    options.to = compiler::LowerTo::Emulation;
    options.cancelled = work.cancelled;
    Ref<EmulatedModule> built(new EmulatedModule);
    built->module = compiler::lower(module, options, sink);
    if (!built->module)
        return nullptr;
    work.enter("generating bytecode");
    std::optional<artifact::Program> program = compiler::generate_bytecode(built->module, sink);
    if (!program)
        return nullptr;
    built->program = std::move(*program);
    m_impl->modules.push_back(built);
    work.stage = outer;
    return built;
}

bool EmulatorEngine::Impl::report(const std::vector<vm::Finding>& findings, Span site, DiagnosticSink& sink) {
    for (const vm::Finding& finding : findings) {
        if (finding.kind == vm::FindingKind::Cancelled)
            continue;
        Diagnostic diagnostic = vm::to_diagnostic(finding);
        if (!diagnostic.span.known())
            diagnostic.span = site;
        else if (site.known())
            diagnostic.notes.push_back({site, "called here"});
        if (finding.in_kernel)
            work.findings.push_back({diagnostic.id, diagnostic.span, diagnostic.message, thread_of(finding)});
        sink.report(std::move(diagnostic));
    }
    return findings.empty();
}

bool EmulatorEngine::Impl::may_call(const EmulatedModule& module, const std::string& function, Span site,
                                    DiagnosticSink& sink) {
    if (request.target != Target::Cpu)
        return true;
    std::set<std::string> kernels = kernels_of(module.program, function);
    for (const std::string& kernel : kernels) {
        const ir::Function* found = ir::find_function(*module.module, kernel);
        if (!found || !ir::runs_on_gpu(found->func_kind))
            continue;
        sink.report(DiagId::KernelNeedsGpu, site, kernel);
        return false;
    }
    return true;
}

bool EmulatorEngine::call(lang::BuiltModule& built, const std::string& function,
                          const std::vector<lang::CallArgument>& args, Span site,
                          std::variant<std::monostate, std::int64_t, double>& result, DiagnosticSink& sink) {
    auto& module = static_cast<EmulatedModule&>(built);
    const ir::Function* callee = ir::find_function(*module.module, function);
    HIDET_CHECK(callee, function); // the evaluator looked it up, and checked the arguments against its parameters
    module.called = true;
    if (!m_impl->may_call(module, function, site, sink))
        return false;
    std::string outer = m_impl->work.stage;
    m_impl->work.enter("emulating '" + function + "'");
    HIDET_CHECK(args.size() == callee->params.size(), function);
    for (std::size_t i = 0; i < args.size(); ++i)
        bind_symbols(callee->params[i]->type, args[i], m_impl->machine);
    Mapping mapping(m_impl->machine);
    std::deque<std::string> texts;
    std::vector<vm::Argument> values;
    for (std::size_t i = 0; i < args.size(); ++i)
        values.push_back(argument_of(args[i], callee->params[i]->type, mapping, texts));

    auto start = std::chrono::steady_clock::now();
    vm::CallResult called = m_impl->machine.call(module.program, function, values);
    RunSummary& summary = m_impl->summary;
    summary.ms += milliseconds_since(start);
    summary.calls += 1;
    summary.launches += static_cast<std::int64_t>(called.statistics.launches);
    if (called.statistics.launches > 0)
        for (const std::string& kernel : kernels_of(module.program, function))
            m_impl->launched.emplace(&module, kernel);
    for (const lang::CallArgument& arg : args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
            (*tensor)->storage->uninitialised = false;
    m_impl->report(called.findings, site, sink);
    if (const auto* integer = std::get_if<std::int64_t>(&called.value))
        result = *integer;
    else if (const auto* real = std::get_if<double>(&called.value))
        result = *real;
    else if (const auto* pointer = std::get_if<vm::Pointer>(&called.value))
        result = static_cast<std::int64_t>(pointer->bits);
    m_impl->work.stage = outer;
    return called.ok;
}

RunSummary EmulatorEngine::summary() const {
    RunSummary summary = m_impl->summary;
    summary.modules = static_cast<int>(m_impl->modules.size());
    summary.kernels = static_cast<int>(m_impl->launched.size());
    for (const Ref<EmulatedModule>& module : m_impl->modules)
        if (!module->called)
            summary.uncalled.push_back(functions_of(*module->module));
    return summary;
}

} // namespace hidet::session
