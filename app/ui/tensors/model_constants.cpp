// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/model_constants.h"

#include <algorithm>

#include "app/session/model/view/constant_tensor.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

namespace {

TensorEntry constantEntry(const session::ModelGraph& graph, const session::GraphValue& value) {
    TensorEntry out;
    out.name = value.name.empty() ? "%" + QString::number(value.id) : QString::fromStdString(value.name);
    out.dtype = QString::fromStdString(value.dtype);
    out.shape = QString::fromStdString(value.shape);
    if (const auto tensor = session::tensor_of_constant(graph, value.id))
        out.held = tensor.value();
    else
        out.refusal = QString::fromStdString(tensor.error().message);
    return out;
}

// The shown graph, or the last one that has it; null: none.
template <class Has>
const session::ModelGraph* graphOf(const LiveModel& model, const Has& has) {
    const int graph =
        model.graphs().snapshot() ? graphThat(*model.graphs().snapshot(), model.graphs().shownNumber(), has) : -1;
    return graph < 0 ? nullptr : model.graphs().snapshot()->graphs[std::size_t(graph)].get();
}

std::pair<const session::ModelGraph*, const session::GraphValue*> constant(const LiveModel& model, quint32 id) {
    const session::ModelGraph* graph = graphOf(model, [id](const session::ModelGraph& each) {
        const session::GraphValue* value = each.value(id);
        return value && value->is_constant;
    });
    return {graph, graph ? graph->value(id) : nullptr};
}

const session::GraphNode* selectedNode(const LiveModel& model) {
    const quint32 id =
        model.selection().selected().kind == GraphItem::Kind::Node ? model.selection().selected().node : session::no_id;
    const session::ModelGraph* graph = graphOf(model, [id](const session::ModelGraph& each) { return each.node(id); });
    return graph ? graph->node(id) : nullptr;
}

} // namespace

QList<TensorEntry> constantsOf(const LiveModel& model) {
    std::vector<std::uint32_t> ids;
    if (const session::GraphNode* node = selectedNode(model))
        ids = node->inputs;
    else if (model.selection().selected().kind == GraphItem::Kind::Value ||
             model.selection().selected().kind == GraphItem::Kind::Edge)
        ids = {model.selection().selected().value};
    std::vector<std::pair<double, TensorEntry>> found;
    for (const std::uint32_t id : ids)
        if (const auto [graph, value] = constant(model, id); value)
            found.emplace_back(-value->bytes.value_or(0), constantEntry(*graph, *value));
    std::ranges::stable_sort(found, {}, &std::pair<double, TensorEntry>::first);
    return listOf(found, [](const auto& each) { return each.second; });
}

bool isConstantSelected(const LiveModel& model) {
    return model.selection().selected().kind == GraphItem::Kind::Value &&
           constant(model, model.selection().selected().value).second;
}

} // namespace hidet::ui
