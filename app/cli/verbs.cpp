// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"

#include <cstdio>

#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "app/cli/pass_diff.h"
#include "app/cli/preview.h"
#include "app/cli/target.h"
#include "app/session/session.h"

namespace hidet::cli {

namespace {

using namespace session;

std::string milliseconds(double ms) {
    char text[32];
    std::snprintf(text, sizeof text,
                  ms < 10       ? "%.1f ms"
                  : ms < 10'000 ? "%.0f ms"
                                : "%.1f s",
                  ms < 10'000 ? ms : ms / 1000);
    return text;
}

// One line: what happened, on what.
std::string describe(const RunSummary& summary) {
    if (summary.modules == 0)
        return "the script built no module";
    if (summary.calls == 0)
        return "built " + count_of(summary.modules, "module") + " (" + join(summary.uncalled, ", ") +
               ") and called nothing: call what build() returned, e.g. 'module(a, b)'";
    std::vector<std::string> parts;
    if (summary.launches > 0)
        parts.push_back((summary.emulated ? "emulated: " : "ran on " + summary.device + ": ") +
                        count_of(summary.kernels, "kernel") + ", " +
                        cat(summary.launches, summary.launches == 1 ? " launch" : " launches"));
    if (summary.native_calls > 0)
        parts.push_back(count_of(summary.native_calls, "call") + " of compiled functions");
    if (parts.empty())
        parts.push_back(count_of(summary.calls, "call") + " of host functions");
    return join(parts, "; ") + ", " + milliseconds(summary.ms);
}

std::string pass_table(const ModuleSnapshot& module) {
    std::string out;
    for (const PassSnapshot& pass : module.passes) {
        if (pass.number == 0)
            continue;
        char line[256];
        std::snprintf(line, sizeof line, "%3d %c %-28s %8.3f ms  %s\n", pass.number, pass.changed ? '*' : ' ',
                      pass.name.c_str(), pass.ms, pass.summary.c_str());
        out += line;
    }
    return out;
}

std::string every_pass(const Options& options, const ModuleSnapshot& module) {
    std::string out;
    for (const PassSnapshot& pass : module.passes) {
        out += cat("# ", pass.number, " ", pass.name, pass.changed ? "" : ": unchanged", "\n");
        if (pass.module)
            out += body_of(options, *pass.module) + "\n";
    }
    return out;
}

std::string last_pass(const Options& options, const ModuleSnapshot& module) {
    for (auto pass = module.passes.rbegin(); pass != module.passes.rend(); ++pass)
        if (pass->module)
            return body_of(options, *pass->module);
    return "";
}

std::string text_of(const Options& options, const PreviewResult& result) {
    std::string out;
    for (const ModuleSnapshot& module : result.modules) {
        if (!out.empty())
            out += "\n";
        out += heading_of(module, result.modules.size(), "#");
        out += !options.diff.empty() ? pass_diff(options, module)
               : options.passes      ? pass_table(module)
               : options.all         ? every_pass(options, module)
                                     : last_pass(options, module);
    }
    return out;
}

} // namespace

int run_script(const Options& options, const std::atomic<bool>& cancelled) {
    RunRequest request;
    int exit = exit_fine;
    if (!open_source(options, request.source, exit))
        return exit;
    std::string output;
    request.target = target_of(options);
    request.all_checks = options.checks == "all";
    request.seed = options.seed;
    request.max_steps = options.max_steps;
    request.tools = open_tools();
    request.kernel_seconds = options.timeout;
    request.fault = options.fault;
    request.cancelled = &cancelled;
    request.print = [&](std::string_view text) { options.json ? void(output += text) : print_text(std::string(text)); };
    RunResult result = run(request);
    if (options.json) {
        print_text(json_of(result, output));
        return end_of(result);
    }
    print_diagnostics(result.diagnostics);
    if (result.status == Status::Fine)
        print_note(describe(result.summary) +
                   (options.verb == "emulate" && result.summary.calls > 0 ? "; no findings" : ""));
    return end_of(result);
}

int check(const Options& options, const std::atomic<bool>& cancelled) {
    Source source;
    int exit = exit_fine;
    if (!open_source(options, source, exit))
        return exit;
    PreviewRequest request = preview_request(options, std::move(source), cancelled);
    request.texts = Keep::Nothing;
    PreviewResult result = preview(request);
    exit = report_preview(options, result);
    if (exit == exit_fine && !options.json) {
        std::size_t functions = 0;
        for (const ModuleSnapshot& module : result.modules)
            functions += module.functions.size();
        if (result.modules_built == 0)
            print_note(cat(options.file, ": no mistakes found; it builds no module"));
        else
            print_note(cat(options.file, ": no mistakes found in ", count_of(result.modules_built, "module"), " with ",
                           count_of(static_cast<std::int64_t>(functions), "function")));
    }
    return exit;
}

int lower(const Options& options, const std::atomic<bool>& cancelled) {
    Source source;
    int exit = exit_fine;
    if (!open_source(options, source, exit))
        return exit;
    PreviewRequest request = preview_request(options, std::move(source), cancelled);
    request.stop_after = options.after;
    request.texts = options.passes && !options.json ? Keep::Nothing : options.all ? Keep::Everything : Keep::Last;
    if (!options.diff.empty())
        request.texts = Keep::Everything;
    PreviewResult result = preview(request);
    require_passes(options, result);
    require_modules(options, result);
    if (!options.json)
        print_text(text_of(options, result));
    return report_preview(options, result);
}

} // namespace hidet::cli
