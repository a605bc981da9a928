// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/session/load.h"
#include "app/session/lowering.h"
#include "app/session/session.h"
#include "compiler/codegen/text/generate.h"
#include "compiler/ir/parse_text.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"
#include "lang/host/evaluator.h"

namespace hidet::session {

namespace {

std::vector<RecordedSite> read_ir(Work& work, const Source& source) {
    work.enter("reading the IR");
    FileId file = work.sources.add(source.name, source.text);
    ir::ModuleRef module = ir::parse_module(work.sources, file, work.sink);
    if (!module)
        return {};
    for (const std::string& violation : ir::verify(*module)) // the passes rely on what the text only promises
        work.sink.report(DiagId::IrInvalid, {}, violation);
    if (work.sink.has_errors())
        return {};
    return {{module, Span{file, 0, 0}}};
}

std::vector<RecordedSite> evaluate(Work& work, const PreviewRequest& request) {
    lang::ast::Module module = parse_script(work, request.source, request.calls);
    work.enter("evaluating the script");
    Work::Clock clock(work, "evaluate");
    lang::EvalOptions options;
    options.mode = lang::Mode::Preview;
    options.cancelled = work.cancelled;
    options.script_folder = request.source.folder;
    lang::Evaluator evaluator(work.sources, work.sink, options, nullptr);
    lang::EvalResult result = evaluator.run(module);
    std::vector<RecordedSite> out;
    for (lang::RecordedModule& recorded : result.modules)
        if (recorded.module)
            out.push_back({std::move(recorded.module), recorded.site});
    return out;
}

ModuleSnapshot describe(const Work& work, const RecordedSite& recorded, int number) {
    ModuleSnapshot out;
    out.number = number;
    out.site = place_of(recorded.site, work.sources);
    for (const ir::FunctionRef& function : recorded.module->functions)
        out.functions.push_back(
            {function->name, ir::func_kind_name(function->func_kind), place_of(function->origin.span, work.sources)});
    return out;
}

bool has_function(const ModuleSnapshot& module, const std::string& name) {
    return std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& f) { return f.name == name; });
}

std::string count_of(std::size_t count, const char* noun) {
    return cat(count, " ", noun, count == 1 ? "" : "s");
}

void report_wrong_usage(Work& work, Diagnostic diagnostic) {
    work.sink.report(std::move(diagnostic));
    work.status = Status::WrongUsage;
}

bool known_pass(Work& work, const std::string& name) {
    if (name.empty() || compiler::find_pass(name))
        return true;
    std::vector<std::string> names;
    for (const compiler::PassInfo& pass : compiler::all_passes())
        names.push_back(pass.name);
    Diagnostic unknown = Diagnostic::make(DiagId::NoSuchPass, {}, name).suggest({}, name, names);
    unknown.fixes.clear(); // there is no text to fix
    unknown.notes.push_back({{}, "'hidetc lower FILE --passes' lists them"});
    report_wrong_usage(work, std::move(unknown));
    return false;
}

bool known_arch(Work& work, const std::string& name) {
    if (compiler::find_architecture(name))
        return true;
    report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchArch, {}, name));
    return false;
}

// Drops the modules that the request did not ask for, and says so when nothing is left.
void select(Work& work, const PreviewRequest& request, std::vector<ModuleSnapshot>& modules) {
    const std::string& name = request.source.name;
    if (request.module != 0) {
        if (request.module < 0 || static_cast<std::size_t>(request.module) > modules.size()) {
            std::string built = count_of(modules.size(), "module");
            modules.clear();
            return report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchModule, {}, request.module, name, built));
        }
        modules = {modules[static_cast<std::size_t>(request.module - 1)]};
    }
    if (request.function.empty())
        return;
    std::vector<std::string> names;
    for (const ModuleSnapshot& module : modules)
        for (const FunctionSnapshot& function : module.functions)
            names.push_back(function.name);
    std::erase_if(modules, [&](const ModuleSnapshot& module) { return !has_function(module, request.function); });
    if (!modules.empty())
        return;
    Diagnostic unknown =
        Diagnostic::make(DiagId::NoSuchFunction, {}, name, request.function).suggest({}, request.function, names);
    unknown.fixes.clear();
    report_wrong_usage(work, std::move(unknown));
}

void preview_into(Work& work, const PreviewRequest& request, PreviewResult& result) {
    if (!known_pass(work, request.stop_after) || !known_pass(work, request.only_pass) ||
        !known_arch(work, request.arch))
        return;
    std::vector<RecordedSite> recorded = request.source.is_ir ? read_ir(work, request.source) : evaluate(work, request);
    result.modules_built = static_cast<int>(recorded.size());
    std::vector<ModuleSnapshot> modules;
    for (const RecordedSite& site : recorded)
        modules.push_back(describe(work, site, static_cast<int>(modules.size()) + 1));
    select(work, request, modules);
    for (ModuleSnapshot& module : modules) {
        if (work.stopped())
            return;
        lower_to_snapshot(work, request, recorded[static_cast<std::size_t>(module.number - 1)], module);
        if (request.published)
            request.published(module);
        result.modules.push_back(std::move(module));
    }
}

} // namespace

PreviewResult preview(const PreviewRequest& request) {
    Work work;
    work.cancelled = request.cancelled;
    work.fault = request.fault;
    work.options = "lower " + request.source.name;
    PreviewResult result;
    guarded(work, [&] { preview_into(work, request, result); });
    finish(work, result);
    return result;
}

std::vector<PassDescription> describe_passes() {
    std::vector<PassDescription> out;
    for (const compiler::PassInfo& pass : compiler::all_passes())
        out.push_back({pass.name, pass.summary, ir::level_name(pass.in), ir::level_name(pass.out)});
    return out;
}

} // namespace hidet::session
