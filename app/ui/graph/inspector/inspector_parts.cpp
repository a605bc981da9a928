// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/inspector/inspector_parts.h"

#include <algorithm>

#include "app/ui/core/words.h"
#include "app/ui/graph/tables/operator_table.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

QString counted(std::size_t count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(count);
}

QString nameOf(const session::GraphNode& node) {
    return textOf(node.name.empty() ? node.op : node.name);
}

QString nameOf(const session::GraphValue& value) {
    return value.name.empty() ? "%" + QString::number(value.id) : textOf(value.name);
}

QString typeOf(const session::GraphValue& value) {
    QString out = textOf(value.dtype) + " " + textOf(value.shape);
    if (value.bytes)
        out += ", " + textOf(bytes_text(*value.bytes));
    if (!value.layout.empty())
        out += ", " + textOf(value.layout);
    return out;
}

static int lastThat(const InspectorSource& source, const auto& has) {
    if (has(source.graph()))
        return source.shown;
    for (int i = static_cast<int>(source.snapshot->graphs.size()) - 1; i >= 0; --i)
        if (has(*source.snapshot->graphs[std::size_t(i)]))
            return i;
    return -1;
}

int graphWith(const InspectorSource& source, quint32 node) {
    return lastThat(source, [node](const session::ModelGraph& graph) { return graph.node(node); });
}

int graphWithValue(const InspectorSource& source, quint32 value) {
    return lastThat(source, [value](const session::ModelGraph& graph) { return graph.value(value); });
}

InspectorRow fact(const QString& name, const QString& value) {
    InspectorRow row;
    row.name = name;
    row.value = value;
    return row;
}

InspectorRow figure(const QString& name, double value, const char* unit) {
    return fact(name, textOf(text_of_quantity(value, unit)));
}

InspectorRow predicted(const InspectorSource& source, const QString& name, double seconds) {
    InspectorRow row = figure(name, seconds, "s");
    row.value.prepend('~');
    row.tone = InspectorTone::Predicted;
    row.hint = tr("Lower bound on %1").arg(textOf(session::machine_of(*source.snapshot, source.findings).name));
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
    InspectorRow row;
    row.value = text;
    row.tone = tone;
    return row;
}

InspectorRow nodeRow(const InspectorSource& source, const QString& name, quint32 node, int graph) {
    InspectorRow row;
    row.name = name;
    const session::GraphNode* found = graph < 0 ? nullptr : source.snapshot->graphs[std::size_t(graph)]->node(node);
    if (!found) {
        row.value = tr("operator %1").arg(node);
        row.tone = InspectorTone::Muted;
        return row;
    }
    row.value = nameOf(*found);
    row.hint = QString("%1, %2").arg(row.value, textOf(found->op));
    row.link.item = GraphItem::ofNode(node);
    row.link.graph = graph == source.shown ? -1 : graph;
    return row;
}

InspectorRow constantRow(const session::GraphValue& value) {
    InspectorRow row = fact(nameOf(value), typeOf(value));
    row.hint = value.contents.empty() ? row.name : textOf(value.contents);
    row.link.item = GraphItem::ofValue(value.id);
    if (!value.contents.empty()) {
        row.value = textOf(value.contents) + ", " + row.value;
        return row;
    }
    InspectorRow picture;
    picture.constant = value.id;
    row.rows << picture;
    return row;
}

QList<InspectorRow> shortened(QList<InspectorRow> rows) {
    if (rows.size() <= most_listed)
        return rows;
    const qsizetype more = rows.size() - most_listed;
    rows.resize(most_listed);
    InspectorRow rest = fact({}, tr("and %1 more").arg(more));
    rest.tone = InspectorTone::Muted;
    rows << rest;
    return rows;
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
    InspectorRow title = fact(tr("Name"), textOf(titleOfKernel(last, shown)));
    if (shown.is_host)
        title.value = tr("none: the host does it");
    rows << title;
    if (shown.names.size() > 1)
        rows << fact(tr("Kernels"), QString::number(shown.names.size()));
    if (!shown.schedule.empty()) {
        rows << fact(tr("Schedule"), textOf(shown.schedule));
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
                rows.last().value += QString(" (%1)").arg(textOf(figures->bound));
        }
    }
    QList<InspectorRow> others;
    for (const std::uint32_t node : shown.nodes)
        if (node != butNot)
            others << nodeRow(source, textOf(last.node(node) ? last.node(node)->op : ""), node, place);
    if (!others.isEmpty()) {
        InspectorRow with = fact(butNot == session::no_id ? tr("Operators") : tr("Together with"),
                                 counted(std::size_t(others.size()), tr("1 operator"), tr("%1 operators")));
        with.rows = shortened(others);
        rows << with;
    }
    addSection(inspector, tr("Kernel"), rows);
}

} // namespace hidet::ui
