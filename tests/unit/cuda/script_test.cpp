// SPDX-License-Identifier: Apache-2.0
// Scripts as they run on a machine with a GPU: their tensors have a side on the device, their kernels are launched through
// the driver. The GPU is the emulator behind the fake driver, so every script of tests/run has to pass here as well.
#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/func.h"
#include "compiler/transform/pass.h"
#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"
#include "runtime/cuda/device_tensor.h"
#include "tests/unit/cuda/emulated.h"

using namespace hidet;
using namespace hidet::test;

namespace {

class GpuModule : public lang::BuiltModule {
public:
    const ir::ModuleRef& lowered() const override { return module; }
    std::string source() const override { return ""; }
    ir::ModuleRef module;
    artifact::Program program;
};

class GpuEngine : public lang::Engine {
public:
    explicit GpuEngine(Rig& rig) : m_rig(rig), m_backend(rig.stream), m_machine(options()) {}

    Ref<lang::BuiltModule> build(const ir::ModuleRef& module, Span, DiagnosticSink& sink) override {
        Ref<GpuModule> built(new GpuModule);
        // Dimensions get their values by the types before tensors are flattened; what runs is lowered as CUDA text is, with
        // the same parameters.
        built->module = lower(module, compiler::LowerTo::Emulation, sink);
        ir::ModuleRef flat = lower(module, compiler::LowerTo::Kernel, sink);
        std::optional<artifact::Program> program = flat ? compiler::generate_bytecode(flat, sink) : std::nullopt;
        if (!program)
            return nullptr;
        built->program = std::move(*program);
        std::string prefix = cat("m", m_modules.size(), "_");
        auto entries = entries_of(built->program, prefix);
        gpu.add(built->program, prefix);
        m_backend.add(built->program, m_rig.module(module_text(entries)), entries);
        m_modules.push_back(built);
        return built;
    }

