// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/inspector/sheet_parts.h"

#include <algorithm>

#include <QCoreApplication>

#include "app/session/view/quantity.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/tables/operator_table.h"

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
        out += ", " + textOf(session::bytes_text(*value.bytes));
    if (!value.layout.empty())
        out += ", " + textOf(value.layout);
    return out;
}

static int lastThat(const SheetSource& source, const auto& has) {
    if (has(source.graph()))
        return source.shown;
    for (int i = static_cast<int>(source.snapshot->graphs.size()) - 1; i >= 0; --i)
        if (has(*source.snapshot->graphs[std::size_t(i)]))
            return i;
    return -1;
}

int graphWith(const SheetSource& source, quint32 node) {
    return lastThat(source, [node](const session::ModelGraph& graph) { return graph.node(node); });
}

int graphWithValue(const SheetSource& source, quint32 value) {
    return lastThat(source, [value](const session::ModelGraph& graph) { return graph.value(value); });
}

SheetRow fact(const QString& name, const QString& value) {
    SheetRow row;
    row.name = name;
    row.value = value;
    return row;
}

SheetRow figure(const QString& name, double value, const char* unit) {
    return fact(name, textOf(session::text_of_quantity(value, unit)));
}

SheetRow predicted(const QString& name, double value, const char* unit) {
    SheetRow row = figure(name, value, unit);
    row.value.prepend('~');
    row.tone = SheetTone::Predicted;
    return row;
}

SheetRow measured(const SheetSource& source, const QString& name, double value, const char* unit) {
    SheetRow row = figure(name, value, unit);
    if (source.isStale) {
        row.tone = SheetTone::Stale;
        row.hint = tr("Measured before the model, its choices or the target changed");
    }
    return row;
}

SheetRow sentence(const QString& text, SheetTone tone) {
    SheetRow row;
    row.value = text;
    row.tone = tone;
    return row;
}

SheetRow nodeRow(const SheetSource& source, const QString& name, quint32 node, int graph) {
    SheetRow row;
    row.name = name;
    const session::GraphNode* found = graph < 0 ? nullptr : source.snapshot->graphs[std::size_t(graph)]->node(node);
    if (!found) {
        row.value = tr("operator %1").arg(node);
        row.tone = SheetTone::Muted;
        return row;
    }
    row.value = nameOf(*found);
    row.hint = QString("%1, %2").arg(row.value, textOf(found->op));
    row.link.item = GraphItem::ofNode(node);
    row.link.graph = graph == source.shown ? -1 : graph;
    return row;
}

SheetRow constantRow(const session::GraphValue& value) {
    SheetRow row = fact(nameOf(value), typeOf(value));
    row.hint = value.contents.empty() ? row.name : textOf(value.contents);
    row.link.item = GraphItem::ofValue(value.id);
    if (!value.contents.empty()) {
        row.value = textOf(value.contents) + ", " + row.value;
        return row;
    }
    SheetRow picture;
    picture.constant = value.id;
    row.rows << picture;
    return row;
}

QList<SheetRow> shortened(QList<SheetRow> rows) {
    if (rows.size() <= most_listed)
        return rows;
    const qsizetype more = rows.size() - most_listed;
    rows.resize(most_listed);
    SheetRow rest = fact({}, tr("and %1 more").arg(more));
    rest.tone = SheetTone::Muted;
    rows << rest;
    return rows;
}

void addSection(Sheet& sheet, const QString& title, QList<SheetRow> rows) {
    if (!rows.isEmpty())
        sheet.sections << SheetSection{title, shortened(std::move(rows))};
}

void addKernel(Sheet& sheet, const SheetSource& source, quint32 kernel, quint32 butNot) {
    const session::ModelGraph& last = source.last();
    if (kernel >= last.kernels.size())
        return;
    const session::GraphKernel& shown = last.kernels[kernel];
    const int place = static_cast<int>(source.snapshot->graphs.size()) - 1;
    QList<SheetRow> rows;
    SheetRow title = fact(tr("Name"), textOf(titleOfKernel(last, shown)));
    if (shown.is_host)
        title.value = tr("none: the host does it");
    rows << title;
    if (shown.names.size() > 1)
        rows << fact(tr("Kernels"), QString::number(shown.names.size()));
    if (shown.flops)
        rows << figure(tr("Operations"), *shown.flops, "FLOP");
    if (shown.bytes)
        rows << figure(tr("Memory"), *shown.bytes, "B");
    if (!shown.is_host)
        rows << predicted(tr("Predicted"), shown.least_seconds, "s");
    if (const session::KernelFigures* figures =
            source.kernels && kernel < source.kernels->rows().size() ? &source.kernels->rows()[kernel] : nullptr;
        figures && figures->measured) {
        rows << measured(source, tr("Measured"), *figures->measured, "s");
        if (figures->measured_least > 0)
            rows << measured(source, tr("Of the roof"), figures->measured_least / *figures->measured * 100, "%");
    }
    QList<SheetRow> others;
    for (const std::uint32_t node : shown.nodes)
        if (node != butNot)
            others << nodeRow(source, textOf(last.node(node) ? last.node(node)->op : ""), node, place);
    if (!others.isEmpty()) {
        SheetRow with = fact(butNot == session::no_id ? tr("Operators") : tr("Together with"),
                             counted(std::size_t(others.size()), tr("1 operator"), tr("%1 operators")));
        with.rows = shortened(others);
        rows << with;
    }
    addSection(sheet, tr("Kernel"), rows);
}

} // namespace hidet::ui
