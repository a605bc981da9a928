// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/forms/maker.h"
#include "app/session/work/steps.h"
#include "compiler/codegen/cpp/generate.h"

namespace hidet::session {

static bool has_kernels(const ir::Module& module) {
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [](const ir::FunctionRef& function) { return function->func_kind == ir::FuncKind::CudaKernel; });
}

// Kernels are lowered once more, for the CPU; not those of IR that is given to one pass.
static ir::ModuleRef for_cpu(FormContext& context, DiagnosticSink& sink) {
    if (context.request.for_cpu || !context.request.only_pass.empty() || !has_kernels(*context.script))
        return context.lowered;
    context.work.enter("lowering a module for the CPU");
    if (context.emulated)
        return kernels_of(context.work, context.emulated, artifact::default_cpu(), sink);
    return lowered_for_cpu(context.work, context.script, false, sink);
}

// That a kernel is for a GPU alone is no mistake of whoever looks at its module: it stands there instead of code.
bool make_cpp(FormContext& context, FormSnapshot& out) {
    DiagnosticSink refusals;
    ir::ModuleRef module = for_cpu(context, refusals);
    const bool is_for_cpu = module != nullptr;
    if (!is_for_cpu)
        module = context.lowered;
    context.work.enter("generating C++");
    std::optional<artifact::Source> source = compiler::generate_cpp(module, context.work.sink);
    if (!source)
        return false;
    if (is_for_cpu || !source->text.empty()) {
        out.text = snapshot_of(context.work, *source);
        return true;
    }
    std::string text;
    std::vector<Origin> lines;
    for (const Diagnostic& refusal : refusals.all()) {
        text += cat("// ", refusal.message, "\n");
        lines.push_back({refusal.span, {}});
    }
    out.text = snapshot_of(context.work, std::move(text), lines);
    return true;
}

} // namespace hidet::session
