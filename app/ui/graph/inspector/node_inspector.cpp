// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/inspector/node_inspector.h"

#include <QFileInfo>

#include "app/session/model/view/operator_help.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/inspector/inspector_parts.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

class NodeInspector {
public:
    NodeInspector(const InspectorSource& source, const session::GraphNode& node, int graph)
        : m_source(source), m_node(node), m_graph(*source.snapshot->graphs[std::size_t(graph)]), m_place(graph) {}

    Inspector make() {
        m_inspector.title = nameOf(m_node);
        m_inspector.subtitle =
            QString("%1, %2").arg(text(m_node.op), QString(session::title_of(m_node.family)).toLower());
        if (m_place != m_source.shown)
            m_inspector.subtitle += ", " + tr("in the graph after '%1'").arg(text(m_graph.title));
        if (const auto help = session::help_of_operator(m_node.op)) {
            m_inspector.text = text(help->summary);
            m_call = text(help->call);
        } else {
            m_inspector.text = tr("An operator that a script defines");
        }
        addAttributes();
        addSection(m_inspector, tr("Inputs"), inputs());
        addSection(m_inspector, tr("Outputs"), outputs());
        addSection(m_inspector, tr("Constants"), m_constants);
        addSection(m_inspector, tr("Cost"), costs());
        addKernels();
        addSection(m_inspector, tr("Origin"), origin());
        return std::move(m_inspector);
    }

private:
    void addAttributes() {
        addSection(m_inspector, tr("Attributes"), listOf(m_node.attributes, [](const auto& each) {
                       return fact(text(each.first), text(each.second));
                   }));
    }

    // "relu_3" of a row whose name is that of the value.
    QList<InspectorRow> inputs() {
        QList<InspectorRow> rows;
        for (const std::uint32_t id : m_node.inputs) {
            const session::GraphValue* value = m_graph.value(id);
            if (!value)
                continue;
            if (value->is_constant) {
                m_constants << constantRow(*value);
                continue;
            }
            InspectorRow row = rowOf(*value);
            if (value->producer != session::no_id)
                row.rows << nodeRow(m_source, tr("from"), value->producer, m_place);
            else
                row.value += ", " + tr("input of the model");
            rows << row;
        }
        return rows;
    }

    QList<InspectorRow> outputs() const {
        QList<InspectorRow> rows;
        for (const std::uint32_t id : m_node.outputs) {
            const session::GraphValue* value = m_graph.value(id);
            if (!value)
                continue;
            InspectorRow row = rowOf(*value);
            if (value->is_output)
                row.value += ", " + tr("output of the model");
            for (const std::uint32_t consumer : value->consumers)
                row.rows << nodeRow(m_source, tr("to"), consumer, m_place);
            row.rows = shortened(row.rows);
            rows << row;
        }
        return rows;
    }

    InspectorRow rowOf(const session::GraphValue& value) const {
        const QString name = nameOf(value), type = typeOf(value);
        return {.name = name,
                .value = type,
                .hint = QString("%1: %2").arg(name, type),
                .link = {GraphItem::ofValue(value.id), m_place == m_source.shown ? -1 : m_place, {}}};
    }

    QList<InspectorRow> costs() const {
        QList<InspectorRow> rows;
        if (m_node.flops)
            rows << figure(tr("Operations"), *m_node.flops, "FLOP");
        if (m_node.bytes)
            rows << figure(tr("Memory"), *m_node.bytes, "B");
        if (m_node.flops && m_node.bytes && *m_node.bytes > 0)
            rows << figure(tr("Intensity"), *m_node.flops / *m_node.bytes, "FLOP/B");
        if (m_node.least_seconds > 0) {
            rows << predicted(m_source, tr("Alone"),
                              session::predicted_alone(m_node, *m_source.snapshot, m_source.findings));
            rows.last().hint = tr("%1, were it a kernel of its own").arg(rows.last().hint);
        }
        if (!m_node.flops && !m_node.bytes)
            rows << sentence(tr("It depends on dynamic dimensions, or is not known"), InspectorTone::Muted);
        if (const session::ModelNodeError* error = errorOfNode()) {
            InspectorRow row = measured(m_source, tr("Numeric error"), error->relative, "");
            if (error->is_bad && row.tone == InspectorTone::Plain)
                row.tone = InspectorTone::Error;
            row.hint = tr("Relative to the greatest magnitude of the result in double precision; it may reach %1")
                           .arg(text(number_text(error->tolerance)));
            rows << row;
        }
        return rows;
    }

    // By its id, or where that is of another revision by its name.
    const session::ModelNodeError* errorOfNode() const {
        const session::ModelNodeError* named = nullptr;
        if (!m_source.findings.comparison)
            return nullptr;
        for (const session::ModelNodeError& error : m_source.findings.comparison->nodes) {
            if (error.node != m_node.name)
                continue;
            if (error.node_id == m_node.id)
                return &error;
            named = named ? named : &error;
        }
        return named;
    }

    void addKernels() {
        if (!m_source.kernels)
            return;
        for (const std::uint32_t kernel : m_source.kernels->of(m_node.id))
            addKernel(m_inspector, m_source, kernel, m_node.id);
    }

    QList<InspectorRow> origin() const {
        QList<InspectorRow> rows;
        if (!m_node.rule.empty())
            rows << fact(tr("Rule"), text(m_node.rule));
        if (!m_node.note.empty())
            rows << sentence(text(m_node.note));
        if (const int maker = graphThatAdded(); maker >= 0) {
            InspectorRow row = fact(tr("Pass"), text(m_source.snapshot->graphs[std::size_t(maker)]->title));
            row.hint = text(m_source.snapshot->graphs[std::size_t(maker)]->summary);
            row.link.graph = maker;
            row.link.item = GraphItem::ofNode(m_node.id);
            rows << row;
        }
        for (const std::uint32_t old : m_node.replaces)
            rows << nodeRow(m_source, tr("Replaces"), old, graphWith(m_source, old));
        if (m_node.site.known()) {
            InspectorRow row = fact(
                tr("Script"), QString("%1:%2").arg(QFileInfo(text(m_node.site.file)).fileName()).arg(m_node.site.line));
            row.hint = text(m_node.site.file);
            row.link.place = m_node.site;
            rows << row;
        }
        rows << fact(tr("Key"), text(m_node.key));
        rows.last().hint = tr("What choices files call it: %1").arg(text(m_node.key));
        if (!m_call.isEmpty())
            rows << fact(tr("In scripts"), m_call);
        return rows;
    }

    int graphThatAdded() const {
        const auto& graphs = m_source.snapshot->graphs;
        for (std::size_t i = 1; i < graphs.size(); ++i)
            if (!graphs[i - 1]->node(m_node.id) && graphs[i]->node(m_node.id))
                return static_cast<int>(i);
        return -1;
    }

    const InspectorSource& m_source;
    const session::GraphNode& m_node;
    const session::ModelGraph& m_graph;
    const int m_place;
    QList<InspectorRow> m_constants;
    QString m_call;
    Inspector m_inspector;
};

} // namespace

Inspector inspectorOfNode(const InspectorSource& source, quint32 id) {
    const int graph = graphWith(source, id);
    if (graph < 0)
        return {};
    return NodeInspector(source, *source.snapshot->graphs[std::size_t(graph)]->node(id), graph).make();
}

} // namespace hidet::ui
