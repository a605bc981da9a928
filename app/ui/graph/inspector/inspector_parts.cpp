// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/inspector/inspector_parts.h"

#include "app/ui/core/words.h"
#include "app/ui/graph/tables/operator_table.h"
#include "app/ui/workbench/graph_parts.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

QString counted(std::size_t count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(count);
}

QString nameOf(const session::GraphNode& node) {
    return text(node.name.empty() ? node.op : node.name);
}

QString nameOf(const session::GraphValue& value) {
    return value.name.empty() ? "%" + QString::number(value.id) : text(value.name);
}

QString typeOf(const session::GraphValue& value) {
    QString out = text(value.dtype) + " " + text(value.shape);
    if (value.bytes)
        out += ", " + text(bytes_text(*value.bytes));
    if (!value.layout.empty())
        out += ", " + text(value.layout);
    return out;
}

int graphWith(const InspectorSource& source, quint32 node) {
    return graphThat(*source.snapshot, source.shown, [node](const auto& graph) { return graph.node(node); });
}

int graphWithValue(const InspectorSource& source, quint32 value) {
    return graphThat(*source.snapshot, source.shown, [value](const auto& graph) { return graph.value(value); });
}

InspectorRow fact(const QString& name, const QString& value) {
    return {.name = name, .value = value};
}

InspectorRow figure(const QString& name, double value, const char* unit) {
    return fact(name, text(text_of_quantity(value, unit)));
}

InspectorRow predicted(const InspectorSource& source, const QString& name, double seconds) {
    InspectorRow row = figure(name, seconds, "s");
    row.value.prepend('~');
    row.tone = InspectorTone::Predicted;
    row.hint = tr("Lower bound on %1").arg(text(session::machine_of(*source.snapshot, source.findings).name));
    return row;
}

InspectorRow measured(const InspectorSource& source, const QString& name, double value, const char* unit) {
    InspectorRow row = figure(name, value, unit);
    if (source.isStale) {
        row.tone = InspectorTone::Stale;
        row.hint = tr("Measured before the model, its choices or the target changed");
    }
    return row;
}

InspectorRow sentence(const QString& text, InspectorTone tone) {
    return {.value = text, .tone = tone};
}

InspectorRow nodeRow(const InspectorSource& source, const QString& name, quint32 node, int graph) {
    const session::GraphNode* found = graph < 0 ? nullptr : source.snapshot->graphs[std::size_t(graph)]->node(node);
    if (!found)
        return {.name = name, .value = tr("operator %1").arg(node), .tone = InspectorTone::Muted};
    return {.name = name,
            .value = nameOf(*found),
            .hint = QString("%1, %2").arg(nameOf(*found), text(found->op)),
            .link = {GraphItem::ofNode(node), graph == source.shown ? -1 : graph, {}}};
}

InspectorRow constantRow(const session::GraphValue& value) {
    InspectorRow row = fact(nameOf(value), typeOf(value));
    row.hint = value.contents.empty() ? row.name : text(value.contents);
    row.link.item = GraphItem::ofValue(value.id);
    if (value.contents.empty())
        row.rows << InspectorRow{.constant = value.id};
    else
        row.value = text(value.contents) + ", " + row.value;
    return row;
}

QList<InspectorRow> shortened(QList<InspectorRow> rows) {
    if (rows.size() <= most_listed)
        return rows;
    const qsizetype more = rows.size() - most_listed;
    rows.resize(most_listed);
    return rows << sentence(tr("and %1 more").arg(more), InspectorTone::Muted);
}

void addSection(Inspector& inspector, const QString& title, QList<InspectorRow> rows) {
    if (!rows.isEmpty())
        inspector.sections << InspectorSection{title, shortened(std::move(rows))};
}

void addKernel(Inspector& inspector, const InspectorSource& source, quint32 kernel, quint32 butNot) {
    const session::ModelGraph& last = source.last();
    if (kernel >= last.kernels.size())
        return;
    const session::GraphKernel& shown = last.kernels[kernel];
    const int place = static_cast<int>(source.snapshot->graphs.size()) - 1;
    QList<InspectorRow> rows;
    InspectorRow title = fact(tr("Name"), text(titleOfKernel(last, shown)));
    if (shown.is_host)
        title.value = tr("none: the host does it");
    rows << title;
    if (shown.names.size() > 1)
        rows << fact(tr("Kernels"), QString::number(shown.names.size()));
    if (!shown.schedule.empty()) {
        rows << fact(tr("Schedule"), text(shown.schedule));
        rows.last().hint = rows.last().value;
    }
    if (shown.flops)
        rows << figure(tr("Operations"), *shown.flops, "FLOP");
    if (shown.bytes)
        rows << figure(tr("Memory"), *shown.bytes, "B");
    const session::KernelFigures* figures =
        source.kernels && kernel < source.kernels->rows().size() ? &source.kernels->rows()[kernel] : nullptr;
    if (!shown.is_host)
        rows << predicted(source, tr("Predicted"), figures ? figures->predicted : shown.least_seconds);
    if (figures && figures->measured) {
        rows << measured(source, tr("Measured"), *figures->measured, "s");
        if (figures->measured_least > 0) {
            rows << measured(source, tr("% of roofline"), figures->measured_least / *figures->measured * 100, "%");
            if (!figures->bound.empty())
                rows.last().value += QString(" (%1)").arg(text(figures->bound));
        }
    }
    QList<InspectorRow> others;
    for (const std::uint32_t node : shown.nodes)
        if (node != butNot)
            others << nodeRow(source, text(last.node(node) ? last.node(node)->op : ""), node, place);
    if (!others.isEmpty()) {
        InspectorRow with = fact(butNot == session::no_id ? tr("Operators") : tr("Together with"),
                                 counted(std::size_t(others.size()), tr("1 operator"), tr("%1 operators")));
        with.rows = shortened(others);
        rows << with;
    }
    addSection(inspector, tr("Kernel"), rows);
}

} // namespace hidet::ui
