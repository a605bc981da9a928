// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <map>
#include <set>

#include "app/session/model/compare/graph_changes.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/inspector/inspector_parts.h"
#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

namespace {

QString kindOf(const session::GraphBoxGroup& group) {
    const QString kinds[] = {tr("Model"), tr("Module"), tr("%1 equal blocks").arg(group.count),
                             tr("Block"), tr("Kernel"), tr("Part")}; // as BoxGroupKind
    return kinds[std::size_t(group.kind)];
}

struct Totals {
    double flops = 0, bytes = 0, predicted = 0, measured = 0;
    bool isMeasured = false;
    std::set<quint32> kernels;
    std::map<std::string, std::size_t> operators;
};

Totals totalsOf(const InspectorSource& source, const std::vector<quint32>& nodes) {
    Totals out;
    for (const quint32 id : nodes) {
        const session::GraphNode* node = source.graph().node(id);
        if (!node)
            continue;
        ++out.operators[node->op];
        out.flops += node->flops.value_or(0);
        out.bytes += node->bytes.value_or(0);
        if (source.kernels)
            for (const quint32 kernel : source.kernels->of(id))
                out.kernels.insert(kernel);
    }
    for (const quint32 kernel : out.kernels) {
        const session::KernelFigures& figures = source.kernels->rows()[kernel];
        out.predicted += figures.predicted;
        out.measured += figures.measured.value_or(0);
        out.isMeasured |= figures.measured.has_value();
    }
    return out;
}

QList<InspectorRow> operatorRows(const Totals& totals) {
    std::vector<std::pair<std::string, std::size_t>> kinds(totals.operators.begin(), totals.operators.end());
    std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return listOf(kinds, [](const auto& kind) { return fact(text(kind.first), QString::number(kind.second)); });
}

// What the passes have made in the group and taken out of it; what is gone is shown in the graph as it was imported.
QList<InspectorRow> changeRows(const InspectorSource& source, const session::GroupingOptions& grouping,
                               const session::GraphBoxes& boxes, quint32 place) {
    if (source.shown <= 0)
        return {};
    const session::GraphChanges changes = session::changes_between(*source.snapshot, 0, std::size_t(source.shown));
    const session::FoldedChanges folded =
        session::folded(changes, boxes, source.snapshot->graphs.front()->boxes(grouping).get());
    QList<InspectorRow> rows;
    for (const quint32 node : nodesInGroup(boxes, place))
        if (const session::PairState state = changes.state_of(node); state != session::PairState::Same)
            rows << nodeRow(source, state == session::PairState::New ? tr("Made") : tr("Rewired"), node, source.shown);
    for (std::size_t i = 0; i < changes.gone.size(); ++i)
        if (isInGroup(boxes, folded.home[i], place))
            rows << nodeRow(source, tr("Removed"), changes.gone[i], 0);
    return shortened(rows);
}

} // namespace

Inspector inspectorOfGroup(const InspectorSource& source, const session::GroupingOptions& grouping, drawing::Key key) {
    Inspector inspector;
    const auto boxes = source.graph().boxes(grouping);
    const quint32 place = groupOf(*boxes, key);
    if (place == session::no_id)
        return inspector;
    const session::GraphBoxGroup& group = boxes->groups[place];
    const std::vector<quint32> nodes = nodesInGroup(*boxes, place);
    const Totals totals = totalsOf(source, nodes);
    inspector.title = text(group.name);
    inspector.subtitle = kindOf(group);
    if (inspector.title.isEmpty())
        inspector.title = inspector.subtitle;
    QList<InspectorRow> rows{fact(tr("Operators"), QString::number(nodes.size()))};
    if (!totals.kernels.empty())
        rows << fact(tr("Kernels"), QString::number(totals.kernels.size()));
    if (totals.flops > 0)
        rows << figure(tr("Operations"), totals.flops, "FLOP");
    if (totals.bytes > 0)
        rows << figure(tr("Memory"), totals.bytes, "B");
    if (totals.predicted > 0)
        rows << predicted(source, tr("Predicted"), totals.predicted);
    if (totals.isMeasured)
        rows << measured(source, tr("Measured"), totals.measured, "s");
    addSection(inspector, tr("Totals"), rows);
    addSection(inspector, tr("Since the import"), changeRows(source, grouping, *boxes, place));
    if (group.kind == session::BoxGroupKind::Kernel && group.kernel != session::no_id) {
        addKernel(inspector, source, group.kernel);
        return inspector;
    }
    addSection(inspector, tr("What it holds"), operatorRows(totals));
    rows.clear();
    for (const quint32 node : nodes)
        rows << nodeRow(source, text(source.graph().node(node)->op), node, source.shown);
    addSection(inspector, tr("Operators"), rows);
    return inspector;
}

} // namespace hidet::ui
