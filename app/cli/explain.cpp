// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/kernel_text.h"
#include "app/cli/text/numbers.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/session/explain/explain.h"
#include "app/session/request/source.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr int most_fixes = 16; // of one call

struct ExplainOptions {
    SourceOptions source;
    ExplainRequest request;
    bool no_compile = false;
    bool no_fixes = false;
    bool loops = false;
    std::string block;
    bool memory = false;
    std::string svg;
    bool fix = false;
    std::string out; // where the script with the fixes goes; empty: to its place
};

std::string total_text(const LaunchTotal& total) {
    return cat("a call of '", total.function, "' launches ", count_text(total.launches), " kernels: predicted ",
               total.at_least.empty() ? "" : "at least ", time_text(total.predicted_seconds),
               total.at_least.empty() ? "" : cat("; ", at_least_text(total.at_least)), "\n");
}

const AccessView* first_fix(const ExplainResult& result) {
    for (const KernelExplained& kernel : result.kernels)
        for (const AccessView& view : kernel.accesses)
            if (!view.fixes.empty())
                return &view;
    return nullptr;
}

// Applies one fix after the other, since each changes what the next one is of.
ExplainResult fixed(ExplainRequest& request, const ExplainOptions& options) {
    ExplainResult result = explain(request);
    bool has_changed = false;
    for (int i = 0; i < most_fixes && result.status == Status::Ok; ++i) {
        const AccessView* view = first_fix(result);
        const auto text = view ? with_edits(request.preview.source, view->fixes) : std::nullopt;
        if (!text)
            break;
        print_note(cat(view->place.file, ":", view->place.line, ": ", view->fixes.back().title));
        request.preview.source.text = *text;
        has_changed = true;
        result = explain(request);
    }
    DiagnosticSink sink;
    if ((has_changed || !options.out.empty()) && result.status == Status::Ok &&
        !write_text(options.out.empty() ? options.source.file : options.out, request.preview.source.text, sink))
        refuse(result, Status::Environment, sink);
    return result;
}

// Accesses with something to cure, or all where there is none; the roofline, and waves where they were asked for.
std::vector<Scene> pictures_of(const ExplainResult& result) {
    std::vector<Scene> out;
    for (const KernelExplained& kernel : result.kernels) {
        const bool has_findings =
            std::ranges::any_of(kernel.accesses, [](const AccessView& view) { return !view.finding.empty(); });
        for (const AccessView& view : kernel.accesses)
            if (!view.lanes.offsets.empty() && (!has_findings || !view.finding.empty()))
                out.push_back(picture_of(view));
        if (kernel.cost)
            out.push_back(picture_of(kernel.cost->roofline));
        if (kernel.waves && kernel.waves->unknown.empty())
            out.push_back(picture_of(*kernel.waves));
    }
    return out;
}

int explain_script(const ExplainOptions& options, const Cancelled& cancelled) {
    ExplainRequest request = options.request;
    if (const int exit = open_preview(options.source, cancelled, request.preview))
        return exit;
    if (options.fix && options.source.file == "-" && options.out.empty())
        return refuse_usage("'--fix' changes a file, and standard input is none; '-o' names another");
    if (options.fix && request.preview.source.is_ir)
        return refuse_option("--fix", "a script", options.source.file), exit_usage;
    request.fixes = !options.no_fixes;
    request.loops = true; // for what is found
    if (!options.block.empty() && !read_block(options.block, request.block.emplace()))
        return exit_usage;
    if (!options.no_compile)
        request.preview.tools = open_confined_tools();
    ExplainResult result = options.fix ? fixed(request, options) : explain(request);
    if (!options.loops)
        for (KernelExplained& kernel : result.kernels)
            kernel.loops.clear();
    require_modules(options.source.file, "explain", result.modules_built, result);
    if (!write_pictures(options.svg, pictures_of(result)))
        return exit_environment;
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] {
            std::vector<std::string> texts;
            for (const KernelExplained& kernel : result.kernels)
                texts.push_back(kernel_text(kernel, request.preview.source.name, options.memory));
            for (const LaunchTotal& total : result.totals)
                texts.push_back(total_text(total));
            return join(texts, "\n");
        });
}

} // namespace

void add_explain(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("explain", "say what each access of a kernel costs, and what the whole does");
    ExplainOptions& options = options_for(verb, chosen, explain_script);
    add_source(verb, options.source);
    add_preview(verb, options.request.preview);
    verb.text("--function", options.request.preview.function, "F", "this kernel only");
    add_arch(verb, options.request.preview.arch);
    verb.flag("--no-compile", options.no_compile, "ask no compiler, so that registers are not known");
    verb.flag("--loops", options.loops, "what limits each loop, and which edits would raise that limit");
    verb.flag("--waves", options.request.waves,
              "which blocks run together, and what they share in the second-level cache");
    verb.text("--block", options.block, "N|X,Y,Z",
              "which elements of each operand this block, by its number or its index, reads and writes");
    verb.flag("--shared", options.request.shared,
              "from which line to which each shared tensor is in use, and the most at a time");
    verb.flag("--bounds", options.request.bounds,
              "whether each access stays within its tensor: proved, a thread that leaves, or why it is not decided");
    verb.flag("--memory", options.memory, "what passes between the levels of memory, from the device's to registers");
    const Argument no_fixes =
        verb.flag("--no-fixes", options.no_fixes, "look for no fixes, each of which is tried on the script");
    add_svg(verb, options.svg);
    const Argument fix =
        verb.flag("--fix", options.fix, "change the script: apply the fixes that are offered").excludes(no_fixes);
    verb.text("-o,--output", options.out, "OUT", "with --fix: write the changed script to this file").needs(fix);
}

} // namespace hidet::cli
