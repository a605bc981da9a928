// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/block_text.h"
#include "app/cli/text/bounds_text.h"
#include "app/cli/text/document.h"
#include "app/cli/text/loops_text.h"
#include "app/cli/text/memory_text.h"
#include "app/cli/text/numbers.h"
#include "app/cli/text/picture_file.h"
#include "app/cli/text/script_lines.h"
#include "app/cli/text/shared_text.h"
#include "app/cli/text/waves_text.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/session/explain/explain.h"
#include "app/session/request/source.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr int most_fixes = 16; // of one call

struct ExplainOptions {
    SourceOptions source;
    PreviewOptions preview;
    std::string function;
    std::string arch;
    bool no_compile = false;
    bool no_fixes = false;
    bool waves = false;
    bool loops = false;
    bool shared = false;
    bool bounds = false;
    std::string block;
    bool memory = false;
    std::string svg;
    bool fix = false;
    std::string out; // where the script with the fixes goes; empty: to its place
};

std::string count_text(double count) {
    return count == std::floor(count) ? cat(static_cast<std::int64_t>(count)) : three_digits(count);
}

std::string vector_text(const AccessView& view) {
    if (view.lane_bytes == 0)
        return "";
    return view.vector > 1 ? cat(view.lane_bytes, " B, ", view.vector, " elements") : cat(view.lane_bytes, " B");
}

std::string traffic_text(const AccessView& view) {
    if (view.units == 0)
        return view.counted == "unknown" ? "not known" : "none";
    return view.units == view.least ? count_text(view.units)
                                    : cat(count_text(view.units), " for ", count_text(view.least));
}

// How it is known, and what is left of it in machine code.
std::string known_text(const AccessView& view) {
    std::vector<std::string> out;
    if (view.counted != "exact")
        out.push_back(cat(view.counted, ": ", view.why));
    if (view.held)
        out.push_back(cat(count_text(view.held->units), " if held in registers over ", join(view.held->over, ", ")));
    if (!view.note.empty())
        out.push_back(view.note);
    return join(out, "; ");
}

Cells row_of(const AccessView& view, const std::string& script) {
    return {{place_text(script, view.place), Align::Right},
            {cat(view.kind, view.tensor.empty() ? "" : " " + view.tensor)},
            {view.memory},
            {vector_text(view), Align::Right},
            {traffic_text(view), Align::Right},
            {view.units > 0 ? view.unit : ""},
            {known_text(view)},
            {view.address}};
}

std::string finding_text(const KernelFinding& finding, const std::string& script) {
    std::string out = cat(finding.place.known() ? cat(script, ":", finding.place.line, ": ") : "", finding.sentence,
                          finding.seconds > 0 ? cat(" (~", time_text(finding.seconds), ")") : "", "\n");
    if (!finding.cure.empty())
        out += cat("  cure: ", finding.cure, "\n");
    if (!finding.fixes.empty())
        out += cat("  fix: ", finding.fixes.back().title, ", which '--fix' does\n");
    return out;
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < extents.size(); ++d)
        if (d == 0 || extents[d] != 1 || (d == 1 && extents[2] != 1))
            parts.push_back(cat(extents[d]));
    return join(parts, " x ");
}

bool is_known(const std::vector<std::int64_t>& extents) {
    return std::ranges::all_of(extents, [](std::int64_t extent) { return extent > 0; });
}

