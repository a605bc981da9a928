// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"

#include <chrono>

#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/artifact/asked_gpu.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/structure.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"

namespace hidet::session {

namespace {

using Maker = bool (*)(FormContext&, FormSnapshot&);
constexpr Maker makers[] = {
#define HIDET_FORM(name, key, label, language, comment, ending, needs, content, of, maker, summary) maker,
#include "app/session/snapshot/forms.def"
};

std::string pass_name(PassId pass) {
    const auto& passes = compiler::all_passes();
    return pass == 0 || pass > passes.size() ? "" : passes[pass - 1u].name;
}

// Kernels that nobody asked for are left out before text is made of the module.
ir::ModuleRef only_function(const ir::ModuleRef& module, const std::string& name) {
    const ir::Function* wanted = name.empty() ? nullptr : ir::find_function(*module, name);
    if (!wanted || wanted->func_kind != ir::FuncKind::CudaKernel)
        return module;
    ir::Module some = *module;
    std::erase_if(some.functions, [&](const ir::FunctionRef& function) {
        return function->func_kind == ir::FuncKind::CudaKernel && function->name != name;
    });
    return ir::make<ir::Module>(std::move(some));
}

} // namespace

artifact::TargetSpec target_of(const PreviewRequest& request, const ir::Module& script) {
    if (!request.arch.empty())
        return artifact::find_target(request.arch).value_or(artifact::default_gpu());
    return artifact::asked_gpu(ir::options_of(script).gpu, artifact::default_gpu()).value_or(artifact::default_gpu());
}

OriginView view_of(const Origin& origin, const Work& work) {
    return {place_of(origin.span, work.sources), pass_name(origin.pass)};
}

TextSnapshot snapshot_of(const Work& work, std::string text, const std::vector<Origin>& lines) {
    TextSnapshot out;
    out.text = std::move(text);
    for (const Origin& origin : lines)
        out.lines.push_back(view_of(origin, work));
    return out;
}

TextSnapshot snapshot_of(const Work& work, ir::PrintedText printed) {
    TextSnapshot out = snapshot_of(work, std::move(printed.text), printed.line_origins);
    out.temporaries = std::move(printed.temporaries);
    out.tokens.reserve(printed.tokens.size());
    Origin last;
    OriginView shown;
    for (const auto& [begin, end, origin] : printed.tokens) {
        if (!(origin == last))
            shown = view_of(last = origin, work);
        out.tokens.push_back({begin, end, shown});
    }
    return out;
}

TextSnapshot snapshot_of(const Work& work, const artifact::Source& source) {
    TextSnapshot out = snapshot_of(work, source.text, artifact::line_origins(source));
    for (const auto& [begin, end, origin] : source.tokens)
        out.tokens.push_back({begin, end, view_of(origin, work)});
    return out;
}

const std::shared_ptr<const artifact::Source>& FormContext::shared_cuda() {
    if (!m_cuda) {
        work.enter("generating CUDA C++");
        auto made = cuda_of(work, only_function(lowered, request.function), target, work.sink);
        m_cuda = made ? std::make_shared<const artifact::Source>(std::move(*made)) : nullptr;
    }
    return *m_cuda;
}

Result<toolchain::CompileResult> FormContext::ask(const artifact::Source& source, toolchain::Product product) {
    toolchain::CompileRequest asked;
    asked.text = source.text;
    asked.product = product;
    asked.arch = artifact::architecture_name(target.arch);
    asked.options = gpu_options(request.contracts, *script);
    asked.cancelled = work.cancelled;
    HIDET_CHECK(request.tools, "a form that needs a compiler, and no tools");
    return compiled_by(work, *request.tools, asked);
}

const toolchain::CompileResult* FormContext::compile(toolchain::Product product) {
    auto& kept = product == toolchain::Product::Ptx ? m_ptx : m_cubin;
    if (kept)
        return *kept ? &**kept : nullptr;
    kept.emplace();
    const artifact::Source* source = cuda();
    if (!source)
        return nullptr;
    work.enter(product == toolchain::Product::Ptx ? "compiling to PTX" : "compiling to machine code");
    Result<toolchain::CompileResult> result = ask(*source, product);
    if (result)
        *kept = std::move(result).value();
    else
        report_compile_error(work, work.sink, *script, *source, result.error());
    return *kept ? &**kept : nullptr;
}

std::shared_ptr<const FormSnapshot> make_form(FormContext& context, Form form) {
    auto made = std::make_shared<FormSnapshot>();
    made->name = info(form).name;
    auto start = std::chrono::steady_clock::now();
    if (!makers[static_cast<std::size_t>(form)](context, *made))
        return nullptr;
    made->ms = milliseconds_since(start);
    return made;
}

void make_forms(FormContext& context, ModuleSnapshot& snapshot) {
    for (Form form : context.request.forms)
        if (auto made = make_form(context, form))
            snapshot.forms.push_back(std::move(made));
}

} // namespace hidet::session
