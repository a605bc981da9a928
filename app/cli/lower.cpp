// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/exporting/saved_stage.h"
#include "app/session/request/edited_stage.h"
#include "app/session/view/blame.h"
#include "app/session/view/diff.h"
#include "app/session/view/structure.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

// lower --diff: what the passes changed between two places of the pipeline.

constexpr const char* before_all = "script";

bool is_pass(const std::string& name) {
    std::vector<PassDescription> passes = describe_passes();
    return name == before_all ||
           std::any_of(passes.begin(), passes.end(), [&](const PassDescription& pass) { return pass.name == name; });
}

// The last time that it ran; -1: it did not, because a mistake stopped the passes before it.
int number_of_pass(const ModuleSnapshot& module, const std::string& name) {
    int number = -1;
    for (const PassSnapshot& pass : module.passes)
        if (pass.name == name)
            number = pass.number;
    return number;
}

// Names that are no passes are a wrong usage.
void require_passes(const std::vector<std::string>& names, PreviewResult& result) {
    for (const std::string& name : names)
        if (!is_pass(name)) {
            result.modules.clear();
            return refuse(result, Status::WrongUsage, no_such_pass(name));
        }
}

std::string pass_diff(const std::vector<std::string>& names, const ModuleSnapshot& module) {
    const std::string &left = names[0], &right = names[1];
    auto before = text_after(module, number_of_pass(module, left));
    auto after = text_after(module, number_of_pass(module, right));
    if (!before || !after)
        return "";
    auto changes = diff(before->text, after->text, {.words = false});
    return unified(before->text, after->text, *changes, {cat("after ", left), cat("after ", right)});
}

// The structure of modules after a pass, as 'lower --structure' has it.

bool has_function(const ModuleSnapshot& module, const std::string& name) {
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [&](const FunctionSnapshot& function) { return function.name == name; });
}

Structure only(const std::string& function, const Structure& rows) {
    Structure out;
    bool is_inside = function.empty();
    for (const StructureRow& row : rows) {
        if (row.depth == 1 && !function.empty())
            is_inside = row.kind == StructureKind::Function && row.name == function;
        if (row.depth == 0 || is_inside)
            out.push_back(row);
    }
    return out;
}

std::string name_of(const ModuleSnapshot& module, int number) {
    for (const PassSnapshot& pass : module.passes)
        if (pass.number == number)
            return pass.name;
    return "";
}

Structure read_after(const ModuleSnapshot& module, int number) {
    const auto text = text_after(module, number);
    return text ? structure_of(text->text) : Structure();
}

// Of the last text of each module, or of what the later of two passes made of that of the earlier; one function of them, or all.
std::vector<ModuleStructure> structures_of(const PreviewResult& result, const std::vector<std::string>& passes,
                                           const std::string& function) {
    std::vector<ModuleStructure> out;
    for (const ModuleSnapshot& module : result.modules) {
        if (module.passes.empty())
            continue;
        ModuleStructure made{module.number, "", "", {}};
        if (passes.empty()) {
            made.after = module.passes.back().name;
            made.rows = only(function, read_after(module, module.passes.back().number));
        } else {
            const int left = number_of_pass(module, passes[0]), right = number_of_pass(module, passes[1]);
            made.before = name_of(module, left);
            made.after = name_of(module, right);
            made.rows =
                structure_changes(only(function, read_after(module, left)), only(function, read_after(module, right)));
        }
        out.push_back(std::move(made));
    }
    return out;
}

// Modules without the function are left out; where none has it, that is reported, as for texts of functions.
void require_function(const std::string& file, const std::string& function, PreviewResult& result) {
    if (function.empty() || result.modules.empty())
        return;
    std::vector<std::string> names;
    for (const ModuleSnapshot& module : result.modules)
        for (const FunctionSnapshot& known : module.functions)
            names.push_back(known.name);
    std::erase_if(result.modules, [&](const ModuleSnapshot& module) { return !has_function(module, function); });
    if (!result.modules.empty())
        return;
    refuse(result, Status::WrongUsage,
           Diagnostic::make(DiagId::NoSuchFunction, {}, file, function).suggest({}, function, names));
}

struct LowerOptions {
    ModuleOptions modules;
    bool all = false;              // after every pass
    bool passes = false;           // the list of passes
    bool structure = false;        // as a tree
    std::vector<std::string> diff; // two passes, or none
    std::string out;               // "": standard output
};

std::string pass_table(const ModuleSnapshot& module) {
    double slowest = 0;
    for (const PassSnapshot& pass : module.passes)
        slowest = std::max(slowest, pass.ms * 1e-3);
    const UnitScale unit = scale_of(slowest, "s");
    std::vector<Cells> rows;
    for (const PassSnapshot& pass : module.passes)
        if (pass.number > 0)
            rows.push_back(cells(right(std::to_string(pass.number)), pass.changed ? "*" : "", pass.name,
                                 right(cat(three_digits(pass.ms * 1e-3 / unit.size), " ", unit.unit)), pass.summary));
    return columns_text(rows);
}

