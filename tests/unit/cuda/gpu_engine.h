// SPDX-License-Identifier: Apache-2.0
// Scripts as they run on a machine with a GPU: their tensors have a side on the device, their kernels are launched through
// the driver. The GPU is the emulator behind the fake driver.
#pragma once

#include <algorithm>
#include <deque>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/func.h"
#include "compiler/ir/packing.h"
#include "compiler/transform/pass.h"
#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"
#include "runtime/cuda/device_tensor.h"
#include "runtime/toolchain/compiler.h"
#include "tests/unit/cuda/emulated.h"

namespace hidet::test {

class GpuModule : public lang::BuiltModule {
public:
    const ir::ModuleRef& lowered() const override { return module; }
    std::string source() const override { return ""; }
    ir::ModuleRef module;
    artifact::Program program;
    std::size_t number = 0;
};

class GpuEngine : public lang::Engine {
public:
    explicit GpuEngine(Rig& rig, toolchain::Compiler* compiler = nullptr)
        : m_rig(rig), m_compiler(compiler), m_backend(rig.stream), m_machine(options()) {}

    Ref<lang::BuiltModule> build(const ir::ModuleRef& module, Span, DiagnosticSink& sink) override {
        Ref<GpuModule> built(new GpuModule);
        // Dimensions get their values by the types before tensors are flattened; what runs is lowered on, as CUDA text is.
        built->module = lower(module, sink);
        ir::ModuleRef flat = built->module ? kernels_of(built->module, sink) : nullptr;
        std::optional<artifact::Program> program = flat ? compiler::generate_bytecode(flat, sink) : std::nullopt;
        if (!program)
            return nullptr;
        built->program = std::move(*program);
        if (m_compiler ? !add_compiled(*built, flat, sink) : !add_plain(*built))
            return nullptr;
        built->number = m_modules.size();
        m_modules.push_back(built);
        return built;
    }

    static ir::ModuleRef lower(const ir::ModuleRef& module, DiagnosticSink& sink) {
        return compiler::lower(module, {.to = compiler::LowerTo::Emulation}, sink);
    }
    static ir::ModuleRef kernels_of(const ir::ModuleRef& emulated, DiagnosticSink& sink) {
        return compiler::lower(emulated, {.from = compiler::LowerFrom::Emulation}, sink);
    }

    bool call(lang::BuiltModule& built, const std::string& function, const std::vector<lang::CallArgument>& args,
              Span site, std::variant<std::monostate, std::int64_t, double>& result, DiagnosticSink& sink) override {
        auto& module = static_cast<GpuModule&>(built);
        const ir::Function* callee = ir::find_function(*module.module, function);
        std::vector<vm::Argument> values;
        std::vector<vm::Pointer> mapped;
        std::deque<std::string> texts;
        for (std::size_t i = 0; i < args.size(); ++i) {
            bind_symbols(callee->params[i]->type, args[i]);
            if (const auto* tensor = std::get_if<lang::TensorRef>(&args[i].value); tensor && *tensor) {
                Result<vm::Pointer> pointer = map(**tensor, args[i].name);
                if (!pointer) {
                    sink.report(diagnostic_of(pointer.error()), site, pointer.error().message);
                    return false;
                }
                mapped.push_back(pointer.value());
                values.push_back(pointer.value());
            } else {
                values.push_back(scalar(args[i], callee->params[i]->type));
            }
        }
        gpu.select(module.number);
        vm::CallResult called = m_machine.call(module.program, function, values);
        for (vm::Pointer pointer : mapped)
            m_machine.unmap(pointer);
        for (const lang::CallArgument& arg : args)
            if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor) {
                (*tensor)->storage->uninitialised = false;
                if ((*tensor)->device == Device::Cuda)
                    (*tensor)->storage->device_is_newer();
            }
        for (const vm::Finding& finding : called.findings) {
            Diagnostic diagnostic = vm::to_diagnostic(finding);
            diagnostic.span = site;
            sink.report(std::move(diagnostic));
        }
        if (const auto* integer = std::get_if<std::int64_t>(&called.value))
            result = *integer;
        else if (const auto* real = std::get_if<double>(&called.value))
            result = *real;
        return called.ok;
    }
    bool has_cuda() const override { return true; }
    void print(std::string_view text) override { output += text; }

