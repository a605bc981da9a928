// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "app/session/figure/html.h"
#include "app/session/figure/svg.h"
#include "app/session/kernel_bench/history.h"
#include "app/session/picture/pictures.h"
#include "app/session/report/graph_part.h"
#include "app/session/report/kernel_part.h"
#include "app/session/report/report.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

struct LineNote {
    std::string text;
    bool is_bad = false;
};
using LineNotes = std::map<int, std::vector<LineNote>>;

// What is said of each line of the script: its accesses, contracts and findings.
LineNotes notes_of(const ScriptReport& report) {
    LineNotes out;
    const auto note = [&](const Place& place, std::string text, bool is_bad) {
        if (place.known() && place.file == report.source.name)
            out[place.line].push_back({std::move(text), is_bad});
    };
    for (const KernelExplained& kernel : report.explained.kernels)
        for (const AccessView& view : kernel.accesses) {
            const std::string what =
                cat(view.kind, view.tensor.empty() ? "" : cat(" ", view.tensor), " (", view.memory, "): ");
            note(view.place, what + (view.finding.empty() ? view.verdict : cat(view.finding, "; ", view.cure)),
                 !view.finding.empty());
        }
    for (const ContractView& view : report.contracts.contracts)
        note(view.place, cat(contract_state_name(view.state), ": ", view.text, ", ", view.sentence),
             view.state != ContractState::Kept);
    if (report.run)
        for (const DiagnosticView& diagnostic : report.run->diagnostics)
            note(diagnostic.place, diagnostic.message, true);
    return out;
}

void add_source(Page& page, const ScriptReport& report) {
    page.heading("The script");
    const LineNotes notes = notes_of(report);
    std::string rows;
    int number = 0;
    std::string text = report.source.text;
    if (text.ends_with('\n'))
        text.pop_back();
    for (const std::string& line : split(text, '\n')) {
        ++number;
        rows += cat("<tr><td class=\"number\">", number, "</td><td class=\"code\">", escaped(line),
                    "</td><td class=\"note\">");
        if (const auto of_line = notes.find(number); of_line != notes.end())
            for (const LineNote& note : of_line->second)
                rows += cat("<div", note.is_bad ? " class=\"bad\"" : "", ">", escaped(note.text), "</div>");
        rows += "</td></tr>\n";
    }
    page.raw(cat("<table class=\"source\">\n", rows, "</table>\n"));
}

void add_pipeline(Page& page, const TimelineView& timeline) {
    page.subheading("Pipeline");
    page.figure(picture_of(timeline));
    Table table{{"line", "who waits", "times", "steps a warp", "of all", "for what"}};
    for (const TimelineBubble& bubble : timeline.bubbles)
        table.add({bubble.place.line, cat("those that ", bubble.role), bubble.times,
                   bubble.steps / std::max(bubble.warps, 1), Cell(percent_text(bubble.share), bubble.share),
                   bubble.reason},
                  bubble.place);
    if (timeline.bubbles.empty())
        page.paragraph("Nobody waits.");
    else
        page.table(table);
}

void add_verdict(Page& page, const ScriptReport& report) {
    page.heading("Verdict");
    if (!report.run)
        page.paragraph("The script was not run for this page.", "faint");
    else if (report.run->status == Status::Ok)
        page.paragraph(report.run->summary.launches > 0
                           ? "The script ran on the emulator, which looked at every access and found nothing."
                           : "The script ran, and launched no kernel.",
                       "good");
    else
        for (const DiagnosticView& diagnostic : report.run->diagnostics)
            page.paragraph(cat(diagnostic.place.file, ":", diagnostic.place.line, ": ", diagnostic.message), "bad");
    if (report.runs.empty())
        return;
    Table table{{"when", "function", "shapes", "where", "verdict", "median", "of the roof"}};
    for (const RunRecord& run : report.runs)
        table.add({run.when, run.function, run.shapes, run.where, run.sentence,
                   run.times ? Cell(time_text(run.times->median), run.times->median) : Cell(""),
                   run.roofline ? Cell(percent_text(*run.roofline), *run.roofline) : Cell("")});
    page.table(table);
}

void add_contracts(Page& page, const ContractResult& contracts) {
    if (contracts.contracts.empty())
        return;
    page.heading("Contracts");
    Table table{{"line", "kernel", "", "contract", ""}};
    for (const ContractView& view : contracts.contracts)
        table.add({view.place.line, view.kernel, contract_state_name(view.state), view.text, view.sentence},
                  view.place);
    page.table(table);
}

void add_stages(Page& page, const PreviewResult& preview) {
    page.heading("Stages");
    bool has_any = false;
    for (const ModuleSnapshot& module : preview.modules)
        for (const auto& form : module.forms) {
            page.folded(cat(form->name, preview.modules.size() > 1 ? cat(" of module ", module.number) : "",
                            form->compiler.empty() ? "" : cat(", by ", form->compiler)),
                        form->text.text);
            has_any = true;
        }
    if (!has_any)
        page.paragraph("None could be made.", "faint");
}

} // namespace

std::string page_of(const ScriptReport& report) {
    Page page(report.source.name.substr(report.source.name.rfind('/') + 1));
    const std::string target = report.explained.kernels.empty() ? "" : report.explained.kernels.front().target;
    if (!target.empty())
        page.paragraph(cat("Figures are for ", target, "."));
    else if (report.graphs.empty())
        page.paragraph("No kernel was found.");
    for (const DiagnosticView& diagnostic : report.preview.diagnostics)
        page.paragraph(cat(diagnostic.place.file, ":", diagnostic.place.line, ": ", diagnostic.message), "bad");
    add_verdict(page, report);
    add_contracts(page, report.contracts);
    add_source(page, report);
    for (const KernelExplained& kernel : report.explained.kernels) {
        add_kernel(page, kernel);
        if (report.run)
            for (const TimelineView& timeline : report.run->summary.timelines)
                if (timeline.kernel == kernel.name)
                    add_pipeline(page, timeline);
    }
    for (std::size_t i = 0; i < report.graphs.size(); ++i)
        add_graph(page, *report.graphs[i], report.graphs.size() == 1 ? "Graph" : cat("Graph ", i + 1));
    if (!report.preview.modules.empty() || report.graphs.empty())
        add_stages(page, report.preview);
    return page.text();
}

Result<std::vector<RunRecord>> last_runs(const std::string& path, const std::string& text) {
    History history(path);
    if (const Result<void> loaded = history.load_existing(); !loaded)
        return loaded.error();
    const std::string hash = hash_text(text);
    std::map<std::string, RunRecord> last;
    for (const RunRecord& run : history.runs())
        if (run.hash == hash)
            last[cat(run.module, "|", run.function, "|", run.shapes, "|", run.where)] = run;
    return transformed(last, [](auto& each) { return std::move(each.second); });
}

} // namespace hidet::session
