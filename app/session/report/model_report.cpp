// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/html.h"
#include "app/session/report/graph_part.h"
#include "app/session/report/report.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

void add_facts(Page& page, const ModelFacts& facts) {
    Table table{{"", ""}};
    table.add({"for", facts.target});
    table.add({"inputs", tensors_text(facts.inputs)});
    table.add({"outputs", tensors_text(facts.outputs)});
    table.add({"operators", cat(facts.nodes, " of ", facts.imported_nodes, " imported")});
    table.add({"kernels of a run", cat(facts.launched(), ", of ", facts.programs, " different programs")});
    table.add({"weights", bytes_text(facts.weight_bytes)});
    table.add({"memory between kernels", facts.arena_bytes ? bytes_text(static_cast<double>(*facts.arena_bytes))
                                                           : cat("depends on ", join(facts.symbols, ", "))});
    page.table(table);
}

void add_times(Page& page, const ModelBenchResult& measured) {
    page.heading("Times");
    page.paragraph(cat(time_text(measured.times.median), ", the median of ", measured.times.count, " runs, on ",
                       measured.where, measured.is_emulated ? ", emulated" : "", "."));
    Table table{{"step", "kernel", "operators", "median", "of all"}};
    double all = 0;
    for (const ModelStepRow& step : measured.steps)
        all += step.seconds;
    for (std::size_t i = 0; i < measured.steps.size(); ++i) {
        const ModelStepRow& step = measured.steps[i];
        const double share = all > 0 ? step.seconds / all : 0;
        table.add({i, step.kernel, join(step.nodes, ", "), Cell(time_text(step.seconds), step.seconds),
                   Cell(percent_text(share), share)});
    }
    page.table(table);
}

} // namespace

std::string page_of(const ModelReport& report) {
    const ModelFacts& facts = report.compiled.facts;
    Page page(facts.name.empty() ? "model" : facts.name);
    for (const DiagnosticView& diagnostic : report.compiled.diagnostics)
        page.paragraph(diagnostic.message, "bad");
    add_facts(page, facts);
    if (report.measured)
        add_times(page, *report.measured);
    page.heading("Kernels");
    Table kernels{{"kernel", "operators", "template", "launches"}};
    for (const ModelKernel& kernel : report.compiled.kernels)
        kernels.add({kernel.name, join(kernel.nodes, ", "), kernel.schedule.empty() ? "by the rules" : kernel.schedule,
                     kernel.launches});
    page.table(kernels);
    if (!facts.refused.empty()) {
        page.subheading("Edges that were not fused");
        Table refused{{""}};
        for (const std::string& edge : facts.refused)
            refused.add({edge});
        page.table(refused);
    }
    add_graph(page, *report.view, "Graph");
    page.folded("operators after the passes", report.graph);
    return page.text();
}

} // namespace hidet::session
