// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/number_table.h"

#include <algorithm>

#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

const ModelGraph* graph_named(const ModelSnapshot& snapshot, const std::string& pass) {
    if (pass.empty())
        return snapshot.last();
    for (auto graph = snapshot.graphs.rbegin(); graph != snapshot.graphs.rend(); ++graph)
        if ((*graph)->pass == pass)
            return graph->get();
    return nullptr;
}

std::string passes_of(const ModelSnapshot& snapshot) {
    return join(transformed(snapshot.graphs, [](const auto& graph) { return graph->pass; }), ", ");
}

void fill_table(NumberTable& out, const Overlay& overlay, const ModelGraph& graph) {
    out.title = overlay.title;
    out.unit = overlay.unit;
    out.unmatched = overlay.unmatched;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        out.rows.push_back({graph.nodes[i]->name, graph.nodes[i]->op, overlay.nodes[i].value,
                            overlay.nodes[i].value ? overlay.nodes[i].text : "no number"});
}

} // namespace

NumberTable numbers_of_model(const NumberTableRequest& request) {
    NumberTable out;
    Result<NumberFile> file = read_number_file(request.numbers);
    if (!file) {
        out.refusal = file.error().message;
        out.status = Status::UserMistake;
        return out;
    }
    ModelViewRequest view;
    static_cast<ModelRequest&>(view) = request;
    const SnapshotPtr snapshot = view_model(view);
    static_cast<Outcome&>(out) = *snapshot;
    if (snapshot->graphs.empty())
        return out;
    const ModelGraph* graph = graph_named(*snapshot, request.after);
    if (!graph) {
        out.refusal = cat("the graph was not changed by '", request.after, "'; there are ", passes_of(*snapshot));
        out.status = Status::WrongUsage;
        return out;
    }
    ModelFindings findings;
    findings.numbers = std::make_shared<const NumberFile>(std::move(file).value());
    fill_table(out, overlay_of(*snapshot, *graph, findings, OverlayKind::Numbers), *graph);
    return out;
}

std::string number_table_text(const NumberTable& table) {
    std::size_t name = 0, op = 0;
    for (const NumberRow& row : table.rows) {
        name = std::max(name, row.name.size());
        op = std::max(op, row.op.size());
    }
    std::string out = table.title + "\n";
    for (const NumberRow& row : table.rows)
        out += cat("  ", row.name, std::string(name - row.name.size() + 2, ' '), row.op,
                   std::string(op - row.op.size() + 2, ' '), row.text, "\n");
    const auto without = std::ranges::count_if(table.rows, [](const NumberRow& row) { return !row.value; });
    if (without > 0)
        out += cat(without == 1 ? std::string("1 operator") : cat(without, " operators"), " without a number\n");
    for (const std::string& each : table.unmatched)
        out += cat("no operator and no kernel is called '", each, "'\n");
    return out;
}

} // namespace hidet::session
