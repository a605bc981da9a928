// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/pass_diff.h"
#include "app/cli/text/pass_structure.h"
#include "app/cli/verbs.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct LowerOptions {
    ModuleOptions modules;
    std::string after;
    bool all = false;              // after every pass
    bool passes = false;           // the list of passes
    bool structure = false;        // as a tree
    bool cpu = false;              // as '--target cpu' runs them
    std::vector<std::string> diff; // two passes, or none
};

std::string pass_table(const ModuleSnapshot& module) {
    double slowest = 0;
    for (const PassSnapshot& pass : module.passes)
        slowest = std::max(slowest, pass.ms * 1e-3);
    const UnitScale unit = scale_of(slowest, "s");
    std::vector<Cells> rows;
    for (const PassSnapshot& pass : module.passes)
        if (pass.number > 0)
            rows.push_back({{std::to_string(pass.number), Align::Right},
                            {pass.changed ? "*" : ""},
                            {pass.name},
                            {cat(three_digits(pass.ms * 1e-3 / unit.size), " ", unit.unit), Align::Right},
                            {pass.summary}});
    return columns_text(rows);
}

std::string every_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    std::string out;
    for (const PassSnapshot& pass : module.passes) {
        out += cat("# ", pass.number, " ", pass.name, pass.changed ? "" : ": unchanged", "\n");
        if (pass.module)
            out += body_of(options.modules.text.lines, *pass.module) + "\n";
    }
    return out;
}

std::string last_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    for (auto pass = module.passes.rbegin(); pass != module.passes.rend(); ++pass)
        if (pass->module)
            return body_of(options.modules.text.lines, *pass->module);
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

std::string structure_text_of(const PreviewResult& result, const std::vector<ModuleStructure>& structures) {
    std::string out;
    for (const ModuleStructure& each : structures) {
        for (const ModuleSnapshot& module : result.modules)
            if (module.number == each.number)
                out += cat(out.empty() ? "" : "\n", heading_of(module, result.modules.size(), "#"));
        out += structure_text(each.rows);
    }
    return out;
}

// A text of one function is no module, and its structure could not be read.
int lower_to_structure(const LowerOptions& options, PreviewRequest& request) {
    const SourceOptions& source = options.modules.source;
    const std::string function = std::exchange(request.function, "");
    PreviewResult result = preview(request);
    require_passes(options.diff, result);
    require_function(source.file, function, result);
    require_modules(source.file, "lower", result.modules_built, result);
    const std::vector<ModuleStructure> structures = structures_of(result, options.diff, function);
    if (source.json) {
        Document out;
        print_text(
            out.add("diagnostics", result.diagnostics).add("modules", structures).add("stages", result.stages).text());
    } else {
        print_text(structure_text_of(result, structures));
        print_diagnostics(result.diagnostics);
    }
    return exit_code(result.status);
}

int lower(const LowerOptions& options, const Cancelled& cancelled) {
    const SourceOptions& source = options.modules.source;
    int exit = exit_fine;
    if (options.modules.text.lines && (options.passes || options.structure || !options.diff.empty())) {
        wrong_usage(DiagId::BadValue, "'--lines' is of IR, and '--passes', '--diff' and '--structure' print none");
        return exit_usage;
    }
    std::optional<PreviewRequest> request = open_preview(options.modules, cancelled, exit);
    if (!request)
        return exit;
    request->stop_after = options.after;
    request->for_cpu = options.cpu;
    request->texts = !options.diff.empty()            ? Keep::Everything
                     : options.passes && !source.json ? Keep::Nothing
                     : options.all                    ? Keep::Everything
                                                      : Keep::Last;
    if (options.structure)
        return lower_to_structure(options, *request);
    PreviewResult result = preview(*request);
    require_passes(options.diff, result);
    require_modules(source.file, "lower", result.modules_built, result);
    if (!source.json)
        print_text(text_of(options, result));
    return report_preview(source, result);
}

} // namespace

void add_lower(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("lower", "print the IR of a script's modules after the passes");
    LowerOptions& options = options_for(verb, chosen, lower);
    add_modules(verb, options.modules);
    const Argument after = verb.text("--after", options.after, "PASS", "stop after this pass");
    const Argument all = verb.flag("--all", options.all, "after every pass that changed something").excludes(after);
    const Argument passes = verb.flag("--passes", options.passes, "list the passes with time and change marks");
    verb.flag("--structure", options.structure,
              "functions, loops, branches, tensors, barriers, copies and products of tiles as a tree; with --diff: "
              "what changed")
        .excludes(all)
        .excludes(passes);
    verb.flag("--cpu", options.cpu, "for the CPU: kernels become loops over blocks and threads");
    verb.texts("--diff", options.diff, "PASS PASS",
               "what changed from after one pass to after another; 'script': before all")
        .takes(2)
        .excludes(after)
        .excludes(all)
        .excludes(passes);
}

} // namespace hidet::cli
