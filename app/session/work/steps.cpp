// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/steps.h"

#include "app/session/snapshot/forms.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/codegen/cuda/generate.h"

namespace hidet::session {

static ir::ModuleRef lowered(Work& work, const ir::ModuleRef& module, compiler::LowerOptions options,
                             const artifact::TargetSpec& target, DiagnosticSink& sink) {
    Work::Clock clock(work, "lower");
    options.target = target;
    options.cancelled = work.cancelled;
    return compiler::lower(module, options, sink);
}

ir::ModuleRef lowered(Work& work, const ir::ModuleRef& script, compiler::LowerTo to, const artifact::TargetSpec& target,
                      DiagnosticSink& sink) {
    return lowered(work, script, {.to = to}, target, sink);
}

ir::ModuleRef lowered_for_cpu(Work& work, const ir::ModuleRef& script, bool checks_bounds, DiagnosticSink& sink) {
    return lowered(work, script, {.checks_bounds = checks_bounds}, artifact::default_cpu(), sink);
}

ir::ModuleRef kernels_of(Work& work, const ir::ModuleRef& emulated, const artifact::TargetSpec& target,
                         DiagnosticSink& sink) {
    return lowered(work, emulated, {.from = compiler::LowerFrom::Emulation}, target, sink);
}

std::optional<artifact::Program> bytecode_of(Work& work, const ir::ModuleRef& module, DiagnosticSink& sink) {
    Work::Clock clock(work, info(Form::Bytecode).name);
    return compiler::generate_bytecode(module, sink);
}

std::optional<artifact::Source> cuda_of(Work& work, const ir::ModuleRef& module, const artifact::TargetSpec& target,
                                        DiagnosticSink& sink) {
    Work::Clock clock(work, info(Form::Cuda).name);
    return compiler::generate_cuda(module, target, sink);
}

static const char* stage_of(toolchain::Product product) {
    switch (product) {
    case toolchain::Product::Ptx: return info(Form::Ptx).name;
    case toolchain::Product::Cubin: return info(Form::Cubin).name;
    case toolchain::Product::SharedObject: return "object";
    case toolchain::Product::Syntax: return "check";
    }
    return "compile";
}

std::vector<std::string> gpu_options(bool contracts) {
    return contracts ? std::vector<std::string>() : std::vector<std::string>{"--fmad=false"};
}

Result<toolchain::CompileResult> compiled_by(Work& work, Tools& tools, const toolchain::CompileRequest& request) {
    Work::Clock clock(work, stage_of(request.product));
    return tools.toolchain().compiler().compile(request);
}

} // namespace hidet::session