std::string every_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    std::string out;
    for (const PassSnapshot& pass : module.passes) {
        out += cat("# ", pass.number, " ", pass.name, pass.changed ? "" : ": unchanged", "\n");
        if (pass.module)
            out += body_of(options.modules.lines, *pass.module) + "\n";
    }
    return out;
}

const TextSnapshot* last_text(const ModuleSnapshot& module) {
    for (auto pass = module.passes.rbegin(); pass != module.passes.rend(); ++pass)
        if (pass->module)
            return pass->module.get();
    return nullptr;
}

std::string last_pass(const LowerOptions& options, const ModuleSnapshot& module) {
    const TextSnapshot* text = last_text(module);
    return text ? body_of(options.modules.lines, *text) : "";
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

// A copy that a person goes on with. 'run --replace' takes it back, and so does every verb that takes IR.
std::string copy_of(const LowerOptions& options, const PreviewRequest& request, const PreviewResult& result) {
    const ModuleSnapshot& module = result.modules.front();
    SavedStage copy;
    copy.version = HIDET_VERSION;
    copy.what = ir_after(module.passes.back().name, module.passes.back().number);
    copy.subject = copy.path = options.modules.source.file;
    copy.text = request.source.text;
    copy.calls = request.calls;
    copy.module = result.modules_built > 1 ? module.number : 0;
    copy.generated = last_text(module)->text;
    copy.temporaries = last_text(module)->temporaries;
    for (const FunctionSnapshot& function : module.functions)
        if (function.kind == "cuda_kernel")
            copy.kernels.push_back(function.name);
    return comment_of(copy, info(Form::Ir).comment) + copy.generated;
}

void write_copy(const LowerOptions& options, const PreviewRequest& request, PreviewResult& result) {
    if (result.status != Status::Ok)
        return;
    if (result.modules.size() != 1)
        return refuse(result, Status::WrongUsage,
                      Diagnostic::make(DiagId::OneModuleOnly, {}, info(Form::Ir).name, result.modules.size()));
    DiagnosticSink sink;
    if (!write_text(options.out, copy_of(options, request, result), sink))
        refuse(result, Status::Environment, sink);
}

// A part of a module, or one that is lowered for the CPU, is none that a kernel runs from.
bool may_write(const LowerOptions& options, const PreviewRequest& request) {
    if (options.out.empty())
        return true;
    const std::string other = first_given({{options.modules.lines, "--lines"},
                                           {!request.function.empty(), "--function"},
                                           {!request.only_pass.empty(), "--only"},
                                           {request.source.is_ir, "a file that is IR already"}});
    return other.empty() ||
           wrong_usage(cat("'-o' writes a module of a script, to be edited and run: it does not go with ", other));
}

int lower(const LowerOptions& options, const Cancelled& cancelled) {
    const SourceOptions& source = options.modules.source;
    if (options.modules.lines && (options.passes || options.structure || !options.diff.empty()))
        return refuse_usage("'--lines' is of IR, and '--passes', '--diff' and '--structure' print none");
    PreviewRequest request = options.modules.preview;
    if (const int exit = open_preview(source, cancelled, request))
        return exit;
    if (!may_write(options, request))
        return exit_usage;
    request.texts = !options.diff.empty()            ? Keep::Everything
                    : options.passes && !source.json ? Keep::Nothing
                    : options.all                    ? Keep::Everything
                                                     : Keep::Last;
    if (options.structure)
        return lower_to_structure(options, request);
    PreviewResult result = preview(request);
    require_passes(options.diff, result);
    require_modules(source.file, "lower", result.modules_built, result);
    if (!options.out.empty())
        write_copy(options, request, result);
    else if (!source.json)
        print_text(text_of(options, result));
    return report_preview(source, result);
}

} // namespace

void add_lower(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("lower", "print the IR of a script's modules after the passes");
    LowerOptions& options = options_for(verb, chosen, lower);
    add_modules(verb, options.modules);
    const Argument after = verb.text("--after", options.modules.preview.stop_after, "PASS", "stop after this pass");
    const Argument all = verb.flag("--all", options.all, "after every pass that changed something").excludes(after);
    const Argument passes = verb.flag("--passes", options.passes, "list the passes with time and change marks");
    const Argument structure =
        verb.flag("--structure", options.structure,
                  "functions, loops, branches, tensors, barriers, copies and products of tiles as a tree; with --diff: "
                  "what changed")
            .excludes(all)
            .excludes(passes);
    const Argument cpu = verb.flag("--cpu", options.modules.preview.for_cpu,
                                   "for the CPU: kernels become loops over blocks and threads");
    const Argument diff = verb.texts("--diff", options.diff, "PASS PASS",
                                     "what changed from after one pass to after another; 'script': before all")
                              .takes(2)
                              .excludes(after)
                              .excludes(all)
                              .excludes(passes);
    verb.text("-o,--output", options.out, "OUT",
              "write the module to this file, to be changed by hand: 'run --replace KERNEL=OUT' goes on from there")
        .excludes(all)
        .excludes(passes)
        .excludes(structure)
        .excludes(cpu)
        .excludes(diff);
}

} // namespace hidet::cli