    EmulatedGpu gpu;
    std::string output;

private:
    bool add_plain(GpuModule& built) {
        auto entries = entries_of(built.program);
        add(built, {module_text(entries), "sm_90", ""}, entries);
        return true;
    }
    bool add_compiled(GpuModule& built, const ir::ModuleRef& flat, DiagnosticSink& sink) {
        auto source = compiler::generate_cuda(flat, artifact::default_gpu(), sink);
        if (!source)
            return false;
        if (source->entries.empty()) {
            gpu.add(built.program, {});
            return true;
        }
        auto compiled =
            m_compiler->compile({.text = source->text, .product = toolchain::Product::Cubin, .arch = "sm_90a"});
        if (!compiled)
            FAIL(compiled.error().message);
        add(built, {compiled.value().bytes, "sm_90a", compiled.value().compiler}, source->entries);
        return true;
    }
    void add(GpuModule& built, cuda::ModuleImage image, const std::vector<artifact::EntryPoint>& entries) {
        gpu.add(built.program, entries);
        m_backend.add(built.program, cuda::Module::create(m_rig.context, std::move(image)), entries);
    }

    vm::MachineOptions options() {
        vm::MachineOptions options;
        options.print = [this](std::string_view text) { print(text); };
        options.backend = &m_backend;
        return options;
    }

    Result<vm::Pointer> map(lang::Tensor& tensor, const std::string& name) {
        auto bytes = static_cast<std::size_t>(ir::packed_bytes(tensor.dtype, tensor.count()));
        vm::BufferInfo info;
        info.name = name;
        info.dtype = ir::info(tensor.dtype).short_name;
        info.shape = tensor.shape;
        if (tensor.device == Device::Cpu) {
            info.device = Device::Cpu;
            info.is_mapped = !tensor.is_torch;
            return m_machine.map(tensor.data(), bytes, std::move(info));
        }
        lang::Storage& storage = *tensor.storage;
        if (!storage.device_copy()) {
            HIDET_TRY(auto copy, cuda::DeviceTensor::create(m_rig.stream, storage.bytes, "'" + name + "'"));
            storage.set_device_copy(std::move(copy));
        }
        auto& copy = static_cast<cuda::DeviceTensor&>(*storage.device_copy());
        if (storage.is_device_stale()) {
            Result<void> moved = storage.uninitialised ? copy.clear() : copy.upload(storage.read(), storage.bytes);
            if (!moved)
                return moved.error();
            storage.device_is_current();
        }
        info.device_address = copy.address() + tensor.offset;
        return m_machine.map(nullptr, bytes, std::move(info));
    }

    static vm::Argument scalar(const lang::CallArgument& arg, const ir::TypeRef& type) {
        if (const auto* real = std::get_if<double>(&arg.value))
            return *real;
        if (!std::holds_alternative<std::int64_t>(arg.value))
            return vm::Pointer{};
        std::int64_t integer = std::get<std::int64_t>(arg.value);
        auto wanted = ir::scalar_of(type);
        return wanted && ir::is_float(*wanted) ? vm::Argument(static_cast<double>(integer)) : vm::Argument(integer);
    }

    void bind_symbols(const ir::TypeRef& type, const lang::CallArgument& arg) {
        const ir::TensorType* wanted = ir::tensor_of(type);
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!wanted || !tensor || !*tensor || (*tensor)->shape.size() != wanted->shape.size())
            return;
        for (std::size_t d = 0; d < wanted->shape.size(); ++d)
            if (const auto* symbol = ir::as<ir::SymbolVar>(wanted->shape[d])) {
                m_machine.set_symbol_value(symbol->name, (*tensor)->shape[d]);
                gpu.set_symbol(symbol->name, (*tensor)->shape[d]);
            }
    }

    Rig& m_rig;
    toolchain::Compiler* m_compiler;
    cuda::Backend m_backend;
    std::vector<Ref<GpuModule>> m_modules; // outlive the machine
    vm::Machine m_machine;
};

struct Outcome {
    std::string errors;
    std::string output;
    int launches = 0;
};

inline Outcome run_script(const std::string& text, const std::string& folder = "", const char* settings = "",
                          toolchain::Compiler* compiler = nullptr) {
    Rig rig(settings);
    rig.stream->set_limits({.seconds = 0.2});
    SourceMap sources;
    DiagnosticSink sink;
    GpuEngine engine(rig, compiler);
    lang::ast::Module module = lang::parse(sources, sources.add("script.py", text), sink);
    lang::EvalOptions options;
    options.script_folder = folder;
    lang::Evaluator(sources, sink, options, &engine).run(module);
    std::vector<Diagnostic> errors = sink.take();
    std::erase_if(errors, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
    return {render(errors, sources) + engine.gpu.finding, engine.output, engine.gpu.launches};
}

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

// Every script of kernels that checks itself: those of tests/run, and the samples, but for those of several GPUs.
inline std::vector<std::filesystem::path> all_scripts() {
    std::vector<std::filesystem::path> paths;
    for (const char* folder : {"/tests/run", "/samples/kernels"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::string(HIDET_SOURCE_FOLDER) + folder))
            if (entry.path().extension() == ".py" &&
                read_text(entry.path()).find("init_process_group") == std::string::npos)
                paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace hidet::test
