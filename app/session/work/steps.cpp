// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/steps.h"

#include "app/session/snapshot/forms.h"
#include "compiler/artifact/asked_gpu.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/ir/module_options.h"

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

ir::ModuleRef lowered_with_marks(Work& work, const ir::ModuleRef& script, const artifact::TargetSpec& target,
                                 artifact::MarkTable& marks, DiagnosticSink& sink) {
    return lowered(work, script, {.to = compiler::LowerTo::Emulation, .marks = &marks}, target, sink);
}

ir::ModuleRef lowered_for_cpu(Work& work, const ir::ModuleRef& script, bool checks_bounds, DiagnosticSink& sink) {
    return lowered(work, script, {.checks_bounds = checks_bounds}, artifact::default_cpu(), sink);
}

ir::ModuleRef kernels_of(Work& work, const ir::ModuleRef& emulated, const artifact::TargetSpec& target,
                         DiagnosticSink& sink) {
    return lowered(work, emulated, {.from = compiler::LowerFrom::Emulation}, target, sink);
}

std::optional<artifact::Program> bytecode_of(Work& work, const ir::ModuleRef& module, DiagnosticSink& sink,
                                             const compiler::BytecodeOptions& options) {
    Work::Clock clock(work, info(Form::Bytecode).name);
    return compiler::generate_bytecode(module, sink, options);
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
    case toolchain::Product::SharedObject:
    case toolchain::Product::Object: return "object";
    }
    return "compile";
}

std::vector<std::string> gpu_options(bool contracts, const ir::Module& module) {
    const ir::ModuleOptions asked = ir::options_of(module);
    std::vector<std::string> options;
    if (!contracts)
        options.emplace_back("--fmad=false");
    if (asked.flushes_subnormals)
        options.emplace_back("--ftz=true");
    if (asked.divides_approximately)
        options.emplace_back("--prec-div=false");
    return options;
}

std::optional<artifact::TargetSpec> gpu_of(const ir::Module& module, const artifact::TargetSpec& present, Span site,
                                           DiagnosticSink& sink) {
    const std::string asked = ir::options_of(module).gpu;
    std::optional<artifact::TargetSpec> gpu = artifact::asked_gpu(asked, present);
    if (!gpu)
        sink.report(DiagId::NoSuchArch, site, asked);
    return gpu;
}

Result<toolchain::CompileResult> compiled_by(Work& work, Tools& tools, const toolchain::CompileRequest& request) {
    Work::Clock clock(work, stage_of(request.product));
    return tools.toolchain().compiler().compile(request);
}

KernelFacts facts_of(const toolchain::KernelFigures& figures, const std::string& name) {
    return {name,
            figures.registers,
            figures.stack_bytes,
            figures.spill_store_bytes,
            figures.spill_load_bytes,
            figures.static_shared_bytes,
            figures.barriers};
}

} // namespace hidet::session