    static ir::ModuleRef lower(const ir::ModuleRef& module, compiler::LowerTo to, DiagnosticSink& sink) {
        compiler::LowerOptions options;
        options.to = to;
        return compiler::lower(module, options, sink);
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
        vm::CallResult called = m_machine.call(module.program, function, values);
        for (vm::Pointer pointer : mapped)
            m_machine.unmap(pointer);
        for (const lang::CallArgument& arg : args)
            if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor) {
                (*tensor)->storage->uninitialised = false;
                if ((*tensor)->device == lang::Device::Cuda)
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
    vm::MachineOptions options() {
        vm::MachineOptions options;
        options.print = [this](std::string_view text) { print(text); };
        options.backend = &m_backend;
        return options;
    }

    Result<vm::Pointer> map(lang::Tensor& tensor, const std::string& name) {
        auto bytes = static_cast<std::size_t>(tensor.count()) * static_cast<std::size_t>(ir::bytes_of(tensor.dtype));
        vm::BufferInfo info;
        info.name = name;
        info.dtype = ir::info(tensor.dtype).short_name;
        info.shape = tensor.shape;
        if (tensor.device == lang::Device::Cpu) {
            info.device = vm::Device::Cpu;
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
    cuda::Backend m_backend;
    std::vector<Ref<GpuModule>> m_modules; // outlive the machine
    vm::Machine m_machine;
};

struct Outcome {
    std::string errors;
    std::string output;
    int launches = 0;
};

Outcome run_script(const std::string& text, const std::string& folder = "", const char* settings = "") {
    Rig rig(settings);
    rig.stream->set_limits({.seconds = 0.2});
    SourceMap sources;
    DiagnosticSink sink;
    GpuEngine engine(rig);
    lang::ast::Module module = lang::parse(sources, sources.add("script.py", text), sink);
    lang::EvalOptions options;
    options.script_folder = folder;
    lang::Evaluator(sources, sink, options, &engine).run(module);
    std::vector<Diagnostic> errors = sink.take();
    std::erase_if(errors, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
    return {render(errors, sources) + engine.gpu.finding, engine.output, engine.gpu.launches};
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

const std::string doubling = "import hidet\nfrom hidet.lang import attrs, f32\nfrom hidet.lang.cuda import threadIdx\n"
                             "with hidet.script_module() as m:\n    @hidet.script\n    def double(a: f32[8]):\n"
                             "        attrs.cuda.grid_dim = 1\n        attrs.cuda.block_dim = 8\n"
                             "        a[threadIdx.x] = a[threadIdx.x] * 2.0\n"
                             "f = m.build()\na = hidet.ones([8], device='cuda')\n";

void sides(Suite& suite) {
    suite.run("what a kernel wrote is fetched once, when the host looks", [] {
        Outcome outcome = run_script(doubling + "f(a)\nf(a)\nx = a.tolist()\ny = a.tolist()\nprint(x == y, x[7])\n");
        EXPECT_EQUAL(outcome.errors, "");
        EXPECT_EQUAL(outcome.output, "True 4.0\n");
        EXPECT_EQUAL(outcome.launches, 2);
        EXPECT_EQUAL(fake_cuda_calls("cuMemcpyDtoHAsync_v2"), 1);
        EXPECT_EQUAL(fake_cuda_calls("cuMemcpyHtoDAsync_v2"), 1);
    });
    suite.run("what the host wrote goes to the device before the next launch", [] {
        Outcome outcome = run_script(doubling + "f(a)\na[3] = 10.0\nf(a)\nprint(a.tolist())\n");
        EXPECT_EQUAL(outcome.errors, "");
        EXPECT_EQUAL(outcome.output, "[4.0, 4.0, 4.0, 20.0, 4.0, 4.0, 4.0, 4.0]\n");
        EXPECT_EQUAL(fake_cuda_calls("cuMemcpyHtoDAsync_v2"), 2);
    });
    suite.run("views share one copy on the device", [] {
        Outcome outcome = run_script(
            doubling + "b = hidet.ones([3, 8], device='cuda')\nf(b[1])\nf(b[1])\nf(b[2])\nprint(b[:, 0].tolist())\n");
        EXPECT_EQUAL(outcome.errors, "");
        EXPECT_EQUAL(outcome.output, "[1.0, 4.0, 2.0]\n");
        EXPECT_EQUAL(fake_cuda_calls("cuMemAllocAsync"), 1);
    });
    suite.run("copies, operators and comparisons see the device's bytes", [] {
        Outcome outcome = run_script(doubling + "f(a)\nb = a.cpu()\nc = b.cuda()\nf(c)\nprint((a + c).tolist()[0], "
                                                "b.tolist()[0])\n");
        EXPECT_EQUAL(outcome.errors, "");
        EXPECT_EQUAL(outcome.output, "6.0 2.0\n");
    });
    suite.run("memory on the device goes when the tensor goes", [] {
        Outcome outcome =
            run_script(doubling + "for i in range(100):\n    b = hidet.ones([8], device='cuda')\n    f(b)\n");
        EXPECT_EQUAL(outcome.errors, "");
        EXPECT_EQUAL(outcome.launches, 100);
        EXPECT_EQUAL(fake_cuda_bytes(), 0u);
    });
}

void failures(Suite& suite) {
    suite.run("a kernel that broke the device is an error at the expression that reads its result", [] {
        Outcome outcome =
            run_script(doubling + "f(a)\nb = 1\nprint(b, a)\nprint('not reached')\n", "", "fault=m0_double:700");
        EXPECT_HOLDS(outcome.errors, "script.py:14:1: error: kernel 'double' <<<(1, 1, 1), (8, 1, 1)>>> (a: f32[8]) "
                                     "accessed an illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)");
        EXPECT_HOLDS(outcome.errors, "[kernel-fault]\n    print(b, a)\n    ^~~~~~~~~~~");
        EXPECT(outcome.output.find("not reached") == std::string::npos);
    });
    suite.run("a script cannot catch a lost device and go on", [] {
        Outcome outcome =
            run_script(doubling + "f(a)\ntry:\n    a.tolist()\nexcept Exception:\n    pass\nprint('no')\n", "",
                       "fault=m0_double:700");
        EXPECT_HOLDS(outcome.errors, "script.py:14:5: error: kernel 'double'");
        EXPECT_EQUAL(outcome.output, "");
    });
    suite.run("a kernel that never ends is reported where its result is read", [] {
        Outcome outcome = run_script(doubling + "f(a)\nprint(a.sum().item())\n", "", "hang=m0_double");
        EXPECT_HOLDS(outcome.errors,
                     "script.py:13:7: error: kernel 'double' <<<(1, 1, 1), (8, 1, 1)>>> (a: f32[8]) has not "
                     "ended after 0.2 s");
    });
    suite.run("a tensor that the device has no memory for is named at the call", [] {
        Outcome outcome = run_script(doubling + "f(a)\n", "", "memory=16");
        EXPECT_EQUAL(
            outcome.errors.substr(0, outcome.errors.find('\n')),
            "script.py:12:1: error: the device is out of memory: 'a' needs 32 bytes, and 16 bytes of the 16 bytes of "
            "Fake GPU are free [device-error]");
    });
}

void scripts(Suite& suite) {
    std::vector<std::filesystem::path> paths;
    for (const char* folder : {"tests/run", "samples"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(HIDET_SOURCE_FOLDER + std::string("/") + folder))
            if (entry.path().extension() == ".py")
                paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths)
        suite.run(cat(path.stem().string(), " gives on a GPU what it gives without one"),
                  [&] { EXPECT_EQUAL(run_script(read_text(path), path.parent_path().string()).errors, ""); });
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    sides(suite);
    failures(suite);
    scripts(suite);
    return suite.result();
}
