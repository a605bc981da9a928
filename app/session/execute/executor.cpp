// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/executor.h"

#include <algorithm>

#include "app/session/execute/launch_record.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/transform/pass.h"
#include "runtime/vm/backend.h"

namespace hidet::session {

bool has_gpu_kernel(const ir::Module& module) {
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [](const ir::FunctionRef& function) { return function->func_kind == ir::FuncKind::CudaKernel; });
}

void mark_written(const std::vector<lang::CallArgument>& args) {
    for (const lang::CallArgument& arg : args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
            (*tensor)->storage->uninitialised = false;
}

SymbolValues symbols_of(const ir::Function& callee, const FunctionCall& call) {
    SymbolValues out = symbols_of(callee, call.args);
    for (const auto& [name, value] : call.symbols)
        out[name] = value;
    return out;
}

SymbolValues symbols_of(const ir::Function& callee, const std::vector<lang::CallArgument>& args) {
    SymbolValues out;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const ir::TensorType* wanted = ir::tensor_of(callee.params[i]->type);
        const auto* tensor = std::get_if<lang::TensorRef>(&args[i].value);
        if (!wanted || !tensor || !*tensor || (*tensor)->shape.size() != wanted->shape.size())
            continue;
        for (std::size_t d = 0; d < wanted->shape.size(); ++d)
            if (const auto* symbol = ir::as<ir::SymbolVar>(wanted->shape[d]))
                out[symbol->name] = (*tensor)->shape[d];
    }
    return out;
}

std::vector<Ref<Executable>> Executor::build_all(const std::vector<ir::ModuleRef>& modules, Span site,
                                                 DiagnosticSink& sink, const Built& done) {
    std::vector<Ref<Executable>> built;
    for (const ir::ModuleRef& module : modules) {
        built.push_back(build(module, site, sink));
        if (done)
            done(built.size());
    }
    return built;
}

std::unique_ptr<LaunchRecord> Executor::record(Executable&, const FunctionCall&) {
    return nullptr;
}

std::function<void(const vm::DeviceLaunch&)> Executor::launch_keeper(const RunRequest& request) {
    if (!request.keep_calls)
        return {};
    return [this](const vm::DeviceLaunch& launch) {
        auto row = std::find_if(launches.begin(), launches.end(),
                                [&](const KernelLaunch& known) { return known.kernel == launch.kernel->name; });
        if (row == launches.end()) {
            launches.push_back({});
            row = launches.end() - 1;
            row->kernel = launch.kernel->name;
        }
        row->shape = launch.shape;
        ++row->count;
    };
}

std::string Executable::source() const {
    if (!script)
        return "// This module was loaded from a file.\n";
    DiagnosticSink sink;
    ir::ModuleRef kernel_level = compiler::lower(script, {}, sink);
    if (!kernel_level)
        return "// This module cannot be lowered.\n";
    std::optional<artifact::Source> text = has_gpu_kernel(*script)
                                               ? compiler::generate_cuda(kernel_level, artifact::default_gpu(), sink)
                                               : compiler::generate_cpp(kernel_level, sink);
    const char* language = has_gpu_kernel(*script) ? "CUDA C++" : "C++";
    if (text)
        return cat("// Generated ", language, ".\n", text->text);
    std::string out = cat("// There is no ", language, " of this module.\n");
    for (const Diagnostic& diagnostic : sink.all())
        out += cat("// ", diagnostic.message, "\n");
    return out;
}

} // namespace hidet::session
