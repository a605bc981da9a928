// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/figures.h"

#include <map>

#include "app/session/work/steps.h"
#include "app/session/work/user_text.h"
#include "lang/base/quantity.h"

namespace hidet::session {

namespace {

struct Compiled {
    std::map<std::string, KernelFacts> facts; // by the name in the script
    std::string unavailable;
};

void add_facts(const artifact::EntryPoint& entry, const std::vector<toolchain::KernelFigures>& all, Compiled& out) {
    for (const toolchain::KernelFigures& figures : all)
        if (figures.symbol == entry.symbol)
            out.facts[entry.name] = facts_of(figures, entry.name);
}

// What runs is the user's text; whatever is wrong with it was told when it was loaded. A driver takes PTX that no ptxas is there
// for, and then there are no figures.
void add_replaced(Work& work, const RunRequest& run, const KernelReplacement& replacement,
                  const toolchain::CompileRequest& generated, const std::vector<artifact::EntryPoint>& entries,
                  Compiled& out) {
    const std::optional<Form> form = compiled_form(replacement.source.name);
    if (!form)
        return; // it is IR, which was lowered as the script's is
    UserText text(work, replacement.source, *form);
    const auto compiled = text.made(*run.tools, {toolchain::Product::Cubin, generated.arch, generated.options});
    for (const artifact::EntryPoint& entry : entries) {
        if (entry.name != replacement.kernel)
            continue;
        out.facts.erase(entry.name);
        if (compiled)
            add_facts(entry, compiled.value().figures, out);
    }
}

Compiled compile(Work& work, const RunRequest& run, const Callable& callable, const artifact::TargetSpec& target) {
    Compiled out;
    if (!run.tools) {
        out.unavailable = "there is no compiler";
        return out;
    }
    DiagnosticSink sink;
    ir::ModuleRef kernels = lowered(work, callable.module, compiler::LowerTo::Kernel, target, sink);
    std::optional<artifact::Source> source = kernels ? cuda_of(work, kernels, target, sink) : std::nullopt;
    if (!source) {
        out.unavailable = sink.all().empty() ? "there is no CUDA C++ of the module" : sink.all().front().message;
        return out;
    }
    toolchain::CompileRequest request;
    request.text = source->text;
    request.product = toolchain::Product::Cubin;
    request.arch = artifact::architecture_name(target.arch);
    request.options = gpu_options(run.contracts, *callable.module);
    request.cancelled = work.cancelled;
    Result<toolchain::CompileResult> compiled = compiled_by(work, *run.tools, request);
    if (!compiled) {
        out.unavailable = compiled.error().message.substr(0, compiled.error().message.find('\n'));
        return out;
    }
    for (const artifact::EntryPoint& entry : source->entries)
        add_facts(entry, compiled.value().figures, out);
    for (const KernelReplacement& replacement : run.replacements)
        add_replaced(work, run, replacement, request, source->entries, out);
    return out;
}

void add_occupancy(const artifact::TargetSpec& target, KernelView& kernel) {
    if (!kernel.facts || !kernel.launch)
        return;
    kernel.occupancy = perf::occupancy_of(target, {.threads = kernel.launch->threads(),
                                                   .registers = kernel.facts->registers,
                                                   .static_shared = kernel.facts->static_shared_bytes,
                                                   .dynamic_shared = kernel.launch->dynamic_shared,
                                                   .barriers = kernel.facts->barriers,
                                                   .grid_blocks = kernel.launch->blocks()});
}

std::vector<KernelView> kernels_of(const Callable& callable, const std::vector<KernelLaunch>& launches) {
    std::vector<KernelView> out;
    for (const KernelLaunch& launch : launches) {
        KernelView& kernel = out.emplace_back();
        kernel.name = launch.kernel;
        kernel.launch = launch.shape;
        kernel.launches = launch.count;
    }
    for (const ir::FunctionRef& function : callable.module->functions)
        if (launches.empty() && function->func_kind == ir::FuncKind::CudaKernel)
            out.emplace_back().name = function->name;
    return out;
}

} // namespace

std::string registers_text(const KernelFacts& facts) {
    const int spills = facts.spill_store_bytes + facts.spill_load_bytes;
    return cat(facts.registers, facts.registers == 1 ? " register" : " registers", " per thread, ",
               spills == 0 ? "no spills" : bytes_text(spills) + " spilled");
}

std::vector<KernelView> figures_of(Work& work, const RunRequest& run, const Callable& callable,
                                   const artifact::TargetSpec& target, const std::vector<KernelLaunch>& launches) {
    std::vector<KernelView> out = kernels_of(callable, launches);
    if (out.empty())
        return out;
    work.enter("compiling for the figures of the kernels");
    Compiled compiled = compile(work, run, callable, target);
    for (KernelView& kernel : out) {
        kernel.arch = artifact::architecture_name(target.arch);
        auto facts = compiled.facts.find(kernel.name);
        if (facts != compiled.facts.end())
            kernel.facts = facts->second;
        else
            kernel.unavailable =
                compiled.unavailable.empty() ? "the compiler says nothing of it" : compiled.unavailable;
        add_occupancy(target, kernel);
    }
    return out;
}

} // namespace hidet::session
