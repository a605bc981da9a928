// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/code/code_target.h"

#include <algorithm>

#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

quint32 successorOf(const session::ModelSnapshot& snapshot, int graph, quint32 node) {
    const session::ModelGraph* last = snapshot.last();
    if (!last || last->node(node))
        return last ? node : session::no_id;
    QSet<quint32> heirs{node};
    for (std::size_t i = static_cast<std::size_t>(std::max(0, graph)) + 1; i < snapshot.graphs.size(); ++i)
        for (const auto& each : snapshot.graphs[i]->nodes)
            if (std::any_of(each->replaces.begin(), each->replaces.end(),
                            [&](quint32 replaced) { return heirs.contains(replaced); }))
                heirs.insert(each->id);
    for (const auto& each : last->nodes)
        if (heirs.contains(each->id))
            return each->id;
    return session::no_id;
}

QList<quint32> nodesOf(const session::ModelGraph& graph, const session::GroupingOptions& grouping, drawing::Key group) {
    const auto boxes = graph.boxes(grouping);
    if (!boxes)
        return {};
    const quint32 place = groupOf(*boxes, group);
    if (place == session::no_id)
        return {};
    QList<quint32> nodes;
    if (const quint32 kernel = boxes->groups[place].kernel; kernel < graph.kernels.size())
        nodes << graph.kernels[kernel].anchor;
    for (const quint32 node : nodesInGroup(*boxes, place))
        if (node != nodes.value(0, session::no_id))
            nodes << node;
    return nodes;
}

static CodeTarget ofNode(const LiveModel& model, const session::ModelCode& code, quint32 selected) {
    CodeTarget target;
    target.node = successorOf(*model.graphs().snapshot(), model.graphs().shownNumber(), selected);
    if (target.node == session::no_id)
        return {.title = CodeTarget::tr("No code"),
                .text = CodeTarget::tr("This operator is not in the graph that is run: a pass took it away")};
    target.place = code.place_of(target.node);
    if (target.place)
        return target;
    target.title = CodeTarget::tr("No kernel");
    target.text = code.runs_on_host(target.node)
                      ? CodeTarget::tr("This operator runs on the host, in a function of its own")
                      : CodeTarget::tr("This operator moves nothing: its result is its input under another shape");
    return target;
}

CodeTarget targetOf(const LiveModel& model, const session::ModelCode& code) {
    const GraphItem& item = model.selection().selected();
    const session::ModelGraph* graph = model.graphs().shown();
    switch (item.kind) {
    case GraphItem::Kind::Node:
    case GraphItem::Kind::Edge: return ofNode(model, code, item.node);
    case GraphItem::Kind::Value: {
        const session::GraphValue* value = graph ? graph->value(item.value) : nullptr;
        if (value && value->producer != session::no_id)
            return ofNode(model, code, value->producer);
        return {.title = CodeTarget::tr("No code"),
                .text = value && value->is_constant
                            ? CodeTarget::tr("This is a constant; the operators that read it have code")
                            : CodeTarget::tr("This is an input of the model; the operators that read it have code")};
    }
    case GraphItem::Kind::Group:
    case GraphItem::Kind::None: break;
    }
    return {.title = CodeTarget::tr("The code of the selected operator will appear here"),
            .text = CodeTarget::tr("Select an operator in the graph")};
}

CodeTarget targetOf(const LiveModel& model, const session::ModelCode& code, const QList<quint32>& nodes) {
    for (quint32 node : nodes)
        if (CodeTarget target = ofNode(model, code, node); target.place)
            return target;
    return nodes.isEmpty() ? targetOf(model, code) : ofNode(model, code, nodes.first());
}

} // namespace hidet::ui
