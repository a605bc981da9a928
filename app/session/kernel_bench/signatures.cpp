// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/signatures.h"

#include <algorithm>

#include "app/session/kernel_bench/reference.h"
#include "app/session/script/previewed_script.h"

namespace hidet::session {

namespace {

const lang::RecordedCall* first_call(const lang::EvalResult& result, const Callable& callable) {
    for (const lang::RecordedCall& call : result.calls)
        if (call.module == callable.module && call.function == callable.callee)
            return &call;
    return nullptr;
}

void add_script_argument(const lang::CallArgument& arg, ParameterView& view) {
    if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value)) {
        for (std::int64_t extent : *tensor ? (*tensor)->shape : std::vector<std::int64_t>())
            view.script_shape.push_back(cat(extent));
        return;
    }
    view.script_value = arguments_text({arg});
}

void note_dimensions(const ParameterView& view, std::vector<std::string>& dimensions) {
    for (const std::string& extent : view.shape) {
        bool is_name = extent != "?" && !std::isdigit(static_cast<unsigned char>(extent[0])) && extent[0] != '-';
        if (is_name && std::find(dimensions.begin(), dimensions.end(), extent) == dimensions.end())
            dimensions.push_back(extent);
    }
}

FunctionSignature signature_of(const Work& work, const lang::EvalResult& result,
                               const std::vector<lang::HostFunction>& hosts, const Callable& callable) {
    FunctionSignature out;
    out.name = callable.name;
    out.kind = ir::func_kind_name(callable.function->func_kind);
    out.site = place_of(callable.function->origin.span, work.sources);
    auto accesses = accesses_of(callable);
    const lang::RecordedCall* call = first_call(result, callable);
    out.called = call != nullptr;
    for (std::size_t i = 0; i < callable.function->params.size(); ++i) {
        compiler::ParameterAccess access = accesses ? (*accesses)[i] : compiler::ParameterAccess{true, true};
        ParameterView view = view_of(*callable.function->params[i], access);
        if (call && i < call->args.size())
            add_script_argument(call->args[i], view);
        note_dimensions(view, out.dimensions);
        out.parameters.push_back(std::move(view));
    }
    for (const lang::HostFunction& host : hosts)
        if (could_be_reference(host, out.parameters))
            out.references.push_back(host.name);
    return out;
}

} // namespace

static void add_signatures(Work& work, const PreviewedScript& script, SignatureResult& result) {
    int number = 0;
    for (const lang::RecordedModule& recorded : script.result.modules) {
        if (!recorded.module || work.stopped())
            continue;
        work.enter("reading the functions of a module");
        ModuleSignatures& module = result.modules.emplace_back();
        module.number = ++number;
        module.site = place_of(recorded.site, work.sources);
        for (const Callable& callable : callables_of(recorded.module, number, recorded.site))
            module.functions.push_back(signature_of(work, script.result, script.functions, callable));
    }
}

SignatureResult signatures(const PreviewedScript& script, const std::atomic<bool>* cancelled) {
    const std::string name = script.sources.size() > 0 ? script.sources.file(1).name() : "";
    Work work = work_for("check " + name, cancelled);
    work.sources = script.sources;
    SignatureResult result;
    guarded(work, [&] { add_signatures(work, script, result); });
    finish(work, result);
    return result;
}

SignatureResult signatures(const Source& source, const std::vector<std::string>& calls,
                           const std::atomic<bool>* cancelled) {
    Work work = work_for("check " + source.name, cancelled);
    SignatureResult result;
    guarded(work, [&] {
        EvaluatedScript script = preview_script(work, source, calls);
        if (!script.evaluator)
            return;
        add_signatures(work, {work.sources, std::move(script.result), script.evaluator->global_functions()}, result);
    });
    finish(work, result);
    return result;
}

} // namespace hidet::session
