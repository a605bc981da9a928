// SPDX-License-Identifier: Apache-2.0
#include "app/session/report/graph_part.h"
#include "app/session/report/html.h"
#include "app/session/report/report.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string tensors_text(const std::vector<ModelTensor>& tensors) {
    std::vector<std::string> parts;
    for (const ModelTensor& tensor : tensors)
        parts.push_back(cat(tensor.name, ": ", tensor.dtype, tensor.shape));
    return join(parts, ", ");
}

void add_facts(Page& page, const ModelFacts& facts) {
    page.table({{"", ""},
                {"for", facts.target},
                {"inputs", tensors_text(facts.inputs)},
                {"outputs", tensors_text(facts.outputs)},
                {"operators", cat(facts.nodes, " of ", facts.imported_nodes, " imported")},
                {"kernels of a run", cat(facts.launched(), ", of ", facts.programs, " different programs")},
                {"weights", bytes_text(facts.weight_bytes)},
                {"memory between kernels", facts.arena_bytes ? bytes_text(static_cast<double>(*facts.arena_bytes))
                                                             : cat("depends on ", join(facts.symbols, ", "))}});
}

void add_times(Page& page, const ModelBenchResult& measured) {
    page.heading("Times");
    page.paragraph(cat(time_text(measured.times.median), ", the median of ", measured.times.count, " runs, on ",
                       measured.where, measured.is_emulated ? ", emulated" : "", "."));
    std::vector<std::vector<std::string>> rows = {{"step", "kernel", "operators", "median", "of all"}};
    double all = 0;
    for (const ModelStepRow& step : measured.steps)
        all += step.seconds;
    for (std::size_t i = 0; i < measured.steps.size(); ++i) {
        const ModelStepRow& step = measured.steps[i];
        rows.push_back({std::to_string(i), step.kernel, join(step.nodes, ", "), time_text(step.seconds),
                        percent_text(all > 0 ? step.seconds / all : 0)});
    }
    page.table(rows);
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
    std::vector<std::vector<std::string>> rows = {{"kernel", "operators", "template", "launches"}};
    for (const ModelKernel& kernel : report.compiled.kernels)
        rows.push_back({kernel.name, join(kernel.nodes, ", "),
                        kernel.schedule.empty() ? "by the rules" : kernel.schedule, std::to_string(kernel.launches)});
    page.table(rows);
    if (!facts.refused.empty()) {
        page.subheading("Edges that were not fused");
        std::vector<std::vector<std::string>> refused = {{""}};
        for (const std::string& edge : facts.refused)
            refused.push_back({edge});
        page.table(refused);
    }
    add_graph(page, *report.view, "Graph");
    page.folded("operators after the passes", report.graph);
    return page.text();
}

} // namespace hidet::session