std::string cost_text(const CostView& cost) {
    std::vector<Cells> rows;
    const auto row = [&](const char* what, const std::string& value) { rows.push_back({{what}, {value}}); };
    row("operations", flops_text(cost));
    row("global memory", cat(bytes_text(cost.requested_bytes), " requested, ", bytes_text(cost.sector_bytes),
                             " in sectors, ", bytes_text(cost.unique_bytes), " of arguments",
                             cost.bytes_unknown.empty() ? "" : cat("; ", cost.bytes_unknown)));
    row("shared memory", cat(bytes_text(cost.shared_bytes), " requested; a block has ",
                             bytes_text(static_cast<double>(cost.static_shared + cost.dynamic_shared))));
    row("registers", cost.facts ? registers_text(*cost.facts) : cat("not known: ", cost.facts_unknown));
    if (cost.occupancy && cost.occupancy->impossible.empty()) {
        row("occupancy", cat(cost.facts ? "" : "at most ", occupancy_text(*cost.occupancy)));
        if (cost.occupancy->waves > 0)
            row("waves", cat(waves_text(*cost.occupancy), ", of the last one ", percent_text(cost.tail), " idle"));
    } else if (cost.occupancy) {
        row("occupancy", "none: " + cost.occupancy->impossible);
    }
    row("predicted", predicted_text(cost));
    if (!cost.pipes.empty())
        row("busiest unit",
            cat(cost.pipes.front().name, ", ", three_digits(cost.pipes.front().cycles), " cycles a block"));
    if (cost.roofline.point)
        row("roofline",
            cat(three_digits(cost.roofline.point->intensity), " FLOP/B, predicted ",
                si_text(cost.roofline.point->flops_per_second, "FLOP/s"), " of ",
                si_text(attainable(cost.roofline.roofs, cost.roofline.point->intensity).value_or(0), "FLOP/s")));
    else
        row("roofline", "no point: " + cost.roofline.unknown);
    return columns_text(rows);
}

std::string kernel_text(const KernelExplained& kernel, const std::string& script, bool with_memory) {
    std::string out = cat("kernel '", kernel.name, "' for ", kernel.target);
    if (kernel.cost)
        out += cat(": grid ", is_known(kernel.cost->grid) ? extents_text(kernel.cost->grid) : "not known", ", block ",
                   extents_text(kernel.cost->block));
    out += kernel.sizes.empty() ? "\n" : cat("; ", kernel.sizes, " by the script's first call\n");
    std::vector<Cells> rows;
    for (const AccessView& view : kernel.accesses)
        rows.push_back(row_of(view, script));
    if (!rows.empty()) {
        rows.insert(rows.begin(), {{"line", Align::Right},
                                   {"access"},
                                   {"memory"},
                                   {"a lane", Align::Right},
                                   {"moves", Align::Right},
                                   {""},
                                   {"counted"},
                                   {"address in bytes"}});
        out += columns_text(rows);
    }
    for (const KernelFinding& finding : kernel.findings)
        out += finding_text(finding, script);
    if (kernel.cost)
        out += cost_text(*kernel.cost);
    if (with_memory)
        out += memory_text(memory_chart(kernel));
    out += loops_text(kernel, script);
    if (kernel.shared)
        out += shared_text(*kernel.shared, script);
    if (kernel.block)
        out += block_text(*kernel.block);
    if (kernel.bounds)
        out += bounds_text(*kernel.bounds, script);
    return kernel.waves ? out + waves_text(*kernel.waves) : out;
}

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
        !write_text(options.out.empty() ? options.source.file : options.out, request.preview.source.text, sink)) {
        result.status = Status::Environment;
        for (const Diagnostic& diagnostic : sink.all())
            result.diagnostics.push_back(view_of(diagnostic, SourceMap{}));
    }
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
    int exit = exit_fine;
    std::optional<PreviewRequest> preview = open_preview(options.source, options.preview, cancelled, exit);
    if (!preview)
        return exit;
    if (options.fix && options.source.file == "-" && options.out.empty()) {
        wrong_usage(DiagId::BadValue, "'--fix' changes a file, and standard input is none; '-o' names another");
        return exit_usage;
    }
    if (options.fix && preview->source.is_ir)
        return refuse_option("--fix", "a script", options.source.file), exit_usage;
    ExplainRequest request;
    request.preview = std::move(*preview);
    request.preview.function = options.function;
    request.preview.arch = options.arch;
    request.fixes = !options.no_fixes;
    request.waves = options.waves;
    request.loops = true; // for what is found
    request.shared = options.shared;
    request.bounds = options.bounds;
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
    add_preview(verb, options.preview);
    verb.text("--function", options.function, "F", "this kernel only");
    add_arch(verb, options.arch);
    verb.flag("--no-compile", options.no_compile, "ask no compiler, so that registers are not known");
    verb.flag("--loops", options.loops, "what limits each loop, and which edits would raise that limit");
    verb.flag("--waves", options.waves, "which blocks run together, and what they share in the second-level cache");
    verb.text("--block", options.block, "N|X,Y,Z",
              "which elements of each operand this block, by its number or its index, reads and writes");
    verb.flag("--shared", options.shared,
              "from which line to which each shared tensor is in use, and the most at a time");
    verb.flag("--bounds", options.bounds,
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
