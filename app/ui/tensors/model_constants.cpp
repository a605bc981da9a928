// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/tensors/model_constants.h"

#include <algorithm>

#include "app/session/model/view/constant_tensor.h"

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

// In the shown graph, or in the last one that has it.
std::pair<const session::ModelGraph*, const session::GraphValue*> constant(const LiveModel& model, quint32 id) {
    const auto in = [id](const session::ModelGraph* graph) {
        const session::GraphValue* value = graph ? graph->value(id) : nullptr;
        return value && value->is_constant ? value : nullptr;
    };
    if (const session::GraphValue* here = in(model.graph()))
        return {model.graph(), here};
    for (std::size_t i = model.snapshot() ? model.snapshot()->graphs.size() : 0; i-- > 0;)
        if (const session::GraphValue* there = in(model.snapshot()->graphs[i].get()))
            return {model.snapshot()->graphs[i].get(), there};
    return {};
}

const session::GraphNode* selectedNode(const LiveModel& model) {
    if (model.selected().kind != GraphItem::Kind::Node || !model.snapshot())
        return nullptr;
    if (const session::GraphNode* here = model.graph() ? model.graph()->node(model.selected().node) : nullptr)
        return here;
    const auto& graphs = model.snapshot()->graphs;
    for (std::size_t i = graphs.size(); i-- > 0;)
        if (const session::GraphNode* there = graphs[i]->node(model.selected().node))
            return there;
    return nullptr;
}

} // namespace

QList<TensorEntry> constantsOf(const LiveModel& model) {
    std::vector<std::uint32_t> ids;
    if (const session::GraphNode* node = selectedNode(model))
        ids = node->inputs;
    else if (model.selected().kind == GraphItem::Kind::Value || model.selected().kind == GraphItem::Kind::Edge)
        ids = {model.selected().value};
    std::vector<std::pair<double, TensorEntry>> found;
    for (const std::uint32_t id : ids)
        if (const auto [graph, value] = constant(model, id); value)
            found.emplace_back(-value->bytes.value_or(0), constantEntry(*graph, *value));
    std::ranges::stable_sort(found, {}, &std::pair<double, TensorEntry>::first);
    QList<TensorEntry> out;
    for (const auto& [size, entry] : found)
        out << entry;
    return out;
}

bool isConstantSelected(const LiveModel& model) {
    return model.selected().kind == GraphItem::Kind::Value && constant(model, model.selected().value).second;
}

} // namespace hidet::ui
