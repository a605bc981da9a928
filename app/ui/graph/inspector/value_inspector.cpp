// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "app/ui/core/words.h"
#include "app/ui/graph/inspector/inspector_parts.h"
#include "app/ui/graph/tables/operator_table.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

class ValueInspector {
public:
    ValueInspector(const InspectorSource& source, const session::GraphValue& value, int graph, quint32 consumer)
        : m_source(source), m_value(value), m_graph(*source.snapshot->graphs[std::size_t(graph)]), m_place(graph),
          m_consumer(m_graph.node(consumer)) {}

    Inspector make() {
        m_inspector.title = nameOf(m_value);
        m_inspector.subtitle = kind();
        addSection(m_inspector, tr("Tensor"), tensor());
        if (m_value.is_constant && m_value.contents.empty())
            addSection(m_inspector, tr("Contents"), {InspectorRow{.constant = m_value.id}});
        addSection(m_inspector, tr("Producer"), producer());
        addSection(m_inspector, tr("Consumers"), consumers());
        if (!m_value.is_constant && m_value.producer != session::no_id)
            addSection(m_inspector, tr("Fusion"), fusion());
        addSection(m_inspector, tr("Place in memory"), memory());
        return std::move(m_inspector);
    }

private:
    QString kind() const {
        if (m_consumer) {
            const session::GraphNode* from = m_graph.node(m_value.producer);
            return tr("Edge from %1 to %2").arg(from ? nameOf(*from) : tr("the inputs"), nameOf(*m_consumer));
        }
        if (m_value.is_constant)
            return tr("Constant");
        if (m_value.is_input)
            return m_value.is_output ? tr("Input and output of the model") : tr("Input of the model");
        return m_value.is_output ? tr("Output of the model") : tr("Tensor");
    }

    QList<InspectorRow> tensor() const {
        QList<InspectorRow> rows{fact(tr("Type"), text(m_value.dtype)), fact(tr("Shape"), text(m_value.shape))};
        if (!m_value.layout.empty())
            rows << fact(tr("Layout"), text(m_value.layout));
        rows << fact(tr("Size"),
                     m_value.bytes ? text(bytes_text(*m_value.bytes)) : tr("depends on dynamic dimensions"));
        if (!m_value.contents.empty())
            rows << fact(tr("Contents"), text(m_value.contents));
        return rows;
    }

    QList<InspectorRow> producer() const {
        if (m_value.producer == session::no_id)
            return {};
        const session::GraphNode* node = m_graph.node(m_value.producer);
        return {nodeRow(m_source, text(node ? node->op : ""), m_value.producer, m_place)};
    }

    QList<InspectorRow> consumers() const {
        QList<InspectorRow> rows;
        for (const std::uint32_t id : m_value.consumers) {
            const session::GraphNode* node = m_graph.node(id);
            rows << nodeRow(m_source, text(node ? node->op : ""), id, m_place);
        }
        return rows;
    }

    // Edges are of the last graph: what is drawn there is what shares kernels or does not.
    QList<InspectorRow> fusion() const {
        const session::ModelGraph& last = m_source.last();
        const session::GraphValue* value = last.value(m_value.id);
        if (last.kernels.empty() || !value)
            return {};
        QList<InspectorRow> rows;
        for (const std::uint32_t consumer : value->consumers) {
            if (m_consumer && consumer != m_consumer->id)
                continue;
            const quint32 from = last.kernel_of(value->producer), to = last.kernel_of(consumer);
            const QString name = last.node(consumer) ? nameOf(*last.node(consumer)) : QString();
            const session::GraphBlocker* blocker = blockerOf(last, consumer);
            if (from != session::no_id && from == to && !blocker) {
                rows << sentence(tr("%1 shares the kernel %2: the tensor is never written to memory")
                                     .arg(name, text(titleOfKernel(last, last.kernels[from]))));
            } else if (blocker) {
                rows << sentence(tr("%1 has a kernel of its own: %2").arg(name, text(blocker->text)));
            } else {
                rows << sentence(tr("%1 is not in the same kernel").arg(name));
            }
        }
        return rows;
    }

    const session::GraphBlocker* blockerOf(const session::ModelGraph& last, quint32 consumer) const {
        return first_in(last.blockers, [&](const auto& blocker) {
            return blocker.value == m_value.id && blocker.consumer == consumer;
        });
    }

    QList<InspectorRow> memory() const {
        QList<InspectorRow> rows;
        for (const session::MemoryRow& row : m_source.snapshot->memory) {
            if (row.value != m_value.id)
                continue;
            rows << fact(tr("Where"), text(row.place));
            if (row.offset)
                rows << fact(tr("Offset"), text(bytes_text(*row.offset)));
            if (row.bytes)
                rows << fact(tr("Taken"), text(bytes_text(*row.bytes)));
            if (!m_value.is_constant)
                rows << fact(tr("Steps"), tr("%1 to %2").arg(row.first_step).arg(row.last_step));
        }
        return rows;
    }

    const InspectorSource& m_source;
    const session::GraphValue& m_value;
    const session::ModelGraph& m_graph;
    const int m_place;
    const session::GraphNode* m_consumer;
    Inspector m_inspector;
};

} // namespace

Inspector inspectorOfValue(const InspectorSource& source, quint32 id, quint32 consumer) {
    const int graph = graphWithValue(source, id);
    if (graph < 0)
        return {};
    return ValueInspector(source, *source.snapshot->graphs[std::size_t(graph)]->value(id), graph, consumer).make();
}

} // namespace hidet::ui
