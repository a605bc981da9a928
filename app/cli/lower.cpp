// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/output.h"
#include "app/cli/pass_diff.h"
#include "app/cli/preview.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

using namespace session;

namespace {

struct LowerOptions {
    SourceOptions source;
    PreviewOptions preview;
    TextOptions text;
    std::string after;
    bool all = false;              // after every pass
    bool passes = false;           // the list of passes
    std::vector<std::string> diff; // two passes, or none
};

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

std::string every_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    std::string out;
    for (const PassSnapshot& pass : module.passes) {
        out += cat("# ", pass.number, " ", pass.name, pass.changed ? "" : ": unchanged", "\n");
        if (pass.module)
            out += body_of(options.text.lines, *pass.module) + "\n";
    }
    return out;
}

std::string last_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    for (auto pass = module.passes.rbegin(); pass != module.passes.rend(); ++pass)
        if (pass->module)
            return body_of(options.text.lines, *pass->module);
    return "";
}

std::string text_of(const LowerOptions& options, const PreviewResult& result) {
    std::string out;
    for (const ModuleSnapshot& module : result.modules) {
        if (!out.empty())
            out += "\n";
        out += heading_of(module, result.modules.size(), "#");
        out += !options.diff.empty() ? pass_diff(options.diff, module)
               : options.passes      ? pass_table(module)
               : options.all         ? every_pass(options, module)
                                     : last_pass(options, module);
    }
    return out;
}

int lower(const LowerOptions& options, const Cancelled& cancelled) {
    Source source;
    int exit = exit_fine;
    if (!open_source(options.source, source, exit))
        return exit;
    PreviewRequest request = preview_request(options.source, options.preview, std::move(source), cancelled);
    select(options.text, request);
    request.stop_after = options.after;
    request.texts = options.passes && !options.source.json ? Keep::Nothing
                    : options.all                          ? Keep::Everything
                                                           : Keep::Last;
    if (!options.diff.empty())
        request.texts = Keep::Everything;
    PreviewResult result = preview(request);
    require_passes(options.diff, result);
    require_modules(options.source.file, "lower", result);
    if (!options.source.json)
        print_text(text_of(options, result));
    return report_preview(options.source, result);
}

} // namespace

void add_lower(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("lower", "print the IR of a script's modules after the passes");
    LowerOptions& options = options_for(verb, chosen, lower);
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    add_text(verb, options.text);
    const Argument after = verb.text("--after", options.after, "PASS", "stop after this pass");
    verb.flag("--all", options.all, "after every pass that changed something").excludes(after);
    verb.flag("--passes", options.passes, "list the passes with time and change marks");
    verb.texts("--diff", options.diff, "PASS PASS",
               "what changed from after one pass to after another; 'script': before all")
        .takes(2)
        .excludes(after);
}

} // namespace hidet::cli
